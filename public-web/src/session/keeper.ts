import type { Customer, SignedIn } from '../api/account';
import { ApiError } from '../api/errors';
import type { Session } from './session';

/** What tabs tell each other, so that one refresh and one sign-out do for all of them. */
export type News = { kind: 'in'; access: Access; customer: Customer } | { kind: 'out'; lost: boolean };

/** An access token and when it ends, in milliseconds since 1970. */
interface Access {
  token: string;
  until: number;
}

/** What a session needs of the browser around it. */
export interface Surroundings {
  /** Asks for the session to go on; refused with 401 when it is over. */
  refresh(): Promise<SignedIn>;
  /** Asks for the session to end. */
  logOut(): Promise<unknown>;
  /** Runs work on the session, no two at a time in all the tabs. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  tell(news: News): void;
  show(session: Session): void;
  /** Whether the browser has a session that can be restored. */
  hasMarker(): boolean;
  forgetMarker(): void;
  now(): number;
}

/** A token is not used in its last seconds: the call has to arrive as well. */
const MARGIN = 10_000;

/**
 * Keeps the session of one tab: the access token, in memory alone, and whose it is.
 *
 * However many calls need a new token at one moment, in however many tabs, one refresh gives it to all.
 */
export class Keeper {
  readonly #around: Surroundings;
  #access: Access | null = null;
  #renewing: Promise<string | null> | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /**
   * Makes a call with the access token, or without one where nobody is signed in. A call that is refused because of its
   * token is made once more, with a new token, or without one if the session is over.
   */
  async call<T>(make: (token: string | null) => Promise<T>): Promise<T> {
    const token = await this.token();
    try {
      return await make(token);
    } catch (error) {
      const isTheToken = error instanceof ApiError && error.status === 401 && error.code === 'token_not_valid';
      if (!isTheToken || !(token !== null || this.#around.hasMarker())) {
        throw error;
      }
      return make(await this.#renew(token));
    }
  }

  /** A token that is good for a while; null where nobody is signed in. */
  async token(): Promise<string | null> {
    return this.#access === null && !this.#around.hasMarker() ? null : this.#renew(null);
  }

  /** Takes in what a sign-in gave. */
  enter({ accessToken, expiresIn, user }: SignedIn): void {
    this.#access = { token: accessToken, until: this.#around.now() + expiresIn * 1000 };
    this.know(user);
  }

  /** Takes in what is known anew of the customer. */
  know(customer: Customer): void {
    if (this.#access !== null) {
      this.#around.show({ phase: 'customer', customer });
      this.#around.tell({ kind: 'in', access: this.#access, customer });
    }
  }

  /** Ends the session, here and in every other tab. */
  async signOut(): Promise<void> {
    await this.#around.alone(() => this.#around.logOut());
    this.#end(false);
  }

  /** Forgets a session that is over. */
  leave(lost: boolean): void {
    this.#access = null;
    this.#around.show({ phase: 'guest', lost });
  }

  /** Takes in what another tab tells. */
  hear(news: News): void {
    if (news.kind === 'out') {
      this.leave(news.lost);
    } else {
      this.#access = news.access;
      this.#around.show({ phase: 'customer', customer: news.customer });
    }
  }

  /** The token there is, unless it is the refused one or has ended; else a new one. */
  async #renew(refused: string | null): Promise<string | null> {
    const here = this.#good(refused);
    if (here !== null) {
      return here;
    }
    this.#renewing ??= this.#around
      .alone(() => this.#ask(refused))
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }

  #good(refused: string | null): string | null {
    const isGood = this.#access && this.#access.token !== refused && this.#around.now() < this.#access.until - MARGIN;
    return isGood ? (this.#access?.token ?? null) : null;
  }

  async #ask(refused: string | null): Promise<string | null> {
    // While this tab waited for its turn another may have refreshed, or signed out.
    const here = this.#good(refused);
    if (here !== null) {
      return here;
    }
    if (!this.#around.hasMarker()) {
      this.#end(false);
      return null;
    }
    try {
      const signedIn = await this.#around.refresh();
      this.enter(signedIn);
      return signedIn.accessToken;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        this.#end(true);
        return null;
      }
      throw error;
    }
  }

  #end(lost: boolean): void {
    this.#around.forgetMarker();
    this.leave(lost);
    this.#around.tell({ kind: 'out', lost });
  }
}
