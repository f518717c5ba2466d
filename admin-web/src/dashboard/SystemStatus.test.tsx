// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { DashboardScreen } from './DashboardScreen.tsx';

const server = fakeServer();
const DASHBOARD = {
  claims: { ours: 0, late: 0, open: 0 },
  items: [],
  ledger: { clean: true, checkedAt: null, differences: [] },
  approvals: { waiting: 0, yours: 0 },
  referral: { commissions: 0, withdrawals: 0 },
  mail: { queued: 0, dead: 0, local: false },
  notices: { dead: 0 },
  partners: { requested: 0, dead: 0 },
  payouts: { closed: false },
  audit: { clean: true, checkedAt: null },
  tech: { on: false, time: null },
};

type Source = { enabled: boolean; live: boolean };

async function open(sources: Source[], day: string | null = null, mail: { local?: boolean } = {}) {
  server.current.on('GET /dashboard', () => ({ body: { ...DASHBOARD, mail: { ...DASHBOARD.mail, ...mail } } }));
  server.current.on('GET /claims', () => ({ body: { items: [], counts: {}, nextCursor: null } }));
  server.current.on('GET /rates', () => ({ body: { day, sources: [], observations: [] } }));
  server.current.on('GET /rates/sources', () => ({ body: sources }));
  await show(<DashboardScreen />, { permissions: ['dashboard.read', 'rates.read', 'mail.read'] });
}

const on = { enabled: true, live: true };
const silent = { enabled: true, live: false };
const off = { enabled: false, live: false };

it.each([
  ['says that rates are current', [on, off], 'Current', 'All calm, nothing waits for you'],
  ['says that some source is silent', [on, silent], 'Current, but not all sources answer', /^All calm/],
  ['says that no source answers', [silent, silent, off], 'No source answers', /no rate source answers$/],
  ['says that rates are set by hand', [off], 'No source is on: rates are set by hand', /^All calm/],
] as const)('%s', async (_, sources, line, heading) => {
  await open([...sources]);
  expect(await screen.findByRole('link', { name: line })).toBeTruthy();
  expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeTruthy();
});

it('says of which day the rates are', async () => {
  await open([], '2024-03-28');
  expect(await screen.findByRole('link', { name: /^Of .*28/ })).toBeTruthy();
});

it('says that emails reach nobody without a mail server', async () => {
  await open([on]);
  expect(await screen.findByRole('link', { name: 'No email is waiting' })).toBeTruthy();
  cleanup();
  await open([on], null, { local: true });
  expect(await screen.findByRole('link', { name: 'No mail server: emails do not reach customers' })).toBeTruthy();
});
