// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import type { Pair } from './matrix.ts';
import PairsScreen from './PairsScreen.tsx';

const server = fakeServer();
const PAIR = '/pairs/1';
const pair: Pair = {
  id: 1,
  giveId: 1,
  receiveId: 2,
  enabled: true,
  source: 'market',
  manualRate: null,
  spreadPercent: '1.8',
  fees: { from: { fixed: '0', percent: '0' }, to: { fixed: '0', percent: '0' } },
  tiers: [],
  limits: { from: { min: '0.0005', max: null }, to: { min: null, max: null } },
  hold: 20,
  reportedMinutes: null,
  floating: false,
  verification: 'none',
  tolerance: { latePercent: null, amountFixed: null, amountPercent: null },
  notices: { general: null, from: null, to: null },
  state: 'ok',
  rate: '16.4',
  marketRate: '16.7',
  ratesOf: null,
  path: [],
  explanation: null,
  updatedAt: '2024-03-28T09:00:00Z',
  revision: 7,
};
const currency = (id: number, code: string) => ({
  id,
  code,
  ticker: code,
  network: code,
  kind: 'crypto',
  position: id,
});

beforeEach(() => {
  const range = { min: '0.0005', max: '1' };
  server.current.on('GET /pairs', () => ({
    body: [pair, { ...pair, id: 2, giveId: 2, receiveId: 1 }, { ...pair, id: 3, receiveId: 3 }],
  }));
  server.current.on('GET /currencies', () => ({ body: [currency(1, 'BTC'), currency(2, 'ETH'), currency(3, 'LTC')] }));
  server.current.on('GET /rates/suspensions', () => ({ body: [] }));
  server.current.on('GET /settings', () => ({ body: [] }));
  server.current.on('GET /payments', () => ({ body: { routes: [], drivers: [], screeners: [] } }));
  server.current.on(`GET /rates${PAIR}`, () => ({
    body: { id: 1, revision: 1, rules: { moves: [] }, suspension: null },
  }));
  server.current.on(`GET /rates${PAIR}/history`, () => ({ body: [] }));
  server.current.on(`POST ${PAIR}/preview`, () => ({
    body: { before: { rate: '16.4' }, rate: '16.3', from: range, to: range },
  }));
});

const open = (...permissions: string[]) =>
  show(<PairsScreen />, { permissions: ['market.read', 'rates.read', ...permissions] });
const cell = (name: RegExp) => screen.findByRole('button', { name });
const spread = () => screen.getByLabelText('Spread, %');

it('sends only what was changed in a direction, with the revision that was read', async () => {
  server.current.on(`PATCH ${PAIR}`, () => ({ body: { ...pair, spreadPercent: '2.5', revision: 8 } }));
  await open('market.edit');
  fireEvent.click(await cell(/^BTC → ETH/));
  const drawer = within(await screen.findByRole('region', { name: 'BTC → ETH' }));
  const save = await drawer.findByRole('button', { name: 'Save' });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(spread(), { target: { value: 'much' } });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(spread(), { target: { value: '2,5' } });
  fireEvent.click(save);
  await waitFor(() => expect(server.current.of(`PATCH ${PAIR}`)).toHaveLength(1));
  expect(server.current.of(`PATCH ${PAIR}`)[0]?.body).toEqual({ revision: 7, spreadPercent: '2.5' });
  await waitFor(() => expect(spread()).toHaveProperty('value', '2.5'));
});

it('takes the stored terms back when a change waits for approval', async () => {
  server.current.on(`PATCH ${PAIR}`, () => ({ status: 202, body: { id: '1' } }));
  await open('market.edit');
  fireEvent.click(await cell(/^BTC → ETH/));
  const drawer = within(await screen.findByRole('region', { name: 'BTC → ETH' }));
  fireEvent.change(spread(), { target: { value: '9' } });
  fireEvent.click(await drawer.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Approval requested/)).toBeTruthy();
  expect(spread()).toHaveProperty('value', '1.8');
});

it('changes several directions at once', async () => {
  server.current.on('POST /pairs/bulk', () => ({ body: [pair] }));
  await open('market.edit');
  fireEvent.click(await screen.findByRole('button', { name: 'Choose several' }));
  fireEvent.click(await cell(/^BTC → ETH/));
  fireEvent.click(await cell(/^ETH → BTC/));
  fireEvent.click(screen.getByRole('button', { name: 'Switch off' }));
  await waitFor(() => expect(server.current.of('POST /pairs/bulk')).toHaveLength(1));
  expect(server.current.of('POST /pairs/bulk')[0]?.body).toEqual({ ids: [1, 2], set: { enabled: false } });
});

it('cannot be changed without the permission', async () => {
  await open();
  fireEvent.click(await cell(/^BTC → ETH/));
  await screen.findByRole('region', { name: 'BTC → ETH' });
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(spread().closest('fieldset')).toHaveProperty('disabled', true);
});

it('moves between cells with the arrows', async () => {
  await open();
  const first = await cell(/^BTC → ETH/);
  expect(first.tabIndex).toBe(0);
  fireEvent.keyDown(first, { key: 'ArrowRight' });
  const second = await cell(/^BTC → LTC/);
  expect([document.activeElement, first.tabIndex, second.tabIndex]).toEqual([second, -1, 0]);
});
