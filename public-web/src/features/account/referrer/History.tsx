import { useCallback, useState } from 'react';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { ListPage, ReferralHistoryEntry } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Field } from '../../../components/Field';
import { LoadFailure } from '../../../components/LoadFailure';
import { useMoney } from '../../../components/money';
import { Skeleton } from '../../../components/Skeleton';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { momentText } from '../moments';
import { saveHistory } from './csv';
import { periodOf } from './period';
import styles from './referrer.module.css';

const SIZE = 20;

export function History() {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [page, setPage] = useState(1);
  // A half-typed day is empty; days in the wrong order are not requested.
  const isAskable = !(from && to) || from <= to;
  const ask = useCallback(() => {
    const query = { page, size: SIZE, ...periodOf(from, to) };
    return isAskable
      ? call(locale, 'GET /users/me/refferal/dw/', { query })
      : Promise.resolve({ items: [], page: 1, size: SIZE, total: 0 });
  }, [locale, page, from, to, isAskable]);
  const [answer, again] = useAnswer<ListPage<ReferralHistoryEntry>>(ask);
  const choose = (set: (day: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value);
    setPage(1);
  };
  const save = () => saveHistory(locale, from, to).catch((error) => toast(errorText(error, common)));
  return (
    <>
      <div className={styles.filter}>
        <Field
          type="date"
          label={t('referrer.from')}
          value={from}
          max={to || undefined}
          onChange={choose(setFrom)}
          error={isAskable ? null : t('referrer.days_wrong')}
        />
        <Field type="date" label={t('referrer.to')} value={to} min={from || undefined} onChange={choose(setTo)} />
        <Button onClick={save} disabled={!isAskable}>
          {t('referrer.csv')}
        </Button>
      </div>
      {answer.state === 'loading' ? <Skeleton isOpen className={styles.list_blank} /> : null}
      {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      {answer.state === 'ready' ? <Lines list={answer.value} onPage={setPage} /> : null}
    </>
  );
}

function Lines({ list, onPage }: { list: ListPage<ReferralHistoryEntry>; onPage: (page: number) => void }) {
  const t = useT('account');
  const locale = useLocale();
  const money = useMoney();
  const { items, page, size, total } = list;
  if (total === 0) return <p className="muted">{t('referrer.history_none')}</p>;
  const first = (page - 1) * size + 1;
  return (
    <>
      <ul className={`${styles.lines} num`}>
        {items.map((line) => (
          <li key={line.id} data-kind={line.kind}>
            <span>
              {t(`referrer.${line.kind}`)}
              <span className="small muted">{` · ${t(`referrer.status.${line.status}`)}`}</span>
            </span>
            <b>{(line.kind === 'withdrawal' ? '\u2212' : '+') + money(line.amount, line.currency)}</b>
            <time className="small muted" dateTime={line.createdAt}>
              {momentText(line.createdAt, locale, new Date())}
            </time>
          </li>
        ))}
      </ul>
      {total > size ? (
        <div className={styles.pages}>
          <p className="small muted num" aria-live="polite">
            {t('orders.range', { first, last: first + items.length - 1, total })}
          </p>
          <Button size="small" disabled={page === 1} onClick={() => onPage(page - 1)}>
            {t('referrer.newer')}
          </Button>
          <Button size="small" disabled={page * size >= total} onClick={() => onPage(page + 1)}>
            {t('referrer.older')}
          </Button>
        </div>
      ) : null}
    </>
  );
}
