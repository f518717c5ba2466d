// @vitest-environment happy-dom
import { NetworkError } from '@agio/client/problem';
import { again } from './again';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('loads a part again that the network lost', async () => {
  const load = vi.fn().mockRejectedValueOnce(new TypeError('lost')).mockResolvedValue('part');
  const loaded = again(load);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await loaded).toBe('part');
  expect(load).toHaveBeenCalledTimes(2);
});

it('tries at once when the browser is online again', async () => {
  const load = vi.fn().mockRejectedValueOnce(new TypeError('lost')).mockResolvedValue('part');
  const loaded = again(load);
  await vi.advanceTimersByTimeAsync(1);
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(0);
  expect(await loaded).toBe('part');
});

it('says in the end that the network is the reason', async () => {
  const loaded = again(() => Promise.reject(new TypeError('lost')));
  const failure = expect(loaded).rejects.toBeInstanceOf(NetworkError);
  await vi.advanceTimersByTimeAsync(60_000);
  await failure;
});

it('requests a lost style sheet again before the part is shown', async () => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.dataset.lost = '';
  document.head.append(link);
  const loaded = again(async () => 'part');
  await vi.advanceTimersByTimeAsync(0);
  const next = document.head.querySelector<HTMLLinkElement>('link[rel="stylesheet"]');
  expect(next).not.toBe(link);
  next?.dispatchEvent(new Event('load'));
  expect(await loaded).toBe('part');
  next?.remove();
});
