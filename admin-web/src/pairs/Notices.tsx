import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Field } from '../ui/Field.tsx';
import { Segments } from '../ui/Segments.tsx';
import { useTexts } from '../ui/useTexts.ts';
import { type NoticePlace, PLACES } from './draft.ts';
import css from './PairDrawer.module.css';
import type { TermsProps } from './Terms.tsx';

const LANGUAGES = ['ru', 'en'] as const;

/** The notices about the direction for visitors, in both languages. */
export function Notices({ draft, onChange }: TermsProps) {
  const { t } = useTexts();
  const [place, setPlace] = useState<NoticePlace>('general');
  const texts = draft.notices[place];
  const write = (language: (typeof LANGUAGES)[number], part: Partial<Schema<'NoticeContent'>>) =>
    onChange({
      notices: { ...draft.notices, [place]: { ...texts, [language]: { ...texts[language], ...part } } },
    });
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
      {LANGUAGES.map((language) => (
        <div key={language} className={css.notice}>
          <Field
            label={t('pairs.noticeTitle', { language: language.toUpperCase() })}
            value={texts[language].title}
            onValue={(title) => write(language, { title })}
          />
          <Field
            label={t('pairs.noticeText', { language: language.toUpperCase() })}
            value={texts[language].message}
            multiline
            minRows={2}
            onValue={(message) => write(language, { message })}
          />
        </div>
      ))}
    </>
  );
}
