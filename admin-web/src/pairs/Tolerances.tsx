import type { Currency } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { NumberField } from '../ui/Field.tsx';
import { amountText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import type { PairDraft } from './draft.ts';
import css from './PairDrawer.module.css';
import type { ErrorOf } from './Terms.tsx';

const LATE_SETTING = 'claims.late_tolerance_hundredths';

type Props = { draft: PairDraft; from: Currency; errorOf: ErrorOf; onChange: (part: Partial<PairDraft>) => void };

/** How far a payment may be from what was agreed on. What is left empty is as it is for the whole house, which is said beside it. */
export function Tolerances({ draft, from, errorOf, onChange }: Props) {
  const { t, language } = useWords();
  const settings = useQuery({ queryKey: [...KEYS.settings, language], queryFn: api.settings });
  const payments = useQuery({ queryKey: KEYS.payments, queryFn: api.payments });
  const hundredths = settings.data?.find((setting) => setting.key === LATE_SETTING)?.value;
  const late = hundredths === undefined ? undefined : amountText(String(Number(hundredths) / 100), language);
  const route = payments.data?.routes.find((one) => one.currencyId === from.id);
  const amount = payments.data && amountText(route?.tolerance ?? '0', language);
  const lateDefault = late === undefined ? t('pairs.lateDefault') : t('pairs.lateDefaultNow', { percent: late });
  const amountDefault =
    amount === undefined
      ? t('pairs.amountDefault', { ticker: from.ticker })
      : t('pairs.amountDefaultNow', { amount, ticker: from.ticker });
  return (
    <>
      <h2 className={css.section}>{t('pairs.tolerances')}</h2>
      <p className={css.note}>{t('pairs.tolerancesHelp')}</p>
      <NumberField
        label={t('pairs.lateTolerance')}
        help={lateDefault}
        value={draft.lateTolerance}
        error={errorOf('lateTolerance', 'tolerance.latePercent')}
        onValue={(lateTolerance) => onChange({ lateTolerance })}
      />
      <div className={css.grid}>
        <NumberField
          label={t('pairs.amountTolerance', { ticker: from.ticker })}
          value={draft.amountTolerance}
          error={errorOf('amountTolerance', 'tolerance.amountFixed')}
          onValue={(amountTolerance) => onChange({ amountTolerance })}
        />
        <NumberField
          label={t('pairs.amountTolerancePercent')}
          value={draft.amountTolerancePercent}
          error={errorOf('amountTolerancePercent', 'tolerance.amountPercent')}
          onValue={(amountTolerancePercent) => onChange({ amountTolerancePercent })}
        />
      </div>
      <p className={css.note}>{amountDefault}</p>
    </>
  );
}
