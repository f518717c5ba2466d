import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useList, useMayEdit } from '../api/hooks.ts';
import { Amount } from '../ui/Amount.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { Page } from '../ui/Page.tsx';
import css from '../ui/Table.module.css';
import { useTexts } from '../ui/useTexts.ts';
import { CurrencyDialog } from './CurrencyDialog.tsx';

/** What the exchange trades in, in the order customers see it. */
export default function CurrenciesScreen() {
  const { t, language } = useTexts();
  const list = useList('/currencies');
  const mayEdit = useMayEdit('currencies');
  const [editing, setEditing] = useState<number | null>(null);
  const rows = [...list.rows].sort((a, b) => a.position - b.position);
  const chosen = rows.find((row) => row.id === editing);
  return (
    <Page
      title={t('currencies.title')}
      line={!list.isPending && !list.error && t('currencies.line', { smart_count: rows.length })}
    >
      <DataTable
        list={{ ...list, rows }}
        rowKey={(row) => row.id}
        bones={{ height: 42 }}
        empty={{ title: t('currencies.empty') }}
        button={
          mayEdit && { label: t('currencies.edit'), name: (row) => row.code, onClick: (row) => setEditing(row.id) }
        }
        columns={[
          { head: t('currencies.code'), cell: (row) => <strong>{row.code}</strong> },
          {
            head: t('currencies.name'),
            look: ['end'],
            cell: ({ name, network }) => (
              <>
                {name[language]} {!name[language].includes(network) && <span className={css.small}>{network}</span>}
              </>
            ),
          },
          { head: t('currencies.kind'), look: ['wide'], cell: (row) => t(`currencies.kinds.${row.kind}`) },
          {
            head: t('currencies.open'),
            look: ['whole'],
            lookOf: (row) => !(row.send && row.receive) && 'bad',
            cell: (row) => t(`currencies.${openTo(row)}`),
          },
          { head: t('currencies.round'), look: ['wide'], cell: (row) => row.roundCalculator },
          {
            head: t('currencies.reserve'),
            look: ['right', 'wide'],
            cell: (row) => <Amount value={row.reserve} column />,
          },
        ]}
      />
      {chosen && <CurrencyDialog currency={chosen} onClose={() => setEditing(null)} />}
    </Page>
  );
}

function openTo({ send, receive }: Schema<'CurrencyDetails'>): string {
  if (send && receive) return 'both';
  if (send) return 'sendOnly';
  return receive ? 'receiveOnly' : 'neither';
}
