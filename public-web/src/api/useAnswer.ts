import { startTransition, useCallback, useEffect, useRef, useState } from 'react';

export type AnswerState<T> =
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  /** Only before the first answer: a failed renewal keeps the last one. */
  | { state: 'failed'; error: unknown };

/**
 * The answer of a call. `ask` is called at once, whenever it or `renewal` changes, and on `again`; meanwhile the last
 * answer stays, so that nothing on the page jumps. `known` is shown until the first answer.
 */
export function useAnswer<T>(ask: () => Promise<T>, renewal?: string, known?: T): [AnswerState<T>, again: () => void] {
  const [answer, setAnswer] = useState<AnswerState<T>>(
    known === undefined ? { state: 'loading' } : { state: 'ready', value: known },
  );
  const turn = useRef(0);
  const renew = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    try {
      const value = await ask();
      // In parts, between which the page answers its visitor.
      if (mine === turn.current) startTransition(() => setAnswer({ state: 'ready', value }));
    } catch (error) {
      if (mine !== turn.current) return;
      startTransition(() => setAnswer((last) => (last.state === 'ready' ? last : { state: 'failed', error })));
    }
  }, [ask]);

  useEffect(
    () => () => {
      // The page was left: answers are ignored.
      turn.current += 1;
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a renewal is the reason to ask, not a part of the question.
  useEffect(() => {
    void renew();
  }, [renew, renewal]);

  const again = useCallback(() => {
    setAnswer((last) => (last.state === 'failed' ? { state: 'loading' } : last));
    void renew();
  }, [renew]);
  return [answer, again];
}
