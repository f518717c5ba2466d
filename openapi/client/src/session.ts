import { ApiError } from './problem';

/** An access token and when it expires, in milliseconds since 1970. */
interface Access {
  token: string;
  expiresAt: number;
}

export interface SignInResponse<User> {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  user: User;
}

/** What tabs send each other, so that one refresh and one sign-out serve all of them. */
export type SessionMessage<User> =
  | { kind: 'signedIn'; access: Access; user: User }
  | { kind: 'signedOut'; lost: boolean };

/** What a session needs of the site and of the browser. */
export interface SessionEnvironment<User> {
  /** Refused with 401 when the session is over. */
  refresh(): Promise<SignInResponse<User>>;
  signOut(token: string | null): Promise<unknown>;
  /** Runs work on the session, one at a time across all tabs. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Sends a message to the other tabs. */
  broadcast(message: SessionMessage<User>): void;
  onSignedIn(user: User): void;
  /** `lost`: the session ended without being asked to. */
  onSignedOut(lost: boolean): void;
  /** Whether the browser may hold a refresh cookie, which scripts cannot see. */
  hasMarker(): boolean;
  forgetMarker(): void;
  now(): number;
}

/** A token is not used in its last seconds: the call takes time to arrive. */
const MARGIN_MS = 10_000;

/**
 * The session of one tab. The access token is held in memory only.
 *
 * However many calls need a new token at once, in however many tabs, one refresh serves all of them.
 */
export class SessionManager<User> {
  readonly #environment: SessionEnvironment<User>;
  #access: Access | null = null;
  #refreshing: Promise<string | null> | null = null;

  constructor(environment: SessionEnvironment<User>) {
    this.#environment = environment;
  }

  /**
   * Makes a call with the access token, or without one where nobody is signed in. A call that is refused because of
   * its token is repeated once, with a new token, or without one if the session is over.
   */
  async call<T>(make: (token: string | null) => Promise<T>): Promise<T> {
    const token = await this.token();
    try {
      return await make(token);
    } catch (error) {
      const isExpired = error instanceof ApiError && error.status === 401 && error.code === 'token_not_valid';
      if (token === null || !isExpired) {
        throw error;
      }
      return make(await this.#refresh(token));
    }
  }

  /** A valid token; null where nobody is signed in. */
  async token(): Promise<string | null> {
    return this.#access === null && !this.#environment.hasMarker() ? null : this.#refresh(null);
  }

  /** Starts the session of a sign-in. */
  enter({ accessToken, expiresIn, user }: SignInResponse<User>): void {
    this.#access = { token: accessToken, expiresAt: this.#environment.now() + expiresIn * 1000 };
    this.update(user);
  }

  /** Replaces what is known of the signed-in user. */
  update(user: User): void {
    if (this.#access !== null) {
      this.#environment.onSignedIn(user);
      this.#environment.broadcast({ kind: 'signedIn', access: this.#access, user });
    }
  }

  /** Ends the session, here and in every other tab. */
  async signOut(): Promise<void> {
    await this.#environment.exclusive(() => this.#environment.signOut(this.#access?.token ?? null));
    this.#end(false);
  }

  /** Forgets a session that is over. */
  leave(lost: boolean): void {
    this.#access = null;
    this.#environment.onSignedOut(lost);
  }

  /** Handles a message of another tab. */
  receive(message: SessionMessage<User>): void {
    if (message.kind === 'signedOut') {
      this.leave(message.lost);
    } else {
      this.#access = message.access;
      this.#environment.onSignedIn(message.user);
    }
  }

  async #refresh(refused: string | null): Promise<string | null> {
    const current = this.#current(refused);
    if (current !== null) {
      return current;
    }
    this.#refreshing ??= this.#environment
      .exclusive(() => this.#requestToken(refused))
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /** The present token, unless it was refused or has expired. */
  #current(refused: string | null): string | null {
    const access = this.#access;
    const isGood = access && access.token !== refused && this.#environment.now() < access.expiresAt - MARGIN_MS;
    return isGood ? access.token : null;
  }

  async #requestToken(refused: string | null): Promise<string | null> {
    // While this tab waited for its turn another may have refreshed, or signed out.
    const current = this.#current(refused);
    if (current !== null) {
      return current;
    }
    if (!this.#environment.hasMarker()) {
      this.#end(false);
      return null;
    }
    try {
      const response = await this.#environment.refresh();
      this.enter(response);
      return response.accessToken;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        this.#end(true);
        return null;
      }
      throw error;
    }
  }

  #end(lost: boolean): void {
    this.#environment.forgetMarker();
    this.leave(lost);
    this.#environment.broadcast({ kind: 'signedOut', lost });
  }
}
