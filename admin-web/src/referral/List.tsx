import type { ReactNode } from 'react';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
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
  const { rows, data, error, isPending, refetch } = pages;
  return (
    <>
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && rows.length === 0 && <EmptyNote title={empty} />}
      {rows.length > 0 && children(rows)}
      <More list={pages} />
    </>
  );
}
