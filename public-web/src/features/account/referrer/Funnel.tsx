import { amountText } from '@agio/client/format';
import type { Referral } from '../../../api/types';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';
import { Sum } from './Sum';

export function Funnel({ referral }: { referral: Referral }) {
  const t = useT('account');
  const locale = useLocale();
  const { visits, registrations, claims, earned, currency } = referral;
  const steps = [
    { name: t('referrer.visits'), value: amountText(String(visits), locale) },
    { name: t('referrer.registrations'), value: amountText(String(registrations), locale) },
    { name: t('referrer.claims'), value: amountText(String(claims), locale) },
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
