import { useSyncExternalStore } from 'react';
import type { Customer } from '../api/account';

/** Who uses the page. */
export type Session =
  /** Not known yet; `trouble` is why it could not be found out. */
  | { phase: 'unknown'; trouble?: unknown }
  /** `lost`: the session ended without being asked to. */
  | { phase: 'guest'; lost: boolean }
  | { phase: 'customer'; customer: Customer };

const UNKNOWN: Session = { phase: 'unknown' };

let session: Session = UNKNOWN;
const listeners = new Set<() => void>();

/** Says who uses the page. Only the keeper of the session does. */
export function show(next: Session): void {
  session = next;
  for (const listener of listeners) {
    listener();
  }
}

export function currentSession(): Session {
  return session;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Who uses the page; nobody knows in prerendered HTML. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession, () => UNKNOWN);
}

/** The cookie beside the refresh cookie, which pages may read: while it is there, a session can be restored. */
export const MARKER = 'agio_session';

export function hasMarker(): boolean {
  return document.cookie.split('; ').includes(`${MARKER}=1`);
}

/** What keeps a session is only loaded where there is one. */
const keeping = () => import('./keeping');

/**
 * Finds out who uses the page, and again whenever the visitor comes back to it: meanwhile they may have signed in
 * or out on another tab. Answers how to stop.
 */
export function watchSession(): () => void {
  const look = () => {
    const isKnown = session.phase === 'customer';
    if (hasMarker() && !isKnown) {
      keeping().then(({ restore }) => restore(), console.error);
    } else if (!hasMarker() && session.phase !== 'guest') {
      if (isKnown) {
        keeping().then(({ leave }) => leave(), console.error);
      } else {
        show({ phase: 'guest', lost: false });
      }
    }
  };
  look();
  window.addEventListener('focus', look);
  window.addEventListener('pageshow', look);
  return () => {
    window.removeEventListener('focus', look);
    window.removeEventListener('pageshow', look);
  };
}

/** Makes a call as the customer, if there is one: see `Keeper.call`. */
export async function asCaller<T>(call: (token: string | null) => Promise<T>): Promise<T> {
  return session.phase === 'customer' || hasMarker() ? (await keeping()).asCustomer(call) : call(null);
}
