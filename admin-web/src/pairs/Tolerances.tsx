import { useGet } from '../api/index.ts';
import { useTexts } from '../ui/index.ts';
import css from './PairDrawer.module.css';
import type { TermsProps } from './Terms.tsx';

const LATE_SETTING = 'claims.late_tolerance_bps';

/** The tolerated differences of a payment. The help shows the default that an empty field takes. */
export function Tolerances({ from, field }: TermsProps) {
  const { t, amountText, percentText } = useTexts();
  const settings = useGet('/settings');
  const payments = useGet('/payments');
  const bps = settings.data?.find((setting) => setting.key === LATE_SETTING)?.value;
  const late = bps === undefined ? undefined : percentText(String(Number(bps) / 100));
  const route = payments.data?.routes.find((one) => one.currencyId === from.id);
  const amount = from.id && payments.data && amountText(route?.tolerance ?? '0');
  const lateDefault = late === undefined ? t('pairs.lateDefault') : t('pairs.lateDefaultNow', { percent: late });
  const amountDefault = !amount
    ? t('pairs.amountDefault', { ticker: from.ticker })
    : t('pairs.amountDefaultNow', { amount, ticker: from.ticker });
  return (
    <>
      <h2 className={css.section}>{t('pairs.tolerances')}</h2>
      <p className={css.note}>{t('pairs.tolerancesHelp')}</p>
      {field('lateTolerance', 'tolerance.latePercent', t('pairs.lateTolerance'), lateDefault)}
      <div className={css.grid}>
        {field('amountTolerance', 'tolerance.amountFixed', t('pairs.amountTolerance', { ticker: from.ticker }))}
        {field('amountTolerancePercent', 'tolerance.amountPercent', t('pairs.amountTolerancePercent'))}
      </div>
      <p className={css.note}>{amountDefault}</p>
    </>
  );
}
