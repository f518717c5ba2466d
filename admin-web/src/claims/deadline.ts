import { fieldText, instantOf } from '../ui/dateTime.ts';
import { isZero } from '../ui/decimal.ts';
import type { Claim, Transition } from './types.ts';

export type ClaimTerms = NonNullable<Claim['terms']>;

/** Steps by which staff record that money arrived, and so when. */
const DATED: Transition['action'][] = ['payment_received', 'payment_seen', 'amount_mismatch'];

/** Steps before which staff must know whether the agreed rate still applies. */
const BOOKING: Transition['action'][] = [...DATED, 'late_payment'];

/** Whether a step takes the time of the payment: while nothing else has dated it. */
export const datesPayment = ({ terms, status }: Claim, { action }: Transition): boolean =>
  terms?.paidAt === null && DATED.includes(action) && status !== 'amount_mismatch';

export const booksPayment = ({ action }: Transition): boolean => BOOKING.includes(action);

/** When a payment arrived. The field has minutes only, so it may show the minute in which the claim was created. */
export const paidAtOf = ({ createdAt }: Claim, text: string): string | undefined =>
  text === fieldText(new Date(createdAt)) ? createdAt : (instantOf(text) ?? undefined);

/** The payment against the deadline of the agreed rate; null while it applies and nothing arrived. */
export function deadlineOf({ end, passed, paidAt }: ClaimTerms): 'passed' | 'late' | 'in_time' | null {
  if (paidAt !== null) return Date.parse(paidAt) < Date.parse(end) ? 'in_time' : 'late';
  return passed ? 'passed' : null;
}

/** The current rate against the agreed one. */
export function movementOf({ movedPercent, withinTolerance }: ClaimTerms): 'unknown' | 'none' | 'within' | 'over' {
  if (movedPercent === null) return 'unknown';
  if (isZero(movedPercent)) return 'none';
  return withinTolerance ? 'within' : 'over';
}
