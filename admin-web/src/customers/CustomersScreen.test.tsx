// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import CustomersScreen from './CustomersScreen.tsx';

const server = fakeServer();
const LIST = 'GET /customers';

const customer = (id: string, email: string, bannedAt: string | null = null) => ({
  id,
  email,
  createdAt: '2024-03-28T12:00:00Z',
  activatedAt: '2024-03-28T12:00:00Z',
  bannedAt,
  banReason: null,
  sessions: 1,
  secondFactor: email.startsWith('anna'),
});

beforeEach(() => {
  server.current.on(LIST, ({ query }) => ({
    body: query.cursor
      ? { items: [customer('2', 'boris@example.com')], nextCursor: null }
      : { items: [customer('1', 'anna@example.com')], nextCursor: 'next' },
  }));
});

const open = async (...permissions: string[]) => {
  await show(<CustomersScreen />, { permissions: ['customers.read', ...permissions] });
  return screen.findByRole('row', { name: /anna@example.com/ });
};

it('lists customers page after page', async () => {
  await open();
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByRole('row', { name: /boris@example.com/ })).toBeTruthy();
  expect(server.current.of(LIST).map(({ query }) => query.cursor)).toEqual([undefined, 'next']);
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

it('finds by a part of the address', async () => {
  await open();
  fireEvent.change(screen.getByRole('searchbox', { name: 'Find by email' }), { target: { value: ' bor ' } });
  await waitFor(() => expect(server.current.of(LIST).at(-1)?.query).toEqual({ q: 'bor', banned: 'false' }));
});

it('bans with a reason and reads the list again once', async () => {
  server.current.on('POST /customers/1/ban', () => ({
    body: customer('1', 'anna@example.com', '2024-03-28T13:00:00Z'),
  }));
  const row = await open('customers.ban');
  fireEvent.click(await within(row).findByRole('button', { name: 'Ban: anna@example.com' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Ban anna@example.com?' }));
  const ban = dialog.getByRole('button', { name: 'Ban' });
  fireEvent.click(ban);
  expect(dialog.getByText('Fill in this field.')).toBeTruthy();
  expect(server.current.of('POST /customers/1/ban')).toHaveLength(0);
  fireEvent.change(dialog.getByLabelText('Reason'), { target: { value: 'Fraud' } });
  server.current.on(LIST, () => ({
    body: { items: [customer('1', 'anna@example.com', '2024-03-28T13:00:00Z')], nextCursor: null },
  }));
  const before = server.current.of(LIST).length;
  fireEvent.click(ban);
  expect(await screen.findByText('anna@example.com is banned')).toBeTruthy();
  expect(await screen.findByRole('button', { name: 'Lift the ban: anna@example.com' })).toBeTruthy();
  expect(server.current.of('POST /customers/1/ban')[0]?.body).toEqual({ reason: 'Fraud' });
  expect(server.current.of(LIST)).toHaveLength(before + 1);
});

it('turns off the second factor of those who have one', async () => {
  server.current.on('POST /customers/1/second-factor/reset', () => ({ body: customer('1', 'anna@example.com') }));
  const row = await open('customers.ban');
  fireEvent.click(await within(row).findByRole('button', { name: 'Turn off codes: anna@example.com' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Turn off sign-in codes for anna@example.com?' }));
  fireEvent.change(dialog.getByLabelText('How you know'), { target: { value: 'Named the last claims' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Turn off codes' }));
  expect(await screen.findByText('anna@example.com signs in without codes now')).toBeTruthy();
  const [sent] = server.current.of('POST /customers/1/second-factor/reset');
  expect(sent?.body).toEqual({ reason: 'Named the last claims' });
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  await screen.findByRole('row', { name: /boris@example.com/ });
  expect(screen.queryByRole('button', { name: 'Turn off codes: boris@example.com' })).toBeNull();
});

it('offers no ban without the permission', async () => {
  const row = await open();
  expect(within(row).queryByRole('button')).toBeNull();
});
