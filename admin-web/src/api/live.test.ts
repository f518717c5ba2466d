// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { LiveStream } from './live.ts';
import { Session } from './session.ts';
import { Transport } from './transport.ts';

let stream: LiveStream;
afterEach(() => stream.stop());

it('is down as soon as the browser is offline, and up again with it', async () => {
  /** A server that says nothing until the connection is given up. */
  const silent: typeof fetch = async (request) => {
    const { signal } = request as Request;
    const body = new ReadableStream({
      start: (controller) => signal.addEventListener('abort', () => controller.error(new Error('gone'))),
    });
    return { ok: true, status: 200, body } as Response;
  };
  stream = new LiveStream(new Transport(new Session(silent), () => 'en', silent));
  const state = () => stream.current().state;
  stream.start();
  await expect.poll(state).toBe('up');
  stream.drop();
  await expect.poll(state).toBe('down');
  stream.retryNow();
  await expect.poll(state).toBe('up');
});
