import type { Call, Method, Send } from '@agio/client/admin';
import { offline, problemOf } from './problem.ts';
import { ROOT, type Session } from './session.ts';

/** How calls travel: bearer, language, one refresh and one retry when the access token has run out. */
export class Transport {
  private readonly session: Session;
  private readonly language: () => string;
  private readonly call: typeof fetch;

  constructor(session: Session, language: () => string, call: typeof fetch = (...request) => fetch(...request)) {
    this.session = session;
    this.language = language;
    this.call = call;
  }

  readonly send: Send = async <T>(method: Method, path: string, call: Call = {}): Promise<T> => {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (call.body !== undefined) headers['Content-Type'] = 'application/json';
    if (call.idempotencyKey) headers['Idempotency-Key'] = call.idempotencyKey;
    const answer = await this.fetch(address(path, call.query), {
      method,
      headers,
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal: call.signal,
    });
    return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T);
  };

  /** A file behind the bearer, for a preview or to keep. */
  async file(path: string): Promise<Blob> {
    const answer = await this.fetch(address(path), {});
    return answer.blob();
  }

  /** The raw answer of a good call; anything else is thrown as a problem. */
  async fetch(url: string, request: RequestInit): Promise<Response> {
    let answer = await this.attempt(url, request);
    if (answer.status === 401 && (await tokenRanOut(answer)) && (await this.session.refresh())) {
      answer = await this.attempt(url, request);
    }
    if (!answer.ok) {
      throw await problemOf(answer);
    }
    return answer;
  }

  private async attempt(url: string, request: RequestInit): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('Accept-Language', this.language());
    if (this.session.accessToken) {
      headers.set('Authorization', `Bearer ${this.session.accessToken}`);
    }
    try {
      return await this.call(url, { ...request, headers, credentials: 'same-origin' });
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw offline();
    }
  }
}

async function tokenRanOut(answer: Response): Promise<boolean> {
  const problem = await problemOf(answer.clone());
  return problem.code === 'token_not_valid';
}

export function address(path: string, query: Call['query'] = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return `${ROOT}${path}${pairs.length > 0 ? `?${search}` : ''}`;
}
