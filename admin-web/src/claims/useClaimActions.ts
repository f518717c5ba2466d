import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { type Once, useAction } from '../api/hooks.ts';
import { isProblem } from '../api/problem.ts';
import { markStale } from '../api/stale.ts';
import type { TransitionInput } from './types.ts';

/** Refusals that mean the claim on the screen is out of date. */
const OUTDATED = ['claim_changed', 'claim_locked', 'transition_not_allowed'];
export const isOutdated = (error: unknown): boolean => isProblem(error) && OUTDATED.includes(error.code);

/** Refused because another has the claim; it may go on when they have unlocked it. */
export const isLocked = (error: unknown): boolean => isProblem(error) && error.code === 'claim_locked';

/** What a change of a claim makes stale besides the claim. */
export const STALE_BY_CLAIM = ['/claims', '/dashboard'];

/** What staff do to a claim. A response with the claim's new state is shown at once. */
export function useClaimActions(id: string) {
  const client = useQueryClient();
  const [outdated, setOutdated] = useState<unknown>(null);
  const params = { path: { id } };
  const claim = `/claims/${id}`;
  const change = async <Result extends { data?: unknown; response: Response }>(call: Promise<Result>) => {
    try {
      const result = await call;
      setOutdated(null);
      // A reading under way may be older than this answer: it is dropped and made again.
      const isReading = client.isFetching({ queryKey: [claim] }) > 0;
      if (result.response.status !== 202) {
        await client.cancelQueries({ queryKey: [claim] });
        client.setQueryData([claim, {}], result.data);
      }
      if (isReading || result.response.status === 202) markStale(client, claim);
      return result;
    } catch (error) {
      if (isOutdated(error)) {
        setOutdated(error);
        markStale(client, claim, '/claims');
      }
      throw error;
    }
  };
  const transition = (body: TransitionInput) => change(api.POST('/claims/{id}/transitions', { params, body }));
  const lock = (query: { ifFree?: boolean }) => change(api.POST('/claims/{id}/lock', { params: { ...params, query } }));
  const atOnce = useAction({
    run: (action: 'lock' | 'takeOver' | 'unlock' | { take: number }) => {
      if (action === 'lock') return lock({ ifFree: true });
      if (action === 'takeOver') return lock({});
      if (action === 'unlock') return change(api.POST('/claims/{id}/unlock', { params }));
      return transition({ action: 'take', revision: action.take });
    },
    stale: STALE_BY_CLAIM,
  });
  return {
    isPending: atOnce.isPending,
    /** Why an action without a dialog was refused, unless the view was out of date. */
    refusal: isOutdated(atOnce.error) ? null : atOnce.error,
    outdated,
    forget: () => {
      setOutdated(null);
      atOnce.reset();
    },
    take: (revision: number) => atOnce.mutate({ take: revision }),
    /** Locks a claim that is free. */
    lock: () => atOnce.mutate('lock'),
    /** Locks a claim that another may have locked. */
    takeOver: () => atOnce.mutate('takeOver'),
    takeOverAsked: () => lock({}),
    unlock: () => atOnce.mutate('unlock'),
    transition,
    addNote: (text: string, once: Once) =>
      change(api.POST('/claims/{id}/notes', { ...once, params: { path: { id } }, body: { text } })),
    setRefundDestination: (body: Parameters<typeof setDestination>[1]) => change(setDestination(id, body)),
  };
}

const setDestination = (id: string, body: { revision: number; requisites: Record<string, string>; note: string }) =>
  api.POST('/claims/{id}/refund-destination', { params: { path: { id } }, body });

export type ClaimActions = ReturnType<typeof useClaimActions>;
