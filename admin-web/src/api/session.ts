import type { Schema } from '@agio/client/admin';
import { PATIENCE, whole, withDeadline } from '@agio/client/deadline';
import { Listeners } from './listeners.ts';
import { offline, type Problem, problemOf } from './problem.ts';

export const ROOT = '/api/admin/v1';

/** Scripts cannot see the cookie; this marks that somebody signed in with this browser, so there may be one. */
const SIGNED_IN = 'agio.signed-in';

function mayHoldCookie(): boolean {
  try {
    return localStorage.getItem(SIGNED_IN) !== null;
  } catch {
    return true;
  }
}

function rememberCookie(held: boolean): void {
  try {
    if (held) localStorage.setItem(SIGNED_IN, '1');
    else localStorage.removeItem(SIGNED_IN);
  } catch {
    // Without storage each page asks the server.
  }
}

type Staff = Schema<'StaffProfileView'>;
type SignIn = Schema<'StaffSignInResponse'>;

/**
 * The signed-in staff member. The access token lives in this object alone, never in storage: a page that is loaded
 * again gets a fresh one by the refresh cookie, which scripts cannot read.
 */
export class Session {
  private token: string | null = null;
  private staff: Staff | null = null;
  private refreshing: Promise<boolean> | null = null;
  private isOver = false;
  private readonly listeners = new Listeners<[user: Staff | null]>();
  readonly listen = this.listeners.add;
  private readonly call: typeof fetch;

  constructor(call: typeof fetch = (...request) => fetch(...request)) {
    this.call = call;
  }

  get user(): Staff | null {
    return this.staff;
  }

  /** Whether the session ended by itself, rather than by signing out, so that somebody may wonder. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  get accessToken(): string | null {
    return this.token;
  }

  /** `otp` is a code of the second factor, or a recovery code, where the account needs one. */
  async signIn(email: string, password: string, language: string, otp?: string): Promise<void> {
    const answer = await this.post('/auth/login', language, { email, password, otp });
    if (!answer.ok) {
      throw await problemOf(answer);
    }
    this.enter((await answer.json()) as SignIn);
  }

  /**
   * Gets a new access token by the cookie. Callers at the same time share one request, because each refresh token is
   * good once. False when nobody is signed in; throws when the server could not be reached.
   */
  refresh(): Promise<boolean> {
    this.refreshing ??= this.renew().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  async signOut(): Promise<void> {
    const { token } = this;
    rememberCookie(false);
    // No listener is called: listeners sign out themselves.
    this.token = null;
    this.staff = null;
    const send = (signal: AbortSignal) =>
      this.call(`${ROOT}/auth/logout`, {
        method: 'POST',
        credentials: 'same-origin',
        headers: token ? { Authorization: `Bearer ${token}` } : {},
        signal,
      });
    await withDeadline(PATIENCE, null, send).catch(() => undefined);
  }

  /** Ends the session in this page. A cookie that may be left is of no use any more. */
  close(): void {
    rememberCookie(false);
    this.token = null;
    this.staff = null;
    this.listeners.call(this.staff);
  }

  private async renew(): Promise<boolean> {
    if (!mayHoldCookie()) {
      this.close();
      return false;
    }
    const answer = await this.post('/auth/refresh');
    if (answer.ok) {
      this.enter((await answer.json()) as SignIn);
      return true;
    }
    const problem: Problem = await problemOf(answer);
    if (answer.status === 401 || answer.status === 403) {
      this.isOver = true;
      this.close();
      return false;
    }
    throw problem;
  }

  /** Continues with the session that the server returned. */
  enter(session: SignIn): void {
    rememberCookie(true);
    this.isOver = false;
    this.token = session.accessToken;
    this.staff = session.user;
    this.listeners.call(this.staff);
  }

  private async post(path: string, language?: string, body?: unknown): Promise<Response> {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (language) headers['Accept-Language'] = language;
    const send = (signal: AbortSignal) =>
      this.call(`${ROOT}${path}`, {
        method: 'POST',
        credentials: 'same-origin',
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
    try {
      return await withDeadline(PATIENCE, null, async (signal) => whole(await send(signal)));
    } catch {
      throw offline();
    }
  }
}
