import { dateText } from '@agio/client/format';
import { useCallback } from 'react';
import { call } from '../../../api/client';
import type { ReferralDay } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { LoadFailure } from '../../../components/LoadFailure';
import { useMoney } from '../../../components/money';
import { Skeleton } from '../../../components/Skeleton';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { barsOf, CHART } from './bars';
import styles from './referrer.module.css';

const dayMonthText = (day: string, locale: Locale) =>
  dateText(`${day}T00:00:00Z`, locale, { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Commissions of the last thirty days; the table below has the same numbers. */
export function Chart({ code }: { code: string }) {
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/refferal/days/', { quiet: true }), [locale]);
  const [answer, again] = useAnswer(ask);
  if (answer.state === 'loading') return <Skeleton className={styles.chart_blank} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  return <Drawn days={answer.value.items} code={code} />;
}

function Drawn({ days, code }: { days: ReferralDay[]; code: string }) {
  const t = useT('account');
  const locale = useLocale();
  const ends = [days[0], days.at(-1)].map((day) => (day ? dayMonthText(day.date, locale) : ''));
  const active = days.filter(({ claims, visits }) => claims + visits > 0).reverse();
  return (
    <figure className={styles.chart}>
      <figcaption>{t('referrer.by_day')}</figcaption>
      <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden="true">
        {barsOf(days).map(({ x, width, height }, index) => (
          <rect key={days[index]?.date} x={x} y={CHART.height - height} width={width} height={height} />
        ))}
      </svg>
      <p className={`${styles.ends} small muted`} aria-hidden="true">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </p>
      <details>
        <summary>{t('referrer.as_table')}</summary>
        {active.length === 0 ? (
          <p className="muted">{t('referrer.no_days')}</p>
        ) : (
          <DayTable days={active} code={code} />
        )}
      </details>
    </figure>
  );
}

function DayTable({ days, code }: { days: ReferralDay[]; code: string }) {
  const t = useT('account');
  const money = useMoney();
  const locale = useLocale();
  return (
    <table className={`${styles.table} num`}>
      <thead>
        <tr>
          <th scope="col">{t('referrer.day')}</th>
          <th scope="col" className={styles.amount}>
            {t('referrer.visits')}
          </th>
          <th scope="col" className={styles.amount}>
            {t('referrer.claims')}
          </th>
          <th scope="col" className={styles.amount}>
            {t('referrer.earned')}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.date}>
            <th scope="row">{dayMonthText(day.date, locale)}</th>
            <td className={styles.amount}>{day.visits}</td>
            <td className={styles.amount}>{day.claims}</td>
            <td className={styles.amount}>{money(day.earned, code)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
