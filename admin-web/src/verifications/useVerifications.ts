import type { Verification, VerificationVerdict } from '@agio/client/admin';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { isProblem } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';

export const TABS = ['sent', 'asked', 'closed'] as const;
export type Tab = (typeof TABS)[number];
export const isTab = (text: string | null): text is Tab => TABS.includes(text as Tab);

/** Verifications of accounts tell nobody that they changed: the queue is read again at this pace. */
const PACE_MS = 15_000;

/** A tab of the queue, page after page. */
export function useVerifications(tab: Tab) {
  const query = useInfiniteQuery({
    queryKey: [...KEYS.verifications, tab],
    queryFn: ({ pageParam, signal }) => api.verifications(tab, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: PACE_MS,
  });
  const last = query.data?.pages.at(-1);
  return {
    ...query,
    rows: query.data?.pages.flatMap((page) => page.items) ?? [],
    counts: { sent: last?.sent ?? 0, asked: last?.asked ?? 0 },
  };
}

export const useVerification = (id: string) =>
  useQuery({
    queryKey: KEYS.verification(id),
    queryFn: ({ signal }) => api.verification(id, signal),
    refetchInterval: PACE_MS,
  });

/** Refusals that mean what is on the screen is old. */
const OUTDATED = ['verification_changed', 'verification_closed', 'claim_changed'];
export const isOutdated = (error: unknown): boolean => isProblem(error) && OUTDATED.includes(error.code);

/** Deciding. The answer is the verification as it is now, so it goes straight to the screen. */
export function useDeciding(id: string, onDone: (verification: Verification) => void) {
  const client = useQueryClient();
  const readAgain = () => {
    void client.invalidateQueries({ queryKey: KEYS.verifications });
    void client.invalidateQueries({ queryKey: KEYS.dashboard });
  };
  return useMutation({
    mutationFn: (verdict: VerificationVerdict) => api.decideVerification(id, verdict, crypto.randomUUID()),
    onSuccess: (verification) => {
      client.setQueryData(KEYS.verification(id), verification);
      if (verification.claim) void client.invalidateQueries({ queryKey: KEYS.claim(verification.claim.id) });
      readAgain();
      onDone(verification);
    },
    onError: (error) => {
      if (!isOutdated(error)) return;
      void client.invalidateQueries({ queryKey: KEYS.verification(id) });
      readAgain();
    },
  });
}
