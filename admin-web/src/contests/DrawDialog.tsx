import type { Contest } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

/** The draw: the public value as its source shows it, and where. A colleague who looks there too agrees before it is made. */
export function DrawDialog({ contest, onClose }: { contest: Contest; onClose: () => void }) {
  const { t, language } = useWords();
  const told = useOutcome();
  const [key] = useState(() => crypto.randomUUID());
  const [value, setValue] = useState('');
  const [reference, setReference] = useState('');
  const draw = useMutation({
    mutationFn: () => api.drawContest(contest.id, { revision: contest.revision, value, reference }, key),
    onSuccess: (outcome) => {
      told(outcome, t('contests.drawn'), [...KEYS.contests], KEYS.dashboard);
      onClose();
    },
  });
  const errors = fieldsOf(draw.error);
  const ready = value.trim() !== '' && reference.trim() !== '' && !draw.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && draw.mutate()}
      title={t('contests.drawTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t('contests.propose')}
          </Button>
        </>
      }
    >
      <p>{contest.source[language]}</p>
      <p>{t('contests.drawText')}</p>
      <Field
        label={t('contests.value')}
        value={value}
        error={errors.value}
        autoComplete="off"
        autoFocus
        onValue={setValue}
      />
      <Field label={t('contests.reference')} value={reference} error={errors.reference} onValue={setReference} />
      <Refusal error={draw.error} />
    </Modal>
  );
}
