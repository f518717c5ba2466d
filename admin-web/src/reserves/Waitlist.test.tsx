// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { Waitlist } from './Waitlist.tsx';

const server = fakeServer();

const row = (give: string, receive: string, receiveTicker: string, waiting: number, waitingForRate = 0) => ({
  giveId: give.length,
  give,
  receiveId: receive.length,
  receive,
  receiveTicker,
  waiting,
  waitingForRate,
});

it('counts by direction and by received asset', async () => {
  server.current.on('GET /waitlist', () => ({
    body: [row('BTC', 'SBERRUB', 'RUB', 30, 2), row('DOGE', 'BTC', 'BTC', 13), row('LTC', 'TCSBPRUB', 'RUB', 12)],
  }));
  await show(<Waitlist tabs={null} />, { permissions: ['waitlist.read'] });
  expect(await screen.findByRole('row', { name: /BTC → SBERRUB 30 2/ })).toBeTruthy();
  expect(screen.getByText('Wait for RUB: 42 · Wait for BTC: 13')).toBeTruthy();
});

it('says so where nobody waits', async () => {
  server.current.on('GET /waitlist', () => ({ body: [] }));
  await show(<Waitlist tabs={null} />, { permissions: ['waitlist.read'] });
  expect(await screen.findByText('Nobody waits for a direction')).toBeTruthy();
});
