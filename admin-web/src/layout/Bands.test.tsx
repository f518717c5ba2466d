// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
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
