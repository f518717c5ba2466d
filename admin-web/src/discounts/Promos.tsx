import type { Promo } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { amountText, momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import own from './Discounts.module.css';
import { PromoDialog } from './PromoDialog.tsx';
import { PromoSheet } from './PromoSheet.tsx';

/** Promo codes, the newest first. */
export function Promos() {
  const { t } = useWords();
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'discounts', action: 'edit' });
  const [open, setOpen] = useState<string | 'new' | null>(null);
  const list = useInfiniteQuery({
    queryKey: KEYS.promos,
    queryFn: ({ pageParam }) => api.promos(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const { data, error, isPending, refetch } = list;
  const rows = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {mayEdit && (
        <div className={own.bar}>
          <Button onClick={() => setOpen('new')}>{t('discounts.addPromo')}</Button>
        </div>
      )}
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && rows.length === 0 && <EmptyNote title={t('discounts.noPromos')} text={t('discounts.noPromosText')} />}
      {rows.length > 0 && <Rows rows={rows} onOpen={setOpen} />}
      <More list={list} />
      {open === 'new' && <PromoDialog onClose={() => setOpen(null)} />}
      {open !== null && open !== 'new' && <PromoSheet code={open} mayStop={mayEdit} onClose={() => setOpen(null)} />}
    </>
  );
}

function Rows({ rows, onOpen }: { rows: Promo[]; onOpen: (code: string) => void }) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('discounts.code')}</th>
            <th scope="col">{t('discounts.percent')}</th>
            <th scope="col">{t('discounts.state')}</th>
            <th scope="col">{t('discounts.uses')}</th>
            <th scope="col">{t('discounts.until')}</th>
            <th scope="col">{t('discounts.note')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.code} row={row} onOpen={() => onOpen(row.code)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, onOpen }: { row: Promo; onOpen: () => void }) {
  const { t, language } = useWords();
  return (
    <tr className={row.state === 'active' || row.state === 'planned' ? undefined : css.off}>
      <td>
        <button type="button" className={own.code} onClick={onOpen}>
          {row.code}
        </button>
      </td>
      <td className={css.end}>{`+${amountText(row.percent, language)}\u00a0%`}</td>
      <td>{t(`discounts.states.${row.state}`)}</td>
      <td className={css.end}>
        {row.usesMax === null
          ? t('discounts.usesSoFar', { smart_count: row.uses })
          : t('discounts.usesOf', { uses: row.uses, max: row.usesMax })}
      </td>
      <td className={css.small}>{row.endsAt ? momentText(row.endsAt, language) : t('discounts.noEnd')}</td>
      <td className={`${css.small} ${css.end}`}>{row.note}</td>
    </tr>
  );
}
