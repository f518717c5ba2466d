import Button from '@mui/material/Button';
import css from './More.module.css';
import { useWords } from './useWords.ts';

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };

/** Reads on, under a list that goes on. `within` something that has margins of its own it adds none at the sides. */
export function More({ list, within }: { list: Pages; within?: boolean }) {
  const { t } = useWords();
  if (!list.hasNextPage) return null;
  return (
    <div className={within ? css.within : css.more}>
      <Button onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
        {t('action.more')}
      </Button>
    </div>
  );
}
