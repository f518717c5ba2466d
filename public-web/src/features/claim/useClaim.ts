import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { onReconnect } from '../../api/connection';
import { serverNow } from '../../api/serverClock';
import type { ClaimForm, ClaimReview, ClaimStatus } from '../../api/types';
import { useAnswer } from '../../api/useAnswer';
import { useLocale } from '../../i18n/locale';
import { type ClaimCalls, claimCalls } from './claimCalls';
import { browserTimers, browserTransport } from './line/browserLine';
import { ClaimGone, type Line, StatusStream } from './line/statusStream';

export interface FollowedClaim {
  form: ClaimForm;
  status: ClaimStatus;
  /** Of a completed claim, where customers review their exchanges. */
  review: ClaimReview | null;
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

type KnownClaim = Pick<FollowedClaim, 'form' | 'status' | 'review'>;

/** Claims that move to another address: the final page shows them at once, without a skeleton, and reloads them. */
const handedOver = new Map<string, KnownClaim>();

/** Hands a claim over to its next page. */
export function handOver(claim: KnownClaim): void {
  handedOver.set(claim.status.id, claim);
}

/** Loads a claim and follows it while the page is open. `isSuccess`: its address says that it is completed. */
export function useClaim(id: string, isSuccess: boolean): ClaimView {
  const locale = useLocale();
  const calls = useMemo(() => claimCalls(locale, id), [locale, id]);
  const [known] = useState(() => handedOver.get(id));
  const { status, line, gone, accept, ask } = useFollowing(calls, known?.status ?? null);
  // Amounts, receipts and deadlines change together with the status.
  const [form, renewForm] = useAnswer(calls.form, useChange(status), known?.form);
  const review = useReview(calls, isSuccess || status?.status === 'completed', known?.review);
  const isLoaded = form.state === 'ready' && status !== null;
  // What is completed already is shown as a whole; one that becomes so does not wait for its review.
  const [isShown, setShown] = useState(known !== undefined);
  if (!isShown && isLoaded && (status.status !== 'completed' || review !== undefined)) setShown(true);
  const refresh = useCallback(() => {
    ask();
    renewForm();
  }, [ask, renewForm]);

  useEffect(() => void handedOver.delete(id), [id]);

  if (gone || (form.state === 'failed' && form.error instanceof ClaimGone)) return { phase: 'missing' };
  if (form.state === 'failed') return { phase: 'failed', error: form.error, retry: refresh };
  if (isLoaded && isShown) {
    const claim = { form: form.value, status, review: review ?? null, line, calls, accept, refresh };
    return { phase: 'ready', claim };
  }
  return { phase: 'loading' };
}

/** The review of a completed claim; undefined until it is known. */
function useReview(calls: ClaimCalls, isCompleted: boolean, known?: ClaimReview | null) {
  const ask = useCallback(async () => (isCompleted ? calls.review() : undefined), [calls, isCompleted]);
  const [answer] = useAnswer(ask, undefined, known);
  return answer.state === 'ready' ? answer.value : undefined;
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
      onStatus: (next) => startTransition(() => setStatus(next)),
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
