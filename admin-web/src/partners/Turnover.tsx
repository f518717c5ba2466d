import type { Schema } from '@agio/client/admin';
import { Amount, DataTable, Sum, useTexts } from '../ui/index.ts';
import css from './Partners.module.css';

type Turnover = Schema<'PartnerTurnover'>;

/** What was exchanged through a partner, by direction. */
export function Turnover({ rows }: { rows: Turnover[] }) {
  const { t } = useTexts();
  return (
    <DataTable
      list={rows}
      empty={<p className={css.muted}>{t('partners.noTurnover')}</p>}
      rowKey={(row) => `${row.from}-${row.to}`}
      columns={[
        { head: t('things.pair'), look: ['whole', 'full'], cell: (row) => `${row.from} → ${row.to}` },
        { head: t('partners.claims'), number: true, cell: (row) => row.claims },
        { head: t('partners.completed'), number: true, cell: (row) => row.completed },
        { head: t('partners.open'), number: true, cell: (row) => row.open },
        { head: t('partners.sent'), number: true, cell: (row) => <Sum value={row.sent} code={row.from} /> },
        { head: t('partners.received'), number: true, cell: (row) => <Sum value={row.received} code={row.to} /> },
        { head: t('partners.earned'), number: true, cell: (row) => <Amount value={row.earned} /> },
      ]}
    />
  );
}
