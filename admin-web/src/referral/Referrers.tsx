import type { Referrer } from '@agio/client/admin';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { Amount } from '../ui/Amount.tsx';
import { Field } from '../ui/Field.tsx';
import { Sum } from '../ui/Sum.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { List } from './List.tsx';
import own from './Referral.module.css';
import { usePages } from './usePages.ts';

/** Everybody with a link, the newest first. */
export function Referrers() {
  const { t } = useWords();
  const [said, setSaid] = useState('');
  const pages = usePages(['referrers', said.trim()], (cursor, signal) => api.referrers(said.trim(), cursor, signal));
  return (
    <>
      <div className={css.chips}>
        <div className={own.find}>
          <Field label={t('referral.find')} value={said} type="search" autoComplete="off" onValue={setSaid} />
        </div>
      </div>
      <List pages={pages} empty={t('referral.noReferrers')}>
        {(rows) => <Rows rows={rows} />}
      </List>
    </>
  );
}

function Rows({ rows }: { rows: Referrer[] }) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('referral.referrer')}</th>
            <th scope="col">{t('referral.programme')}</th>
            <th scope="col" className={css.right}>
              {t('referral.visits')}
            </th>
            <th scope="col" className={css.right}>
              {t('referral.registrations')}
            </th>
            <th scope="col" className={css.right}>
              {t('referral.claims')}
            </th>
            <th scope="col" className={css.right}>
              {t('referral.earned')}
            </th>
            <th scope="col" className={css.right}>
              {t('referral.balance')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: Referrer }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const open = () => navigate(`/referral/${row.id}`);
  return (
    <tr className={css.choosing} onClick={open}>
      <td className={css.full}>
        <button type="button" className={own.what} onClick={open}>
          <strong>{row.email}</strong> <span className={css.small}>{row.code}</span>
        </button>
      </td>
      <td className={css.full}>
        {row.programme} <span className={css.small}>{row.percent} %</span>
      </td>
      <td className={css.right} data-label={t('referral.visits')}>
        {row.visits}
      </td>
      <td className={css.right} data-label={t('referral.registrations')}>
        {row.registrations}
      </td>
      <td className={css.right} data-label={t('referral.claims')}>
        {row.claims}
      </td>
      <td className={css.right} data-label={t('referral.earned')}>
        <Amount value={row.earned} />
      </td>
      <td className={css.right} data-label={t('referral.balance')}>
        <Sum value={row.balance} code={row.currency} />
      </td>
    </tr>
  );
}
