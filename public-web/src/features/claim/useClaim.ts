import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { onReconnect } from '../../api/connection';
import { serverNow } from '../../api/serverClock';
import type { ClaimForm, ClaimStatus } from '../../api/types';
import { useAnswer } from '../../api/useAnswer';
import { useLocale } from '../../i18n/locale';
import { type ClaimCalls, claimCalls } from './claimCalls';
import { browserTimers, browserTransport } from './line/browserLine';
import { ClaimGone, type Line, StatusStream } from './line/statusStream';

export interface FollowedClaim {
  form: ClaimForm;
  status: ClaimStatus;
  line: Line;
  calls: ClaimCalls;
  /** Accepts the status that an action answered with. */
  accept(status: ClaimStatus): void;
  /** Reloads everything: an action was refused because the claim or its terms changed, or a receipt was uploaded. */
  refresh(): void;
}

export type ClaimView =
  | { phase: 'loading' }
  | { phase: 'missing' }
  | { phase: 'failed'; error: unknown; retry(): void }
  | { phase: 'ready'; claim: FollowedClaim };

/** Claims that move to another address: the final page shows them at once, without a skeleton, and reloads them. */
const handedOver = new Map<string, Pick<FollowedClaim, 'form' | 'status'>>();

/** Hands a claim over to its next page. */
export function handOver(claim: Pick<FollowedClaim, 'form' | 'status'>): void {
  handedOver.set(claim.status.id, claim);
}

/** Loads a claim and follows it while the page is open. */
export function useClaim(id: string): ClaimView {
  const locale = useLocale();
  const calls = useMemo(() => claimCalls(locale, id), [locale, id]);
  const [known] = useState(() => handedOver.get(id));
  const { status, line, gone, accept, ask } = useFollowing(calls, known?.status ?? null);
  // Amounts, receipts and deadlines change together with the status.
  const [form, renewForm] = useAnswer(calls.form, useChange(status), known?.form);
  const refresh = useCallback(() => {
    ask();
    renewForm();
  }, [ask, renewForm]);

  useEffect(() => void handedOver.delete(id), [id]);

  if (gone || (form.state === 'failed' && form.error instanceof ClaimGone)) return { phase: 'missing' };
  if (form.state === 'failed') return { phase: 'failed', error: form.error, retry: refresh };
  if (form.state === 'ready' && status !== null) {
    return { phase: 'ready', claim: { form: form.value, status, line, calls, accept, refresh } };
  }
  return { phase: 'loading' };
}

/** A claim that has not changed for so long had this status when its page asked for the rest, whatever the clocks say. */
const SETTLED = 5_000;

/** When the status changed; nothing while it is the first one, as old as what was loaded together with it. */
function useChange(status: ClaimStatus | null): string | undefined {
  const [opened] = useState(() => performance.now());
  const [first, setFirst] = useState<string>();
  if (status && first === undefined) setFirst(status.updatedAt);
  if (status?.updatedAt !== first) return status?.updatedAt;
  const openedAt = serverNow() - (performance.now() - opened);
  return first && Date.parse(first) > openedAt - SETTLED ? first : undefined;
}

function useFollowing(calls: ClaimCalls, known: ClaimStatus | null) {
  const stream = useRef<StatusStream | null>(null);
  const [status, setStatus] = useState(known);
  const [line, setLine] = useState<Line>({ state: 'connecting' });
  const [gone, setGone] = useState(false);

  useEffect(() => {
    const following = new StatusStream(browserTransport(calls), browserTimers, {
      onStatus: setStatus,
      onLine: setLine,
      onGone: () => setGone(true),
    });
    stream.current = following;
    following.start();
    // The service worker keeps readings, which the stream's events are not.
    if (navigator.serviceWorker?.controller) following.refresh();
    const wake = () => {
      if (document.visibilityState === 'visible') following.refresh();
    };
    document.addEventListener('visibilitychange', wake);
    const stop = onReconnect(wake);
    return () => {
      following.stop();
      document.removeEventListener('visibilitychange', wake);
      stop();
    };
  }, [calls]);

  const accept = useCallback((next: ClaimStatus) => stream.current?.accept(next), []);
  const ask = useCallback(() => stream.current?.refresh(), []);
  return { status, line, gone, accept, ask };
}
