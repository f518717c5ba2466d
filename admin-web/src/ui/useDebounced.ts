import { useEffect, useState } from 'react';

const DEBOUNCE_MS = 350;

/** The value once it has rested for a moment; two that hold the same are the same. */
export function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value);
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says when the value is another one.
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
