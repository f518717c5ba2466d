import type { Schema } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useNotify } from 'react-admin';
import { Link } from 'react-router';
import { useGet, useMayEdit } from '../api/hooks.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Field } from '../ui/Field.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { Loaded } from '../ui/States.tsx';
import { useTexts } from '../ui/useTexts.ts';
import css from './Content.module.css';
import { History } from './History.tsx';
import { Preview } from './Preview.tsx';
import { PublishDialog } from './PublishDialog.tsx';

export type ContentPage = Schema<'ContentVersionDetails'>;
export type ContentText = Schema<'ContentMarkdown'>;
export type Locale = Schema<'PreviewContentRequest'>['locale'];
export type Texts = Partial<Record<Locale, ContentText>>;

const LOCALES: Locale[] = ['ru', 'en'];
const same = (one: ContentText, two: ContentText) =>
  one.title === two.title && one.description === two.description && one.markdown === two.markdown;

/** One page: its text in both languages, a preview and its history. */
export function EditorScreen({ page }: { page: string }) {
  const { t } = useTexts();
  const content = useGet('/content/{page}', { path: { page } });
  return (
    <Page
      title={t(`content.names.${page}`, { _: page })}
      line={<Link to="/pages">{t('content.back')}</Link>}
      actions={
        <>
          <AuditLink kind="content" id={page} />
          <a href={`/${page}`} target="_blank" rel="noreferrer">
            {t('content.open')}
          </a>
        </>
      }
    >
      <Loaded answer={content} bones={{ rows: 8, height: 56 }}>
        {(data) => <Editor page={page} newest={data} />}
      </Loaded>
    </Page>
  );
}

function Editor({ page, newest }: { page: string; newest: ContentPage }) {
  const { t, language } = useTexts();
  const notify = useNotify();
  const mayChange = useMayEdit('content');
  const [locale, setLocale] = useState<Locale>(language);
  const [drafts, setDrafts] = useState<Texts>({});
  // The version that is edited stays while there are drafts: the server refuses if it was replaced meanwhile.
  const [over, setOver] = useState(newest);
  const [note, setNote] = useState('');
  const [publishing, setPublishing] = useState(false);
  const text = drafts[locale] ?? over[locale];
  const changed = LOCALES.filter((one) => drafts[one]);
  useLeaveWarning(changed.length > 0);
  if (changed.length === 0 && over !== newest) setOver(newest);

  const setDraft = (one: Locale, next: ContentText) =>
    setDrafts(({ [one]: _, ...rest }) => (same(next, over[one]) ? rest : { ...rest, [one]: next }));
  const field = (name: keyof ContentText) => ({
    value: text[name],
    disabled: !mayChange,
    onValue: (value: string) => setDraft(locale, { ...text, [name]: value }),
  });
  const restore = (old: ContentPage) => {
    for (const one of LOCALES) setDraft(one, old[one]);
    setNote(t('content.restoreNote', { version: old.version.version }));
    notify(t('content.restored', { version: old.version.version }), { type: 'info' });
  };
  return (
    <>
      <div className={css.bar}>
        <Segments
          label={t('content.language')}
          value={locale}
          options={LOCALES.map((value) => ({
            value,
            label: drafts[value] ? `${t(`content.${value}`)} · ${t('content.changed')}` : t(`content.${value}`),
          }))}
          onValue={setLocale}
        />
        {mayChange ? (
          <div className={css.buttons}>
            <Button disabled={changed.length === 0} onClick={() => setDrafts({})}>
              {t('content.undo')}
            </Button>
            <Button variant="contained" disabled={changed.length === 0} onClick={() => setPublishing(true)}>
              {t('content.publish')}
            </Button>
          </div>
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
      <History
        page={page}
        present={newest.version.version}
        locale={locale}
        onRestore={mayChange ? restore : undefined}
      />
      {publishing && (
        <PublishDialog
          page={page}
          over={over.version.version}
          drafts={drafts}
          note={note}
          onPublished={() => {
            setDrafts({});
            setNote('');
          }}
          onClose={() => setPublishing(false)}
        />
      )}
    </>
  );
}

/** Warns before unpublished drafts are left. */
function useLeaveWarning(isChanged: boolean) {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
