import type { Claim, ClaimTerms, Transition } from '@agio/client/admin';
import { isZero } from '../ui/decimal.ts';
import { fieldText, momentOf } from '../ui/moment.ts';

/** Steps by which staff establish that money came, and so when it came. */
const DATED: Transition['action'][] = ['payment_received', 'payment_seen', 'amount_mismatch'];

/** Steps before which an operator has to know whether the agreed rate still holds. */
const BOOKING: Transition['action'][] = [...DATED, 'late_payment'];

/** Whether a step takes the moment of the payment: while nothing else has dated it. */
export const datesPayment = ({ terms, status }: Claim, { action }: Transition): boolean =>
  terms?.paidAt === null && DATED.includes(action) && status !== 'amount_mismatch';

export const booksPayment = ({ action }: Transition): boolean => BOOKING.includes(action);

/** When a payment came, as the API takes it. The field says a minute, which may be the one the claim was made in. */
export const paidAtOf = ({ createdAt }: Claim, text: string): string | undefined =>
  text === fieldText(new Date(createdAt)) ? createdAt : (momentOf(text) ?? undefined);

/** What there is to say of the end of the agreed rate; nothing while it holds and nothing came. */
export function deadlineOf({ end, passed, paidAt }: ClaimTerms): 'passed' | 'late' | 'in_time' | null {
  if (paidAt !== null) return Date.parse(paidAt) < Date.parse(end) ? 'in_time' : 'late';
  return passed ? 'passed' : null;
}

/** How the present rate stands to the agreed one. */
export function movementOf({ movedPercent, withinTolerance }: ClaimTerms): 'unknown' | 'none' | 'within' | 'over' {
  if (movedPercent === null) return 'unknown';
  if (isZero(movedPercent)) return 'none';
  return withinTolerance ? 'within' : 'over';
}
