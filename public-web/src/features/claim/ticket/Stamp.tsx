import { dateText, timeText } from '@agio/client/format';
import { useId } from 'react';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import css from './Stamp.module.css';

const RING = 'M100 100m-74 0a74 74 0 1 1 148 0a74 74 0 1 1 -148 0';

/** In figures English readers take the day for the month. */
const DAY: Record<Locale, Intl.DateTimeFormatOptions> = {
  ru: { day: '2-digit', month: '2-digit', year: '2-digit' },
  en: { day: 'numeric', month: 'short', year: '2-digit' },
};

/** The stamp of a completed exchange with its date and time. Decorative: the page has the same in text. */
export function Stamp({ at }: { at: string }) {
  const t = useT('claim');
  const locale = useLocale();
  const time = timeText(at);
  const ring = useId();
  const day = dateText(at, locale, DAY[locale]);
  const text = `${t('success.stamp')} · `;
  return (
    <svg className={css.stamp} viewBox="0 0 200 200" aria-hidden="true">
      <defs>
        <path id={ring} d={RING} />
      </defs>
      <circle cx="100" cy="100" r="96" strokeWidth="2" />
      <circle cx="100" cy="100" r="90" strokeWidth="0.8" />
      <circle cx="100" cy="100" r="62" strokeWidth="0.8" />
      <text>
        <textPath href={`#${ring}`} textLength="452">
          {text.repeat(2)}
        </textPath>
      </text>
      <text className={css.day} x="100" y="94">
        {day}
      </text>
      <text className={css.time} x="100" y="118">
        {time}
      </text>
    </svg>
  );
}
