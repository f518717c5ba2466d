// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import MailScreen from './MailScreen.tsx';

const server = fakeServer();
const mail = {
  id: 7,
  to: 'anna@example.com',
  subject: 'Claim #100001',
  state: 'sent',
  aboutKind: null,
  aboutId: null,
  attempts: 0,
  fault: null,
  createdAt: '2024-03-28T12:00:00Z',
  nextAt: null,
  settledAt: '2024-03-28T12:00:00Z',
};

async function open(local: boolean) {
  const body = { items: [mail], nextCursor: null, queued: 0, dead: 0, local };
  server.current.on('GET /mail', () => ({ body }));
  server.current.on('GET /staff-alerts', () => ({ body: { items: [], nextCursor: null, queued: 0, dead: 0 } }));
  server.current.on('GET /mail/7', () => ({ body: { mail, private: false, text: 'Hello', html: '<p>Hello</p>' } }));
  await show(<MailScreen />, { permissions: ['mail.read'] });
  fireEvent.click(await screen.findByText('Claim #100001'));
}

it('does not call emails sent that nothing could send', async () => {
  await open(true);
  expect(await screen.findByText(/^Kept here: without a mail server/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Kept here' })).toBeTruthy();
  expect(screen.queryByText(/^Sent/)).toBeNull();
});

it('says when a mail server took an email', async () => {
  await open(false);
  expect(await screen.findByText(/^Sent \d/)).toBeTruthy();
});
