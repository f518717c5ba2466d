import type { Claim, Recalculation, Transition } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { isProblem } from '../api/problem.ts';
import { add, compare } from '../ui/decimal.ts';

/** What exchanging the amount that came would mean. It stays as it was shown until it is asked for again. */
export const useRecalculation = (id: string) =>
  useQuery({
    queryKey: ['recalculation', id],
    queryFn: () => api.recalculation(id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** The server's answer that what was shown is no longer what would be done. */
export const isRateChanged = (error: unknown): boolean => isProblem(error) && error.code === 'rate_changed';

/** Whether a step pays out what was agreed on although another amount came. */
export const paysAsAgreed = ({ status }: Claim, { action }: Transition): boolean =>
  status === 'amount_mismatch' && action === 'payment_received';

/** What paying as agreed costs the exchange over recalculating; below zero the customer loses by it. */
export function costOf({ agreed, receive }: Recalculation): { amount: string; payer: 'exchange' | 'customer' | null } {
  const order = compare(agreed.receive, receive);
  if (order === 0) return { amount: '0', payer: null };
  const [more, less] = order > 0 ? [agreed.receive, receive] : [receive, agreed.receive];
  return { amount: add(more, `-${less}`), payer: order > 0 ? 'exchange' : 'customer' };
}
