import type { PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field } from '../ui/Field.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { PARTNERS, partnerOf } from './keys.ts';
import css from './Partners.module.css';

/** A customer asks for access: yes, or no with a reason they are told. */
export function Decision({ partner }: { partner: PartnerRow }) {
  const { t } = useWords();
  const saved = useSaved();
  const [declining, setDeclining] = useState(false);
  const [reason, setReason] = useState('');
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'decline') =>
      api.decidePartner(partner.id, {
        decision,
        revision: partner.revision,
        ...(decision === 'decline' && { reason: reason.trim() }),
      }),
    onSuccess: ({ standing }) => saved(t(`partners.now.${standing}`), PARTNERS, partnerOf(partner.id), KEYS.dashboard),
  });
  const error = fieldsOf(decide.error).reason;
  return (
    <div className={css.decision}>
      <p>{t('partners.asks', { email: partner.customerEmail ?? '' })}</p>
      {declining && (
        <Field
          label={t('partners.reason')}
          help={t('partners.reasonHelp')}
          value={reason}
          error={error}
          autoFocus
          autoComplete="off"
          onValue={setReason}
        />
      )}
      <div className={css.buttons}>
        {!declining && (
          <Button variant="contained" disabled={decide.isPending} onClick={() => decide.mutate('approve')}>
            {t('partners.approve')}
          </Button>
        )}
        <Button
          color={declining ? 'error' : 'primary'}
          disabled={decide.isPending || (declining && reason.trim() === '')}
          onClick={() => (declining ? decide.mutate('decline') : setDeclining(true))}
        >
          {t('partners.decline')}
        </Button>
        {declining && <Button onClick={() => setDeclining(false)}>{t('action.cancel')}</Button>}
      </div>
      {!error && <Refusal error={decide.error} />}
    </div>
  );
}
