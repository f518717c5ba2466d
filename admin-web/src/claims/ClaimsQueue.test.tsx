// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { beforeEach, expect, it, vi } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { ClaimsQueue } from './ClaimsQueue.tsx';
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
  server.current.on('GET /claims/b', () => ({ body: second }));
});

async function open(at = '/claims') {
  const queue = (
    <Routes>
      <Route path="/claims/:id?" element={<ClaimsQueue />} />
    </Routes>
  );
  await show(queue, { permissions: ['claims.read', 'claims.process'], at });
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
