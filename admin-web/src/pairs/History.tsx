import { useState } from 'react';
import { useGet } from '../api/index.ts';
import { significant } from '../ui/decimal.ts';
import { DataTable, Segments, useTexts } from '../ui/index.ts';
import { CHART, linesOf, marginOf, type RatePoint, rangeOf } from './chart.ts';
import { DIGITS } from './matrix.ts';
import css from './Rates.module.css';

/** A day, a week and a month. */
const DAYS = ['1', '7', '30'] as const;
/** Rows of the table under the chart. */
const ROWS = 24;

/** The market rate and the rate of a pair as a chart, with the newest numbers as a table. */
export function History({ pairId }: { pairId: number }) {
  const { t } = useTexts();
  const [days, setDays] = useState<(typeof DAYS)[number]>('7');
  const { data: points = [] } = useGet('/rates/pairs/{id}/history', {
    path: { id: pairId },
    query: { days: Number(days) },
  });
  return (
    <figure className={css.chart}>
      <figcaption className={css.caption}>
        <span>{t('live.history')}</span>
        <Segments
          label={t('live.days')}
          value={days}
          onValue={setDays}
          options={DAYS.map((count) => ({ value: count, label: t(`live.period.${count}`) }))}
        />
      </figcaption>
      {points.length === 0 ? <p className={css.note}>{t('live.noPoints')}</p> : <Chart points={points} />}
    </figure>
  );
}

function Chart({ points }: { points: RatePoint[] }) {
  const { t, amountText, percentText, dateTimeText } = useTexts();
  const lines = linesOf(points);
  const range = rangeOf(points);
  const margin = marginOf(points);
  const read = (rate: string) => amountText(significant(rate, DIGITS));
  return (
    <>
      <div className={css.plot}>
        <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden="true">
          <path className={css.market} d={lines.market} />
          <path className={css.rateLine} d={lines.rate} />
        </svg>
        <p className={`${css.scale} figures`} aria-hidden="true">
          <span>{read(range.most)}</span>
          <span>{read(range.least)}</span>
        </p>
        <p className={css.ends} aria-hidden="true">
          <span>{dateTimeText(points[0]?.at ?? '')}</span>
          <span>{dateTimeText(points.at(-1)?.at ?? '')}</span>
        </p>
      </div>
      <p className={css.legend} aria-hidden="true">
        <span className={css.marketKey}>{t('live.market')}</span>
        <span className={css.rateKey}>{t('live.rate')}</span>
      </p>
      {margin && (
        <>
          <div className={`${css.plot} ${css.low}`}>
            <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden="true">
              <path className={css.rateLine} d={margin.line} />
            </svg>
            <p className={`${css.scale} figures`} aria-hidden="true">
              <span>{percentText(margin.most)}</span>
              <span>{margin.least === margin.most ? '' : percentText(margin.least)}</span>
            </p>
          </div>
          <p className={css.legend} aria-hidden="true">
            <span className={css.rateKey}>{t('live.margin')}</span>
          </p>
        </>
      )}
      <details>
        <summary>{t('live.asTable')}</summary>
        <DataTable
          plain
          list={points.slice(-ROWS).reverse()}
          rowKey={(point) => point.at}
          columns={[
            {
              head: t('fields.when'),
              lookOf: (point) => point.suspended && 'bad',
              cell: (point) => dateTimeText(point.at),
            },
            {
              head: t('live.market'),
              look: ['right'],
              lookOf: (point) => point.suspended && 'bad',
              className: 'figures',
              cell: (point) => read(point.market),
            },
            {
              head: t('live.rate'),
              look: ['right'],
              lookOf: (point) => point.suspended && 'bad',
              className: 'figures',
              cell: (point) => (point.rate === null || point.suspended ? t('live.stopped') : read(point.rate)),
            },
            {
              head: t('live.margin'),
              look: ['right'],
              className: 'figures',
              cell: (point) => (point.marginPercent === null ? '—' : percentText(point.marginPercent)),
            },
          ]}
        />
      </details>
    </>
  );
}
