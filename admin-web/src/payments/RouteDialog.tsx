import type { Currency, PaymentPlugin, PaymentRoute, Payments } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Choice, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { type Draft, draftOf, inputOf } from './draft.ts';

/** How a currency is watched and paid. Where two people decide, a colleague agrees first. */
export function RouteDialog({
  route,
  payments,
  currencies,
  onClose,
}: {
  route: PaymentRoute | null;
  payments: Payments;
  currencies: Currency[];
  onClose: () => void;
}) {
  const { t, language } = useWords();
  const outcome = useOutcome();
  const [draft, setDraft] = useState(() => draftOf(route, currencies[0]?.id, payments.drivers[0]?.name));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const input = inputOf(draft);
  const save = useMutation({
    mutationFn: (body: NonNullable<typeof input>) => api.setPaymentRoute(Number(draft.currencyId), body),
    onSuccess: (done) => {
      outcome(done, t('payments.saved'), KEYS.payments);
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const named = (plugins: PaymentPlugin[]) =>
    plugins.map((one) => ({ value: one.name, label: (language === 'ru' ? one.titleRu : one.titleEn) || one.name }));
  const sum = (field: 'tolerance' | 'dust' | 'claimLimit' | 'dayLimit', help?: string) => (
    <NumberField
      label={t(`payments.fields.${field}`)}
      help={help}
      value={draft[field]}
      error={errors[field]}
      onValue={(value) => change({ [field]: value })}
    />
  );
  const ready = input !== null && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => input && ready && save.mutate(input)}
      title={route ? route.currency : t('payments.addTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      {!route && (
        <Choice
          label={t('payments.currency')}
          value={draft.currencyId}
          options={currencies.map((one) => ({ value: String(one.id), label: one.code }))}
          onValue={(currencyId) => change({ currencyId })}
        />
      )}
      <Choice
        label={t('payments.fields.driver')}
        value={draft.driver}
        error={errors.driver}
        options={named(payments.drivers)}
        onValue={(driver) => change({ driver })}
      />
      <Toggle label={t('payments.fields.enabled')} value={draft.enabled} onValue={(enabled) => change({ enabled })} />
      <NumberField
        label={t('payments.fields.confirmations')}
        value={draft.confirmations}
        error={errors.confirmations}
        onValue={(confirmations) => change({ confirmations })}
      />
      {sum('tolerance', t('payments.toleranceHelp'))}
      {sum('dust')}
      <Choice
        label={t('payments.fields.screening')}
        value={draft.screening}
        error={errors.screening}
        options={[{ value: '', label: t('payments.unscreened') }, ...named(payments.screeners)]}
        onValue={(screening) => change({ screening })}
      />
      <Toggle
        label={t('payments.fields.autoPayout')}
        value={draft.autoPayout}
        onValue={(autoPayout) => change({ autoPayout })}
      />
      {draft.autoPayout && sum('claimLimit')}
      {draft.autoPayout && sum('dayLimit')}
      <Refusal error={save.error} />
      {route && <AuditLink kind="payment_route" id={String(route.currencyId)} />}
    </Modal>
  );
}
