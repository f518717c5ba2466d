import type { Schema } from '@agio/client/admin';
import { Link } from 'react-router';
import { useCurrencies, useList } from '../api/index.ts';
import { DataTable, Section, useTexts } from '../ui/index.ts';
import { REFRESH_MS } from './refresh.ts';

/** Pairs suspended by their rates, each with the reason; the screen of a pair resumes it. */
export function Suspensions() {
  const { t, dateTimeText } = useTexts();
  const { rows } = useList('/rates/suspensions', { refetchInterval: REFRESH_MS });
  const pairs = useList('/pairs').rows;
  const currencies = useCurrencies();
  if (rows.length === 0) return null;
  const code = (id?: number) => currencies.find((currency) => currency.id === id)?.code ?? '';
  const name = ({ pairId }: Schema<'SuspensionView'>) => {
    const pair = pairs.find((found) => found.id === pairId);
    return `${code(pair?.giveId)} → ${code(pair?.receiveId)}`;
  };
  return (
    <Section title={t('live.stops', { smart_count: rows.length })}>
      <DataTable
        list={rows}
        rowKey={(row) => row.pairId}
        columns={[
          { head: t('rates.pair'), cell: (row) => <Link to={`/pairs?pair=${row.pairId}`}>{name(row)}</Link> },
          { head: t('fields.why'), look: ['bad', 'full'], cell: (row) => row.text },
          { head: t('live.since'), cell: (row) => dateTimeText(row.since) },
        ]}
      />
    </Section>
  );
}
