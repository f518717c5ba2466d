import { ApiError } from '@agio/client/problem';
import { useCallback, useContext, useState } from 'react';
import { errorText } from '../../api/errors';
import type { ClaimAction, ClaimStatus } from '../../api/types';
import { useT } from '../../i18n/texts';
import { ReadingContext } from './ticket/Ticket';
import type { FollowedClaim } from './useClaim';

export interface Refused {
  action: ClaimAction;
  code: string;
  /** In the customer's language. */
  text: string;
  /** Messages for fields of the request by their path: `requisites.card`. */
  fields: Readonly<Record<string, string>>;
}

export interface ActionState {
  /** The action in progress. */
  busy: ClaimAction | null;
  /** Why the last one failed. */
  refused: Refused | null;
  run(action: ClaimAction, call: () => Promise<ClaimStatus>): Promise<void>;
}

/** Runs one action at a time and stores the server's refusal. */
export function useAction({ accept, refresh }: Pick<FollowedClaim, 'accept' | 'refresh'>): ActionState {
  const common = useT('common');
  const reading = useContext(ReadingContext);
  const [busy, setBusy] = useState<ClaimAction | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);

  const run = useCallback(
    async (action: ClaimAction, call: () => Promise<ClaimStatus>) => {
      setBusy(action);
      // The stream may push the new state before the answer does.
      reading.current.isAwaited = true;
      setRefused(null);
      try {
        accept(await call());
      } catch (error) {
        const refusal = error instanceof ApiError ? error : null;
        const fields = refusal?.fieldMessages() ?? {};
        setRefused({ action, code: refusal?.code ?? 'network', text: errorText(error, common), fields });
        // A refusal often means that the claim or its terms have changed: reload them.
        if (refusal?.status === 409) refresh();
        else reading.current.isAwaited = false;
      } finally {
        setBusy(null);
      }
    },
    [accept, refresh, common, reading],
  );
  return { busy, refused, run };
}
