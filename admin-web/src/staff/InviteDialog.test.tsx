// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { InviteDialog } from './InviteDialog.tsx';

const server = fakeServer();
const email = 'olga@exchange.example';
const mails = (local: boolean) => ({ body: { items: [], nextCursor: null, queued: 0, dead: 0, local } });

beforeEach(() => {
  server.current.on('GET /staff/roles', () => ({ body: { items: [] } }));
  server.current.on('POST /invitations', () => ({ status: 201, body: { id: '1', email, role: 'operator' } }));
});

async function invite() {
  await show(<InviteDialog onClose={() => undefined} />, { permissions: ['staff.edit', 'mail.read'] });
}

function send() {
  fireEvent.change(screen.getByLabelText('Email'), { target: { value: email } });
  fireEvent.click(screen.getByRole('button', { name: 'Send the invitation' }));
}

it('tells that the invitation was sent', async () => {
  server.current.on('GET /mail', () => mails(false));
  await invite();
  expect(await screen.findByText(/They receive an email/)).toBeTruthy();
  send();
  expect(await screen.findByText(`The invitation was sent to ${email}`)).toBeTruthy();
});

it('says without a mail server that the link has to be handed over', async () => {
  server.current.on('GET /mail', () => mails(true));
  await invite();
  expect(await screen.findByText(/Open it there and hand over the link/)).toBeTruthy();
  send();
  expect(await screen.findByText(`The invitation to ${email} is in Emails`)).toBeTruthy();
});
