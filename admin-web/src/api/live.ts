import type { Schema } from '@agio/client/admin';
import { Listeners } from './listeners.ts';
import { ServerEvents } from './serverEvents.ts';
import { ROOT } from './session.ts';
import type { Transport } from './transport.ts';

type Field<Name extends keyof Schema<'ConsoleEvent'>> = Pick<Required<Schema<'ConsoleEvent'>>, Name>;
/** An event of the live stream: something changed, read it again. */
export type ChangeEvent =
  | { event: 'all' }
  | ({ event: 'claim' } & Field<'id'>)
  | ({ event: 'reserve' } & Field<'currencyId'>)
  | { event: 'market' }
  | { event: 'settings' }
  | { event: 'approvals' }
  | ({ event: 'tech' } & Field<'on'>);

/** `up`: events arrive. `connecting`: the first attempt. `down`: connection lost, next attempt at `retryAt`. */
export type Connection = { state: 'connecting' | 'up' | 'down'; retryAt: number | null };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** The server sends something at least each 15 s; silence three times as long means that the connection is dead. */
const SILENCE_MS = 45_000;

/** Milliseconds before the n-th retry, from 1: doubled each time up to half a minute. */
export const waitBefore = (attempt: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));

/** The live stream of the console: reads server-sent events by fetch, because EventSource cannot carry a bearer. */
export class LiveStream {
  private connection: Connection = { state: 'connecting', retryAt: null };
  private attempt = 0;
  private stopped = true;
  private abort: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly connectionListeners = new Listeners();
  private readonly eventListeners = new Listeners<[event: ChangeEvent]>();
  private readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  readonly current = (): Connection => this.connection;

  readonly listenToConnection = this.connectionListeners.add;

  readonly listen = this.eventListeners.add;

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.attempt = 0;
    void this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.abort?.abort();
    this.clearTimer();
    this.become({ state: 'connecting', retryAt: null });
  }

  /** Connects at once, for the button beside the countdown and for a browser that is online again. */
  readonly retryNow = (): void => {
    if (this.stopped || this.connection.state === 'up') return;
    this.abort?.abort();
    this.clearTimer();
    void this.connect();
  };

  /** Gives up a connection at once that the browser says is gone; by its silence it would be noticed much later. */
  readonly drop = (): void => this.abort?.abort();

  private async connect(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    try {
      const headers = { Accept: 'text/event-stream' };
      const silence = setTimeout(() => abort.abort(), SILENCE_MS);
      const answer = await this.transport
        .fetch(new Request(`${ROOT}/live`, { headers, signal: abort.signal }))
        .finally(() => clearTimeout(silence));
      if (answer.body) {
        this.attempt = 0;
        this.become({ state: 'up', retryAt: null });
        await this.read(answer.body, abort);
      }
    } catch {
      // Whatever ended the connection, the next step is the same: wait and connect again.
    }
    if (this.abort === abort && !this.stopped) {
      this.waitAndRetry();
    }
  }

  private async read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const events = new ServerEvents();
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let silence = setTimeout(() => abort.abort(), SILENCE_MS);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(), SILENCE_MS);
        for (const event of events.push(value)) {
          const change = parseChange(event.name, event.data);
          if (change) this.eventListeners.call(change);
        }
      }
    } finally {
      clearTimeout(silence);
      reader.cancel().catch(() => undefined);
    }
  }

  private waitAndRetry(): void {
    this.attempt += 1;
    const wait = waitBefore(this.attempt);
    this.become({ state: 'down', retryAt: Date.now() + wait });
    this.clearTimer();
    this.timer = setTimeout(() => void this.connect(), wait);
  }

  private clearTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private become(connection: Connection): void {
    this.connection = connection;
    this.connectionListeners.call();
  }
}

/** An event the console knows; others are skipped, for a newer server may send more. */
export function parseChange(name: string, data: string): ChangeEvent | null {
  if (!['all', 'claim', 'reserve', 'market', 'tech', 'settings', 'approvals'].includes(name)) return null;
  try {
    const fields: unknown = JSON.parse(data || '{}');
    return typeof fields === 'object' ? ({ ...fields, event: name } as ChangeEvent) : null;
  } catch {
    return null;
  }
}
