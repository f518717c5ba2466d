// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { Today } from './Today.tsx';

const server = fakeServer();
const quiet = {
  day: '2024-03-28',
  timeZone: 'Europe/Moscow',
  created: 4,
  exchanged: 0,
  completed: 0,
  given: null,
  income: null,
  waiting: 2,
  waitingSince: null,
};

async function open(totals: object, permissions = ['claims.read']) {
  server.current.on('GET /turnover/today', () => ({ body: totals }));
  server.current.on('GET /currencies', () => ({ body: [] }));
  await show(<Today />, { permissions });
}
const shown = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

it('shows a dash for nothing, and says when a value is unknown', async () => {
  await open({ ...quiet, exchanged: 1, income: { amount: '12.5', ticker: 'USD' } });
  const link = await screen.findByRole('link', { name: 'Today' });
  expect(link.getAttribute('href')).toBe('/turnover?from=2024-03-28&to=2024-03-28');
  expect([shown('Created'), shown('Turnover'), shown('Waiting for you')]).toEqual(['4', 'A rate is unknown', '2']);
  expect(shown('Income')).toMatch(/12.5\sUSD/);
});

it('shows a dash while nothing was exchanged', async () => {
  await open(quiet);
  await screen.findByRole('link', { name: 'Today' });
  expect([shown('Turnover'), shown('Income')]).toEqual(['\u2014', '\u2014']);
});

it('asks nothing for staff who may not read claims', async () => {
  await open(quiet, []);
  expect(server.current.of('GET /turnover/today')).toHaveLength(0);
});
