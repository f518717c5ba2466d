// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import type { Verification } from '../../../api/types';
import { rememberClaim } from '../../../claimMemory';
import { ClaimServer, open } from '../testing';

const ID = '3f2b8c1e-5d74-4a0b-9a63-0c1f7e2d4b58';

const asked: Verification = {
  id: 'v',
  owner: true,
  kind: 'identity',
  state: 'asked',
  cause: { code: 'staff', text: 'Нужно подтвердить личность.' },
  claim: { id: ID, publicId: 100001 },
  card: null,
  reason: null,
  expiresAt: '2099-01-01T10:00:00Z',
  photos: [],
  photosNeeded: 1,
  photosMax: 5,
  photoDays: 30,
  updatedAt: '2024-03-28T12:00:00Z',
};

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('renews the bar of open claims when the deadline is prolonged', async () => {
  const server = new ClaimServer({ id: ID, status: 'verification', expiresAt: asked.expiresAt });
  let verification = asked;
  server.answers.v = () => Response.json(verification);
  rememberClaim(ID);
  await open('/verify/v', server);
  const bar = await screen.findByRole('navigation', { name: /заявк/i });
  const left = bar.textContent;
  const asks = () => server.calls.filter(({ path }) => path === `/claim/${ID}/status/`).length;
  expect(asks()).toBe(1);
  server.status = { ...server.status, expiresAt: '2099-01-01T11:30:00Z' };
  const prolonged = server.status.expiresAt;
  verification = { ...asked, expiresAt: prolonged };
  await act(async () => document.dispatchEvent(new Event('visibilitychange')));
  await waitFor(() => expect(bar.textContent).not.toBe(left));
  expect(asks()).toBe(2);
});
