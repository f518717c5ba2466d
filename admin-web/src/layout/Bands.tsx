import { useCanAccess } from 'react-admin';
import { Link, useLocation } from 'react-router';
import { live, useConnection, useDashboard, useGet, usePauseReasons } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { useTexts } from '../ui/index.ts';
import { pathOf } from '../ui/things.ts';
import css from './Bands.module.css';

/** Notices above every screen: no connection, claims paused by a fault, payouts closed, technical mode, changes that wait. */
export function Bands() {
  const { t, dateTimeText } = useTexts();
  const { data } = useDashboard();
  const connection = useConnection();
  const reasons = usePauseReasons();
  return (
    <>
      {connection.state === 'down' && <LostConnection retryAt={connection.retryAt} />}
      {reasons.length > 0 && (
        <div className={css.lost} role="alert">
          <strong>
            {t('layout.claimsPaused', { reason: reasons.map((reason) => t(`layout.pause.${reason}`)).join(', ') })}
          </strong>{' '}
          {t('layout.claimsPausedText')}
        </div>
      )}
      {data?.payouts.closed && (
        <div className={css.tech} role="status">
          <strong>{t('layout.payoutsClosed')}</strong> {t('layout.payoutsClosedText')}{' '}
          <Link to="/payments">{t('screens.payments')}</Link>
        </div>
      )}
      {data?.tech.on && (
        <div className={css.tech} role="status">
          <strong>{t('layout.techOn')}</strong>{' '}
          {data.tech.time ? t('layout.techUntil', { time: dateTimeText(data.tech.time) }) : t('layout.techOpen')}
        </div>
      )}
      {data !== undefined && data.approvals.waiting > 0 && <WaitingChanges />}
    </>
  );
}

/** Changes of this screen that nobody has approved yet. Without them it looks as if nothing had been requested. */
function WaitingChanges() {
  const { t } = useTexts();
  const { pathname } = useLocation();
  const { canAccess: enabled = false } = useCanAccess({ resource: 'approvals', action: 'read' });
  const { data } = useGet('/approvals', { query: { decided: false }, enabled });
  const waiting = data?.items.filter(
    ({ aboutKind, aboutId }) => pathOf(aboutKind, aboutId)?.split('?')[0] === pathname,
  );
  // A claim shows its requests itself.
  if (!waiting?.length || pathname.startsWith('/claims')) return null;
  return (
    <div className={css.waiting} role="status">
      {t('layout.changesWait', { smart_count: waiting.length })} <Link to="/approvals">{t('screens.approvals')}</Link>
    </div>
  );
}

function LostConnection({ retryAt }: { retryAt: number | null }) {
  const { t } = useTexts();
  const now = useNow();
  const seconds = Math.max(0, Math.ceil(((retryAt ?? now) - now) / 1000));
  return (
    <div className={css.lost}>
      <span role="status">
        <strong>{t('layout.lineLost')}</strong> {t('layout.lineLostText')}
      </span>{' '}
      <span className="figures">{seconds > 0 ? t('layout.lineRetryIn', { seconds }) : t('layout.lineRetrying')}</span>
      <button type="button" className={css.retry} onClick={live.retryNow}>
        {t('layout.lineRetry')}
      </button>
    </div>
  );
}
