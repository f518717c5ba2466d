import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Field } from '../ui/Field.tsx';
import { amountText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useUnits } from '../ui/Sum.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import type { Step } from './Withdrawals.tsx';

/** Asks once more before money goes or is refused, and for what has to be said with it. */
export function StepDialog({ row, action, onClose }: Step & { onClose: () => void }) {
  const { t, language } = useWords();
  const units = useUnits();
  const told = useOutcome();
  const [words, setWords] = useState('');
  const [key] = useState(() => crypto.randomUUID());
  const field = action === 'pay' ? 'txId' : action === 'refuse' ? 'reason' : null;
  const step = useMutation({
    mutationFn: () =>
      api.moveReferralWithdrawal(
        row.id,
        { action, revision: row.revision, ...(field && { [field]: words.trim() }) },
        key,
      ),
    onSuccess: (outcome) => {
      told(outcome, t(`referral.step.${action}.done`), KEYS.referral, KEYS.dashboard);
      onClose();
    },
  });
  const ready = !step.isPending && (field === null || words.trim() !== '');
  const error = field ? fieldsOf(step.error)[field] : undefined;
  const amount = `${amountText(row.amount, language)} ${units.get(row.currency) ?? row.currency}`;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && step.mutate()}
      title={t(`referral.step.${action}.title`, { amount })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(step.isPending ? 'action.saving' : `referral.step.${action}.do`)}
          </Button>
        </>
      }
    >
      <p>{t(`referral.step.${action}.text`, { email: row.email })}</p>
      {field && (
        <Field
          label={t(`referral.${field}`)}
          value={words}
          error={error}
          autoComplete="off"
          autoFocus
          onValue={setWords}
        />
      )}
      {!error && <Refusal error={step.error} />}
      <AuditLink kind="referral_withdrawal" id={row.id} />
    </Modal>
  );
}
