import { useCallback, useState } from 'react';
import type { ListPage, ReferralLine } from '../../../api/account';
import { call } from '../../../api/client';
import { wordsFor } from '../../../api/errors';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Field } from '../../../components/Field';
import { useMoney } from '../../../components/money';
import { Skeleton } from '../../../components/Skeleton';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { LoadFailure } from '../LoadFailure';
import { momentText } from '../moments';
import { saveHistory } from './csv';
import styles from './referrer.module.css';

const SIZE = 20;

/** What was earned and withdrawn, in a time, page by page. */
export function History() {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [page, setPage] = useState(1);
  // While a day is being typed its field is empty; days in the wrong order are not asked for.
  const isAskable = !(from && to) || from <= to;
  const ask = useCallback(() => {
    const query = {
      page: String(page),
      size: String(SIZE),
      ...(from && { date_from: from }),
      ...(to && { date_to: to }),
    };
    return isAskable
      ? call(locale, 'GET /users/me/refferal/dw/', { query })
      : Promise.resolve({ items: [], page: 1, size: SIZE, total: 0 });
  }, [locale, page, from, to, isAskable]);
  const [answer, again] = useAnswer<ListPage<ReferralLine>>(ask);
  const choose = (set: (day: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value);
    setPage(1);
  };
  const save = () => saveHistory(locale, from, to).catch((error) => toast(wordsFor(error, common)));
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
      {answer.state === 'waiting' ? <Skeleton className={styles.list_blank} /> : null}
      {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      {answer.state === 'here' ? <Lines list={answer.value} onPage={setPage} /> : null}
    </>
  );
}

function Lines({ list, onPage }: { list: ListPage<ReferralLine>; onPage: (page: number) => void }) {
  const t = useT('account');
  const locale = useLocale();
  const money = useMoney();
  const { items, page, size, total } = list;
  if (total === 0) {
    return <p className="muted">{t('referrer.history_none')}</p>;
  }
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
