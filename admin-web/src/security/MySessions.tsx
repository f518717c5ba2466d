import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Security.module.css';
import { SessionList } from './SessionList.tsx';

/** What is kept of one's own sessions. */
export const SESSIONS = ['sessions', 'mine'] as const;

export function MySessions() {
  const { t } = useWords();
  const saved = useSaved();
  const { data, error, isPending, refetch } = useQuery({ queryKey: SESSIONS, queryFn: api.mySessions });
  const end = useMutation({
    mutationFn: (id: string | null) => (id ? api.endMySession(id) : api.endMyOtherSessions()),
    onSuccess: (_, id) => saved(t(id ? 'security.ended' : 'security.endedAll'), SESSIONS),
  });
  return (
    <section className={css.section} aria-labelledby="sessions">
      <h2 id="sessions" className={css.heading}>
        {t('security.sessions')}
      </h2>
      {isPending && <SkeletonRows rows={2} height={56} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <SessionList sessions={data} busy={end.isPending} onEnd={({ id }) => end.mutate(id)} />}
      <Refusal error={end.error} />
      {data && data.length > 1 && (
        <div className={css.buttons}>
          <Button disabled={end.isPending} onClick={() => end.mutate(null)}>
            {t('security.endOthers')}
          </Button>
        </div>
      )}
    </section>
  );
}
