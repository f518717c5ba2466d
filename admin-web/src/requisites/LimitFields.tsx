import { NumberField } from '../ui/Field.tsx';
import type { Form } from '../ui/FormDialog.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useTexts } from '../ui/useTexts.ts';
import type { LimitsDraft } from './limits.ts';

type Props = Pick<Form<LimitsDraft>, 'field' | 'toggle' | 'error'>;

/** The limits of payment details: everything may stay empty. */
export function LimitFields({ field, toggle, error }: Props) {
  const { t } = useTexts();
  const memoError = error('identification');
  const limit = (name: Exclude<keyof LimitsDraft, 'oneTime' | 'memoPerClaim'>, help?: string) => (
    <NumberField label={t(`requisites.fields.${name}`)} help={help} {...field(name)} />
  );
  return (
    <>
      <p className={css.small}>{t('requisites.limitsHelp')}</p>
      <div className={css.two}>
        {limit('minAmount')}
        {limit('maxAmount')}
        {limit('dailyLimit')}
        {limit('monthlyLimit')}
        {limit('dailyCount')}
        {limit('turnoverLimit')}
        {limit('coolingMinutes')}
      </div>
      <Toggle label={t('requisites.fields.oneTime')} {...toggle('oneTime')} />
      <Toggle label={t('requisites.fields.memoPerClaim')} {...toggle('memoPerClaim')} />
      {memoError && (
        <p className={css.fault} role="alert">
          {memoError}
        </p>
      )}
    </>
  );
}
