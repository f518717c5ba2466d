import { Link } from 'react-router';
import { live, useConnection, useDashboard, usePauseReasons } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { useTexts } from '../ui/index.ts';
import css from './Bands.module.css';

/** Notices above every screen: no connection, claims paused by a fault, payouts closed, technical mode. */
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
    </>
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
