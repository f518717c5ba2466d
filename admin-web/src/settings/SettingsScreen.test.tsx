// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import SettingsScreen from './SettingsScreen.tsx';

const server = fakeServer();
const setting = {
  key: 'approvals.two_person',
  group: 'approvals',
  title: 'Two-person approval',
  help: '',
  kind: 'bool',
  value: 'false',
  default: 'false',
  range: null,
  changedAt: null,
  changedBy: null,
};
const vera = { id: '1', own: true, disabled: false, role: 'owner' };
const save = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Save 1 change/ });

async function turnOn(...others: object[]) {
  server.current.on('GET /settings', () => ({ body: [setting] }));
  server.current.on('GET /staff', () => ({ body: { items: [vera, ...others], nextCursor: null, invitations: [] } }));
  server.current.on('GET /quote-keys', () => ({ body: [] }));
  await show(<SettingsScreen />, { permissions: ['settings.read', 'settings.edit', 'staff.read'] });
  const rule = await screen.findByRole<HTMLInputElement>('switch', { name: /^Two-person approval/ });
  await waitFor(() => expect(rule.disabled).toBe(false));
  fireEvent.click(rule);
  await waitFor(() => expect(server.current.of('GET /staff').length).toBeGreaterThan(0));
}

it.each([
  ['nobody else', []],
  ['an operator', [{ ...vera, id: '2', own: false, role: 'operator' }]],
  ['a disabled owner', [{ ...vera, id: '2', own: false, disabled: true }]],
])('does not let an owner turn on two-person approval with %s', async (_, others) => {
  await turnOn(...others);
  expect((await screen.findByRole('alert')).textContent).toMatch(/^You are the only owner\./);
  expect(save().disabled).toBe(true);
});

it('lets two owners turn it on', async () => {
  await turnOn({ ...vera, id: '2', own: false });
  expect(screen.queryByRole('alert')).toBeNull();
  expect(save().disabled).toBe(false);
});

it('finds a setting by words of its name and description', async () => {
  const other = { ...setting, key: 'claims.hold', group: 'claims', title: 'Hold', help: 'Hours until a rate ends' };
  server.current.on('GET /settings', () => ({ body: [setting, other] }));
  server.current.on('GET /quote-keys', () => ({ body: [] }));
  await show(<SettingsScreen />, { permissions: ['settings.read', 'settings.edit'] });
  const search = await screen.findByRole('searchbox', { name: 'Find a setting' });
  fireEvent.change(search, { target: { value: ' RATE  hours ' } });
  expect(screen.getByRole('switch', { name: 'Hold' })).toBeTruthy();
  expect(screen.queryByRole('switch', { name: 'Two-person approval' })).toBeNull();
  fireEvent.change(search, { target: { value: 'nothing like it' } });
  expect(screen.getByText('Nothing found')).toBeTruthy();
  fireEvent.keyDown(search, { key: 'Escape' });
  expect(screen.getByRole('switch', { name: 'Two-person approval' })).toBeTruthy();
});
