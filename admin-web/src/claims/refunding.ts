import type { Claim } from '@agio/client/admin';

/** What the desk may do about returning a payment through the driver it came by. */
export type Refunding = 'none' | 'under_way' | 'by_hand' | 'waits' | 'propose' | 'send';

/** `may` says whether this person returns payments and the claim is not in a colleague's hands. */
export function refundingOf({ refund, consent, transitions }: Claim, may: boolean): Refunding {
  if (!refund) return 'none';
  if (refund.underWay) return 'under_way';
  if (refund.address === null) return 'by_hand';
  if (!may) return 'none';
  const isDue = transitions.some(({ action, consent }) => action === 'refund_sent' && consent);
  if (!isDue) return 'send';
  return consent?.state === 'waiting' ? 'waits' : 'propose';
}
