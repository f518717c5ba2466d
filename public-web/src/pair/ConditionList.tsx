import { percentText } from '@agio/client/format';
import type { Floating, NetworkFee, Pair } from '../api/types';
import { BRAND } from '../brand';
import { moneyText } from '../components/amounts';
import { sanitised } from '../features/home/notices/sanitise';
import { type Locale, useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import styles from './Conditions.module.css';
import { memoOf } from './pairConditions';

/**
 * What to know before anything is typed: the rate is not fixed yet; who bears the network fee; photos will be required;
 * terms are to be accepted; the transfer needs a memo; operators do not work now.
 */
export function ConditionList({ pair }: { pair: Pair }) {
  const t = useT('quote');
  const { floating, verification, customerTerms, fees, structure } = pair;
  const memo = memoOf(pair);
  return (
    <ul className={styles.terms}>
      {floating ? <FloatingRate floating={floating} /> : null}
      {fees.network ? <Network fee={fees.network} ticker={structure.to.currency.ticker} /> : null}
      {verification ? <li>{t(`verification_${verification}`)}</li> : null}
      {customerTerms ? (
        <li>
          <details>
            <summary>{t('customer_terms', { title: customerTerms.title })}</summary>
            {sanitised(customerTerms.message)}
          </details>
        </li>
      ) : null}
      {memo ? <li>{t('memo', { label: memo })}</li> : null}
      {BRAND.closed ? <li>{BRAND.closed}</li> : null}
    </ul>
  );
}

function FloatingRate({ floating: { confirmations, minutes, source, deviationPercent } }: { floating: Floating }) {
  const t = useT('quote');
  const locale = useLocale();
  const params = { source, minutes, change: writeChange(deviationPercent, locale) };
  return (
    <li>
      {confirmations === null ? t('floating_staff', params) : t('floating', { ...params, number: confirmations })}
    </li>
  );
}

function Network({ fee: { payer, amount }, ticker }: { fee: NetworkFee; ticker: string }) {
  const t = useT('quote');
  const locale = useLocale();
  return <li>{t(`network_fee_${payer}`, { amount: moneyText(amount, ticker, locale) })}</li>;
}

/** " −1,5 %": the difference from the source's rate. */
function writeChange(percent: string, locale: Locale): string {
  const sign = percent.startsWith('-') ? '' : '+';
  return Number(percent) === 0 ? '' : ` ${sign}${percentText(percent, locale)}`;
}
