import type { Currency, Outcome, PoolRequisite } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { typedDecimal } from '../ui/decimal.ts';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

type Draft = { currencyId: string; value: string; holder: string; memo: string; dailyLimit: string };

const draftOf = (requisite: PoolRequisite | null): Draft => ({
  currencyId: requisite ? String(requisite.currencyId) : '',
  value: requisite?.value ?? '',
  holder: requisite?.holder ?? '',
  memo: requisite?.memo ?? '',
  dailyLimit: requisite?.dailyLimit ?? '',
});

const isReady = (draft: Draft): boolean =>
  draft.currencyId !== '' &&
  draft.value.trim() !== '' &&
  (draft.dailyLimit.trim() === '' || typedDecimal(draft.dailyLimit) !== null);

/** The currency of a requisite never changes: another currency is another requisite. */
function send(requisite: PoolRequisite | null, draft: Draft, key: string): Promise<Outcome<PoolRequisite>> {
  const value = draft.value.trim();
  const holder = draft.holder.trim();
  const memo = draft.memo.trim();
  const dailyLimit = typedDecimal(draft.dailyLimit);
  if (requisite) {
    // Null empties a field; one that is left out stays as it is.
    const rest = { holder: holder || null, memo: memo || null, dailyLimit };
    return api.updateRequisite(requisite.id, { value, ...rest });
  }
  const rest = { holder: holder || undefined, memo: memo || undefined, dailyLimit: dailyLimit ?? undefined };
  return api.addRequisite({ currencyId: Number(draft.currencyId), value, ...rest }, key);
}

export function RequisiteDialog({
  requisite,
  currencies,
  onClose,
}: {
  requisite: PoolRequisite | null;
  currencies: Currency[];
  onClose: () => void;
}) {
  const { t } = useWords();
  const told = useOutcome();
  const [key] = useState(() => crypto.randomUUID());
  const [draft, setDraft] = useState(() => draftOf(requisite));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: () => send(requisite, draft, key),
    onSuccess: (outcome) => {
      told(outcome, t('requisites.saved'), ['requisites']);
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const ready = isReady(draft) && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={t(requisite ? 'requisites.editTitle' : 'requisites.addTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <Choice
        label={t('requisites.currency')}
        value={draft.currencyId}
        disabled={requisite !== null}
        error={errors.currencyId}
        options={currencies.map((currency) => ({ value: String(currency.id), label: currency.code }))}
        onValue={(currencyId) => change({ currencyId })}
      />
      <Field
        label={t('requisites.value')}
        help={t('requisites.valueHelp')}
        value={draft.value}
        error={errors.value}
        onValue={(value) => change({ value })}
      />
      <Field
        label={t('requisites.holder')}
        value={draft.holder}
        error={errors.holder}
        onValue={(holder) => change({ holder })}
      />
      <Field label={t('requisites.memo')} value={draft.memo} error={errors.memo} onValue={(memo) => change({ memo })} />
      <NumberField
        label={t('requisites.limit')}
        help={t('requisites.limitHelp')}
        value={draft.dailyLimit}
        error={errors.dailyLimit}
        onValue={(dailyLimit) => change({ dailyLimit })}
      />
      <Refusal error={save.error} />
      {requisite && <AuditLink kind="requisite" id={requisite.id} />}
    </Modal>
  );
}
