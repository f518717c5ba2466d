import type { claims } from '../i18n/en/claims.ts';
import { typedDecimal } from '../ui/decimal.ts';
import { datesPayment, paidAtOf } from './deadline.ts';
import type { Claim, Transition, TransitionInput } from './types.ts';

/** A field a step may need. New terms are not typed, and the time of a payment is optional. */
export type Need = Exclude<keyof TransitionInput, 'action' | 'revision' | 'terms' | 'paidAt'>;

export const OWN = 'own';
export const ANSWER_IN = ['30', '60', '180', '720', '1440'];
export const EMPTY_DRAFT = {
  /** A code of `REASONS`, or `OWN` with `ownReason`. */
  reason: '',
  ownReason: '',
  /** Minutes until the customer gets an answer. */
  answerIn: '60',
  txId: '',
  meetingCode: '',
  amount: '',
  /** When the money arrived, in the format of the browser's field; empty is now. */
  paidAt: '',
  note: '',
};
/** What staff enter before a step. */
export type TransitionDraft = typeof EMPTY_DRAFT;

const REASONS: Partial<Record<Transition['action'], (keyof typeof claims.reasons)[]>> = {
  hold: [
    'aml_check',
    'identity_check',
    'wrong_sender',
    'amount_not_confirmed',
    'wrong_requisites',
    'network_delay',
    'technical',
  ],
  reject: ['payment_not_found', 'customer_asked', 'rules_violation', 'wrong_requisites'],
  refund: ['customer_asked', 'wrong_sender', 'wrong_requisites', 'rules_violation', 'technical'],
  payout_failed: ['payout_rejected', 'wrong_requisites', 'network_delay', 'technical'],
  refund_bounced: ['refund_returned'],
  payout_returned: ['payout_returned', 'wrong_requisites', 'technical'],
};

/** Reasons for a step; the server has the customer's text of each. */
export const reasonsFor = (action: Transition['action']): string[] => REASONS[action] ?? ['technical'];

const NEEDS: Record<Need, true> = {
  reason: true,
  answerBy: true,
  txId: true,
  meetingCode: true,
  amount: true,
  note: true,
};

/** The fields of a step in their order. A step against the customer always needs a reason. */
export const needsOf = ({ danger, needs }: Transition): Need[] =>
  (Object.keys(NEEDS) as Need[]).filter((need) => needs.includes(need) || (need === 'reason' && danger));

/** The fields that are still missing. */
export function missingIn(transition: Transition, draft: TransitionDraft): Need[] {
  return needsOf(transition).filter((need) => {
    if (need === 'reason') return !draft.reason || (draft.reason === OWN && !draft.ownReason.trim());
    if (need === 'amount') return typedDecimal(draft.amount) === null;
    if (need === 'answerBy') return !draft.answerIn;
    return !draft[need].trim();
  });
}

export function inputOf(claim: Claim, transition: Transition, draft: TransitionDraft, now: number): TransitionInput {
  const needs = needsOf(transition);
  const has = (need: Need) => needs.includes(need);
  return {
    action: transition.action,
    revision: claim.revision,
    reason: has('reason') ? (draft.reason === OWN ? draft.ownReason.trim() : draft.reason) : undefined,
    answerBy: has('answerBy') ? new Date(now + Number(draft.answerIn) * 60_000).toISOString() : undefined,
    txId: has('txId') ? draft.txId.trim() : undefined,
    meetingCode: has('meetingCode') ? draft.meetingCode.trim() : undefined,
    amount: has('amount') ? (typedDecimal(draft.amount) ?? undefined) : undefined,
    paidAt: datesPayment(claim, transition) ? paidAtOf(claim, draft.paidAt) : undefined,
    note: draft.note.trim() || undefined,
  };
}

/** One step takes the amount of the payout, all others the amount that arrived. */
export const sideOfAmount = (claim: Claim, { action }: Transition) =>
  action === 'payout_partial' ? claim.to : claim.from;
