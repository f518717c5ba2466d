// @vitest-environment happy-dom
import { renderHook, waitFor } from '@testing-library/react';
import { act } from 'react';
import { noteSilence, useIsOffline, watchConnection } from './connection';

let isReachable = true;

beforeEach(() => {
  isReachable = true;
  vi.stubGlobal('fetch', async () => {
    if (!isReachable) throw new TypeError('Failed to fetch');
    return new Response();
  });
});
afterEach(() => void vi.unstubAllGlobals());

it('does not tell one lost request while the server answers others', async () => {
  const told: boolean[] = [];
  renderHook(() => told.push(useIsOffline()));
  await act(() => noteSilence());
  expect(told).not.toContain(true);
});

it('tells a lost connection, and the end of it', async () => {
  const { result } = renderHook(useIsOffline);
  const stop = watchConnection();
  isReachable = false;
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(result.current).toBe(true);
  isReachable = true;
  act(() => void window.dispatchEvent(new Event('online')));
  await waitFor(() => expect(result.current).toBe(false), { timeout: 10_000 });
  stop();
});
