import type { Schema } from '@agio/client/admin';
import { api, type Once } from '../api/index.ts';
import { AuditLink, Choice, Field, FormDialog, NumberField, useTexts } from '../ui/index.ts';
import { LimitFields } from './LimitFields.tsx';
import { areLimits, limitsChange, limitsNew, limitsOf, type PaymentRequisite, payable } from './limits.ts';

const draftOf = (requisite: PaymentRequisite | null, currencyId = '') => ({
  currencyId: requisite ? String(requisite.currencyId) : currencyId,
  value: requisite?.value ?? '',
  holder: requisite?.holder ?? '',
  memo: requisite?.memo ?? '',
  priority: String(requisite?.priority ?? ''),
  weight: String(requisite?.weight ?? ''),
  ...limitsOf(requisite),
});
type Draft = ReturnType<typeof draftOf>;

const isReady = (draft: Draft): boolean =>
  draft.currencyId !== '' &&
  draft.value.trim() !== '' &&
  [draft.priority, draft.weight].every((text) => /^\d{0,4}$/.test(text.trim())) &&
  areLimits(draft);

/** The currency never changes: another currency is another requisite. */
function save(requisite: PaymentRequisite | null, draft: Draft, once: Once) {
  const value = draft.value.trim();
  const holder = draft.holder.trim();
  // With a memo for each claim there is no common one.
  const memo = draft.identification === 'memo' ? '' : draft.memo.trim();
  const [priority, weight] = [draft.priority, draft.weight].map((text) =>
    text.trim() === '' ? undefined : Number(text),
  );
  if (requisite) {
    // Null empties a field; one that is left out stays as it is.
    const body = { value, holder: holder || null, memo: memo || null, priority, weight, ...limitsChange(draft) };
    return api.PATCH('/requisites/{id}', { params: { path: { id: requisite.id } }, body });
  }
  const rest = { holder: holder || undefined, memo: memo || undefined, priority, weight, ...limitsNew(draft) };
  return api.POST('/requisites', { ...once, body: { currencyId: Number(draft.currencyId), value, ...rest } });
}

type Props = {
  requisite: PaymentRequisite | null;
  currencies: Schema<'CurrencyDetails'>[];
  /** The currency that new details are likely for. */
  currencyId: string;
  onClose: () => void;
};

export function RequisiteDialog({ requisite, currencies, currencyId, onClose }: Props) {
  const { t } = useTexts();
  const options = payable(currencies).map(({ id, code }) => ({ value: String(id), label: code }));
  return (
    <FormDialog
      title={t(requisite ? 'requisites.editTitle' : 'requisites.addTitle')}
      initial={() => draftOf(requisite, options.find(({ value }) => value === currencyId)?.value)}
      required={['currencyId', 'value']}
      isReady={isReady}
      save={(draft, once) => save(requisite, draft, once)}
      done={t('requisites.saved')}
      stale={['/requisite*', '/dashboard']}
      onClose={onClose}
    >
      {({ draft, field, toggle }) => (
        <>
          <Choice
            label={t('things.currency')}
            disabled={requisite !== null}
            options={options}
            {...field('currencyId')}
          />
          <Field label={t('requisites.value')} help={t('requisites.valueHelp')} {...field('value')} />
          <Field label={t('requisites.holder')} {...field('holder')} />
          {draft.identification !== 'memo' && <Field label={t('requisites.memo')} {...field('memo')} />}
          <LimitFields field={field} toggle={toggle} />
          <NumberField label={t('requisites.priority')} help={t('requisites.priorityHelp')} {...field('priority')} />
          <NumberField label={t('requisites.weight')} help={t('requisites.weightHelp')} {...field('weight')} />
          {requisite && <AuditLink kind="requisite" id={requisite.id} />}
        </>
      )}
    </FormDialog>
  );
}
