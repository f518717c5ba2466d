import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
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
  /** Takes in the status an action answered with. */
  accept(status: ClaimStatus): void;
  /** Asks for everything again: an action was refused because the claim or its terms had changed, or a receipt was sent. */
  refresh(): void;
}

export type ClaimView =
  | { phase: 'loading' }
  | { phase: 'missing' }
  | { phase: 'failed'; error: unknown; retry(): void }
  | { phase: 'ready'; claim: FollowedClaim };

/**
 * Claims on their way from one address to another. A claim that moves on to its final page is drawn there at once,
 * not through a skeleton; what is shown is renewed in any case.
 */
const handedOver = new Map<string, Pick<FollowedClaim, 'form' | 'status'>>();

/** Leaves what is shown of a claim for the page it moves to. */
export function handOver(claim: Pick<FollowedClaim, 'form' | 'status'>): void {
  handedOver.set(claim.status.id, claim);
}

/** Loads a claim and follows it for as long as the page is open. */
export function useClaim(id: string): ClaimView {
  const locale = useLocale();
  const calls = useMemo(() => claimCalls(locale, id), [locale, id]);
  const [known] = useState(() => handedOver.get(id));
  const { status, line, gone, accept, ask } = useFollowing(calls, known?.status ?? null);
  // Amounts, receipts and deadlines change together with the status.
  const [form, renewForm] = useAnswer(calls.form, status?.updatedAt, known?.form);
  const refresh = useCallback(() => {
    ask();
    renewForm();
  }, [ask, renewForm]);

  useEffect(() => void handedOver.delete(id), [id]);

  if (gone || (form.state === 'failed' && form.error instanceof ClaimGone)) return { phase: 'missing' };
  if (form.state === 'failed') return { phase: 'failed', error: form.error, retry: refresh };
  if (form.state === 'here' && status !== null) {
    return { phase: 'ready', claim: { form: form.value, status, line, calls, accept, refresh } };
  }
  return { phase: 'loading' };
}

/** The status of a claim, kept fresh by the live line or by questions. */
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
    const wake = () => {
      if (document.visibilityState === 'visible') following.refresh();
    };
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    return () => {
      following.stop();
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
    };
  }, [calls]);

  const accept = useCallback((next: ClaimStatus) => stream.current?.accept(next), []);
  const ask = useCallback(() => stream.current?.refresh(), []);
  return { status, line, gone, accept, ask };
}
