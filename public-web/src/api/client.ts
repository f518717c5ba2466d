import { NetworkError, readProblem } from '@agio/client/problem';
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
  const response = await reach(address, { method, headers, body, signal: parts.signal ?? null });
  learnServerTime(response.headers.get('Date'));
  if (!response.ok) throw await readProblem(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Pauses before a reading is repeated, in milliseconds. */
const PAUSES = [300, 1000];

/** Sends a request; one that only reads and is lost is sent again. */
async function reach(address: string, init: RequestInit): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(address, init);
      noteAnswer();
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      void noteSilence();
      const wait = init.method === 'GET' ? PAUSES[attempt] : undefined;
      if (wait === undefined) throw new NetworkError('No answer', { cause: error });
      await untilConnected(wait);
    }
  }
}
