import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { LANGUAGES } from '../i18n/language.ts';
import { Field, Segments, useTexts } from '../ui/index.ts';
import { type NoticePlace, PLACES } from './draft.ts';
import css from './PairDrawer.module.css';
import type { TermsProps } from './Terms.tsx';

/** The notices about the direction for visitors, in both languages. */
export function Notices({ draft, onChange, errorOf }: TermsProps) {
  const { t } = useTexts();
  const [place, setPlace] = useState<NoticePlace>('general');
  return (
    <>
      <h2 className={css.section}>{t('pairs.notices')}</h2>
      <Segments
        label={t('pairs.notices')}
        value={place}
        onValue={setPlace}
        options={PLACES.map((value) => ({ value, label: t(`pairs.places.${value}`) }))}
      />
      <p className={css.note}>{t(`pairs.placeHelp.${place}`)}</p>
      <NoticeTexts
        labels={['pairs.noticeTitle', 'pairs.noticeText']}
        texts={draft.notices[place]}
        at={`notices.${place}`}
        errorOf={errorOf}
        onTexts={(texts) => onChange({ notices: { ...draft.notices, [place]: texts } })}
      />
    </>
  );
}

/** What customers accept before they pay, in both languages. */
export function CustomerTerms({ draft, onChange, errorOf }: TermsProps) {
  const { t } = useTexts();
  return (
    <>
      <h2 className={css.section}>{t('pairs.customerTerms')}</h2>
      <p className={css.note}>{t('pairs.customerTermsHelp')}</p>
      <NoticeTexts
        labels={['pairs.termsTitle', 'pairs.termsText']}
        texts={draft.customerTerms}
        at="customerTerms"
        errorOf={errorOf}
        onTexts={(customerTerms) => onChange({ customerTerms })}
      />
    </>
  );
}

type NoticeTextsProps = Pick<TermsProps, 'errorOf'> & {
  /** The keys of their labels, with the language. */
  labels: [title: string, text: string];
  texts: Schema<'LocalizedNotice'>;
  /** Their path in the request. */
  at: string;
  onTexts: (texts: Schema<'LocalizedNotice'>) => void;
};

function NoticeTexts({ labels: [titleLabel, textLabel], texts, at, errorOf, onTexts }: NoticeTextsProps) {
  const { t } = useTexts();
  return LANGUAGES.map((language) => {
    const write = (part: Partial<Schema<'NoticeContent'>>) =>
      onTexts({ ...texts, [language]: { ...texts[language], ...part } });
    const error = (part: string) => errorOf('', `${at}.${language}.${part}`);
    return (
      <div key={language} className={css.notice}>
        <Field
          label={t(titleLabel, { language: language.toUpperCase() })}
          value={texts[language].title}
          error={error('title')}
          onValue={(title) => write({ title })}
        />
        <Field
          label={t(textLabel, { language: language.toUpperCase() })}
          value={texts[language].message}
          error={error('message')}
          multiline
          minRows={2}
          onValue={(message) => write({ message })}
        />
      </div>
    );
  });
}
