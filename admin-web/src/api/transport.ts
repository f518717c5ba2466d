import type { Send } from '@agio/client/admin';
import { offline, problemOf } from './problem.ts';
import type { Session } from './session.ts';

/** What the server says where a session has to be confirmed first. */
const UNCONFIRMED = 'fresh_second_factor_needed';

/** What it says where a second factor has to be set up before anything else: since this page was loaded, it became required. */
const UNPROVED = 'second_factor_setup_needed';

/**
 * How calls travel: bearer, language, one refresh and one retry when the access token has run out; and one question and one
 * retry when the server wants to know once more who is there. Whoever made the call learns nothing of either.
 */
export class Transport {
  private readonly session: Session;
  private readonly language: () => string;
  private readonly call: typeof fetch;
  private readonly confirm: () => Promise<boolean>;

  constructor(
    session: Session,
    language: () => string,
    call: typeof fetch = (...request) => fetch(...request),
    confirm: () => Promise<boolean> = async () => false,
  ) {
    this.session = session;
    this.language = language;
    this.call = call;
    this.confirm = confirm;
  }

  /** The raw answer of a good call; anything else is thrown as a problem. */
  readonly fetch: Send = async (request) => {
    let answer = await this.attemptSignedIn(request);
    if (answer.status === 403 && (await codeOf(answer)) === UNCONFIRMED && (await this.confirm())) {
      answer = await this.attemptSignedIn(request);
    }
    if (!answer.ok) {
      const problem = await problemOf(answer);
      // Who is signed in is read anew, and the console shows them what to do.
      if (problem.code === UNPROVED) void this.session.refresh().catch(() => undefined);
      throw problem;
    }
    return answer;
  };

  private async attemptSignedIn(request: Request): Promise<Response> {
    const { accessToken } = this.session;
    const answer = await this.attempt(request);
    const again =
      answer.status === 401 && (await codeOf(answer)) === 'token_not_valid' && (await this.renewed(accessToken));
    return again ? this.attempt(request) : answer;
  }

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

async function codeOf(answer: Response): Promise<string> {
  return (await problemOf(answer.clone())).code;
}
