import { again } from '../again';
import type { Customer } from '../api/types';
import { storeOf, usePicked, useStore } from '../store';

export type Session =
  /** Not known yet; `error` is why it cannot be restored. */
  | { phase: 'unknown'; error?: unknown }
  /** `lost`: the session ended without being asked to. */
  | { phase: 'guest'; lost: boolean }
  | { phase: 'customer'; customer: Customer };

const store = storeOf<Session>({ phase: 'unknown' });

/** Called by the session manager only. */
export const show: (session: Session) => void = store.set;

export const currentSession: () => Session = store.get;

/** Unknown in prerendered HTML. */
export function useSession(): Session {
  return useStore(store);
}

/** Null while there is none, or it is not known. */
export function useCustomer(): Customer | null {
  return usePicked(store, (session) => (session.phase === 'customer' ? session.customer : null));
}

/** The readable cookie beside the refresh cookie: while it exists, a session can be restored. */
export const MARKER = 'agio_session';

export function hasMarker(): boolean {
  return document.cookie.split('; ').includes(`${MARKER}=1`);
}

/** The session manager is loaded only where there is a session. */
const keeping = () => again(() => import('./tabSession'));

/**
 * Restores the session, and again whenever the visitor returns to the page: they may have signed in or out in another
 * tab. Gives a function that stops it.
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

/** Makes a call as the customer, if there is one: see `SessionManager.call`. */
export async function asCaller<T>(call: (token: string | null) => Promise<T>): Promise<T> {
  return store.get().phase === 'customer' || hasMarker() ? (await keeping()).asCustomer(call) : call(null);
}
