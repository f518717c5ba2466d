import type { Claim, Transition, TransitionInput } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';
import { datesPayment, paidAtOf } from './deadline.ts';

/** What a step may ask for: a field of what is sent with it. New terms are not typed, and the moment of a payment may be left out. */
export type Need = Exclude<keyof TransitionInput, 'action' | 'revision' | 'terms' | 'paidAt'>;

/** What an operator has filled in before a step. */
export type Answers = {
  /** A code of `REASONS`, or `OWN` with `words`. */
  reason: string;
  words: string;
  /** Minutes from now until the customer has an answer. */
  answerIn: string;
  txId: string;
  amount: string;
  /** When the money came, as the browser's field writes it; empty is now. */
  paidAt: string;
  note: string;
};

export const OWN = 'own';
export const ANSWER_IN = ['30', '60', '180', '720', '1440'];
export const NO_ANSWERS: Answers = {
  reason: '',
  words: '',
  answerIn: '60',
  txId: '',
  amount: '',
  paidAt: '',
  note: '',
};

const REASONS: Partial<Record<Transition['action'], string[]>> = {
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

/** Reasons that fit a step; each has words for the customer on the server. */
export const reasonsFor = (action: Transition['action']): string[] => REASONS[action] ?? ['technical'];

const QUESTIONS: Record<Need, true> = { reason: true, answerBy: true, txId: true, amount: true, note: true };

/** Everything a step asks for, in the order it is asked. What takes something from a customer always asks why. */
export const needsOf = ({ danger, needs }: Transition): Need[] =>
  (Object.keys(QUESTIONS) as Need[]).filter((need) => needs.includes(need) || (need === 'reason' && danger));

/** What still lacks, by field; empty when the step can go. */
export function lacks(transition: Transition, answers: Answers): Need[] {
  return needsOf(transition).filter((need) => {
    if (need === 'reason') return !answers.reason || (answers.reason === OWN && !answers.words.trim());
    if (need === 'amount') return typedDecimal(answers.amount) === null;
    if (need === 'answerBy') return !answers.answerIn;
    return !answers[need].trim();
  });
}

/** The step as the API takes it. */
export function inputOf(claim: Claim, transition: Transition, answers: Answers, now: number): TransitionInput {
  const needs = needsOf(transition);
  const asked = (need: Need) => needs.includes(need);
  return {
    action: transition.action,
    revision: claim.revision,
    reason: asked('reason') ? (answers.reason === OWN ? answers.words.trim() : answers.reason) : undefined,
    answerBy: asked('answerBy') ? new Date(now + Number(answers.answerIn) * 60_000).toISOString() : undefined,
    txId: asked('txId') ? answers.txId.trim() : undefined,
    amount: asked('amount') ? (typedDecimal(answers.amount) ?? undefined) : undefined,
    paidAt: datesPayment(claim, transition) ? paidAtOf(claim, answers.paidAt) : undefined,
    note: answers.note.trim() || undefined,
  };
}

/** One step counts the payout; all others count what came. */
export const legOfAmount = (claim: Claim, { action }: Transition) =>
  action === 'payout_partial' ? claim.to : claim.from;
