import { PATIENCE, PATIENCE_WITH_FILES, withDeadline } from '@agio/client/deadline';
import { ApiError, NetworkError, readProblem } from '@agio/client/problem';
import type { Locale } from '../i18n/locale';
import { asCaller } from '../session/session';
import { whileLoading } from './activity';
import type { Answer, Ask, CallName } from './calls';
import { noteAnswer, noteSilence, untilConnected } from './connection';
import { learnServerTime } from './serverClock';

interface Parts {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
  quiet?: boolean;
}

/** The prefix that chooses the language of texts. */
const prefixOf = (locale: Locale) => (locale === 'en' ? '/en' : '');

/** The root of the public API. */
export const apiRoot = (locale: Locale) => `${prefixOf(locale)}/api/v1`;

/** Signing in has a root of its own. */
const rootOf = (locale: Locale, path: string) => (path.startsWith('/front-api/') ? prefixOf : apiRoot)(locale);

/** The address of a call, for other means than fetch (server-sent events, upload progress). */
export function addressOf<C extends CallName>(locale: Locale, name: C, ask: Pick<Parts, 'path' | 'query'>): string {
  const template = name.slice(name.indexOf(' ') + 1);
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(ask.path?.[key])));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined) {
      query.set(key, `${value}`);
    }
  }
  const search = query.toString();
  return rootOf(locale, path) + path + (search ? `?${search}` : '');
}

/** Calls whose answer does not depend on the caller, and those of signing in. */
const ANONYMOUS = /^GET \/(?:calculator\/(?!pair)|content|contest\/)|\/front-api\//;

/**
 * Makes a call of the public API, as the signed-in customer if there is one. Throws an ApiError when the server refuses
 * it, a NetworkError when no answer came, and the signal's reason when aborted.
 */
export function call<C extends CallName>(locale: Locale, name: C, ask: Ask<C>): Promise<Answer<C>> {
  const parts = ask as Parts;
  const address = addressOf(locale, name, parts);
  const method = name.slice(0, name.indexOf(' '));
  const make = (token: string | null) => send<Answer<C>>(address, method, parts, token);
  const work = ANONYMOUS.test(name) ? make(null) : asCaller(make);
  return parts.quiet ? work : whileLoading(work);
}

async function send<T>(address: string, method: string, parts: Parts, token: string | null): Promise<T> {
  const headers = new Headers({ Accept: 'application/json' });
  if (token !== null) {
    headers.set('Authorization', `Bearer ${token}`);
  }
  if (parts.idempotencyKey) {
    headers.set('Idempotency-Key', parts.idempotencyKey);
  }
  const isForm = parts.body instanceof FormData;
  if (parts.body !== undefined && !isForm) {
    headers.set('Content-Type', 'application/json');
  }
  const body = isForm ? (parts.body as FormData) : parts.body === undefined ? null : JSON.stringify(parts.body);
  const init = { method, headers, body, signal: parts.signal ?? null };
  const isRepeatable = method === 'GET' || parts.idempotencyKey !== undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await exchange<T>(address, init);
    } catch (error) {
      const pause = isRepeatable && !init.signal?.aborted ? pauseAfter(error, attempt) : null;
      if (pause === null) throw error;
      await untilConnected(pause);
    }
  }
}

/** Sends a request once. */
function exchange<T>(address: string, init: RequestInit): Promise<T> {
  const patience = init.body instanceof FormData ? PATIENCE_WITH_FILES : PATIENCE;
  return withDeadline(patience, init.signal, async (signal) => {
    const response = await orLost(fetch(address, { ...init, signal }), init.signal);
    noteAnswer();
    learnServerTime(response.headers.get('Date'));
    if (!response.ok) throw await readProblem(response);
    // A network that wants its own sign-in first answers with its page.
    return response.status === 204 ? (undefined as T) : orLost(response.json() as Promise<T>, init.signal);
  });
}

/** Throws a NetworkError in place of any error but the signal's. */
async function orLost<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted) throw error;
    void noteSilence();
    throw new NetworkError('No answer', { cause: error });
  }
}

/** Pauses before a request is repeated, in milliseconds. */
const PAUSES = [300, 1000];

/** The longest pause that the server may ask for; a longer one is the visitor's to wait. */
const LONGEST_PAUSE = 3000;

/** The pause before a request may succeed that had no answer, or one of a busy server or proxy; null where none helps. */
function pauseAfter(error: unknown, attempt: number): number | null {
  const pause = PAUSES[attempt] ?? null;
  if (pause === null || error instanceof NetworkError) return pause;
  if (!(error instanceof ApiError)) return null;
  const { status, code, retryAfter } = error;
  // The first attempt is not over yet.
  if (code === 'idempotency_in_progress') return pause;
  if (![429, 502, 503, 504].includes(status)) return null;
  // A refusal of the server's own is final unless it names a time; that of a proxy has no code.
  if (retryAfter === null) return code.startsWith('http_') ? pause : null;
  const asked = retryAfter * 1000;
  return asked <= LONGEST_PAUSE ? Math.max(pause, asked) : null;
}
