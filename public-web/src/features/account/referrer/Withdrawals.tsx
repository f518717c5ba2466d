import { useCallback, useState } from 'react';
import { call } from '../../../api/client';
import type { Customer, Referral, ReferralWithdrawal } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { useMoney } from '../../../components/money';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { useSendsEmails } from '../../../site';
import { momentText } from '../moments';
import { SendAgain } from '../SendAgain';
import styles from './referrer.module.css';
import { WithdrawForm } from './WithdrawForm';

/** The last withdrawals shown; all are in the history. */
const LAST = 5;

interface WithdrawalsProps {
  customer: Customer;
  referral: Referral;
  onWithdrawn: () => void;
}

/** The withdrawal form, or why there is none, and the last withdrawals. */
export function Withdrawals({ customer, referral, onWithdrawn }: WithdrawalsProps) {
  const t = useT('account');
  const locale = useLocale();
  const money = useMoney();
  const isSent = useSendsEmails();
  const [isOpen, setOpen] = useState(false);
  const ask = useCallback(
    () => call(locale, 'GET /users/me/refferal/withdrawal/', { query: { page: 1, size: LAST }, quiet: true }),
    [locale],
  );
  const [answer] = useAnswer(ask);
  const { balance, minimum, currency, currencies } = referral;
  const isEnough = Number(balance) > 0 && Number(balance) >= Number(minimum);
  const obstacle = !customer.activated
    ? t('referrer.not_activated')
    : currencies.length === 0
      ? t('referrer.no_currency')
      : isEnough
        ? null
        : t('referrer.below_minimum', { minimum: money(minimum, currency) });
  return (
    <>
      {obstacle === null && !isOpen ? (
        <Button look="main" onClick={() => setOpen(true)}>
          {t('referrer.withdraw')}
        </Button>
      ) : null}
      {obstacle === null && isOpen ? (
        <WithdrawForm customer={customer} referral={referral} onDone={onWithdrawn} onCancel={() => setOpen(false)} />
      ) : null}
      {obstacle === null ? null : <p className="muted">{obstacle}</p>}
      {isSent && !customer.activated ? <SendAgain /> : null}
      {answer.state === 'ready' && answer.value.items.length > 0 ? <Last items={answer.value.items} /> : null}
    </>
  );
}

function Last({ items }: { items: ReferralWithdrawal[] }) {
  const t = useT('account');
  const money = useMoney();
  const locale = useLocale();
  return (
    <div className={styles.last}>
      <h3>{t('referrer.withdrawals')}</h3>
      <ul className={`${styles.lines} num`}>
        {items.map((row) => (
          <li key={row.id}>
            <span>
              {t(`referrer.status.${row.status}`)}
              <span className={`${styles.goes} small muted`}>{row.to}</span>
              {row.reason ? <span className={`${styles.goes} small`}>{row.reason}</span> : null}
              {row.tx ? <span className={`${styles.goes} small muted`}>{row.tx}</span> : null}
            </span>
            <b>{money(row.amount, row.currency)}</b>
            <time className="small muted" dateTime={row.createdAt}>
              {momentText(row.createdAt, locale, new Date())}
            </time>
          </li>
        ))}
      </ul>
    </div>
  );
}
