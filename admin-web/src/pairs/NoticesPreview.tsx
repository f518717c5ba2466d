import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { sanitised } from '../../../public-web/src/features/home/notices/sanitise.tsx';
import { LANGUAGES } from '../i18n/language.ts';
import { Segments, useTexts } from '../ui/index.ts';
import { PLACES } from './draft.ts';
import css from './PairDrawer.module.css';

type Props = {
  notices: Schema<'LocalizedPairNotices'> | null;
  /** What customers have to accept. */
  terms: Schema<'LocalizedNotice'> | null;
};

/** Notices and terms as visitors see them, in either language: of their HTML, what the site shows. */
export function NoticesPreview({ notices, terms }: Props) {
  const { t, language: own } = useTexts();
  const [language, setLanguage] = useState(own);
  const texts = [...PLACES.map((place) => notices?.[place] ?? null), terms].filter((text) => text !== null);
  if (texts.length === 0) return null;
  return (
    <section className={css.notices} aria-label={t('pairs.noticesPreview')}>
      <h3>{t('pairs.noticesPreview')}</h3>
      <Segments
        label={t('pairs.noticesLanguage')}
        value={language}
        onValue={setLanguage}
        options={LANGUAGES.map((value) => ({ value, label: value.toUpperCase() }))}
      />
      {texts.map((text) => (
        <article key={JSON.stringify(text)} className={css.shown} lang={language}>
          <h4>{text[language].title}</h4>
          <div>{sanitised(text[language].message)}</div>
        </article>
      ))}
    </section>
  );
}
