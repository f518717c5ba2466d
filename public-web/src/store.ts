import { useSyncExternalStore } from 'react';

/** A value that components subscribe to. */
export interface Store<T> {
  /** The initial value, also of prerendered HTML. */
  readonly first: T;
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function storeOf<T>(first: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = first;
  return {
    first,
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) {
        listener();
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  return usePicked(store, (value) => value);
}

/** A part of the value. Another value with the same part renders nothing anew. */
export function usePicked<T, P>({ subscribe, get, first }: Store<T>, pick: (value: T) => P): P {
  return useSyncExternalStore(
    subscribe,
    () => pick(get()),
    () => pick(first),
  );
}
