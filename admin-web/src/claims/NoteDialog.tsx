import Button from '@mui/material/Button';
import { useState } from 'react';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import type { ClaimMoves } from './useClaimMoves.ts';

const LONGEST = 2_000;

/** A remark that only the staff reads. */
export function NoteDialog({ moves, onClose }: { moves: ClaimMoves; onClose: () => void }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const send = async () => {
    if (!text.trim()) return;
    await moves.note(text.trim()).then(onClose, () => undefined);
  };
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={send}
      title={t('note.title')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!text.trim() || moves.busy}>
            {t('note.save')}
          </Button>
        </>
      }
    >
      <Field
        label={t('note.label')}
        help={t('note.help')}
        value={text}
        onValue={setText}
        multiline
        minRows={3}
        autoFocus
        inputProps={{ maxLength: LONGEST }}
      />
      <Refusal error={moves.refusal} />
    </Modal>
  );
}
