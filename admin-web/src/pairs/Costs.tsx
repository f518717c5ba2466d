import type { Schema } from '@agio/client/admin';
import { isNegative, isZero } from '../ui/decimal.ts';
import { DataTable, useTexts } from '../ui/index.ts';
import { rateText } from './matrix.ts';
import css from './Rates.module.css';

export type Costs = Schema<'ExchangeCosts'>;
type Cost = Costs['smallest'];
/** What exchanges cost, and of which rules; no name for those in force. */
export type NamedCosts = { name?: string; costs: Costs | null };

/** What the smallest and the largest exchange cost and leave, for each set of rules. */
export function CostTable({ sets, from, to }: { sets: NamedCosts[]; from: string; to: string }) {
  const { t, language, amountText, percentText } = useTexts();
  const rows = sets.flatMap(({ name, costs }) =>
    costs === null
      ? []
      : (['smallest', 'largest'] as const).map((end) => ({
          key: `${name ?? ''} ${end}`,
          name: name ? `${name}: ${t(`live.exchange.${end}`)}` : t(`live.exchange.${end}`),
          cost: costs[end],
        })),
  );
  const fee = sets.find(({ costs }) => costs !== null)?.costs?.networkFee;
  if (fee === undefined) return <p className={css.note}>{t('live.costUnknown')}</p>;
  return (
    <>
      <DataTable
        within
        list={rows}
        rowKey={(row) => row.key}
        columns={[
          {
            head: t('live.exchange.title'),
            cell: ({ name, cost }) => (
              <>
                {name}
                <div className={css.note}>{`${amountText(cost.give)} ${from} → ${amountText(cost.receive)} ${to}`}</div>
              </>
            ),
          },
          {
            head: t('live.costPrice'),
            number: true,
            className: 'figures',
            cell: ({ cost }) => rateText(cost.costPrice, language) || '—',
          },
          {
            head: t('live.overCost'),
            number: true,
            className: 'figures',
            lookOf: ({ cost }) => isNegative(cost.margin) && 'bad',
            cell: ({ cost }) => (
              <>
                {percentText(cost.marginPercent)}
                <div className={css.note}>{`${amountText(cost.margin)} ${to}`}</div>
              </>
            ),
          },
        ]}
      />
      <p className={css.note}>
        {isZero(fee) ? t('live.noFeeNote', { code: to }) : t('live.feeNote', { fee: `${amountText(fee)} ${to}` })}
      </p>
    </>
  );
}

/** The margin over cost of an exchange before and after, in percent and in the receive currency. */
export function CostChange({ before, after, to }: { before: Costs | null; after: Costs | null; to: string }) {
  const { t, amountText, percentText } = useTexts();
  const change = (end: 'smallest' | 'largest', textOf: (cost: Cost) => string) => {
    const [was, is] = [before, after].map((costs) => (costs === null ? '—' : textOf(costs[end])));
    return `${was} → ${is}`;
  };
  if (before === null && after === null) return '—';
  return (['smallest', 'largest'] as const).map((end) => (
    <div key={end}>
      {t(`live.exchange.${end}`)}: {change(end, (cost) => percentText(cost.marginPercent))}
      <div className={css.note}>
        {change(end, (cost) => amountText(cost.margin))} {to}
      </div>
    </div>
  ));
}
