import { Link } from 'react-router';
import { api } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { ActionButton, Button, useTexts } from '../ui/index.ts';
import css from './ClaimPanel.module.css';
import { paysAsAgreed } from './recalculation.ts';
import type { Claim, Transition } from './types.ts';

/** The approval request for the next payment, or for the end of a hold. */
export function Consent({ claim }: { claim: Claim }) {
  const { t, dateTimeText } = useTexts();
  const now = useNow();
  const { consent } = claim;
  const due = claim.transitions.find((transition) => transition.consent);
  const isDue = due !== undefined;
  // Paying as agreed for another amount and ending a hold are choices of several: they need no approval before.
  const choice = choiceOf(claim, due);
  if (!consent) return isDue && !choice ? <p className={css.consent}>{t('consent.due')}</p> : null;
  if (choice && consent.state !== 'waiting' && consent.state !== 'rejected') return null;
  const waits = consent.state === 'waiting';
  // The approved payment may be another one than the next payment.
  const state = consent.state === 'approved' && isDue ? 'other' : consent.state;
  const who = waits ? consent.proposedBy.name : (consent.decidedBy?.name ?? '');
  const at = dateTimeText(waits ? consent.proposedAt : (consent.decidedAt ?? consent.expiresAt), now);
  return (
    <div className={waits ? css.consentWaits : css.consent} role="status">
      <p>
        {t(`${choice ?? 'consent'}.${state}`, { name: who, at, reason: consent.reason ?? '' })}
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

/** The texts of a choice that waits for a second person. */
function choiceOf(claim: Claim, due: Transition | undefined) {
  if (due && paysAsAgreed(claim, due)) return 'consent.override';
  return due && claim.status === 'on_hold' ? 'consent.hold' : undefined;
}
