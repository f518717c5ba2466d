import Button from '@mui/material/Button';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useAction, useList, useMayEdit } from '../api/hooks.ts';
import { useCurrencies } from '../api/queries.ts';
import { NoCurrencies } from '../setup/NoCurrencies.tsx';
import { Amount } from '../ui/Amount.tsx';
import { CopyButton, Groups } from '../ui/Copy.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { compare, share } from '../ui/decimal.ts';
import { dateTimeText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { Refusal } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useTexts } from '../ui/useTexts.ts';
import { type PaymentRequisite, RequisiteDialog } from './RequisiteDialog.tsx';

/** Where customers pay: the pool each claim takes its requisite from. */
export default function RequisitesScreen() {
  const { t, language } = useTexts();
  const list = useList('/requisites');
  const currencies = useCurrencies();
  const offered = currencies.filter(({ archived }) => !archived);
  const mayEdit = useMayEdit('requisites');
  const [editing, setEditing] = useState<PaymentRequisite | 'new' | null>(null);
  const enable = useAction({
    run: ({ id, enabled }: { id: string; enabled: boolean }) =>
      api.PATCH('/requisites/{id}', { params: { path: { id } }, body: { enabled } }),
    done: (_, { enabled }) => t(enabled ? 'requisites.nowOn' : 'requisites.nowOff'),
    stale: ['/requisites'],
  });
  const codeOf = (row: PaymentRequisite) =>
    currencies.find(({ id }) => id === row.currencyId)?.code ?? `#${row.currencyId}`;
  return (
    <Page
      title={t('requisites.title')}
      line={t('requisites.line')}
      actions={
        mayEdit && offered.length > 0 && <Button onClick={() => setEditing('new')}>{t('requisites.add')}</Button>
      }
    >
      <Refusal error={enable.error} />
      <DataTable
        list={list}
        rowKey={(row) => row.id}
        isOff={(row) => !row.enabled}
        bones={{ height: 46 }}
        empty={
          offered.length === 0 ? (
            <NoCurrencies title={t('requisites.empty')} />
          ) : (
            { title: t('requisites.empty'), text: t('requisites.emptyText') }
          )
        }
        button={mayEdit && { label: t('requisites.edit'), name: (row) => row.value, onClick: setEditing }}
        columns={[
          { head: t('requisites.currency'), cell: (row) => <strong>{codeOf(row)}</strong> },
          {
            head: t('requisites.value'),
            look: ['full'],
            cell: (row) => (
              <span className={css.footer}>
                <span>
                  <Groups value={row.value} />
                  {row.holder && <span className={css.small}>{row.holder}</span>}
                  {row.memo && <span className={css.small}> memo {row.memo}</span>}
                </span>
                <CopyButton value={row.value} label={codeOf(row)} />
              </span>
            ),
          },
          { head: t('requisites.today'), look: ['wide'], cell: (row) => <Used row={row} /> },
          {
            head: t('requisites.lastUsed'),
            look: ['small', 'wide'],
            cell: (row) => (row.lastUsedAt ? dateTimeText(row.lastUsedAt, language) : t('requisites.never')),
          },
          {
            head: t('requisites.given'),
            cell: (row) => (
              <Toggle
                hidden
                label={t('requisites.givenLabel', { code: codeOf(row) })}
                value={row.enabled}
                disabled={!mayEdit}
                onValue={(enabled) => enable.mutate({ id: row.id, enabled })}
              />
            ),
          },
        ]}
      />
      {editing && (
        <RequisiteDialog
          requisite={editing === 'new' ? null : editing}
          currencies={editing === 'new' ? offered : currencies}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}

function Used({ row: { usedToday, dailyLimit } }: { row: PaymentRequisite }) {
  const { t } = useTexts();
  if (dailyLimit === null) {
    return (
      <>
        <Amount value={usedToday} /> <span className={css.small}>{t('requisites.noLimit')}</span>
      </>
    );
  }
  const full = compare(usedToday, dailyLimit) >= 0;
  return (
    <>
      <Amount value={usedToday} /> <span className={css.small}>{t('requisites.of')}</span> <Amount value={dailyLimit} />
      <span className={css.gauge} aria-hidden="true">
        <span className={full ? css.low : css.level} style={{ width: `${share(usedToday, dailyLimit) * 100}%` }} />
      </span>
    </>
  );
}
