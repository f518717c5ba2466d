import { useGet } from '../api/hooks.ts';
import { isProblem } from '../api/problem.ts';
import { add, compare } from '../ui/decimal.ts';
import type { Claim, Recalculation, Transition } from './types.ts';

/** The result of exchanging the amount that arrived. */
export const useRecalculation = (id: string) => useGet('/claims/{id}/recalculation', { path: { id } });

/** Whether the server refused because the shown result is out of date. */
export const isRateChanged = (error: unknown): boolean => isProblem(error) && error.code === 'rate_changed';

/** Whether a step pays out the agreed amount although another amount arrived. */
export const paysAsAgreed = ({ status }: Claim, { action }: Transition): boolean =>
  status === 'amount_mismatch' && action === 'payment_received';

/** The cost of paying as agreed instead of recalculating, and who bears it. */
export function costOf({ agreed, receive }: Recalculation): { amount: string; payer: 'exchange' | 'customer' | null } {
  const order = compare(agreed.receive, receive);
  if (order === 0) return { amount: '0', payer: null };
  const [more, less] = order > 0 ? [agreed.receive, receive] : [receive, agreed.receive];
  return { amount: add(more, `-${less}`), payer: order > 0 ? 'exchange' : 'customer' };
}
