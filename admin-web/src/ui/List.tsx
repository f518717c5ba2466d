import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import type { ListState } from '../api/hooks.ts';
import css from './List.module.css';
import { EmptyNote, ErrorNote, SkeletonRows } from './States.tsx';
import { useTexts } from './useTexts.ts';

export type ListFrame<Item> = {
  list: ListState<Item> | Item[];
  /** What is shown where there is nothing: a sentence with more beneath it, or anything else. */
  empty?: ReactNode | { title: string; text?: string };
  /** The grey rows shown while it loads. */
  bones?: { rows?: number; height?: number };
  /** Within something that has margins of its own. */
  within?: boolean;
};

/** A list with its states: loading, failed, empty, and more of it. */
export function List<Item>({
  list,
  empty,
  bones,
  within,
  children,
}: ListFrame<Item> & { children: (rows: Item[]) => ReactNode }) {
  const { t } = useTexts();
  if (Array.isArray(list)) return list.length === 0 ? <Empty empty={empty} /> : children(list);
  const { rows, isPending, error, refetch, more } = list;
  if (isPending) return <SkeletonRows {...bones} />;
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  return (
    <>
      {rows.length === 0 ? <Empty empty={empty} /> : children(rows)}
      {more && (
        <div className={within ? css.within : css.more}>
          <Button onClick={more.load} disabled={more.isLoading}>
            {t('action.more')}
          </Button>
        </div>
      )}
    </>
  );
}

function Empty<Item>({ empty }: Pick<ListFrame<Item>, 'empty'>) {
  return isNote(empty) ? <EmptyNote {...empty} /> : empty;
}

const isNote = (empty: unknown): empty is { title: string; text?: string } =>
  typeof empty === 'object' && empty !== null && 'title' in empty;
