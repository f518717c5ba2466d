import { useDeferredValue, useState } from 'react';
import { useNavigate } from 'react-router';
import { useList } from '../api/index.ts';
import { Amount, DataTable, Field, Sum, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { REFRESH_MS } from './ListTabs.tsx';
import own from './Referral.module.css';

/** Everybody with a referral link, the newest first. */
export function Referrers() {
  const { t, percentText } = useTexts();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const q = useDeferredValue(typed.trim());
  const list = useList('/referral/referrers', { query: q ? { q } : {}, keep: true, refetchInterval: REFRESH_MS });
  return (
    <>
      <div className={css.chips}>
        <div className={own.find}>
          <Field label={t('referral.find')} value={typed} type="search" autoComplete="off" onValue={setTyped} />
        </div>
      </div>
      <DataTable
        list={list}
        bones={{ height: 42 }}
        empty={{ title: t('referral.noReferrers') }}
        rowKey={(row) => row.id}
        onOpen={(row) => navigate(`/referral/${row.id}`)}
        columns={[
          {
            head: t('things.referrer'),
            look: ['full'],
            opens: true,
            cell: (row) => (
              <>
                <strong>{row.email}</strong> <span className={css.small}>{row.code}</span>
              </>
            ),
          },
          {
            head: t('referral.plan'),
            look: ['full'],
            cell: (row) => (
              <>
                {row.plan} <span className={css.small}>{percentText(row.percent)}</span>
              </>
            ),
          },
          { head: t('referral.visits'), number: true, cell: (row) => row.visits },
          { head: t('referral.registrations'), number: true, cell: (row) => row.registrations },
          { head: t('referral.claims'), number: true, cell: (row) => row.claims },
          { head: t('referral.earned'), number: true, cell: (row) => <Amount value={row.earned} /> },
          { head: t('referral.balance'), number: true, cell: (row) => <Sum value={row.balance} code={row.currency} /> },
        ]}
      />
    </>
  );
}
