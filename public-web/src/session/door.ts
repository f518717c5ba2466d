import { storeOf, useStore } from '../store';

/** A dialog about the account, wherever the visitor is. */
export type Door =
  /** `back`: the page that asked for it. `lost`: the session ended by itself. */
  | { kind: 'signIn'; back?: string; lost?: boolean; email?: string }
  | { kind: 'signUp' }
  /** Where the link of the activation letter leads. */
  | { kind: 'activation'; token: string }
  | { kind: 'reactivation' }
  /** Where links to one's claims are asked for. */
  | { kind: 'findClaim' };

/** What a page leaves in the history beside its address, so that a reload opens the dialog again. */
export interface DoorState {
  door?: Door;
}

const store = storeOf<Door | null>(null);

export const openDoor: (door: Door) => void = store.set;

/** Closes the dialog, and keeps a reload from opening it again. */
export function closeDoor(): void {
  const { history } = window;
  if (history.state?.usr?.door) {
    history.replaceState({ ...history.state, usr: null }, '');
  }
  store.set(null);
}

/** The open dialog. */
export function useDoor(): Door | null {
  return useStore(store);
}
