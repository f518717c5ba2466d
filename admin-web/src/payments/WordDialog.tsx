import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';

/** Asks for one word before something is done. */
export function WordDialog({
  title,
  text,
  label,
  submit,
  accepts = (word) => word !== '',
  send,
  onDone,
  onClose,
}: {
  title: string;
  text: string;
  label: string;
  submit: string;
  /** Whether what was typed can be sent. */
  accepts?: (word: string) => boolean;
  send: (word: string) => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [word, setWord] = useState('');
  const sending = useMutation({
    mutationFn: () => send(word.trim()),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  const ready = accepts(word.trim()) && !sending.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && sending.mutate()}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {sending.isPending ? t('action.saving') : submit}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      <Field label={label} value={word} onValue={setWord} />
      <Refusal error={sending.error} />
    </Modal>
  );
}
