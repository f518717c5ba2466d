// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach, expect, it, vi } from 'vitest';
import type { Direction } from '../../../api/types';
import { createTexts, loadTexts } from '../../../i18n/texts';
import { Root } from '../../../Root';
import { Openings } from './Openings';

const direction = (id: number, code: string) => [id, { id, code } as Direction] as const;
const directions = new Map([direction(1, 'BTC'), direction(2, 'CASHRUB')]);

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function show(openings: object[]) {
  vi.stubGlobal('fetch', async (address: string) =>
    Response.json(address.endsWith('/openings/') ? openings : { technicalMode: { on: false, time: null } }),
  );
  const texts = await createTexts('en');
  await loadTexts(texts, 'home');
  const children = [{ index: true, element: <Openings directions={directions} /> }];
  const router = createMemoryRouter([
    { path: '/', element: <Root locale="en" texts={texts} isOpening={false} />, children },
  ]);
  await act(async () => {
    render(<RouterProvider router={router} />);
  });
}

it('says when a closed direction opens, on another day with the day', async () => {
  const soon = new Date();
  soon.setHours(23, 59, 0, 0);
  await show([{ from: 1, to: 2, opensAt: soon.toISOString() }]);
  expect(await screen.findByText(/^BTC → CASHRUB opens: (?:23:59|11:59.PM)$/)).toBeTruthy();
  cleanup();
  await show([{ from: 1, to: 2, opensAt: new Date(soon.getTime() + 86_400_000).toISOString() }]);
  expect(await screen.findByText(/^BTC → CASHRUB opens: \w{3},? /)).toBeTruthy();
});

it('says nothing where nothing is closed, or the currency is hidden', async () => {
  await show([{ from: 1, to: 3, opensAt: new Date().toISOString() }]);
  expect(screen.queryByText('Closed now')).toBeNull();
});
