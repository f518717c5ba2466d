import { ApiError } from '@agio/client/problem';
import { useState } from 'react';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { CustomerSession } from '../../../api/types';
import type { AnswerState } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { momentText } from '../moments';
import { browserName } from './agent';
import styles from './settings.module.css';

interface SessionsProps {
  answer: AnswerState<CustomerSession[]>;
  again: () => void;
}

export function Sessions({ answer, again }: SessionsProps) {
  const t = useT('account');
  const end = useEnding(again);
  if (answer.state === 'loading') return <Skeleton className={styles.blank} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  const others = answer.value.filter(({ current }) => !current);
  return (
    <>
      <p className="muted">{t('sessions.text')}</p>
      <ul className={styles.sessions}>
        {answer.value.map((session) => (
          <SessionLine key={session.id} session={session} onEnd={() => end.one(session.id)} />
        ))}
      </ul>
      {others.length > 0 ? (
        <Button aria-disabled={end.busy || undefined} onClick={end.others}>
          {t('sessions.end_others')}
        </Button>
      ) : null}
    </>
  );
}

function SessionLine({ session, onEnd }: { session: CustomerSession; onEnd: () => void }) {
  const t = useT('account');
  const locale = useLocale();
  const { agent, address, current, lastUsedAt } = session;
  const name = browserName(agent) ?? t('sessions.unknown');
  return (
    <li className={styles.session}>
      <div>
        <p className={styles.browser}>
          {name}
          {current ? <span className={styles.here}>{t('sessions.this')}</span> : null}
        </p>
        <p className="small muted num">
          {address}, <time dateTime={lastUsedAt}>{momentText(lastUsedAt, locale, new Date())}</time>
        </p>
      </div>
      {current ? null : (
        <Button size="small" onClick={onEnd} aria-label={t('sessions.end_named', { name, address })}>
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}

function useEnding(again: () => void) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const [busy, setBusy] = useState(false);
  const run = async (work: Promise<unknown>, done: string) => {
    setBusy(true);
    try {
      await work;
      toast(done);
    } catch (error) {
      // Ended elsewhere meanwhile: the result is the same.
      const isOver = error instanceof ApiError && error.code === 'session_not_found';
      toast(isOver ? done : errorText(error, common));
    } finally {
      setBusy(false);
      again();
    }
  };
  return {
    busy,
    one: (id: string) => run(call(locale, 'DELETE /users/me/sessions/{id}/', { path: { id } }), t('sessions.ended')),
    others: () => busy || run(call(locale, 'DELETE /users/me/sessions/', {}), t('sessions.ended_others')),
  };
}
