// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { PayoutsSwitch } from './PayoutsSwitch.tsx';

const server = fakeServer();

it('opens closed payouts after a second press', async () => {
  let isClosed = true;
  server.current.on('GET /dashboard', () => ({ body: { payouts: { closed: isClosed } } }));
  server.current.on('POST /payments/payouts/open', () => {
    isClosed = false;
    return { status: 204 };
  });
  await show(<PayoutsSwitch />, { permissions: ['payments.read', 'payments.change'] });
  fireEvent.click(await screen.findByRole('button', { name: 'Open payouts' }));
  expect(isClosed).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Open: money is sent again' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Close payouts' })).toBeDefined());
});

it('is not for those who may only look', async () => {
  server.current.on('GET /dashboard', () => ({ body: { payouts: { closed: true } } }));
  await show(<PayoutsSwitch />, { permissions: ['payments.read'] });
  expect(screen.queryByRole('button')).toBeNull();
});
