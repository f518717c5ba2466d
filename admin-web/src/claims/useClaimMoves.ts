import type { Claim, TransitionInput } from '@agio/client/admin';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { isProblem } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';

type Move =
  | { kind: 'transition'; input: TransitionInput }
  | { kind: 'lock' }
  | { kind: 'unlock' }
  | { kind: 'note'; text: string };

/** Refusals that mean the claim on the screen is old: they are said, and the claim is read again. */
const OUTDATED = ['claim_changed', 'claim_locked', 'transition_not_allowed'];
export const isOutdated = (error: unknown): boolean => isProblem(error) && OUTDATED.includes(error.code);

/** What came of a move: the claim as it is now, or nothing where a colleague has to agree first. */
async function send(id: string, move: Move): Promise<Claim | null> {
  switch (move.kind) {
    case 'transition':
      return (await api.moveClaim(id, move.input)).done;
    case 'lock':
      return api.lockClaim(id);
    case 'unlock':
      return api.unlockClaim(id);
    case 'note':
      return api.noteClaim(id, move.text, crypto.randomUUID());
  }
}

/** What an operator does to a claim. The answer is the claim as it is now, so it goes straight to the screen. */
export function useClaimMoves(id: string) {
  const client = useQueryClient();
  const saved = useSaved();
  const { t } = useWords();
  const [outdated, setOutdated] = useState<unknown>(null);
  const mutation = useMutation({
    mutationFn: (move: Move) => send(id, move),
    onSuccess: (claim) => {
      setOutdated(null);
      if (claim) client.setQueryData(KEYS.claim(id), claim);
      else saved(t('approvals.sent'), KEYS.claim(id), KEYS.approvals);
      void client.invalidateQueries({ queryKey: KEYS.claims });
      void client.invalidateQueries({ queryKey: KEYS.dashboard });
    },
    onError: (error) => {
      if (!isOutdated(error)) return;
      setOutdated(error);
      void client.invalidateQueries({ queryKey: KEYS.claim(id) });
      void client.invalidateQueries({ queryKey: KEYS.claims });
    },
  });
  return {
    busy: mutation.isPending,
    /** A refusal that has nothing to do with an old screen. */
    refusal: isOutdated(mutation.error) ? null : mutation.error,
    outdated,
    forget: () => {
      setOutdated(null);
      mutation.reset();
    },
    move: (input: TransitionInput) => mutation.mutateAsync({ kind: 'transition', input }),
    lock: () => mutation.mutate({ kind: 'lock' }),
    unlock: () => mutation.mutate({ kind: 'unlock' }),
    note: (text: string) => mutation.mutateAsync({ kind: 'note', text }),
  };
}

export type ClaimMoves = ReturnType<typeof useClaimMoves>;
