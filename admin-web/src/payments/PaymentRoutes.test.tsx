// @vitest-environment happy-dom
import type { Schema } from '@agio/client/admin';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { PaymentRoutes } from './PaymentRoutes.tsx';

const server = fakeServer();

const route = (more: Partial<Schema<'PaymentRouteView'>>): Schema<'PaymentRouteView'> => ({
  currencyId: 1,
  currency: 'SBERRUB',
  driver: 'payments-http',
  enabled: true,
  confirmations: 1,
  tolerance: '0',
  dust: '0',
  screening: null,
  autoPayout: false,
  claimLimit: '0',
  dayLimit: '0',
  spent: '0',
  height: 0,
  polledAt: null,
  fault: null,
  faultAt: null,
  balance: null,
  capabilities: null,
  revision: 1,
  ...more,
});

const balance = { amount: '900', fault: null, checkedAt: '2024-03-28T12:00:00Z', reserve: '1000', isShort: true };

async function shown(routes: Schema<'PaymentRouteView'>[]): Promise<string> {
  server.current.on('GET /payments', () => ({ body: { routes, drivers: [], screeners: [] } }));
  server.current.on('GET /currencies', () => ({ body: [] }));
  await show(<PaymentRoutes />, { permissions: ['payments.read'] });
  return (await screen.findByRole('row', { name: /SBERRUB/ })).textContent ?? '';
}

it('shows what a plugin can do and pay out beside the reserve', async () => {
  const capabilities = {
    invoices: true,
    payouts: true,
    refunds: false,
    balance: true,
    fee: false,
    invoiceMin: null,
    invoiceMax: null,
    payoutMin: null,
    payoutMax: '500000',
  };
  const text = await shown([route({ balance, capabilities })]);
  expect(text).toContain('takes payments, sends payouts, knows its balance');
  expect(text).not.toContain('sends refunds');
  expect(text).toMatch(/payouts of –500.?000/);
  expect(text).toMatch(/can pay out 900 · less than the free reserve 1.?000/);
});

it('says why a balance is not known, and nothing of plugins that do not say', async () => {
  const text = await shown([route({ balance: { ...balance, amount: null, fault: 'unreachable', isShort: false } })]);
  expect(text).toContain('the balance is not known: unreachable');
  expect(text).not.toContain('does not serve this currency');
});
