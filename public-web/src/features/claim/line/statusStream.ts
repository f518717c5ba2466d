import type { ClaimStatus } from '../../../api/types';

/** Whether news of the claim arrive: pushed live, or asked for because the line dropped. */
export type Line =
  | { state: 'connecting' }
  | { state: 'live' }
  /** `asOf`: local time of the last status received. `polling`: at least the questions are answered. */
  | { state: 'dropped'; asOf: number | null; polling: boolean };

export interface LiveHandlers {
  onStatus(status: ClaimStatus): void;
  /** The line broke or could not be opened; the transport has nothing more to say. */
  onDrop(): void;
}

/** The way to the server, injected so that the stream can be driven without one. */
export interface StatusTransport {
  /** Opens the live line; the answer closes it. */
  open(handlers: LiveHandlers): () => void;
  /** Asks for the status once. Rejects with `ClaimGone` when there is no such claim. */
  ask(): Promise<ClaimStatus>;
}

export interface Timers {
  now(): number;
  /** Calls back once after so many milliseconds; the answer calls it off. */
  after(milliseconds: number, call: () => void): () => void;
}

export interface StreamListener {
  onStatus(status: ClaimStatus): void;
  onLine(line: Line): void;
  onGone(): void;
}

/** There is no such claim, or it belongs to someone else: the server answers both alike. */
export class ClaimGone extends Error {
  override name = 'ClaimGone';
}

/** A first status that has not come by now is asked for: a proxy may be holding the live line back. */
const FIRST_ANSWER = 2_000;
const FIRST_POLL = 5_000;
const LONGEST_PAUSE = 60_000;
/** The server breathes every 15 s, but unseen by the page; this long without a status the page asks by itself. */
const SILENCE = 45_000;

/**
 * Follows a claim: live while the line holds, otherwise by asking every 5 s, backing off to a
 * minute while nobody answers. Each answered question is also an occasion to reopen the live line.
 */
export class StatusStream {
  readonly #transport: StatusTransport;
  readonly #timers: Timers;
  readonly #listener: StreamListener;
  #closeLine: (() => void) | null = null;
  #cancelTimer: () => void = () => {};
  #stopped = false;
  #live = false;
  /** Whether the last question was answered: without a live line, but not cut off. */
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
    this.#openLine();
    this.#schedule(FIRST_ANSWER);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#hangUp();
  }

  /** Asks at once: the tab came to the front, the network came back, or the customer has just acted. */
  refresh(): void {
    if (!this.#stopped) void this.#ask();
  }

  /** Takes in a status that came by another way, as the answer to an action. */
  accept(status: ClaimStatus): void {
    const at = Date.parse(status.updatedAt);
    if (this.#stopped || at < this.#newest) return;
    this.#newest = at;
    this.#asOf = this.#timers.now();
    this.#listener.onStatus(status);
  }

  #openLine(): void {
    this.#hangUp();
    this.#closeLine = this.#transport.open({
      onStatus: (status) => this.#heard(status),
      onDrop: () => this.#dropped(),
    });
  }

  #hangUp(): void {
    this.#closeLine?.();
    this.#closeLine = null;
    this.#live = false;
  }

  #heard(status: ClaimStatus): void {
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
    this.#hangUp();
    this.#listener.onLine({ state: 'dropped', asOf: this.#asOf, polling: this.#polling });
    const hasNothingToShow = this.#asOf === null && this.#failures === 0;
    this.#schedule(hasNothingToShow ? 0 : this.#pause());
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const status = await this.#transport.ask();
      this.#answered(status);
    } catch (error) {
      this.#unanswered(error);
    } finally {
      this.#asking = false;
    }
  }

  #answered(status: ClaimStatus): void {
    if (this.#stopped) return;
    this.#failures = 0;
    // News the live line should have brought already: it only looks alive.
    const lineIsDead = this.#live && Date.parse(status.updatedAt) > this.#newest;
    this.accept(status);
    if (this.#live && !lineIsDead) {
      this.#schedule(SILENCE);
      return;
    }
    this.#polling = true;
    this.#listener.onLine({ state: 'dropped', asOf: this.#asOf, polling: true });
    this.#openLine();
    this.#schedule(FIRST_POLL);
  }

  #unanswered(error: unknown): void {
    if (this.#stopped) return;
    if (error instanceof ClaimGone) {
      this.stop();
      this.#listener.onGone();
      return;
    }
    this.#failures += 1;
    this.#polling = false;
    this.#hangUp();
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
