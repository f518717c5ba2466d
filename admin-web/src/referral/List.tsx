import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Referral.module.css';
import type { usePages } from './usePages.ts';

/** A list with its states: on its way, failed, empty, and more of it. */
export function List<Row>({
  pages,
  empty,
  children,
}: {
  pages: ReturnType<typeof usePages<Row>>;
  empty: string;
  children: (rows: Row[]) => ReactNode;
}) {
  const { t } = useWords();
  const { rows, data, error, isPending, hasNextPage, fetchNextPage, refetch } = pages;
  return (
    <>
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && rows.length === 0 && <EmptyNote title={empty} />}
      {rows.length > 0 && children(rows)}
      {hasNextPage && (
        <div className={css.more}>
          <Button onClick={() => void fetchNextPage()}>{t('referral.more')}</Button>
        </div>
      )}
    </>
  );
}
