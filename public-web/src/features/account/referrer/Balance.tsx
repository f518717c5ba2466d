import type { Referral } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';
import { Sum } from './Sum';

export function Balance({ referral: { balance, pending, debt, currency } }: { referral: Referral }) {
  const t = useT('account');
  return (
    <dl className={`${styles.facts} num`}>
      <div>
        <dt>{t('referrer.available')}</dt>
        <dd>
          <Sum value={balance} code={currency} />
        </dd>
      </div>
      <div>
        <dt>{t('referrer.pending')}</dt>
        <dd>
          <Sum value={pending} code={currency} />
        </dd>
      </div>
      {debt === '0' ? null : (
        <div>
          <dt>{t('referrer.debt')}</dt>
          <dd>
            <Sum value={debt} code={currency} />
          </dd>
          <dd className="small muted">{t('referrer.debt_more')}</dd>
        </div>
      )}
    </dl>
  );
}
