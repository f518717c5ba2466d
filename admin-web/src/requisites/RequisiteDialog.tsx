import type { Schema } from '@agio/client/admin';
import { api } from '../api/api.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { typedDecimal } from '../ui/decimal.ts';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { useTexts } from '../ui/useTexts.ts';

export type PaymentRequisite = Schema<'PaymentRequisiteView'>;

type Draft = { currencyId: string; value: string; holder: string; memo: string; dailyLimit: string };

const isReady = (draft: Draft): boolean =>
  draft.currencyId !== '' &&
  draft.value.trim() !== '' &&
  (draft.dailyLimit.trim() === '' || typedDecimal(draft.dailyLimit) !== null);

/** The currency never changes: another currency is another requisite. */
function save(requisite: PaymentRequisite | null, draft: Draft, key: string) {
  const value = draft.value.trim();
  const holder = draft.holder.trim();
  const memo = draft.memo.trim();
  const dailyLimit = typedDecimal(draft.dailyLimit);
  if (requisite) {
    // Null empties a field; one that is left out stays as it is.
    const body = { value, holder: holder || null, memo: memo || null, dailyLimit };
    return api.PATCH('/requisites/{id}', { params: { path: { id: requisite.id } }, body });
  }
  const rest = { holder: holder || undefined, memo: memo || undefined, dailyLimit: dailyLimit ?? undefined };
  return api.POST('/requisites', {
    params: { header: { 'Idempotency-Key': key } },
    body: { currencyId: Number(draft.currencyId), value, ...rest },
  });
}

type Props = { requisite: PaymentRequisite | null; currencies: Schema<'CurrencyDetails'>[]; onClose: () => void };

export function RequisiteDialog({ requisite, currencies, onClose }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t(requisite ? 'requisites.editTitle' : 'requisites.addTitle')}
      initial={{
        currencyId: requisite ? String(requisite.currencyId) : '',
        value: requisite?.value ?? '',
        holder: requisite?.holder ?? '',
        memo: requisite?.memo ?? '',
        dailyLimit: requisite?.dailyLimit ?? '',
      }}
      isReady={isReady}
      save={(draft, key) => save(requisite, draft, key)}
      done={t('requisites.saved')}
      stale={['/requisites']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <Choice
            label={t('requisites.currency')}
            disabled={requisite !== null}
            options={currencies.map((currency) => ({ value: String(currency.id), label: currency.code }))}
            {...field('currencyId')}
          />
          <Field label={t('requisites.value')} help={t('requisites.valueHelp')} {...field('value')} />
          <Field label={t('requisites.holder')} {...field('holder')} />
          <Field label={t('requisites.memo')} {...field('memo')} />
          <NumberField label={t('requisites.limit')} help={t('requisites.limitHelp')} {...field('dailyLimit')} />
          {requisite && <AuditLink kind="requisite" id={requisite.id} />}
        </>
      )}
    </FormDialog>
  );
}
