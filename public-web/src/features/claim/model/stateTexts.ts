import type { ClaimForm, ClaimStatus } from '../../../api/types';
import type { TextKey } from '../../../i18n/texts';
import { shownState } from '../../../openClaims/progress';

interface StateTexts {
  heading: TextKey<'claim'>;
  text: TextKey<'claim'>;
}

/** The heading and the sentence of a claim's state. Cash is brought and handed over where others are sent. */
export function stateTexts(form: Pick<ClaimForm, 'from' | 'to' | 'city'>, status: ClaimStatus): StateTexts {
  const state = shownState(status);
  const usual: StateTexts = { heading: `state.${state}.heading`, text: `state.${state}.text` };
  if (form.from.kind === 'cash') {
    if (state === 'awaiting_payment') return { heading: 'meeting.bring', text: 'meeting.bringText' };
    if (state === 'payment_claimed') return { heading: 'meeting.claimed', text: 'meeting.claimedText' };
  }
  const isPaidInCash = form.to.kind === 'cash';
  if (isPaidInCash && state === 'payout_sent') return { heading: 'meeting.handed', text: 'meeting.handedText' };
  const isArranged = (form.city?.place ?? null) !== null;
  if (status.meetingCode !== null) return { ...usual, text: isArranged ? 'meeting.collect' : 'meeting.arrange' };
  const awaitsCash = isPaidInCash && (state === 'paid' || state === 'processing');
  return awaitsCash ? { ...usual, text: isArranged ? 'meeting.ready' : 'meeting.arrangeText' } : usual;
}
