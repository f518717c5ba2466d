import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useGet, useList } from '../api/index.ts';
import { Amount, Button, DataTable, Field, useTexts } from '../ui/index.ts';
import own from './Discounts.module.css';

/** Who has exchanged how much, and which discount that gives them. */
export function DiscountCustomers() {
  const { t, percentText } = useTexts();
  const [typed, setTyped] = useState('');
  const [email, setEmail] = useState('');
  const list = useList('/discounts/customers', { query: email === '' ? {} : { email }, keep: true });
  const base = useGet('/discounts').data?.base ?? '';
  const account = email === '' ? null : list.meta?.account;
  return (
    <>
      <form
        className={own.search}
        onSubmit={(event) => {
          event.preventDefault();
          setEmail(typed.trim());
        }}
      >
        <Field label={t('discounts.email')} type="email" autoComplete="off" value={typed} onValue={setTyped} />
        <Button type="submit">{t('discounts.find')}</Button>
        {email !== '' && (
          <Button
            onClick={() => {
              setTyped('');
              setEmail('');
            }}
          >
            {t('discounts.everybody')}
          </Button>
        )}
      </form>
      {account && <Account account={account} base={base} />}
      <DataTable
        list={list}
        bones={{ height: 42 }}
        empty={{ title: t('discounts.nobody'), text: t('discounts.nobodyText') }}
        rowKey={(row) => row.customerId ?? row.email}
        columns={[
          { head: t('discounts.email'), cell: (row) => row.email },
          {
            head: t('discounts.owner'),
            look: ['small', 'end'],
            cell: (row) => t(row.customerId ? 'discounts.account' : 'state.guest'),
          },
          { head: t('discounts.volume', { base }), number: true, cell: (row) => <Amount value={row.volume} /> },
          { head: t('discounts.exchanges'), number: true, cell: (row) => row.exchanges },
          { head: t('fields.percent'), number: true, cell: (row) => `+${percentText(row.percent)}` },
        ]}
      />
    </>
  );
}

/** The discount of the account with the address, including what its owner exchanged as a guest. */
function Account({ account, base }: { account: Schema<'CustomerDiscount'>; base: string }) {
  const { t, amountText, percentText } = useTexts();
  const { volume, percent, next, confirmed } = account;
  return (
    <p className={own.account} role="status">
      {t('discounts.accountHas', {
        volume: amountText(volume),
        base,
        percent: percentText(percent),
      })}{' '}
      {next &&
        t('discounts.accountNext', {
          left: amountText(next.left),
          base,
          percent: percentText(next.percent),
        })}{' '}
      {!confirmed && t('discounts.accountUnconfirmed')}
    </p>
  );
}
