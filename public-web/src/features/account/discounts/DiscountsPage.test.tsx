// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import type { Discounts } from '../../../api/types';
import { createTexts, loadTexts } from '../../../i18n/texts';
import { Root } from '../../../Root';
import { show } from '../../../session/session';
import { ANNA } from '../../../session/testing';
import { Component as DiscountsPage } from './DiscountsPage';

const TABLE: Discounts = {
  base: 'USDT',
  tiers: [
    { min: '1000', percent: '0.1' },
    { min: '10000', percent: '0.25' },
  ],
  most: '5',
  mine: null,
};

async function open(table: Discounts): Promise<void> {
  vi.stubGlobal('fetch', async (address: string) => {
    if (address.includes('/discounts/')) return Response.json(table);
    if (address.includes('/settings/')) return Response.json({ siteName: 'Agio', supportEmail: '', usePublicId: true });
    return Response.json({ technicalMode: { on: false, time: null } });
  });
  const texts = await createTexts('ru');
  await loadTexts(texts, 'account');
  const children = [{ path: '/discounts', element: <DiscountsPage /> }];
  const routes = [{ path: '/', element: <Root locale="ru" texts={texts} />, children }];
  const router = createMemoryRouter(routes, { initialEntries: ['/discounts'] });
  await act(async () => void render(<RouterProvider router={router} />));
}

afterEach(() => {
  cleanup();
  show({ phase: 'unknown' });
  vi.unstubAllGlobals();
});

it('shows the tiers to everybody, and a sign-in link to guests', async () => {
  await open(TABLE);
  const rows = await screen.findAllByRole('row');
  expect(rows.map((row) => row.textContent?.replace(/\u00a0/g, ' '))).toEqual([
    'Обменяно всегоК курсу',
    'от 1 000 USDT+0,1 %',
    'от 10 000 USDT+0,25 %',
  ]);
  expect(await screen.findByText(/Войдите, и увидите свой объём/)).toBeTruthy();
});

it('shows a customer their tier and the rest to the next', async () => {
  show({ phase: 'customer', customer: ANNA });
  const next = { min: '10000', percent: '0.25', left: '7500.5' };
  await open({ ...TABLE, mine: { volume: '2499.5', percent: '0.1', next, confirmed: true } });
  expect(await screen.findByText('ваша ступень')).toBeTruthy();
  expect(screen.getByText(/^\+0,1\s%$/, { selector: 'p' })).toBeTruthy();
  const way = screen.getByRole('progressbar', { name: /Ещё 7\s500,5 USDT, и бонус станет 0,25\s%/ });
  expect([way.getAttribute('value'), way.getAttribute('max')]).toEqual(['2499.5', '10000']);
});

it('cuts the many decimals of a volume, and what is left adds up with it', async () => {
  show({ phase: 'customer', customer: ANNA });
  const next = { min: '20000', percent: '0.25', left: '5869.442287' };
  await open({ ...TABLE, mine: { volume: '14130.557713', percent: '0.1', next, confirmed: true } });
  expect(await screen.findByText(/^Обменяно 14\s130,55\sUSDT$/)).toBeTruthy();
  expect(screen.getByText(/^Ещё 5\s869,45 USDT/)).toBeTruthy();
});

it('shows a message where there are no tiers', async () => {
  await open({ ...TABLE, tiers: [] });
  expect(await screen.findByText(/Сейчас скидок за объём нет/)).toBeTruthy();
});
