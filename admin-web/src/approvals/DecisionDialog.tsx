import type { Approval } from '@agio/client/admin';
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
import { Facts } from './Facts.tsx';

export type Word = 'approve' | 'refuse';

/** Asks once more before a colleague's proposal is carried out or refused. A refusal is said with its reason. */
export function DecisionDialog({ proposal, word, onClose }: { proposal: Approval; word: Word; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [reason, setReason] = useState('');
  const decide = useMutation({
    mutationFn: () => (word === 'approve' ? api.approve(proposal.id) : api.refuse(proposal.id, reason.trim())),
    onSuccess: () => {
      saved(t(`approvals.${word}d`), [], KEYS.dashboard);
      onClose();
    },
  });
  const ready = !decide.isPending && (word === 'approve' || reason.trim() !== '');
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && decide.mutate()}
      title={t(`approvals.${word}Title`)}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            variant={word === 'approve' ? 'contained' : 'outlined'}
            color={word === 'approve' ? 'inherit' : 'error'}
            disabled={!ready}
          >
            {t(`approvals.${word}`)}
          </Button>
        </>
      }
    >
      <p>
        <strong>{proposal.title}</strong>. {t(`approvals.${word}Text`, { name: proposal.proposedBy.name })}
      </p>
      <Facts proposal={proposal} />
      {word === 'refuse' && (
        <Field
          label={t('approvals.reason')}
          help={t('approvals.reasonHelp')}
          value={reason}
          error={fieldsOf(decide.error).reason}
          multiline
          minRows={2}
          autoFocus
          onValue={setReason}
        />
      )}
      <Refusal error={decide.error} />
    </Modal>
  );
}
