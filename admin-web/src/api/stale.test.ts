// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { markStale } from './stale.ts';
import { staleBy } from './useLive.ts';

/** A client that shows these answers, and how often each was read. */
async function showing(...paths: string[]) {
  const client = new QueryClient();
  const reads = new Map<string, number>();
  const stops = paths.map((path) =>
    new QueryObserver(client, {
      queryKey: [path, {}],
      queryFn: () => {
        reads.set(path, (reads.get(path) ?? 0) + 1);
        return path;
      },
    }).subscribe(() => undefined),
  );
  await expect.poll(() => reads.size).toBe(paths.length);
  return { client, reads, stop: () => stops.map((stop) => stop()) };
}

it('reads an answer again once, however many events and clicks name it', async () => {
  const { client, reads, stop } = await showing('/claims', '/claims/7', '/claims/8', '/dashboard');
  const changed = markStale(client, '/claims/7', '/claims', '/dashboard');
  for (let times = 0; times < 3; times += 1) void markStale(client, ...staleBy({ event: 'claim', id: '7' }));
  await changed;
  expect(Object.fromEntries(reads)).toEqual({ '/claims': 2, '/claims/7': 2, '/claims/8': 1, '/dashboard': 2 });
  stop();
});

it('takes a star for everything below, and lists of react-admin by their resource', async () => {
  const { client, reads, stop } = await showing('/partners', '/partners/1/webhook-deliveries', '/rates', 'currencies');
  await markStale(client, '/partners*', '/currencies');
  expect(Object.fromEntries(reads)).toEqual({
    '/partners': 2,
    '/partners/1/webhook-deliveries': 2,
    '/rates': 1,
    currencies: 2,
  });
  stop();
});
