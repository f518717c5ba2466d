import type { Movement, Reserve } from '@agio/client/admin';
import CloseOutlined from '@mui/icons-material/CloseOutlined';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Amount } from '../ui/Amount.tsx';
import { AuditLink } from '../ui/AuditLink.tsx';
import { momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';

/** How a reserve came to be what it is: its movements in the books, the newest first. */
export function Movements({
  reserve,
  onMove,
  onClose,
}: {
  reserve: Reserve;
  onMove: (() => void) | null;
  onClose: () => void;
}) {
  const { t } = useWords();
  const list = useInfiniteQuery({
    queryKey: KEYS.movements(reserve.currencyId),
    queryFn: ({ pageParam }) => api.movements(reserve.currencyId, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <aside className={css.aside} aria-label={t('reserves.movementsOf', { code: reserve.code })}>
      <div className={css.asideHead}>
        <h2 className={css.asideTitle}>{t('reserves.movementsOf', { code: reserve.code })}</h2>
        <IconButton aria-label={t('action.close')} onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </div>
      <div className={css.footer}>
        {onMove && <Button onClick={onMove}>{t('reserves.move')}</Button>}
        <AuditLink kind="reserve" id={reserve.currencyId} />
      </div>
      {list.isPending && <SkeletonRows rows={6} />}
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && items.length === 0 && <EmptyNote title={t('reserves.noMovements')} />}
      <ul>
        {items.map((movement) => (
          <Row key={movement.batch} movement={movement} />
        ))}
      </ul>
      <More list={list} within />
    </aside>
  );
}

function Row({ movement }: { movement: Movement }) {
  const { t, language } = useWords();
  const { reason, actor, note, at } = movement;
  return (
    <li className={css.movement}>
      <span>
        {t(`reserves.reasons.${reason}`, { _: t(`steps.${reason}`, { _: reason }) })}
        <span className={css.small}> {actor}</span>
        {note && <span className={css.small}>. {note}</span>}
      </span>
      <span className={css.right}>
        <Amount value={movement.amount} />
        <br />
        <time className={css.small} dateTime={at}>
          {momentText(at, language)}
        </time>
      </span>
    </li>
  );
}
