import type { DiscountCustomer, OwnDiscount } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Amount } from '../ui/Amount.tsx';
import { Field } from '../ui/Field.tsx';
import { amountText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import own from './Discounts.module.css';

/** Who has exchanged how much, and what that gives them. */
export function Customers() {
  const { t } = useWords();
  const [typed, setTyped] = useState('');
  const [email, setEmail] = useState('');
  const list = useInfiniteQuery({
    queryKey: KEYS.discountCustomers(email),
    queryFn: ({ pageParam }) => api.discountCustomers(email === '' ? undefined : email, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const { data, error, isPending, refetch } = list;
  const { data: table } = useQuery({ queryKey: KEYS.discounts, queryFn: () => api.discounts() });
  const rows = data?.pages.flatMap((page) => page.items) ?? [];
  const account = email === '' ? null : (data?.pages[0]?.account ?? null);
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
      {account && <Account account={account} base={table?.base ?? ''} />}
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && rows.length === 0 && <EmptyNote title={t('discounts.nobody')} text={t('discounts.nobodyText')} />}
      {rows.length > 0 && <Rows rows={rows} base={table?.base ?? ''} />}
      <More list={list} />
    </>
  );
}

/** Where the account with the address stands, what guests exchanged with it included. */
function Account({ account, base }: { account: OwnDiscount; base: string }) {
  const { t, language } = useWords();
  const { volume, percent, next, confirmed } = account;
  return (
    <p className={own.account} role="status">
      {t('discounts.accountHas', {
        volume: amountText(volume, language),
        base,
        percent: amountText(percent, language),
      })}{' '}
      {next &&
        t('discounts.accountNext', {
          left: amountText(next.left, language),
          base,
          percent: amountText(next.percent, language),
        })}{' '}
      {!confirmed && t('discounts.accountUnconfirmed')}
    </p>
  );
}

function Rows({ rows, base }: { rows: DiscountCustomer[]; base: string }) {
  const { t, language } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('discounts.email')}</th>
            <th scope="col">{t('discounts.whose')}</th>
            <th scope="col" className={css.right}>
              {t('discounts.volume', { base })}
            </th>
            <th scope="col" className={css.right}>
              {t('discounts.exchanges')}
            </th>
            <th scope="col" className={css.right}>
              {t('discounts.percent')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.customerId ?? row.email}>
              <td>{row.email}</td>
              <td className={`${css.small} ${css.end}`}>
                {t(row.customerId ? 'discounts.account' : 'discounts.guest')}
              </td>
              <td className={css.right} data-label={t('discounts.volume', { base })}>
                <Amount value={row.volume} />
              </td>
              <td className={css.right} data-label={t('discounts.exchanges')}>
                {row.exchanges}
              </td>
              <td className={css.right} data-label={t('discounts.percent')}>
                {`+${amountText(row.percent, language)}\u00a0%`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
