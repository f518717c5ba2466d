import type { RatePoint } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { significant } from '../ui/decimal.ts';
import { amountText, momentText } from '../ui/format.ts';
import { Segments } from '../ui/Segments.tsx';
import table from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { CHART, linesOf, rangeOf } from './chart.ts';
import { DIGITS } from './matrix.ts';
import css from './Rates.module.css';

const DAYS = [1, 7, 30];
/** How many rows the table under the chart has. */
const ROWS = 24;

/** How the market's rate of a pair and its course went; the newest numbers stand in a table below. */
export function History({ pairId }: { pairId: number }) {
  const { t } = useWords();
  const [days, setDays] = useState(7);
  const { data: points = [] } = useQuery({
    queryKey: KEYS.rateHistory(pairId, days),
    queryFn: () => api.rateHistory(pairId, days),
  });
  return (
    <figure className={css.chart}>
      <figcaption className={css.caption}>
        <span>{t('live.history')}</span>
        <Segments
          label={t('live.days')}
          value={String(days)}
          onValue={(value) => setDays(Number(value))}
          options={DAYS.map((count) => ({ value: String(count), label: t('live.dayCount', { smart_count: count }) }))}
        />
      </figcaption>
      {points.length === 0 ? <p className={css.note}>{t('live.noPoints')}</p> : <Drawn points={points} />}
    </figure>
  );
}

function Drawn({ points }: { points: RatePoint[] }) {
  const { t, language } = useWords();
  const lines = linesOf(points);
  const range = rangeOf(points);
  const read = (course: string) => amountText(significant(course, DIGITS), language);
  const newest = points.slice(-ROWS).reverse();
  return (
    <>
      <div className={css.plot}>
        <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden="true">
          <path className={css.market} d={lines.market} />
          <path className={css.courseLine} d={lines.course} />
        </svg>
        <p className={`${css.scale} figures`} aria-hidden="true">
          <span>{read(range.most)}</span>
          <span>{read(range.least)}</span>
        </p>
        <p className={css.ends} aria-hidden="true">
          <span>{momentText(points[0]?.at ?? '', language)}</span>
          <span>{momentText(points.at(-1)?.at ?? '', language)}</span>
        </p>
      </div>
      <p className={css.legend} aria-hidden="true">
        <span className={css.marketKey}>{t('live.market')}</span>
        <span className={css.courseKey}>{t('live.course')}</span>
      </p>
      <details>
        <summary>{t('live.asTable')}</summary>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">{t('live.when')}</th>
              <th scope="col" className={table.right}>
                {t('live.market')}
              </th>
              <th scope="col" className={table.right}>
                {t('live.course')}
              </th>
            </tr>
          </thead>
          <tbody>
            {newest.map((point) => (
              <tr key={point.at} className={point.stopped ? table.bad : undefined}>
                <td>{momentText(point.at, language)}</td>
                <td className={`${table.right} figures`}>{read(point.market)}</td>
                <td className={`${table.right} figures`}>
                  {point.course === null || point.stopped ? t('live.stopped') : read(point.course)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
