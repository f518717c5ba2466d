import type { Colleague } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { SessionList } from '../security/SessionList.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { sessionsOf } from './keys.ts';
import css from './Staff.module.css';

/** Where a colleague is signed in. */
export function ColleagueSessions({ colleague, mayEnd }: { colleague: Colleague; mayEnd: boolean }) {
  const { t } = useWords();
  const saved = useSaved();
  const key = sessionsOf(colleague.id);
  const { data, error, isPending, refetch } = useQuery({ queryKey: key, queryFn: () => api.sessionsOf(colleague.id) });
  const end = useMutation({
    mutationFn: (session: string | null) =>
      session ? api.endSessionOf(colleague.id, session) : api.endSessionsOf(colleague.id),
    onSuccess: (_, session) => saved(t(session ? 'security.ended' : 'staff.endedAll'), key),
  });
  return (
    <div className={css.part}>
      <strong>{t('staff.sessions')}</strong>
      {isPending && <SkeletonRows rows={1} height={44} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <p className={css.muted}>{t('staff.noSessions')}</p>}
      {data && <SessionList sessions={data} busy={end.isPending} onEnd={mayEnd ? ({ id }) => end.mutate(id) : null} />}
      <Refusal error={end.error} />
      {mayEnd && data && data.length > 1 && (
        <div className={css.buttons}>
          <Button disabled={end.isPending} onClick={() => end.mutate(null)}>
            {t('staff.endAll')}
          </Button>
        </div>
      )}
    </div>
  );
}
