import type { Verification, VerificationDecision } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useNotify } from 'react-admin';
import { fieldsOf } from '../api/problem.ts';
import { Choice, Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useWords } from '../ui/useWords.ts';
import { isOutdated, useDeciding } from './useVerifications.ts';

type Props = { verification: Verification; decision: VerificationDecision; onClose: () => void };

/** A reason the words beside it say. */
const OTHER = 'other';

/** Says what a decision will do and asks for the reason the customer is told. */
export function DecisionDialog({ verification, decision, onClose }: Props) {
  const { t } = useWords();
  const notify = useNotify();
  const deciding = useDeciding(verification.id, () => {
    notify(t(`verifications.done.${decision}`));
    onClose();
  });
  const [reason, setReason] = useState('');
  const [own, setOwn] = useState(false);
  const [words, setWords] = useState({ ru: '', en: '' });
  const [tried, setTried] = useState(false);
  const needsReason = decision !== 'accept';
  const writes = needsReason && (own || reason === OTHER);
  const isMissing = (needsReason && reason === '') || (writes && (words.ru.trim() === '' || words.en.trim() === ''));
  const required = (text: string) => (tried && text.trim() === '' ? t('error.required') : undefined);
  const found = fieldsOf(deciding.error);
  const ofAccount = verification.claim === null && decision !== 'again' ? 'Account' : '';
  const send = () => {
    setTried(true);
    if (isMissing || deciding.isPending) return;
    deciding.mutate({
      decision,
      revision: verification.revision,
      ...(needsReason && { reason }),
      ...(writes && { words }),
    });
  };
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={send}
      title={t(`verifications.ask.${decision}`)}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            variant={decision === 'reject' ? 'outlined' : 'contained'}
            color={decision === 'reject' ? 'error' : 'inherit'}
            disabled={deciding.isPending || isOutdated(deciding.error)}
          >
            {t(`verifications.decisions.${decision}`)}
          </Button>
        </>
      }
    >
      <p>{t(`verifications.does.${decision}${ofAccount}`)}</p>
      {needsReason && (
        <Choice
          label={t('verifications.reason')}
          value={reason}
          error={found.reason ?? required(reason)}
          options={verification.reasons.map(({ code, text }) => ({
            value: code,
            label: code === OTHER ? t('verifications.other') : text,
          }))}
          onValue={setReason}
        />
      )}
      {needsReason && reason !== OTHER && reason !== '' && (
        <Toggle label={t('verifications.own')} value={own} onValue={setOwn} />
      )}
      {writes && (
        <>
          <Field
            label={t('verifications.wordsRu')}
            value={words.ru}
            error={found['words.ru'] ?? required(words.ru)}
            multiline
            minRows={2}
            onValue={(ru) => setWords({ ...words, ru })}
          />
          <Field
            label={t('verifications.wordsEn')}
            value={words.en}
            error={found['words.en'] ?? required(words.en)}
            multiline
            minRows={2}
            onValue={(en) => setWords({ ...words, en })}
          />
        </>
      )}
      <Refusal error={deciding.error} />
    </Modal>
  );
}
