import { useId } from 'react';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { useClockTime } from '../model/useWords';
import css from './Stamp.module.css';

const RING = 'M100 100m-74 0a74 74 0 1 1 148 0a74 74 0 1 1 -148 0';

/** The round stamp of a finished exchange with its day and hour. Decoration: the page says the same in words. */
export function Stamp({ at }: { at: string }) {
  const t = useT('claim');
  const locale = useLocale();
  const time = useClockTime()(at);
  const ring = useId();
  const day = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    day: '2-digit',
    month: '2-digit',
    year: '2-digit',
  }).format(new Date(at));
  const words = `${t('success.stamp')} · AGIO · `;
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
          {words.repeat(2)}
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
