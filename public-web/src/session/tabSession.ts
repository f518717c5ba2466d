import { SessionManager, type SessionMessage } from '@agio/client/session';
import { call } from '../api/client';
import type { Customer } from '../api/types';
import type { Locale } from '../i18n/locale';
import { currentSession, hasMarker, MARKER, show } from './session';

/** The longest refresh: the other tabs wait for it. */
const TIMEOUT = 15_000;

/** When restoring is repeated after a failure. */
const RETRY_AFTER = 10_000;

let queue: Promise<unknown> = Promise.resolve();

/** Pages without TLS have no browser locks; there, only the work of this tab queues. */
function exclusive<T>(work: () => Promise<T>): Promise<T> {
  if (navigator.locks) return navigator.locks.request('agio.session', work) as Promise<T>;
  const result = queue.then(work);
  queue = result.catch(() => undefined);
  return result;
}

/** The manager of this tab, connected to those of the others. */
function newManager(): SessionManager<Customer> {
  const tabs = new BroadcastChannel('agio.session');
  const manager = new SessionManager<Customer>({
    // Signing in answers under either language's root alike, with cookies for both.
    refresh: () => call('ru', 'GET /front-api/auth/refresh/', { quiet: true, signal: AbortSignal.timeout(TIMEOUT) }),
    signOut: () => call('ru', 'POST /front-api/auth/logout/', {}),
    exclusive,
    broadcast: (message) => tabs.postMessage(message),
    onSignedIn: (customer) => show({ phase: 'customer', customer }),
    onSignedOut: (lost) => {
      show({ phase: 'guest', lost });
      // Kept by the service worker (worker.js); the next person at this browser may be another one.
      void globalThis.caches?.delete('agio-claims');
    },
    hasMarker,
    forgetMarker: () => {
      // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Firefox and Safari.
      document.cookie = `${MARKER}=; path=/; max-age=0; samesite=strict`;
    },
    now: () => Date.now(),
  });
  tabs.addEventListener('message', ({ data }: MessageEvent<SessionMessage<Customer>>) => manager.receive(data));
  return manager;
}

let known: SessionManager<Customer> | undefined;

/** Created when first needed: prerendering has no tabs. */
function manager(): SessionManager<Customer> {
  known ??= newManager();
  return known;
}

/** Makes a call as the customer: see `SessionManager.call`. */
export function asCustomer<T>(make: (token: string | null) => Promise<T>): Promise<T> {
  return manager().call(make);
}

let nextTry: ReturnType<typeof setTimeout> | undefined;

/** Restores the session of the cookie; repeated while the server cannot answer. */
export async function restore(): Promise<void> {
  try {
    await manager().token();
  } catch (error) {
    if (currentSession().phase === 'unknown') {
      show({ phase: 'unknown', error });
      clearTimeout(nextTry);
      nextTry = setTimeout(restore, RETRY_AFTER);
    }
  }
}

/** Forgets a session that ended elsewhere. */
export function leave(): void {
  manager().leave(false);
}

/** Throws the server's refusal: `otp_required` when a code is needed as well. */
export async function signIn(
  locale: Locale,
  body: { email: string; password: string; recaptcha?: string; otp?: string },
): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  manager().enter(
    await call(locale, 'POST /front-api/auth/login/', { query: { locale }, body: { ...body, timeZone } }),
  );
}

export function signOut(): Promise<void> {
  return manager().signOut();
}

/** Reloads the customer after a change of the account. */
export async function renewCustomer(locale: Locale): Promise<Customer> {
  const customer = await call(locale, 'GET /users/me/', { quiet: true });
  manager().update(customer);
  return customer;
}
