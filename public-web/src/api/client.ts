import type { Locale } from '../i18n/locale';
import { whileLoading } from './activity';
import type { Answer, Ask, CallName } from './calls';
import { NetworkError, readProblem } from './errors';
import { learnServerTime } from './serverClock';

interface Parts {
  path?: Record<string, string | number>;
  query?: Record<string, string | undefined>;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
  quiet?: boolean;
}

/** The root of the public API: the prefix chooses the language of texts. */
export function apiRoot(locale: Locale): string {
  return locale === 'en' ? '/en/api/v1' : '/api/v1';
}

/** The address of a call, for those who fetch by other means (server-sent events, upload progress). */
export function addressOf<C extends CallName>(locale: Locale, name: C, ask: Pick<Parts, 'path' | 'query'>): string {
  const template = name.slice(name.indexOf(' ') + 1);
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(ask.path?.[key])));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined) {
      query.set(key, value);
    }
  }
  const search = query.toString();
  return apiRoot(locale) + path + (search ? `?${search}` : '');
}

/**
 * Makes a call of the public API.
 *
 * Throws an ApiError when the server says no, a NetworkError when no answer came, and the signal's reason when aborted.
 */
export function call<C extends CallName>(locale: Locale, name: C, ask: Ask<C>): Promise<Answer<C>> {
  const parts = ask as Parts;
  const work = send<Answer<C>>(addressOf(locale, name, parts), name.startsWith('POST') ? 'POST' : 'GET', parts);
  return parts.quiet ? work : whileLoading(work);
}

async function send<T>(address: string, method: 'GET' | 'POST', parts: Parts): Promise<T> {
  const headers = new Headers({ Accept: 'application/json' });
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
  if (!response.ok) {
    throw await readProblem(response);
  }
  return (await response.json()) as T;
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) {
      throw error;
    }
    throw new NetworkError('No answer', { cause: error });
  }
}
