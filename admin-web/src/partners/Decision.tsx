import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, fieldsOf, useAction } from '../api/index.ts';
import { Button, Field, Refusal, useTexts } from '../ui/index.ts';
import css from './Partners.module.css';

/** A customer requests access: it is approved, or declined with a reason they receive. */
export function Decision({ partner }: { partner: Schema<'PartnerSummary'> }) {
  const { t } = useTexts();
  const { id, revision } = partner;
  const [declining, setDeclining] = useState(false);
  const [reason, setReason] = useState('');
  const decide = useAction({
    run: (decision: 'approve' | 'decline') =>
      api.POST('/partners/{id}/decision', {
        params: { path: { id } },
        body: { decision, revision, ...(decision === 'decline' && { reason: reason.trim() }) },
      }),
    done: ({ status }) => t(`partners.now.${status}`),
    stale: ['/partners*', '/dashboard'],
  });
  const error = fieldsOf(decide.error).reason;
  return (
    <div className={css.decision}>
      <p>{t('partners.requestText', { email: partner.customerEmail ?? '' })}</p>
      {declining && (
        <Field
          label={t('fields.reason')}
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
