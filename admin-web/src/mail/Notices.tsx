import type { StaffNotice } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { More } from '../ui/More.tsx';
import { ErrorNote, Refusal } from '../ui/States.tsx';
import table from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Mail.module.css';
import { headOf } from './notice.ts';
import { Tried } from './Tried.tsx';

/** What notifiers were to tell staff and could not. Nothing is shown while all of it left. */
export function Notices() {
  const { t } = useWords();
  const { canAccess: may = false } = useCanAccess({ resource: 'notices', action: 'edit' });
  const list = useInfiniteQuery({
    queryKey: KEYS.notices,
    queryFn: ({ pageParam }) => api.notices('dead', pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: 15_000,
  });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (!list.data && list.error) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section aria-label={t('notices.title')}>
      <div className={table.chips}>
        <h2 className={table.asideTitle}>{t('notices.title')}</h2>
      </div>
      <p className={css.line}>{t('notices.line')}</p>
      <div className={table.wrap}>
        <table className={`${table.table} ${table.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('notices.notifier')}</th>
              <th scope="col">{t('notices.text')}</th>
              <th scope="col">{t('mail.when.dead')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('mail.resend')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} may={may} />
            ))}
          </tbody>
        </table>
      </div>
      <More list={list} />
    </section>
  );
}

function Row({ row, may }: { row: StaffNotice; may: boolean }) {
  const { t } = useWords();
  const saved = useSaved();
  const again = useMutation({
    mutationFn: () => api.resendNotice(row.id),
    onSuccess: () => saved(t('notices.resent'), KEYS.notices, KEYS.dashboard),
  });
  const { head, rest } = headOf(row.text);
  return (
    <tr>
      <td>{row.notifier}</td>
      <td className={table.full}>
        <strong>{head}</strong>
        {rest && <p className={css.rest}>{rest}</p>}
        {row.fault && <span className={css.fault}>{row.fault}</span>}
        <AuditLink kind="notice" id={row.id} />
      </td>
      <td className={table.whole}>
        <Tried moment={row.settledAt} attempts={row.attempts} />
      </td>
      <td className={`${table.actions} ${table.full}`}>
        {may && (
          <Button disabled={again.isPending} onClick={() => again.mutate()}>
            {t('mail.resend')}
          </Button>
        )}
        <Refusal error={again.error} />
      </td>
    </tr>
  );
}
