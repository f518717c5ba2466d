import { useSyncExternalStore } from 'react';

/** One timer for every clock, fuse and ruler on the page. It runs only while somebody looks at it. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let now = Date.now();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
  };
}

function current(): number {
  // Between two ticks every reader has to get the same answer; without a timer the clock is read again.
  if (timer === null && Date.now() - now > 1_000) now = Date.now();
  return now;
}

/** Milliseconds since the epoch, renewed each second. */
export const useNow = (): number => useSyncExternalStore(subscribe, current);
