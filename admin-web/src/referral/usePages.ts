import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { KEYS } from '../api/queries.ts';

/** Referrers act without the console hearing of it: lists are read again at this pace. */
const PACE_MS = 30_000;

interface PageOf<Row> {
  items: Row[];
  nextCursor: string | null;
}

/** A list of the referral room, page after page. */
export function usePages<Row>(
  name: readonly string[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>,
) {
  const query = useInfiniteQuery({
    queryKey: [...KEYS.referral, ...name],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: PACE_MS,
  });
  return { ...query, rows: query.data?.pages.flatMap((page) => page.items) ?? [] };
}
