import type { ClaimState } from '../../../api/types';

/** How a claim stands for its owner: their turn, ours, stopped, well ended, ended otherwise. */
export type Standing = 'act' | 'wait' | 'stop' | 'done' | 'over';

/** What each state is in the list. Its words are in the dictionary under `status.<state>`. */
export const STANDINGS: Readonly<Record<ClaimState, Standing>> = {
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
