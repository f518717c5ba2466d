import type { ClaimCounts, ClaimRow } from '@agio/client/admin';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';

/** The tabs of the desk: what the server counts, and what is closed. */
export type ClaimGroup = Exclude<keyof ClaimCounts, 'closedToday'> | 'closed';
export const GROUPS: readonly ClaimGroup[] = ['open', 'ours', 'customer', 'network', 'disputed', 'refunds', 'closed'];
export const isGroup = (text: string | null): text is ClaimGroup => GROUPS.includes(text as ClaimGroup);

const PAGE_SIZE = 50;

/** A tab of the desk, page after page in the order of due times. The old rows stay while the new ones come. */
export function useClaims(group: ClaimGroup, q: string) {
  const query = useInfiniteQuery({
    queryKey: [...KEYS.claims, group, q],
    queryFn: ({ pageParam, signal }) =>
      api.claims({ group, q: q || undefined, cursor: pageParam, size: PAGE_SIZE }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  return { ...query, rows: distinct(query.data?.pages.flatMap((page) => page.items) ?? []) };
}

/** A claim that moved between two pages while they were read would stand in both. */
export function distinct(rows: ClaimRow[]): ClaimRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => !seen.has(row.id) && seen.add(row.id));
}

export const useClaim = (id: string) =>
  useQuery({ queryKey: KEYS.claim(id), queryFn: ({ signal }) => api.claim(id, signal) });
