import type { ClaimState, ClaimStatus } from '../api/types';

/** The progress of a claim: the customer's turn, ours, stopped, completed, ended otherwise. */
export type Progress = 'act' | 'wait' | 'stop' | 'done' | 'over';

/** The texts are in the dictionary under `status.<state>`. */
export const PROGRESS: Readonly<Record<ClaimState, Progress>> = {
  created: 'act',
  verification: 'wait',
  awaiting_payment: 'act',
  payment_claimed: 'wait',
  payment_seen: 'wait',
  amount_mismatch: 'act',
  late_payment: 'act',
  on_hold: 'stop',
  paid: 'wait',
  processing: 'wait',
  payout_sent: 'wait',
  payout_error: 'wait',
  payout_partial: 'wait',
  refund_pending: 'wait',
  refund_sent: 'wait',
  completed: 'done',
  refunded: 'over',
  cancelled: 'over',
  expired: 'over',
  rejected: 'stop',
};

/** Whether photos for a verification are still to be sent: only that has a deadline, their review has none. */
export const needsPhotos = ({ status, expiresAt }: Pick<ClaimStatus, 'status' | 'expiresAt'>): boolean =>
  status === 'verification' && expiresAt !== null;

/** Whether a refund waits for the customer to say where to send it. */
export const lacksDestination = ({ status, refund }: Pick<ClaimStatus, 'status' | 'refund'>): boolean =>
  status === 'refund_pending' && refund !== null && refund.destination === null;

/** A claim as its customer reads it: while a surplus is returned, the exchange itself is done. */
export type ShownState = ClaimState | 'surplus_pending' | 'surplus_sent';

/** A state of a claim whose surplus is returned. */
export function besideExchange(state: ClaimState): ShownState {
  if (state === 'refund_pending') return 'surplus_pending';
  return state === 'refund_sent' ? 'surplus_sent' : state;
}

export const shownState = ({ status, surplus }: Pick<ClaimStatus, 'status' | 'surplus'>): ShownState =>
  surplus === null ? status : besideExchange(status);
