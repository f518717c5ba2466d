import { paysAsAgreed } from './recalculation.ts';
import type { Claim, Transition } from './types.ts';

/**
 * The steps that can be made: one that waits for approval is not requested twice, and no refund is sent without a
 * destination.
 */
export function offered(claim: Claim): Transition[] {
  const open = claim.transitions.filter(
    ({ action, consent }) =>
      (!consent || claim.consent?.state !== 'waiting') && !(action === 'refund_sent' && claim.returned?.isMissing),
  );
  // Paying as agreed for another amount comes last.
  const isLast = (transition: Transition) => transition.consent && paysAsAgreed(claim, transition);
  return [...open.filter((transition) => !isLast(transition)), ...open.filter(isLast)];
}

/** Steps with other texts once a part is paid out. */
const OF_THE_REST: Transition['action'][] = ['payout_sent', 'refund'];

/** Steps with other texts while a surplus is returned beside the exchange. */
const OF_SURPLUS: Transition['action'][] = ['complete', 'refund_sent', 'refund_done'];

/** The texts of a step; one that needs a second person is an approval request. */
export function textsOf(claim: Claim, transition: Transition): string {
  const { action, consent, needs } = transition;
  if (paysAsAgreed(claim, transition)) return `asAgreed.${consent ? 'approval' : 'within'}`;
  if (consent) return `approvals.${action}`;
  if (claim.surplus !== null && OF_SURPLUS.includes(action)) return `surplus.${action}`;
  if (claim.paidOut && OF_THE_REST.includes(action)) return `rest.${action}`;
  // Only cash changes hands for a code.
  return `${needs.includes('meetingCode') ? 'cash' : 'moves'}.${action}`;
}
