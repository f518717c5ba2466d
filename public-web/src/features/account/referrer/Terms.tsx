import type { Referral } from '../../../api/account';
import { writeAmount, writeMoney } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';

/** What the share is now, what makes it more, and how long it is held. */
export function Terms({ referral }: { referral: Referral }) {
  const t = useT('account');
  const locale = useLocale();
  const { percent, kind, tiers, next, volume, base, holdHours, days } = referral;
  const say = (value: string) => writeAmount(value, locale);
  return (
    <div className={styles.terms}>
      <p>{t(`referrer.share_${kind}`, { percent: say(percent) })}</p>
      {next ? (
        <p className="muted">
          {t('referrer.next', {
            percent: say(next.percent),
            from: writeMoney(next.from, base, locale),
            volume: writeMoney(volume, base, locale),
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
                  <td>{writeMoney(tier.from, base, locale)}</td>
                  <td className={styles.amount}>{`${say(tier.percent)}\u00a0%`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ) : null}
    </div>
  );
}
