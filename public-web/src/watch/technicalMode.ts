import { useSyncExternalStore } from 'react';
import type { TechnicalMode } from '../api/types';

type State = TechnicalMode['technicalMode'];

let state: State | null = null;
const listeners = new Set<() => void>();

/** Keeps the last answer about technical mode. */
export function rememberTechnicalMode(next: State): void {
  if (state?.on !== next.on || state.time !== next.time) {
    state = next;
    for (const listener of listeners) {
      listener();
    }
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether technical mode is on and when service is expected back; null until the first answer. */
export function useTechnicalMode(): State | null {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => null,
  );
}
