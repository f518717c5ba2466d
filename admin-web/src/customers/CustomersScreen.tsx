import Button from '@mui/material/Button';
import { useDeferredValue, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { type Row, useList, useMayEdit } from '../api/index.ts';
import { AuditLink, DataTable, Field, Page, Segments, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import own from './Customers.module.css';
import { type Decision, DecisionDialog } from './DecisionDialog.tsx';

type Customer = Row<'/customers'>;

/** Customers with an account: to find one, to see their sessions, to ban one, and to turn off a lost second factor. */
export default function CustomersScreen() {
  const { t, dateTimeText } = useTexts();
  const [search, setSearch] = useSearchParams();
  const [typed, setTyped] = useState(search.get('q') ?? '');
  const q = useDeferredValue(typed.trim());
  const banned = search.get('banned') === 'true';
  const list = useList('/customers', { query: { ...(q && { q }), banned }, keep: true });
  const mayBan = useMayEdit('customers');
  const [chosen, setChosen] = useState<{ customer: Customer; decision: Decision } | null>(null);
  const empty = q !== '' ? 'emptyFound' : banned ? 'emptyBanned' : 'empty';
  return (
    <Page title={t('screens.customers')} line={t('customers.line')}>
      <search className={own.bar}>
        <div className={own.find}>
          <Field label={t('customers.find')} value={typed} type="search" autoComplete="off" onValue={setTyped} />
        </div>
        <Segments
          label={t('customers.view')}
          value={banned ? 'banned' : 'all'}
          options={[
            { value: 'all', label: t('state.all') },
            { value: 'banned', label: t('customers.bannedOnly') },
          ]}
          onValue={(value) => setSearch(value === 'banned' ? { banned: 'true' } : {})}
        />
      </search>
      <DataTable
        list={list}
        bones={{ height: 46 }}
        empty={{ title: t(`customers.${empty}`), text: t(`customers.${empty}Text`) }}
        rowKey={(row) => row.id}
        buttons={
          mayBan &&
          ((customer) => {
            const decisions: Decision[] = [customer.bannedAt ? 'unban' : 'ban'];
            if (customer.secondFactor) decisions.push('resetSecondFactor');
            return decisions.map((decision) => (
              <Button
                key={decision}
                onClick={() => setChosen({ customer, decision })}
                aria-label={`${t(`customers.${decision}.do`)}: ${customer.email}`}
              >
                {t(`customers.${decision}.do`)}
              </Button>
            ));
          })
        }
        columns={[
          { head: t('customers.email'), look: ['full'], cell: (row) => <Identity row={row} /> },
          {
            head: t('fields.address'),
            lookOf: (row) => !row.activatedAt && 'muted',
            cell: (row) => t(row.activatedAt ? 'customers.activeYes' : 'customers.activeNo'),
          },
          {
            head: t('customers.sessions'),
            lookOf: (row) => row.sessions === 0 && 'muted',
            cell: (row) =>
              row.sessions > 0 ? t('customers.sessionsCount', { smart_count: row.sessions }) : t('customers.nowhere'),
          },
          { head: t('customers.since'), look: ['small'], cell: (row) => dateTimeText(row.createdAt) },
        ]}
      />
      {chosen && <DecisionDialog {...chosen} onClose={() => setChosen(null)} />}
    </Page>
  );
}

function Identity({ row }: { row: Customer }) {
  const { t, dateTimeText } = useTexts();
  return (
    <>
      <strong className={own.email}>{row.email}</strong>
      {row.bannedAt && (
        <span className={own.ban}>
          <span className={css.bad}>{t('customers.banned', { at: dateTimeText(row.bannedAt) })}</span>
          {row.banReason && ` · ${t('customers.why', { reason: row.banReason })}`}
        </span>
      )}
      <span className={own.ban}>
        <Link to={`/claims?${new URLSearchParams({ q: row.email })}`}>{t('customers.claims')}</Link>
        {' · '}
        <AuditLink kind="customer" id={row.id} />
      </span>
    </>
  );
}
