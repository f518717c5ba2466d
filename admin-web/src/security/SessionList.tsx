import type { SignedIn } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { momentText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import { browserOf } from './browser.ts';
import css from './Security.module.css';

/** Sign-ins that hold, each with where it is from; those that may be ended with a button. */
export function SessionList({
  sessions,
  onEnd,
  busy,
}: {
  sessions: SignedIn[];
  onEnd: ((session: SignedIn) => void) | null;
  busy: boolean;
}) {
  const { t, language } = useWords();
  return (
    <ul className={css.sessions}>
      {sessions.map((one) => {
        const agent = browserOf(one.agent) || t('security.unknownAgent');
        return (
          <li key={one.id} className={css.session}>
            <span>
              <strong className={css.agent} title={one.agent}>
                {agent}
              </strong>
              , {one.address}
              <br />
              <span className={one.current ? css.current : css.muted}>
                {one.current
                  ? t('security.current')
                  : t('security.lastUsed', { time: momentText(one.lastUsedAt, language) })}
              </span>
              <span className={css.muted}>
                {' · '}
                {t('security.since', { time: momentText(one.createdAt, language) })}
              </span>
            </span>
            {onEnd && !one.current && (
              <Button
                disabled={busy}
                aria-label={t('security.endNamed', { agent, address: one.address })}
                onClick={() => onEnd(one)}
              >
                {t('security.end')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
