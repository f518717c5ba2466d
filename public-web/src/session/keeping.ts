import type { Answer } from '../api/calls';
import { call } from '../api/client';
import type { Locale } from '../i18n/locale';
import { Keeper, type News } from './keeper';
import { currentSession, hasMarker, MARKER, show } from './session';

/** How long a refresh may take: the other tabs wait for it. */
const PATIENCE = 15_000;

/** When restoring is tried again after it failed for another reason than the session's end. */
const AGAIN = 10_000;

let turn: Promise<unknown> = Promise.resolve();

/** The lock is the browser's; it has none for pages that came without TLS, where only the work of this tab queues. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  if (navigator.locks) {
    return navigator.locks.request('agio.session', work) as Promise<T>;
  }
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return mine;
}

/** The keeper of this tab, in touch with those of the others. */
function newKeeper(): Keeper {
  const tabs = new BroadcastChannel('agio.session');
  const keeper = new Keeper({
    // Signing in answers under either language's root alike, with cookies for both.
    refresh: () => call('ru', 'GET /front-api/auth/refresh/', { quiet: true, signal: AbortSignal.timeout(PATIENCE) }),
    logOut: () => call('ru', 'POST /front-api/auth/logout/', {}),
    alone,
    tell: (news) => tabs.postMessage(news),
    show,
    hasMarker,
    forgetMarker: () => {
      // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Firefox and Safari.
      document.cookie = `${MARKER}=; path=/; max-age=0; samesite=strict`;
    },
    now: () => Date.now(),
  });
  tabs.addEventListener('message', ({ data }: MessageEvent<News>) => keeper.hear(data));
  return keeper;
}

let known: Keeper | undefined;

/** Made when it is first needed: prerendering has no tabs. */
function keeper(): Keeper {
  known ??= newKeeper();
  return known;
}

/** Makes a call as the customer: see `Keeper.call`. */
export function asCustomer<T>(make: (token: string | null) => Promise<T>): Promise<T> {
  return keeper().call(make);
}

let nextTry: ReturnType<typeof setTimeout> | undefined;

/** Restores the session of the cookie; tries again while the server can't say whether there is one. */
export async function restore(): Promise<void> {
  try {
    await keeper().token();
  } catch (trouble) {
    if (currentSession().phase === 'unknown') {
      show({ phase: 'unknown', trouble });
      clearTimeout(nextTry);
      nextTry = setTimeout(restore, AGAIN);
    }
  }
}

/** Forgets a session that ended elsewhere. */
export function leave(): void {
  keeper().leave(false);
}

/** Signs in. Throws what the server refused it with: `otp_required` when a code is needed as well. */
export async function signIn(
  locale: Locale,
  body: { email: string; password: string; recaptcha?: string; otp?: string },
): Promise<void> {
  keeper().enter(await call(locale, 'POST /front-api/auth/login/', { query: { locale }, body }));
}

/** Signs out, in every tab. */
export function signOut(): Promise<void> {
  return keeper().signOut();
}

/** Asks anew who is signed in: the account has changed. */
export async function renewCustomer(locale: Locale): Promise<Answer<'GET /users/me/'>> {
  const customer = await call(locale, 'GET /users/me/', { quiet: true });
  keeper().know(customer);
  return customer;
}
