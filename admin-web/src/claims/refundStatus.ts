import type { Claim } from './types.ts';

/** What can be done about a refund through the driver of the payment. */
export type RefundStatus = 'none' | 'under_way' | 'by_hand' | 'waits' | 'propose' | 'send';

/** `may`: this person may refund, and the claim is not assigned to another staff member. */
export function refundStatus({ refund, consent, transitions }: Claim, may: boolean): RefundStatus {
  if (!refund) return 'none';
  if (refund.underWay) return 'under_way';
  if (refund.address === null) return 'by_hand';
  if (!may) return 'none';
  const isDue = transitions.some(({ action, consent }) => action === 'refund_sent' && consent);
  if (!isDue) return 'send';
  return consent?.state === 'waiting' ? 'waits' : 'propose';
}
