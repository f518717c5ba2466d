import type { Schema } from '@agio/client/admin';
import { Button, useTexts } from '../ui/index.ts';
import { browserOf } from './browser.ts';
import css from './Security.module.css';

/** Sessions with browser and address; `onEnd` ends one. */
export function SessionList({
  sessions,
  onEnd,
  busy,
}: {
  sessions: Schema<'SessionView'>[];
  onEnd: ((session: Schema<'SessionView'>) => void) | null;
  busy: boolean;
}) {
  const { t, dateTimeText } = useTexts();
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
                {one.current ? t('security.current') : t('security.lastUsed', { time: dateTimeText(one.lastUsedAt) })}
              </span>
              <span className={css.muted}>
                {' · '}
                {t('security.since', { time: dateTimeText(one.createdAt) })}
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
