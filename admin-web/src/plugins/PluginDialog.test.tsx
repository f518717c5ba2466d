// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { PluginDialog } from './PluginDialog.tsx';
import PluginsScreen from './PluginsScreen.tsx';
import type { Plugin } from './settings.ts';

const server = fakeServer();

const GATEWAY: Plugin = {
  name: 'payments-http',
  version: '1',
  kind: 'payments',
  sha256: null,
  process: null,
  restarts: 0,
  title: 'Payment gateway over HTTP',
  about: 'Takes and sends money.',
  hosts: ['url'],
  enabled: true,
  state: 'ready',
  reason: null,
  settings: [
    {
      name: 'url',
      title: 'Address',
      kind: 'url',
      min: null,
      max: null,
      choices: [],
      default: null,
      value: 'https://gateway.example',
      isSet: true,
    },
  ],
  callbackUrl: 'https://agio.example/hooks/payments-http/old',
  calls: 0,
  faults: 0,
  answeredAt: null,
  faultAt: null,
  fault: null,
  p50Ms: null,
  p99Ms: null,
  revision: 3,
};

it('replaces the callback address, and saves settings after it', async () => {
  const replaced = { ...GATEWAY, callbackUrl: 'https://agio.example/hooks/payments-http/new', revision: 4 };
  server.current.on('PATCH /plugins/payments-http', () => ({ body: replaced }));
  await show(<PluginDialog plugin={GATEWAY} onClose={() => {}} />, { permissions: ['plugins.edit'] });
  expect(await screen.findByText('https://agio.example/hooks/payments-http/old')).toBeTruthy();
  expect(screen.getByText('Hosts: https://gateway.example')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Replace the address' }));
  expect(server.current.of('PATCH /plugins/payments-http')).toHaveLength(0);
  fireEvent.click(screen.getByRole('button', { name: 'Replace: the old one stops working' }));
  expect(await screen.findByText('https://agio.example/hooks/payments-http/new')).toBeTruthy();
  fireEvent.change(screen.getByLabelText(/Address/), { target: { value: 'https://other.example' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(server.current.of('PATCH /plugins/payments-http')).toHaveLength(2));
  expect(server.current.of('PATCH /plugins/payments-http').map(({ body }) => body)).toEqual([
    { revision: 3, newCallbackUrl: true },
    { revision: 4, settings: { url: 'https://other.example' } },
  ]);
});

it('shows no callback address of a plugin without one', async () => {
  await show(<PluginDialog plugin={{ ...GATEWAY, callbackUrl: null }} onClose={() => {}} />);
  expect(await screen.findByText('Takes and sends money.')).toBeTruthy();
  expect(screen.queryByText(/Callback address/)).toBeNull();
});

it.each([
  ['does not work while its calls fail', null, /^does not answer, last attempt .*12:30/, 'never'],
  ['does not work since its last call failed', '2024-03-28T12:00:00Z', /^does not answer/, null],
  ['works since it answered again', '2024-03-28T12:40:00Z', 'works', null],
] as const)('%s', async (_, answeredAt, state, answered) => {
  const plugin = { ...GATEWAY, calls: 3, faults: 3, fault: 'no route', faultAt: '2024-03-28T12:30:00Z', answeredAt };
  server.current.on('GET /plugins', () => ({ body: { items: [plugin], missing: [], unregistered: [] } }));
  await show(<PluginsScreen />, { permissions: ['plugins.read'] });
  expect(await screen.findByText(state)).toBeTruthy();
  if (answered) expect(screen.getByText(answered)).toBeTruthy();
});
