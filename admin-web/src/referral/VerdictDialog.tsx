import type { ReferralAccrual, ReferralVerdict } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Segments } from '../ui/Segments.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

/** Whether what was earned is the referrer's. */
export function VerdictDialog({ row, onClose }: { row: ReferralAccrual; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [decision, setDecision] = useState<ReferralVerdict['decision']>('approve');
  const [words, setWords] = useState('');
  const decide = useMutation({
    mutationFn: () =>
      api.decideReferralAccrual(
        row.id,
        { decision, ...(words.trim() && { words: words.trim() }) },
        crypto.randomUUID(),
      ),
    onSuccess: () => {
      saved(t('referral.decided'), KEYS.referral, KEYS.dashboard);
      onClose();
    },
  });
  const ready = !decide.isPending && (decision === 'approve' || words.trim() !== '');
  const error = fieldsOf(decide.error).words;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && decide.mutate()}
      title={t('referral.decideTitle', { number: row.claimNumber })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(decide.isPending ? 'action.saving' : `referral.verdict.${decision}`)}
          </Button>
        </>
      }
    >
      {row.flags.length > 0 && (
        <ul>
          {row.flags.map(({ code, text }) => (
            <li key={code}>{text}</li>
          ))}
        </ul>
      )}
      {row.reason && <p>{row.reason.text}</p>}
      <Segments
        label={t('referral.decide')}
        value={decision}
        options={(['approve', 'refuse'] as const).map((one) => ({ value: one, label: t(`referral.verdicts.${one}`) }))}
        onValue={(next) => setDecision(next === 'refuse' ? 'refuse' : 'approve')}
      />
      <Field
        label={t('referral.words')}
        help={t('referral.wordsHelp')}
        value={words}
        error={error}
        autoComplete="off"
        onValue={setWords}
      />
      {!error && <Refusal error={decide.error} />}
      <AuditLink kind="referral_accrual" id={row.id} />
    </Modal>
  );
}
