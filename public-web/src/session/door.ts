import { useSyncExternalStore } from 'react';

/** A dialog about the account, wherever the visitor is. */
export type Door =
  /** `back`: the page that asked for it. `lost`: the session ended by itself. */
  | { kind: 'signIn'; back?: string; lost?: boolean; email?: string }
  | { kind: 'signUp' }
  /** Where the link of the activation letter leads. */
  | { kind: 'activation'; token: string }
  | { kind: 'reactivation' };

/** What a page leaves in the history beside its address, so that a reload opens the dialog again. */
export interface DoorState {
  door?: Door;
}

let open: Door | null = null;
const listeners = new Set<() => void>();

function change(next: Door | null): void {
  open = next;
  for (const listener of listeners) {
    listener();
  }
}

export function openDoor(door: Door): void {
  change(door);
}

/** Closes the dialog, and keeps a reload from opening it again. */
export function closeDoor(): void {
  const { history } = window;
  if (history.state?.usr?.door) {
    history.replaceState({ ...history.state, usr: null }, '');
  }
  change(null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The open dialog; none in prerendered pages. */
export function useDoor(): Door | null {
  return useSyncExternalStore(
    subscribe,
    () => open,
    () => null,
  );
}
