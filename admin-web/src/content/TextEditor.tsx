import type { ReactNode } from 'react';
import { useMayEdit } from '../api/index.ts';
import { Field, Segments, useTexts } from '../ui/index.ts';
import css from './Content.module.css';
import type { ContentText, Locale } from './EditorScreen.tsx';
import { Preview } from './Preview.tsx';

export const LOCALES: Locale[] = ['ru', 'en'];

export const sameText = (one: ContentText, two: ContentText): boolean =>
  one.title === two.title && one.description === two.description && one.markdown === two.markdown;

type Props = {
  /** The page that shows the text; absent for news. */
  page?: string;
  locale: Locale;
  onLocale: (locale: Locale) => void;
  text: ContentText;
  onText: (text: ContentText) => void;
  /** The languages with unsaved changes. */
  changed: Locale[];
  /** The buttons of those who may change it. */
  actions: ReactNode;
  /** Why the server refused a field of this language. */
  error?: (name: keyof ContentText) => string | undefined;
};

/** A text in both languages, beside its preview. */
export function TextEditor({ page, locale, onLocale, text, onText, changed, actions, error }: Props) {
  const { t } = useTexts();
  const mayChange = useMayEdit('content');
  const field = (name: keyof ContentText) => ({
    value: text[name],
    disabled: !mayChange,
    error: error?.(name),
    onValue: (value: string) => onText({ ...text, [name]: value }),
  });
  return (
    <>
      <div className={css.bar}>
        <Segments
          label={t('layout.language')}
          value={locale}
          options={LOCALES.map((value) => ({
            value,
            label: changed.includes(value)
              ? `${t(`content.${value}`)} · ${t('content.changed')}`
              : t(`content.${value}`),
          }))}
          onValue={onLocale}
        />
        {mayChange ? (
          <div className={css.buttons}>{actions}</div>
        ) : (
          <p className={css.muted}>{t('content.readOnly')}</p>
        )}
      </div>
      <div className={css.sides}>
        <section className={css.editor} aria-label={t(`content.${locale}`)} lang={locale}>
          <Field label={t('content.heading')} {...field('title')} inputProps={{ maxLength: 120 }} />
          <Field label={t('content.description')} {...field('description')} inputProps={{ maxLength: 300 }} />
          <Field
            label={t('content.text')}
            help={t('content.textHelp')}
            {...field('markdown')}
            multiline
            minRows={24}
            maxRows={48}
            className={css.markdown}
          />
        </section>
        <Preview page={page} locale={locale} text={text} />
      </div>
    </>
  );
}
