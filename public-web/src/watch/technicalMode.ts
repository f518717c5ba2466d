import type { TechnicalMode } from '../api/types';
import { storeOf, useStore } from '../store';

type State = TechnicalMode['technicalMode'];

const store = storeOf<State | null>(null);

export function rememberTechnicalMode(next: State): void {
  const last = store.get();
  if (last?.on !== next.on || last.time !== next.time) {
    store.set(next);
  }
}

/** Null until the first answer. */
export function useTechnicalMode(): State | null {
  return useStore(store);
}
