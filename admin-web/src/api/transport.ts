import type { Send } from '@agio/client/admin';
import { offline, problemOf } from './problem.ts';
import type { Session } from './session.ts';

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

  /** The raw answer of a good call; anything else is thrown as a problem. */
  readonly fetch: Send = async (request) => {
    const { accessToken } = this.session;
    let answer = await this.attempt(request);
    if (answer.status === 401 && (await tokenRanOut(answer)) && (await this.renewed(accessToken))) {
      answer = await this.attempt(request);
    }
    if (!answer.ok) {
      throw await problemOf(answer);
    }
    return answer;
  };

  /** Whether there is another token than the one that ran out; an earlier call may have fetched it already. */
  private async renewed(old: string | null): Promise<boolean> {
    const { accessToken } = this.session;
    return (accessToken !== null && accessToken !== old) || this.session.refresh();
  }

  private async attempt(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('Accept-Language', this.language());
    if (this.session.accessToken) {
      headers.set('Authorization', `Bearer ${this.session.accessToken}`);
    }
    try {
      // A body is read but once; the clone leaves the request whole for the retry.
      return await this.call(new Request(request.clone(), { headers, credentials: 'same-origin' }));
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw offline();
    }
  }
}

async function tokenRanOut(answer: Response): Promise<boolean> {
  const problem = await problemOf(answer.clone());
  return problem.code === 'token_not_valid';
}
