import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldsOf } from '../api/problem.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';

/** Asks for the present password before something about the way in is changed. */
export function PasswordDialog<Answer>({
  title,
  text,
  send,
  onDone,
  onClose,
}: {
  title: string;
  text?: string;
  send: (password: string) => Promise<Answer>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [password, setPassword] = useState('');
  const ask = useMutation({ mutationFn: () => send(password), onSuccess: onDone });
  const error = fieldsOf(ask.error).password;
  const ready = password !== '' && !ask.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && ask.mutate()}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t('security.go')}
          </Button>
        </>
      }
    >
      {text && <p>{text}</p>}
      <Field
        label={t('security.passwordNow')}
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        error={error}
        onValue={setPassword}
      />
      {!error && <Refusal error={ask.error} />}
    </Modal>
  );
}
