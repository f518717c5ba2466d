import { useCallback, useEffect, useRef, useState } from 'react';

export type Answered<T> =
  | { state: 'waiting' }
  | { state: 'here'; value: T }
  /** Nothing has come yet; a failed renewal keeps showing what was there. */
  | { state: 'failed'; error: unknown };

/**
 * The answer of a call the page shows. `ask` is called at once, whenever it or `renewal` changes, and on `again`;
 * meanwhile the last answer stays, so that nothing on the page jumps. `known` is shown until the first one comes.
 */
export function useAnswer<T>(ask: () => Promise<T>, renewal?: string, known?: T): [Answered<T>, again: () => void] {
  const [answered, setAnswered] = useState<Answered<T>>(
    known === undefined ? { state: 'waiting' } : { state: 'here', value: known },
  );
  const turn = useRef(0);
  const renew = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    try {
      const value = await ask();
      if (mine === turn.current) setAnswered({ state: 'here', value });
    } catch (error) {
      if (mine === turn.current) setAnswered((last) => (last.state === 'here' ? last : { state: 'failed', error }));
    }
  }, [ask]);

  useEffect(
    () => () => {
      // Nobody waits for an answer to a page that was left.
      turn.current += 1;
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a renewal is the reason to ask, not a part of the question.
  useEffect(() => {
    void renew();
  }, [renew, renewal]);

  const again = useCallback(() => {
    setAnswered((last) => (last.state === 'failed' ? { state: 'waiting' } : last));
    void renew();
  }, [renew]);
  return [answered, again];
}
