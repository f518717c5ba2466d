import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { api, useAction, useCurrencies, useList, useMayEdit } from '../api/index.ts';
import { NoCurrencies } from '../setup/NoCurrencies.tsx';
import {
  Button,
  Choice,
  CopyButton,
  DataTable,
  Groups,
  Page,
  Refusal,
  Segments,
  Toggle,
  useTexts,
} from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { ImportDialog } from './ImportDialog.tsx';
import type { PaymentRequisite } from './limits.ts';
import { RequisiteDialog } from './RequisiteDialog.tsx';
import { Statement } from './Statement.tsx';
import { Availability, Usage } from './Usage.tsx';

const SHOWN = ['all', 'available', 'unavailable'] as const;
type Shown = (typeof SHOWN)[number];
const ROTATIONS = ['in_turn', 'least_used', 'priority', 'weighted'] satisfies Schema<'RequisiteRotation'>[];

const isShown = (row: PaymentRequisite, currency: string, shown: Shown): boolean =>
  (currency === '' || String(row.currencyId) === currency) &&
  (shown === 'all' || (row.unavailable === null) === (shown === 'available'));

/** Where customers pay: the pool each claim takes its requisite from. */
export default function RequisitesScreen() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/requisites');
  const currencies = useCurrencies();
  const offered = currencies.filter(({ archived }) => !archived);
  const mayEdit = useMayEdit('requisites');
  const [params, setParams] = useSearchParams();
  const currency = params.get('currency') ?? '';
  const [shown, setShown] = useState<Shown>('all');
  const [editing, setEditing] = useState<PaymentRequisite | 'new' | null>(null);
  const [importing, setImporting] = useState(false);
  const enable = useAction({
    run: ({ id, enabled }: { id: string; enabled: boolean }) =>
      api.PATCH('/requisites/{id}', { params: { path: { id } }, body: { enabled } }),
    done: (_, { enabled }) => t(enabled ? 'requisites.nowOn' : 'requisites.nowOff'),
    stale: ['/requisite*', '/dashboard'],
  });
  const codeOf = (row: PaymentRequisite) =>
    currencies.find(({ id }) => id === row.currencyId)?.code ?? `#${row.currencyId}`;
  const set = (change: Record<string, string>) =>
    setParams(Object.fromEntries(Object.entries({ currency, ...change }).filter(([, value]) => value !== '')));
  const own = currencies.filter(({ id }) => String(id) === currency || list.rows.some((row) => row.currencyId === id));
  const open = list.rows.find((row) => row.id === params.get('statement'));
  return (
    <Page
      title={t('screens.requisites')}
      line={t('requisites.line')}
      actions={
        mayEdit &&
        offered.length > 0 && (
          <>
            <Button onClick={() => setImporting(true)}>{t('requisites.import')}</Button>
            <Button onClick={() => setEditing('new')}>{t('requisites.add')}</Button>
          </>
        )
      }
    >
      <Refusal error={enable.error} />
      {list.rows.length > 0 && (
        <div className={css.chips}>
          <Choice
            label={t('things.currency')}
            value={currency}
            options={[
              { value: '', label: t('requisites.everyCurrency') },
              ...own.map(({ id, code }) => ({ value: String(id), label: code })),
            ]}
            onValue={(value) => set({ currency: value })}
          />
          {currency !== '' && <Rotation key={currency} currencyId={Number(currency)} mayEdit={mayEdit} />}
          <Segments
            label={t('requisites.shownLabel')}
            value={shown}
            options={SHOWN.map((value) => ({ value, label: t(`requisites.shown.${value}`) }))}
            onValue={setShown}
          />
        </div>
      )}
      <div className={`${css.columns} ${open ? css.withAside : ''}`}>
        <DataTable
          list={{ ...list, rows: list.rows.filter((row) => isShown(row, currency, shown)) }}
          rowKey={(row) => row.id}
          isOff={(row) => !row.enabled}
          isOpen={(row) => row === open}
          bones={{ height: 46 }}
          empty={
            list.rows.length > 0 ? (
              { title: t('requisites.noneShown') }
            ) : offered.length === 0 ? (
              <NoCurrencies title={t('requisites.empty')} />
            ) : (
              { title: t('requisites.empty'), text: t('requisites.emptyText') }
            )
          }
          buttons={(row) => (
            <>
              <Button
                variant="text"
                onClick={() => set({ statement: row.id })}
                aria-label={`${t('requisites.statement')}: ${row.value}`}
              >
                {t('requisites.statement')}
              </Button>
              {mayEdit && (
                <Button onClick={() => setEditing(row)} aria-label={`${t('action.edit')}: ${row.value}`}>
                  {t('action.edit')}
                </Button>
              )}
            </>
          )}
          columns={[
            { head: t('things.currency'), cell: (row) => <strong>{codeOf(row)}</strong> },
            {
              head: t('requisites.value'),
              look: ['full'],
              cell: (row) => (
                <span className={css.footer}>
                  <span>
                    <Groups value={row.value} />
                    {row.holder && <span className={css.small}>{row.holder}</span>}
                    {row.memo && <span className={css.small}> memo {row.memo}</span>}
                    <Marks row={row} />
                  </span>
                  <CopyButton value={row.value} label={codeOf(row)} />
                </span>
              ),
            },
            { head: t('fields.state'), look: ['full'], cell: (row) => <Availability row={row} /> },
            // Beside a statement there is no space for it: it stands there.
            !open && { head: t('requisites.usage'), look: ['full'], cell: (row) => <Usage row={row} /> },
            {
              head: t('requisites.lastUsed'),
              look: ['small', 'wide'],
              cell: (row) => (row.lastUsedAt ? dateTimeText(row.lastUsedAt) : t('requisites.never')),
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
        {open && <Statement key={open.id} row={open} code={codeOf(open)} onClose={() => set({})} />}
      </div>
      {editing && (
        <RequisiteDialog
          requisite={editing === 'new' ? null : editing}
          currencies={editing === 'new' ? offered : currencies}
          currencyId={currency}
          onClose={() => setEditing(null)}
        />
      )}
      {importing && <ImportDialog currencies={offered} currencyId={currency} onClose={() => setImporting(false)} />}
    </Page>
  );
}

/** What is special about payment details besides their limits in sums. */
function Marks({ row }: { row: PaymentRequisite }) {
  const { t, amountText } = useTexts();
  const bounds = [row.minAmount, row.maxAmount];
  const marks = [
    row.oneTime && t('requisites.marks.oneTime'),
    row.identification !== 'none' && t(`requisites.marks.${row.identification}`),
    row.coolingMinutes > 0 && t('requisites.marks.cooling', { minutes: row.coolingMinutes }),
    bounds.some((bound) => bound !== null) &&
      t(`requisites.marks.${row.minAmount === null ? 'max' : row.maxAmount === null ? 'min' : 'between'}`, {
        min: row.minAmount && amountText(row.minAmount),
        max: row.maxAmount && amountText(row.maxAmount),
      }),
  ].filter(Boolean);
  return marks.length > 0 && <span className={css.line}>{marks.join(', ')}</span>;
}

/** The order in which the payment details of a currency are given out. */
function Rotation({ currencyId, mayEdit }: { currencyId: number; mayEdit: boolean }) {
  const { t } = useTexts();
  const pool = useList('/requisite-pools').rows.find((row) => row.currencyId === currencyId);
  const change = useAction({
    run: (rotation: Schema<'RequisiteRotation'>) =>
      api.PUT('/requisite-pools/{currencyId}', { params: { path: { currencyId } }, body: { rotation } }),
    done: t('requisites.rotationSaved'),
    stale: ['/requisite*'],
  });
  return (
    <>
      <Choice
        label={t('requisites.rotation')}
        value={pool?.rotation ?? 'in_turn'}
        disabled={!mayEdit || !pool || change.isPending}
        options={ROTATIONS.map((value) => ({ value, label: t(`requisites.rotations.${value}`) }))}
        onValue={(rotation) => change.mutate(rotation)}
      />
      <Refusal error={change.error} />
    </>
  );
}
