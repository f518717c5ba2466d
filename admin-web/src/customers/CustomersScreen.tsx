import type { CustomerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link, useSearchParams } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Field } from '../ui/Field.tsx';
import { momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { BanDialog } from './BanDialog.tsx';
import own from './Customers.module.css';

/** Customers with an account: to find one, to see whether they are here, and to shut one out. */
export default function CustomersScreen() {
  const { t } = useWords();
  const [search, setSearch] = useSearchParams();
  const [typed, setTyped] = useState(search.get('q') ?? '');
  const part = useDeferredValue(typed.trim());
  const banned = search.get('banned') === 'true';
  const list = useInfiniteQuery({
    queryKey: [...KEYS.customers, part, banned],
    queryFn: ({ pageParam, signal }) => api.customers(part, banned, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const { canAccess: mayBan = false } = useCanAccess({ resource: 'customers', action: 'edit' });
  const [chosen, setChosen] = useState<CustomerRow | null>(null);
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const nobody = part !== '' ? 'emptyFound' : banned ? 'emptyBanned' : 'empty';
  return (
    <Page title={t('customers.title')} line={t('customers.line')}>
      <search className={own.bar}>
        <div className={own.find}>
          <Field label={t('customers.find')} value={typed} type="search" autoComplete="off" onValue={setTyped} />
        </div>
        <Segments
          label={t('customers.view')}
          value={banned ? 'banned' : 'all'}
          options={[
            { value: 'all', label: t('customers.all') },
            { value: 'banned', label: t('customers.bannedOnly') },
          ]}
          onValue={(value) => setSearch(value === 'banned' ? { banned: 'true' } : {})}
        />
      </search>
      {list.isPending && <SkeletonRows height={46} />}
      {!list.data && list.error && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.data && rows.length === 0 && (
        <EmptyNote title={t(`customers.${nobody}`)} text={t(`customers.${nobody}Text`)} />
      )}
      {rows.length > 0 && <Rows rows={rows} mayBan={mayBan} onChoose={setChosen} />}
      <More list={list} />
      {chosen && <BanDialog customer={chosen} onClose={() => setChosen(null)} />}
    </Page>
  );
}

type RowsProps = { rows: CustomerRow[]; mayBan: boolean; onChoose: (row: CustomerRow) => void };

function Rows({ rows, mayBan, onChoose }: RowsProps) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('customers.email')}</th>
            <th scope="col">{t('customers.active')}</th>
            <th scope="col">{t('customers.sessions')}</th>
            <th scope="col">{t('customers.since')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('customers.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} mayBan={mayBan} onChoose={() => onChoose(row)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, mayBan, onChoose }: { row: CustomerRow; mayBan: boolean; onChoose: () => void }) {
  const { t, language } = useWords();
  const does = t(row.bannedAt ? 'customers.unban.do' : 'customers.ban.do');
  return (
    <tr>
      <td className={css.full}>
        <strong className={own.email}>{row.email}</strong>
        {row.bannedAt && (
          <span className={own.ban}>
            <span className={css.bad}>{t('customers.banned', { at: momentText(row.bannedAt, language) })}</span>
            {row.banReason && ` · ${t('customers.why', { reason: row.banReason })}`}
          </span>
        )}
        <span className={own.ban}>
          <Link to={`/claims?${new URLSearchParams({ q: row.email })}`}>{t('customers.claims')}</Link>
          {' · '}
          <AuditLink kind="customer" id={row.id} />
        </span>
      </td>
      <td className={row.activatedAt ? undefined : css.muted}>
        {t(row.activatedAt ? 'customers.activeYes' : 'customers.activeNo')}
      </td>
      <td className={row.sessions > 0 ? undefined : css.muted}>
        {row.sessions > 0 ? t('customers.sessionsCount', { smart_count: row.sessions }) : t('customers.nowhere')}
      </td>
      <td className={css.small}>{momentText(row.createdAt, language)}</td>
      <td className={css.actions}>
        {mayBan && (
          <Button onClick={onChoose} aria-label={`${does}: ${row.email}`}>
            {does}
          </Button>
        )}
      </td>
    </tr>
  );
}
