import type { Referral } from '../../../api/account';
import { writeMoney } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';

/** What may be withdrawn now, and what later. */
export function Balance({ referral: { balance, pending, debt, currency } }: { referral: Referral }) {
  const t = useT('account');
  const locale = useLocale();
  const money = (value: string) => writeMoney(value, currency, locale);
  return (
    <dl className={`${styles.facts} num`}>
      <div>
        <dt>{t('referrer.available')}</dt>
        <dd>{money(balance)}</dd>
      </div>
      <div>
        <dt>{t('referrer.pending')}</dt>
        <dd>{money(pending)}</dd>
      </div>
      {debt === '0' ? null : (
        <div>
          <dt>{t('referrer.debt')}</dt>
          <dd>{money(debt)}</dd>
          <dd className="small muted">{t('referrer.debt_more')}</dd>
        </div>
      )}
    </dl>
  );
}
