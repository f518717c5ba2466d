import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimStatus } from '../../../api/types';
import { statusFixture } from '../model/fixtures';
import { ClaimGone, type Line, type LiveHandlers, StatusStream } from './statusStream';

/** A manual clock and a server with set answers. */
class Bench {
  time = 0;
  pending: { at: number; call: () => void }[] = [];
  lines: Line[] = [];
  statuses: ClaimStatus[] = [];
  gone = false;
  opened = 0;
  handlers: LiveHandlers | null = null;
  polls = 0;
  answer: () => Promise<ClaimStatus> = () => Promise.reject(new Error('offline'));

  stream = new StatusStream(
    {
      open: (handlers) => {
        this.opened += 1;
        this.handlers = handlers;
        return () => {
          if (this.handlers === handlers) this.handlers = null;
        };
      },
      ask: () => {
        this.polls += 1;
        return this.answer();
      },
    },
    {
      now: () => this.time,
      after: (milliseconds, call) => {
        const timer = { at: this.time + milliseconds, call };
        this.pending.push(timer);
        return () => {
          this.pending = this.pending.filter((other) => other !== timer);
        };
      },
    },
    {
      onStatus: (status) => this.statuses.push(status),
      onLine: (line) => this.lines.push(line),
      onGone: () => {
        this.gone = true;
      },
    },
  );

  async pass(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    const due = this.pending.filter((timer) => timer.at <= this.time);
    this.pending = this.pending.filter((timer) => timer.at > this.time);
    for (const timer of due) timer.call();
    await new Promise((resolve) => setImmediate(resolve));
  }

  get line(): Line | undefined {
    return this.lines.at(-1);
  }
}

const at = (second: number) => `2026-11-21T14:00:${String(second).padStart(2, '0')}Z`;
const status = (state: ClaimStatus['status'], second: number) =>
  statusFixture({ status: state, updatedAt: at(second) });

describe('following a claim', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    bench.stream.start();
  });

  it('is live from the first status that is pushed', () => {
    expect(bench.line).toEqual({ state: 'connecting' });
    bench.handlers?.onStatus(status('awaiting_payment', 1));
    expect(bench.line).toEqual({ state: 'live' });
    expect(bench.statuses.map((shown) => shown.status)).toEqual(['awaiting_payment']);
  });

  it('polls when the stream pushes nothing at first', async () => {
    bench.answer = () => Promise.resolve(status('awaiting_payment', 1));
    await bench.pass(1_999);
    expect(bench.polls).toBe(0);
    await bench.pass(1);
    expect(bench.polls).toBe(1);
    expect(bench.line).toEqual({ state: 'dropped', asOf: 2_000, polling: true });
  });

  it('polls at once when the stream is refused before the first status', async () => {
    bench.answer = () => Promise.resolve(status('awaiting_payment', 1));
    bench.handlers?.onDrop();
    await bench.pass(0);
    expect(bench.statuses).toHaveLength(1);
  });

  it('polls every five seconds while the connection is lost', async () => {
    bench.handlers?.onStatus(status('payment_seen', 1));
    bench.answer = () => Promise.resolve(status('payment_seen', 1));
    bench.handlers?.onDrop();
    for (let round = 1; round <= 3; round += 1) {
      await bench.pass(5_000);
      expect(bench.polls).toBe(round);
      bench.handlers?.onDrop();
    }
  });

  it('shows the age of the status, polls, and is live again once the connection is back', async () => {
    bench.handlers?.onStatus(status('payment_claimed', 1));
    bench.time = 10_000;
    bench.handlers?.onDrop();
    expect(bench.line).toEqual({ state: 'dropped', asOf: 0, polling: false });
    bench.answer = () => Promise.resolve(status('payment_seen', 2));
    await bench.pass(5_000);
    expect(bench.statuses.at(-1)?.status).toBe('payment_seen');
    expect(bench.opened).toBe(2);
    bench.handlers?.onStatus(status('paid', 3));
    expect(bench.line).toEqual({ state: 'live' });
  });

  it('backs off to a minute while nobody answers', async () => {
    bench.handlers?.onStatus(status('payment_seen', 1));
    bench.handlers?.onDrop();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const next = bench.pending[0]?.at ?? Number.NaN;
      pauses.push(next - bench.time);
      await bench.pass(next - bench.time);
    }
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('never shows an older status', () => {
    bench.handlers?.onStatus(status('paid', 5));
    bench.handlers?.onStatus(status('payment_seen', 4));
    expect(bench.statuses.map((shown) => shown.status)).toEqual(['paid']);
  });

  it('polls after long silence and keeps the stream if nothing changed', async () => {
    bench.handlers?.onStatus(status('payment_seen', 1));
    bench.answer = () => Promise.resolve(status('payment_seen', 1));
    await bench.pass(45_000);
    expect(bench.polls).toBe(1);
    expect(bench.line).toEqual({ state: 'live' });
    expect(bench.opened).toBe(1);
  });

  it('reopens a stream that missed a change', async () => {
    bench.handlers?.onStatus(status('payment_seen', 1));
    bench.answer = () => Promise.resolve(status('paid', 2));
    await bench.pass(45_000);
    expect(bench.statuses.at(-1)?.status).toBe('paid');
    expect(bench.opened).toBe(2);
  });

  it('stops when there is no such claim', async () => {
    bench.answer = () => Promise.reject(new ClaimGone());
    await bench.pass(5_000);
    expect(bench.gone).toBe(true);
    await bench.pass(120_000);
    expect(bench.polls).toBe(1);
  });

  it('is silent after the page is left', () => {
    const handlers = bench.handlers;
    bench.stream.stop();
    handlers?.onStatus(status('paid', 1));
    expect(bench.statuses).toEqual([]);
    expect(bench.pending).toEqual([]);
  });
});
