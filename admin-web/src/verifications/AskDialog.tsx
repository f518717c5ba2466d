import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

/** Asks the owner of an account who they are. */
export function AskDialog({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [key] = useState(() => crypto.randomUUID());
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: () => api.askVerification(email.trim(), key),
    onSuccess: () => {
      saved(t('verifications.asked'), [...KEYS.verifications]);
      onClose();
    },
  });
  const send = () => {
    if (email.trim() !== '' && !ask.isPending) ask.mutate();
  };
  const words = fieldsOf(ask.error).email;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={send}
      title={t('verifications.askTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={ask.isPending || email.trim() === ''}>
            {t('verifications.askAccount')}
          </Button>
        </>
      }
    >
      <p>{t('verifications.askText')}</p>
      <Field
        label={t('verifications.email')}
        value={email}
        error={words}
        type="email"
        autoComplete="off"
        autoFocus
        onValue={setEmail}
      />
      {!words && <Refusal error={ask.error} />}
    </Modal>
  );
}
