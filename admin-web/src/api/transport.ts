import type { Send } from '@agio/client/admin';
import { PATIENCE, PATIENCE_WITH_FILES, whole, withDeadline } from '@agio/client/deadline';
import { notSent, offline, problemOf, unanswered } from './problem.ts';
import type { Session } from './session.ts';

/** The session has to be confirmed first. */
const UNCONFIRMED = 'fresh_second_factor_needed';

/** A second factor became required since this page was loaded, and has to be set up before anything else. */
const NO_SECOND_FACTOR = 'second_factor_setup_needed';

/** The answers that are files. */
const FILES = /\/(?:csv|tables\/[^/]+)$/;

/** How long an answer may take; an event stream has no end. */
function patienceOf(request: Request): number | null {
  if (request.headers.get('Accept') === 'text/event-stream') return null;
  const type = request.headers.get('Content-Type') ?? '';
  const hasFile = type !== '' && !type.startsWith('application/json');
  return hasFile || FILES.test(new URL(request.url).pathname) ? PATIENCE_WITH_FILES : PATIENCE;
}

/**
 * Sends calls with token and language. When the access token has expired, refreshes it and retries once; when the
 * server requires a confirmed session, has it confirmed and retries once. Callers see neither.
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

  /** The response of a successful call; anything else is thrown as a problem. */
  readonly fetch: Send = async (request) => {
    let answer = await this.attemptSignedIn(request);
    if (answer.status === 403 && (await codeOf(answer)) === UNCONFIRMED && (await this.confirm())) {
      answer = await this.attemptSignedIn(request);
    }
    if (!answer.ok) {
      const problem = await problemOf(answer);
      // The session is read again, and the console shows what to do.
      if (problem.code === NO_SECOND_FACTOR) void this.session.refresh().catch(() => undefined);
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

  /** Whether there is another token than the expired one; an earlier call may have fetched it already. */
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
    const isOffline = globalThis.navigator?.onLine === false;
    const patience = patienceOf(request);
    // A body is read but once; the clone leaves the request whole for the retry.
    const send = (signal: AbortSignal) =>
      this.call(new Request(request.clone(), { headers, credentials: 'same-origin', signal }));
    try {
      if (patience === null) return await send(request.signal);
      return await withDeadline(patience, request.signal, async (signal) => whole(await send(signal)));
    } catch (error) {
      if (request.signal.aborted) throw error;
      if (request.method === 'GET') throw offline();
      throw isOffline ? notSent() : unanswered();
    }
  }
}

async function codeOf(answer: Response): Promise<string> {
  return (await problemOf(answer.clone())).code;
}
