import type { LiveFields } from '@agio/client/admin';
import { ServerEvents } from './serverEvents.ts';
import { ROOT } from './session.ts';
import type { Transport } from './transport.ts';

type Field<Name extends keyof LiveFields> = Pick<Required<LiveFields>, Name>;
/** One notice of the live stream: something changed, read it again. */
export type LiveNotice =
  | { event: 'all' }
  | ({ event: 'claim' } & Field<'id'>)
  | ({ event: 'reserve' } & Field<'currencyId'>)
  | { event: 'market' }
  | { event: 'settings' }
  | { event: 'approvals' }
  | ({ event: 'tech' } & Field<'on'>);

/** `up`: notices flow. `connecting`: the first try. `down`: the line is lost and is tried again at `retryAt`. */
export type Line = { state: 'connecting' | 'up' | 'down'; retryAt: number | null };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** The server says something at least each 15 s; silence three times as long means the line is dead. */
const SILENCE_MS = 45_000;

/** Milliseconds before the n-th try again, from 1: doubled each time up to half a minute. */
export const waitBefore = (attempt: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));

/** The live stream of the console: reads server-sent events by fetch, because EventSource cannot carry a bearer. */
export class LiveStream {
  private line: Line = { state: 'connecting', retryAt: null };
  private attempt = 0;
  private stopped = true;
  private abort: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly lineListeners = new Set<() => void>();
  private readonly noticeListeners = new Set<(notice: LiveNotice) => void>();
  private readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  readonly current = (): Line => this.line;

  readonly watchLine = (listener: () => void): (() => void) => {
    this.lineListeners.add(listener);
    return () => this.lineListeners.delete(listener);
  };

  listen(listener: (notice: LiveNotice) => void): () => void {
    this.noticeListeners.add(listener);
    return () => this.noticeListeners.delete(listener);
  }

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

  /** Tries at once, for the button beside the countdown and for a browser that is online again. */
  readonly retryNow = (): void => {
    if (this.stopped || this.line.state === 'up') return;
    this.abort?.abort();
    this.clearTimer();
    void this.connect();
  };

  private async connect(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    try {
      const headers = { Accept: 'text/event-stream' };
      const answer = await this.transport.fetch(new Request(`${ROOT}/live`, { headers, signal: abort.signal }));
      if (answer.body) {
        this.attempt = 0;
        this.become({ state: 'up', retryAt: null });
        await this.read(answer.body, abort);
      }
    } catch {
      // Whatever ended the line, what follows is the same: wait and try again.
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
          this.tell(event.name, event.data);
        }
      }
    } finally {
      clearTimeout(silence);
      reader.cancel().catch(() => undefined);
    }
  }

  private tell(name: string, data: string): void {
    const notice = noticeOf(name, data);
    if (!notice) return;
    for (const listener of this.noticeListeners) {
      listener(notice);
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

  private become(line: Line): void {
    this.line = line;
    for (const listener of this.lineListeners) {
      listener();
    }
  }
}

/** A notice the console knows; unknown names are skipped so that a newer server may say more. */
export function noticeOf(name: string, data: string): LiveNotice | null {
  if (!['all', 'claim', 'reserve', 'market', 'tech', 'settings', 'approvals'].includes(name)) return null;
  try {
    const fields: unknown = JSON.parse(data || '{}');
    return typeof fields === 'object' ? ({ ...fields, event: name } as LiveNotice) : null;
  } catch {
    return null;
  }
}
