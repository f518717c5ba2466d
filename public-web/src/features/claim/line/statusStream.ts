import type { ClaimStatus } from '../../../api/types';

/** How the page is updated: pushed live, or polled after a lost connection. */
export type Line =
  | { state: 'connecting' }
  | { state: 'live' }
  /** `asOf`: local time of the last status. `polling`: at least polling works. */
  | { state: 'dropped'; asOf: number | null; polling: boolean };

export interface LiveHandlers {
  onStatus(status: ClaimStatus): void;
  /** The connection was lost or could not be opened. */
  onDrop(): void;
}

/** The connection to the server, replaced in tests. */
export interface StatusTransport {
  /** Opens the stream; gives a function that closes it. */
  open(handlers: LiveHandlers): () => void;
  /** Requests the status once. Rejects with `ClaimGone` when there is no such claim. */
  ask(): Promise<ClaimStatus>;
}

export interface Timers {
  now(): number;
  /** Calls back once after so many milliseconds; gives a function that cancels it. */
  after(milliseconds: number, call: () => void): () => void;
}

export interface StreamListener {
  onStatus(status: ClaimStatus): void;
  onLine(line: Line): void;
  onGone(): void;
}

/** The claim does not exist or belongs to somebody else; the server does not distinguish these. */
export class ClaimGone extends Error {
  override name = 'ClaimGone';
}

/** Without a first status after this time the page polls: a proxy may hold the stream back. */
const FIRST_ANSWER = 2_000;
const FIRST_POLL = 5_000;
const LONGEST_PAUSE = 60_000;
/** The server's heartbeats every 15 s are invisible to the page; after this long without a status it polls. */
const SILENCE = 45_000;

/**
 * Follows a claim: live while the stream works, otherwise by polling every 5 s, backing off to a minute while nobody
 * answers. After each answer the stream is opened again.
 */
export class StatusStream {
  readonly #transport: StatusTransport;
  readonly #timers: Timers;
  readonly #listener: StreamListener;
  #closeConnection: (() => void) | null = null;
  #cancelTimer: () => void = () => {};
  #stopped = false;
  #live = false;
  /** Whether the last poll was answered. */
  #polling = false;
  #failures = 0;
  #asking = false;
  #asOf: number | null = null;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(transport: StatusTransport, timers: Timers, listener: StreamListener) {
    this.#transport = transport;
    this.#timers = timers;
    this.#listener = listener;
  }

  start(): void {
    this.#listener.onLine({ state: 'connecting' });
    this.#connect();
    this.#schedule(FIRST_ANSWER);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#close();
  }

  /** Polls at once: the tab became visible, the network is back, or the customer acted. */
  refresh(): void {
    if (!this.#stopped) void this.#ask();
  }

  /** Accepts a status from elsewhere, as the answer of an action. */
  accept(status: ClaimStatus): void {
    const at = Date.parse(status.updatedAt);
    if (this.#stopped || at < this.#newest) return;
    this.#newest = at;
    this.#asOf = this.#timers.now();
    this.#listener.onStatus(status);
  }

  #connect(): void {
    this.#close();
    this.#closeConnection = this.#transport.open({
      onStatus: (status) => this.#receive(status),
      onDrop: () => this.#dropped(),
    });
  }

  #close(): void {
    this.#closeConnection?.();
    this.#closeConnection = null;
    this.#live = false;
  }

  #receive(status: ClaimStatus): void {
    if (this.#stopped) return;
    this.#failures = 0;
    this.#polling = false;
    if (!this.#live) {
      this.#live = true;
      this.#listener.onLine({ state: 'live' });
    }
    this.accept(status);
    this.#schedule(SILENCE);
  }

  #dropped(): void {
    if (this.#stopped) return;
    this.#close();
    this.#listener.onLine({ state: 'dropped', asOf: this.#asOf, polling: this.#polling });
    const hasNothingToShow = this.#asOf === null && this.#failures === 0;
    this.#schedule(hasNothingToShow ? 0 : this.#pause());
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const status = await this.#transport.ask();
      this.#onAnswer(status);
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#asking = false;
    }
  }

  #onAnswer(status: ClaimStatus): void {
    if (this.#stopped) return;
    this.#failures = 0;
    // The stream should have pushed this status: it only seems alive.
    const lineIsDead = this.#live && Date.parse(status.updatedAt) > this.#newest;
    this.accept(status);
    if (this.#live && !lineIsDead) {
      this.#schedule(SILENCE);
      return;
    }
    this.#polling = true;
    this.#listener.onLine({ state: 'dropped', asOf: this.#asOf, polling: true });
    this.#connect();
    this.#schedule(FIRST_POLL);
  }

  #onFailure(error: unknown): void {
    if (this.#stopped) return;
    if (error instanceof ClaimGone) {
      this.stop();
      this.#listener.onGone();
      return;
    }
    this.#failures += 1;
    this.#polling = false;
    this.#close();
    this.#listener.onLine({ state: 'dropped', asOf: this.#asOf, polling: false });
    this.#schedule(this.#pause());
  }

  #pause(): number {
    return Math.min(FIRST_POLL * 2 ** this.#failures, LONGEST_PAUSE);
  }

  #schedule(milliseconds: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#timers.after(milliseconds, () => void this.#ask());
  }
}
