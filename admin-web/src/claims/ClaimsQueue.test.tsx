// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { claims } from '../i18n/en/claims.ts';
import { fakeServer, show } from '../testing/console.tsx';
import { ClaimsQueue } from './ClaimsQueue.tsx';
import { statesOf } from './filters.ts';
import { claimWith } from './testing.ts';

const server = fakeServer();
const counts = { open: 2, ours: 2, customer: 0, network: 0, disputed: 0, refunds: 0, closedToday: 0 };
const first = claimWith({ id: 'a', publicId: 100_001, dueAt: '2024-03-28T13:00:00Z' });
const second = claimWith({ id: 'b', publicId: 100_002, dueAt: '2024-03-28T14:00:00Z' });
const denis = { status: 409, body: { code: 'claim_locked', detail: 'Denis has the claim.' } };

beforeEach(() => {
  // The open claim is beside the list, not in its place.
  const wide = { matches: false, addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('matchMedia', () => wide);
  server.current.on('GET /claims', () => ({ body: { items: [first, second], counts, nextCursor: null } }));
  server.current.on('GET /currencies', () => ({ body: [] }));
  server.current.on('GET /claims/b', () => ({ body: second }));
});

async function open(at = '/claims', permissions = ['claims.read', 'claims.process']) {
  const queue = (
    <Routes>
      <Route path="/claims/:id?" element={<ClaimsQueue />} />
    </Routes>
  );
  await show(queue, { permissions, at });
  await screen.findByRole('link', { name: '100002' });
}

it('takes the next claim that no other staff member has', async () => {
  await open();
  server.current.on('POST /claims/a/lock', () => denis);
  server.current.on('POST /claims/b/lock', () => ({ body: second }));
  fireEvent.click(screen.getByRole('button', { name: /^Take the next one/ }));
  expect(await screen.findByRole('heading', { name: /100002/ })).toBeTruthy();
  expect(server.current.of('POST /claims/a/lock')[0]?.query).toEqual({ ifFree: 'true' });
});

it('says so when all claims are taken', async () => {
  await open();
  server.current.on('POST /claims/a/lock', () => denis);
  server.current.on('POST /claims/b/lock', () => denis);
  fireEvent.click(screen.getByRole('button', { name: /^Take the next one/ }));
  expect(await screen.findByText(/^Other staff have taken/)).toBeTruthy();
  await waitFor(() => expect(server.current.of('GET /claims').length).toBeGreaterThan(1));
  expect(screen.queryByRole('heading', { name: /100001/ })).toBeNull();
});

it('shows of a search that it goes through all tabs, also beside an open claim', async () => {
  await open('/claims?q=anna@example.com');
  expect(screen.queryByRole('button', { current: true })).toBeNull();
  expect(screen.queryByRole('navigation', { name: 'Claims on the line of due times' })).toBeNull();
  fireEvent.click(screen.getByRole('link', { name: '100002' }));
  expect(await screen.findByRole('heading', { name: /100002/ })).toBeTruthy();
  expect(screen.getByText(/Found for “anna@example\.com”/)).toBeTruthy();
  fireEvent.click(screen.getByRole('link', { name: 'Show all' }));
  expect(await screen.findByRole('button', { name: /^All open/, current: true })).toBeTruthy();
  expect(screen.getByRole('heading', { name: /100002/ })).toBeTruthy();
});

it('narrows the list by what the address says, and keeps it in the address', async () => {
  server.current.on('GET /currencies', () => ({
    body: [
      { id: 1, code: 'BTC' },
      { id: 2, code: 'ETH' },
    ],
  }));
  await open('/claims?from=1&status=paid&mine=maybe');
  const last = () => server.current.of('GET /claims').at(-1)?.query;
  expect(last()).toEqual({ group: 'open', size: '50', from: '1', status: 'paid' });
  const bar = within(await screen.findByRole('group', { name: 'Filters' }));
  const mine = bar.getByRole('button', { name: 'Assigned to me' });
  expect(mine.getAttribute('aria-pressed')).toBe('false');
  fireEvent.click(mine);
  fireEvent.click(bar.getByRole('button', { name: 'Overdue' }));
  await waitFor(() => expect(last()).toMatchObject({ from: '1', mine: 'true', overdue: 'true' }));
  fireEvent.mouseDown(bar.getByRole('combobox', { name: 'Receives' }));
  fireEvent.click(await screen.findByRole('option', { name: 'ETH' }));
  await waitFor(() => expect(last()).toMatchObject({ from: '1', to: '2' }));
  // They go on in another tab; its claims have other states.
  fireEvent.click(screen.getByRole('button', { name: /^Refunds/ }));
  const refunds = { group: 'refunds', size: '50', from: '1', to: '2', mine: 'true', overdue: 'true' };
  await waitFor(() => expect(last()).toEqual(refunds));
  fireEvent.click(await screen.findByRole('link', { name: '100002' }));
  await screen.findByRole('heading', { name: /100002/ });
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(last()).toEqual({ group: 'refunds', size: '50' }));
  expect(screen.getByRole('heading', { name: /100002/ })).toBeTruthy();
});

it('opens the filters with a key, at the first of them', async () => {
  await open();
  expect(screen.queryByRole('group', { name: 'Filters' })).toBeNull();
  fireEvent.keyDown(window, { code: 'KeyF' });
  const bar = within(await screen.findByRole('group', { name: 'Filters' }));
  expect(document.activeElement).toBe(bar.getByRole('combobox', { name: 'State' }));
});

it('opens the chosen row with Enter, whatever was pressed before', async () => {
  await open();
  const download = screen.getByRole('button', { name: 'Download' });
  download.focus();
  const press = (code: string) => fireEvent.keyDown(document.activeElement ?? window, { code });
  press('Enter');
  expect(document.activeElement).toBe(download);
  press('KeyJ');
  press('KeyJ');
  press('Enter');
  expect(await screen.findByRole('heading', { name: /100002/ })).toBeTruthy();
});

it('says that nothing is left by the filters, and not that there is no work', async () => {
  await open();
  server.current.on('GET /claims', () => ({ body: { items: [], counts, nextCursor: null } }));
  fireEvent.click(screen.getByRole('button', { name: /^Filters/ }));
  fireEvent.click(await screen.findByRole('button', { name: 'Assigned to me' }));
  expect(await screen.findByText('No such claims here')).toBeTruthy();
});

it('knows the tab of each state', () => {
  const all = [...statesOf('open'), ...statesOf('closed')];
  expect(all.toSorted()).toEqual(Object.keys(claims.status).toSorted());
});

it('downloads the list with its filters', async () => {
  await open('/claims?group=ours&status=paid&from=3');
  fireEvent.click(screen.getByRole('button', { name: 'Download' }));
  await waitFor(() =>
    expect(server.current.of('GET /claims/csv')[0]?.query).toEqual({ group: 'ours', status: 'paid', from: '3' }),
  );
});

it('offers no claim to take to staff who only read', async () => {
  await open('/claims', ['claims.read']);
  expect(screen.queryByRole('button', { name: /^Take the next one/ })).toBeNull();
  fireEvent.keyDown(window, { code: 'KeyN' });
  expect(server.current.of('POST /claims/a/lock')).toHaveLength(0);
});
