import type { Referral } from '../../../api/account';
import { writeAmount } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';
import { Sum } from './Sum';

/** From the first visit to what was earned. */
export function Funnel({ referral }: { referral: Referral }) {
  const t = useT('account');
  const locale = useLocale();
  const { visits, registrations, claims, earned, currency } = referral;
  const steps = [
    { name: t('referrer.visits'), value: writeAmount(String(visits), locale) },
    { name: t('referrer.registrations'), value: writeAmount(String(registrations), locale) },
    { name: t('referrer.claims'), value: writeAmount(String(claims), locale) },
    { name: t('referrer.earned'), value: <Sum value={earned} code={currency} /> },
  ];
  return (
    <>
      <ol className={`${styles.funnel} num`}>
        {steps.map(({ name, value }) => (
          <li key={name}>
            <span className="small muted">{name}</span>
            <b>{value}</b>
          </li>
        ))}
      </ol>
      {visits + registrations + claims === 0 ? <p className="muted">{t('referrer.nobody')}</p> : null}
    </>
  );
}
