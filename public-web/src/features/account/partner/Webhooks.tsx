import { useCallback, useState } from 'react';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { ClaimState, WebhookDelivery } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { momentText } from '../moments';
import styles from './partner.module.css';

/** Webhook deliveries, page by page. */
export function Webhooks({ mayRepeat }: { mayRepeat: boolean }) {
  const t = useT('partner');
  const locale = useLocale();
  // Cursors of the pages so far, the current one last; the first page has none.
  const [places, setPlaces] = useState<(string | undefined)[]>([undefined]);
  const cursor = places.at(-1);
  const ask = useCallback(
    () => call(locale, 'GET /users/me/partner/webhook-deliveries/', { query: { cursor, size: 10 }, quiet: true }),
    [locale, cursor],
  );
  const [answer, again] = useAnswer(ask);
  if (answer.state === 'loading') return <Skeleton className={styles.list_blank} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  const { items, nextCursor } = answer.value;
  if (items.length === 0 && places.length === 1) {
    return <p className="muted">{t('no_webhooks')}</p>;
  }
  return (
    <>
      <ul className={styles.rows}>
        {items.map((row) => (
          <Line key={row.id} row={row} mayRepeat={mayRepeat} again={again} />
        ))}
      </ul>
      <div className={styles.buttons}>
        {places.length > 1 ? <Button onClick={() => setPlaces(places.slice(0, -1))}>{t('newer')}</Button> : null}
        {nextCursor === null ? null : <Button onClick={() => setPlaces([...places, nextCursor])}>{t('older')}</Button>}
      </div>
    </>
  );
}

function Line({ row, mayRepeat, again }: { row: WebhookDelivery; mayRepeat: boolean; again: () => void }) {
  const t = useT('partner');
  const account = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const repeat = async () => {
    try {
      await call(locale, 'POST /users/me/partner/webhook-deliveries/{message}/resend/', { path: { message: row.id } });
      toast(t('sent_again'));
    } catch (error) {
      toast(errorText(error, common));
    } finally {
      again();
    }
  };
  return (
    <li>
      <div>
        <p>
          {account(`status.${row.status as ClaimState}`)}
          {row.sandbox ? <span className={styles.mark}>{t('sandbox')}</span> : null}
        </p>
        <p className={`${styles.break} small muted`}>
          {row.claim}, {row.url}
        </p>
        <p className="small" data-state={row.state}>
          {t(`state.${row.state}`)}
          {row.fault === null ? null : <span className={`${styles.break} muted`}>: {row.fault}</span>}
        </p>
      </div>
      <div className={styles.side}>
        <time className="small muted" dateTime={row.settledAt ?? row.createdAt}>
          {momentText(row.settledAt ?? row.createdAt, locale, new Date())}
        </time>
        {mayRepeat && row.state !== 'queued' ? (
          <Button size="small" onClick={repeat}>
            {t('redeliver')}
          </Button>
        ) : null}
      </div>
    </li>
  );
}
