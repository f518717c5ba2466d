import { amountText, percentText } from '@agio/client/format';
import type { Referral } from '../../../api/types';
import { moneyText } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';

/** The present tier, the next one, and how long commissions are held. */
export function Terms({ referral }: { referral: Referral }) {
  const t = useT('account');
  const locale = useLocale();
  const { percent, kind, tiers, next, volume, base, holdHours, days } = referral;
  const format = (value: string) => amountText(value, locale);
  return (
    <div className={styles.terms}>
      <p>{t(`referrer.share_${kind}`, { percent: format(percent) })}</p>
      {next ? (
        <p className="muted">
          {t('referrer.next', {
            percent: format(next.percent),
            from: moneyText(next.from, base, locale),
            volume: moneyText(volume, base, locale),
          })}
        </p>
      ) : null}
      <p className="muted">
        {t('referrer.days', { count: days })} {holdHours > 0 ? t('referrer.hold', { count: holdHours }) : null}
      </p>
      {tiers.length > 1 ? (
        <details>
          <summary>{t('referrer.tiers')}</summary>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('referrer.tier_from')}</th>
                <th scope="col" className={styles.amount}>
                  {t('referrer.tier_percent')}
                </th>
              </tr>
            </thead>
            <tbody>
              {tiers.map((tier) => (
                <tr key={tier.from} aria-current={tier.percent === percent ? 'true' : undefined}>
                  <td>{moneyText(tier.from, base, locale)}</td>
                  <td className={styles.amount}>{percentText(tier.percent, locale)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ) : null}
    </div>
  );
}
