import { live } from '../api/api.ts';
import { useDashboard } from '../api/queries.ts';
import { useLine } from '../api/useLive.ts';
import { useNow } from '../ui/clock.ts';
import { timeText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Bands.module.css';

/** What everybody must know wherever they are: the line is lost, technical mode is on. */
export function Bands() {
  const { t, language } = useWords();
  const { data } = useDashboard();
  const line = useLine();
  return (
    <>
      {line.state === 'down' && <LostLine retryAt={line.retryAt} />}
      {data?.tech.on && (
        <div className={css.tech} role="status">
          <strong>{t('layout.techOn')}</strong>{' '}
          {data.tech.time ? t('layout.techUntil', { time: timeText(data.tech.time, language) }) : t('layout.techOpen')}
        </div>
      )}
    </>
  );
}

function LostLine({ retryAt }: { retryAt: number | null }) {
  const { t } = useWords();
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
