// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { Bands } from './Bands.tsx';

const server = fakeServer();
const health = (checks: Record<string, boolean>) => {
  const ready = Object.values(checks).every(Boolean);
  server.current.on('GET /health/claims', () => ({ status: ready ? 200 : 503, body: { ready, checks } }));
};

it('says why claims are paused, even if the dashboard cannot be read', async () => {
  health({ database: false, writes: false, ledger: true, open: true });
  server.current.on('GET /dashboard', () => ({ status: 503, body: { code: 'storage_unavailable' } }));
  await show(<Bands />);
  expect((await screen.findByRole('alert')).textContent).toContain(
    'Claims are paused: the database does not answer, storage cannot be written.',
  );
});

it('says nothing while claims are taken, nor while staff have closed the exchange', async () => {
  health({ database: true, writes: true, ledger: true, open: false });
  await show(<Bands />);
  await waitFor(() => expect(server.current.of('GET /health/claims')).toHaveLength(1));
  expect(screen.queryByRole('alert')).toBeNull();
});

it('says on its screen that a change waits for a second person', async () => {
  health({ database: true, writes: true, ledger: true, open: true });
  server.current.on('GET /dashboard', () => ({
    body: { approvals: { waiting: 1, yours: 0 }, payouts: { closed: false }, tech: { on: false, time: null } },
  }));
  const request = { id: '1', aboutKind: 'setting', aboutId: 'approvals.payout_limit' };
  server.current.on('GET /approvals', () => ({ body: { items: [request], waiting: 1, nextCursor: null } }));
  await show(<Bands />, { permissions: ['approvals.read'], at: '/reserves' });
  await waitFor(() => expect(server.current.of('GET /approvals')).toHaveLength(1));
  expect(screen.queryByRole('status')).toBeNull();
  cleanup();
  await show(<Bands />, { permissions: ['approvals.read'], at: '/settings' });
  expect((await screen.findByRole('status')).textContent).toContain('1 change here waits for a second person.');
  expect(screen.getByRole('link', { name: 'Approvals' }).getAttribute('href')).toBe('/approvals');
});
