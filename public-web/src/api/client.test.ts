// @vitest-environment happy-dom
import { NetworkError } from '@agio/client/problem';
import { call } from './client';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const lost = (): Response => {
  throw new TypeError('Failed to fetch');
};
const done = () => Response.json({ on: false });
const refusal = (status: number, code: string, retryAfter?: number) => () =>
  Response.json(
    { status, code },
    { status, headers: retryAfter === undefined ? {} : { 'Retry-After': `${retryAfter}` } },
  );

/** Answers in turn; gives the keys of the requests. */
function serve(...answers: (() => Response)[]): (string | null)[] {
  const keys: (string | null)[] = [];
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    if (address === '/version.json') return new Response();
    keys.push(new Headers(init.headers).get('Idempotency-Key'));
    return (answers[keys.length - 1] ?? lost)();
  });
  return keys;
}

const read = () => call('ru', 'GET /calculator/tech/', { quiet: true });
const confirm = (idempotencyKey?: string) =>
  call('ru', 'POST /claim/{id}/paid/', { path: { id: 'a' }, ...(idempotencyKey && { idempotencyKey }), quiet: true });

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  const outcome = work.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  return outcome;
}

it.each([
  ['a lost request', lost],
  ['a proxy without its server', () => new Response('unavailable', { status: 503 })],
  ['a proxy that slows down', () => new Response('slow down', { status: 429 })],
  ['the page of a network that wants its own sign-in', () => new Response('<html>')],
  ['a busy server', refusal(503, 'overloaded', 1)],
])('asks again after %s', async (_, answer) => {
  const keys = serve(answer, answer, done);
  expect(await outcomeOf(read())).toEqual({ on: false });
  expect(keys).toHaveLength(3);
});

it.each([
  ['a refusal', refusal(422, 'amount_below_min')],
  ['a refusal for now', refusal(503, 'technical_mode')],
  ['a long pause', refusal(429, 'too_many_requests', 60)],
])('leaves %s to the caller', async (_, answer) => {
  const keys = serve(answer);
  expect(await outcomeOf(read())).toMatchObject({ name: 'ApiError' });
  expect(keys).toHaveLength(1);
});

it('says in the end that the network is the reason', async () => {
  serve(lost);
  expect(await outcomeOf(read())).toBeInstanceOf(NetworkError);
});

it('repeats a step with its key, also while the first attempt goes on, and none without a key', async () => {
  const keyed = serve(lost, refusal(409, 'idempotency_in_progress'), done);
  expect(await outcomeOf(confirm('k'))).toEqual({ on: false });
  expect(keyed).toEqual(['k', 'k', 'k']);
  const bare = serve(lost, done);
  expect(await outcomeOf(confirm())).toBeInstanceOf(NetworkError);
  expect(bare).toEqual([null]);
});

it('gives up a server that hangs', async () => {
  vi.stubGlobal('fetch', (address: string, init: RequestInit) =>
    address === '/version.json'
      ? Promise.resolve(new Response())
      : new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  );
  const outcome = confirm().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await outcome).toBeInstanceOf(NetworkError);
});
