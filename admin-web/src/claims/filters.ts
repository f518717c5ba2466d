import type { AdminPaths } from '@agio/client/admin';
import { type ClaimGroup, GROUPS } from './groups.ts';
import type { ClaimState } from './types.ts';

type QueueQuery = NonNullable<AdminPaths['/claims']['get']['parameters']['query']>;

const STATES: Record<Exclude<ClaimGroup, 'open'>, ClaimState[]> = {
  ours: ['verification', 'payment_claimed', 'paid', 'processing', 'payout_partial'],
  customer: ['created', 'awaiting_payment'],
  network: ['payment_seen', 'payout_sent'],
  disputed: ['amount_mismatch', 'late_payment', 'on_hold', 'payout_error'],
  refunds: ['refund_pending', 'refund_sent'],
  closed: ['completed', 'refunded', 'cancelled', 'expired', 'rejected'],
};

/** The states of a tab's claims. */
export const statesOf = (group: ClaimGroup): ClaimState[] =>
  group === 'open'
    ? GROUPS.flatMap((name) => (name === 'open' || name === 'closed' ? [] : STATES[name]))
    : STATES[group];

/** What narrows the queue, as it stands in the address. */
export type QueueFilters = { status?: ClaimState; from?: string; to?: string; mine?: 'true'; overdue?: 'true' };
export type FilterName = keyof QueueFilters;

const FILTERS: readonly FilterName[] = ['status', 'from', 'to', 'mine', 'overdue'];

/** The filters of an address that mean something in a tab. Nobody has a closed claim, and nothing of it is due. */
export function filtersOf(params: URLSearchParams, group: ClaimGroup): QueueFilters {
  const id = (name: 'from' | 'to') => /^\d{1,9}$/.exec(params.get(name) ?? '')?.[0];
  const isOn = (name: 'mine' | 'overdue') => (group !== 'closed' && params.get(name) === 'true' ? 'true' : undefined);
  return {
    status: statesOf(group).find((state) => state === params.get('status')),
    from: id('from'),
    to: id('to'),
    mine: isOn('mine'),
    overdue: isOn('overdue'),
  };
}

export const isNarrowed = (filters: QueueFilters): boolean => FILTERS.some((name) => filters[name] !== undefined);

export const queryOf = ({ status, from, to, mine, overdue }: QueueFilters): QueueQuery => ({
  status,
  from: from === undefined ? undefined : Number(from),
  to: to === undefined ? undefined : Number(to),
  mine: mine && true,
  overdue: overdue && true,
});

/** An address with one filter changed, or with none of them. */
export function withFilter(params: URLSearchParams, name: FilterName, value: string): URLSearchParams {
  const changed = new URLSearchParams(params);
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}

export function withoutFilters(params: URLSearchParams): URLSearchParams {
  return FILTERS.reduce((left, name) => withFilter(left, name, ''), params);
}
