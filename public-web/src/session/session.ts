import type { Customer } from '../api/account';
import { storeOf, useStore } from '../store';

/** Who uses the page. */
export type Session =
  /** Not known yet; `trouble` is why it could not be found out. */
  | { phase: 'unknown'; trouble?: unknown }
  /** `lost`: the session ended without being asked to. */
  | { phase: 'guest'; lost: boolean }
  | { phase: 'customer'; customer: Customer };

const store = storeOf<Session>({ phase: 'unknown' });

/** Says who uses the page. Only the keeper of the session does. */
export const show: (session: Session) => void = store.set;

export const currentSession: () => Session = store.get;

/** Who uses the page; nobody knows in prerendered HTML. */
export function useSession(): Session {
  return useStore(store);
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
    const { phase } = store.get();
    const isKnown = phase === 'customer';
    if (hasMarker() && !isKnown) {
      keeping().then(({ restore }) => restore(), console.error);
    } else if (!hasMarker() && phase !== 'guest') {
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
  return store.get().phase === 'customer' || hasMarker() ? (await keeping()).asCustomer(call) : call(null);
}
