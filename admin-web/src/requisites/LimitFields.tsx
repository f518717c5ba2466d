import { Choice, type Form, NumberField, Toggle, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { IDENTIFICATIONS, type LimitsDraft } from './limits.ts';

type Props = Pick<Form<LimitsDraft>, 'field' | 'toggle'>;

/** The limits of payment details: everything may stay empty. */
export function LimitFields({ field, toggle }: Props) {
  const { t } = useTexts();
  const limit = (name: Exclude<keyof LimitsDraft, 'oneTime' | 'identification'>, help?: string) => (
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
      <Choice
        label={t('requisites.identification')}
        help={t('requisites.identificationHelp')}
        options={IDENTIFICATIONS.map((value) => ({ value, label: t(`requisites.identifications.${value}`) }))}
        {...field('identification')}
      />
    </>
  );
}
