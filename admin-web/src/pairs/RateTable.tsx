import { DataTable, useTexts } from '../ui/index.ts';
import { CostChange, type Costs } from './Costs.tsx';
import css from './DryRun.module.css';
import { type Currency, type Pair, rateText } from './matrix.ts';

/** More rows than these nobody reads. */
const SHOWN = 100;

type Row = Pick<Pair, 'giveId' | 'receiveId' | 'state'> & {
  before?: string | null;
  rate: string | null;
  costs?: { before: Costs | null; after: Costs | null };
  /** Why it would be suspended. */
  reason?: string | null;
};

/** What customers would be offered by each pair; with `before` also what they are offered now. */
export function RateTable({ rows, currencies, before }: { rows: Row[]; currencies: Currency[]; before?: boolean }) {
  const { t, language } = useTexts();
  const codes = new Map(currencies.map((currency) => [currency.id, currency.code]));
  const shown = (rate: string | null, like?: string | null) =>
    rateText(rate, language, like ?? rate) || t('pairs.noRate');
  if (rows.length === 0) return null;
  return (
    <>
      <DataTable
        within
        list={rows.slice(0, SHOWN)}
        rowKey={(row) => `${row.giveId}-${row.receiveId}`}
        columns={[
          {
            head: t('things.pair'),
            cell: (row) => `${codes.get(row.giveId)} → ${codes.get(row.receiveId)}`,
          },
          before === true && {
            head: t('bulk.before'),
            number: true,
            look: ['muted'],
            className: 'figures',
            cell: (row) => shown(row.before ?? null),
          },
          {
            head: t(before ? 'bulk.after' : 'newPairs.rate'),
            number: true,
            className: 'figures',
            lookOf: (row) => row.rate === null && 'bad',
            cell: (row) => shown(row.rate, row.before),
          },
          rows.some((row) => row.costs !== undefined) && {
            head: t('live.overCost'),
            number: true,
            className: 'figures',
            cell: ({ costs, receiveId }) => costs && <CostChange {...costs} to={codes.get(receiveId) ?? ''} />,
          },
          {
            head: t('fields.state'),
            note: (row) => row.reason,
            cell: (row) => t(`pairs.stateShort.${row.state}`),
          },
        ]}
      />
      {rows.length > SHOWN && <p className={css.note}>{t('newPairs.rest', { smart_count: rows.length - SHOWN })}</p>}
    </>
  );
}
