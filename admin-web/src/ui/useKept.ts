import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { session } from '../api/api.ts';

const kept = new Map<string, unknown>();

/** A state that outlives its screen, for what was typed: who looks elsewhere and returns goes on with it. */
export function useKept<Value>(name: string, initial: Value): [Value, Dispatch<SetStateAction<Value>>] {
  const key = `${session.user?.id} ${name}`;
  const [value, setValue] = useState(() => (kept.has(key) ? (kept.get(key) as Value) : initial));
  useEffect(() => {
    kept.set(key, value);
  }, [key, value]);
  return [value, setValue];
}

/** Begins anew, for tests. */
export const forgetKept = (): void => kept.clear();
