import type { Contest, ContestPrize } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field } from '../ui/Field.tsx';
import { amountText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useUnits } from '../ui/Sum.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

/** Notes that a prize was sent, and where. */
export function PayDialog({ contest, prize, onClose }: { contest: Contest; prize: ContestPrize; onClose: () => void }) {
  const { t, language } = useWords();
  const units = useUnits();
  const told = useOutcome();
  const [key] = useState(() => crypto.randomUUID());
  const [note, setNote] = useState('');
  const pay = useMutation({
    mutationFn: () => api.payPrize(contest.id, prize.place, note.trim(), key),
    onSuccess: (outcome) => {
      told(outcome, t('contests.paid'), [...KEYS.contests], ['reserves']);
      onClose();
    },
  });
  const amount = `${amountText(prize.amount, language)} ${units.get(prize.code) ?? prize.code}`;
  const ready = note.trim() !== '' && !pay.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && pay.mutate()}
      title={t('contests.payTitle', { place: prize.place, amount })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t('contests.pay')}
          </Button>
        </>
      }
    >
      <p>{prize.winner?.email}</p>
      <p>{t('contests.payText')}</p>
      <Field label={t('contests.note')} value={note} error={fieldsOf(pay.error).note} autoFocus onValue={setNote} />
      <Refusal error={pay.error} />
    </Modal>
  );
}
