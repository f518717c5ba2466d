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

export function useStore<T>({ subscribe, get, first }: Store<T>): T {
  return useSyncExternalStore(subscribe, get, () => first);
}
