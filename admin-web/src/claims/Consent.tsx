import { Link } from 'react-router';
import { api } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { ActionButton, Button, useTexts } from '../ui/index.ts';
import css from './ClaimPanel.module.css';
import { paysAsAgreed } from './recalculation.ts';
import type { Claim } from './types.ts';

/** The approval request for the next payment. */
export function Consent({ claim }: { claim: Claim }) {
  const { t, dateTimeText } = useTexts();
  const now = useNow();
  const { consent } = claim;
  const due = claim.transitions.find((transition) => transition.consent);
  const isDue = due !== undefined;
  // Paying as agreed for another amount is one choice of several: it needs no approval before it is made.
  const isOverride = due !== undefined && paysAsAgreed(claim, due);
  if (!consent) return isDue && !isOverride ? <p className={css.consent}>{t('consent.due')}</p> : null;
  if (isOverride && consent.state !== 'waiting' && consent.state !== 'rejected') return null;
  const waits = consent.state === 'waiting';
  // The approved payment may be another one than the next payment.
  const state = consent.state === 'approved' && isDue ? 'other' : consent.state;
  const who = waits ? consent.proposedBy.name : (consent.decidedBy?.name ?? '');
  const at = dateTimeText(waits ? consent.proposedAt : (consent.decidedAt ?? consent.expiresAt), now);
  return (
    <div className={waits ? css.consentWaits : css.consent} role="status">
      <p>
        {t(`${isOverride ? 'consent.override' : 'consent'}.${state}`, { name: who, at, reason: consent.reason ?? '' })}
        {waits && ` ${t('approvals.until', { at: dateTimeText(consent.expiresAt, now) })}`}
      </p>
      {consent.mayWithdraw && (
        <ActionButton
          variant="outlined"
          label={t('action.withdraw')}
          run={() => api.POST('/approvals/{id}/withdraw', { params: { path: { id: consent.id } } })}
          done={t('approvals.withdrawn')}
          stale={[`/claims/${claim.id}`, '/approvals*', '/dashboard']}
        />
      )}
      {consent.mayDecide && (
        <Button component={Link} to="/approvals" variant="contained">
          {t('consent.decide')}
        </Button>
      )}
    </div>
  );
}
