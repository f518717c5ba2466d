import { useCallback, useContext, useState } from 'react';
import { ApiError, wordsFor } from '../../api/errors';
import type { ClaimAction, ClaimStatus } from '../../api/types';
import { useT } from '../../i18n/texts';
import { ReadingContext } from './ticket/Ticket';
import type { FollowedClaim } from './useClaim';

export interface Refused {
  action: ClaimAction;
  code: string;
  /** In the customer's language, to stand near the button. */
  text: string;
  /** Words for single fields of the request, by their path: `requisites.card`. */
  fields: Readonly<Record<string, string>>;
}

export interface ActionState {
  /** The action under way, if any. */
  busy: ClaimAction | null;
  /** Why the last one did not succeed. */
  refused: Refused | null;
  run(action: ClaimAction, call: () => Promise<ClaimStatus>): Promise<void>;
}

/** Runs what the customer asks for, one at a time, and keeps the server's refusal for display. */
export function useAction({ accept, refresh }: Pick<FollowedClaim, 'accept' | 'refresh'>): ActionState {
  const say = useT('common');
  const reading = useContext(ReadingContext);
  const [busy, setBusy] = useState<ClaimAction | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);

  const run = useCallback(
    async (action: ClaimAction, call: () => Promise<ClaimStatus>) => {
      setBusy(action);
      // The live line may bring the new state before the answer does.
      reading.current.isAwaited = true;
      setRefused(null);
      try {
        accept(await call());
      } catch (error) {
        const answered = error instanceof ApiError ? error : null;
        const fields = answered?.fieldMessages() ?? {};
        setRefused({ action, code: answered?.code ?? 'network', text: wordsFor(error, say), fields });
        // A refusal often means that the claim has moved on or its terms have changed: show what holds now.
        if (answered?.status === 409) refresh();
        else reading.current.isAwaited = false;
      } finally {
        setBusy(null);
      }
    },
    [accept, refresh, say, reading],
  );
  return { busy, refused, run };
}
