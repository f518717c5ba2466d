// @vitest-environment happy-dom
import { rememberClaim } from '../claimMemory';
import { claimOf } from './ClaimBar';
import { byDeadline } from './OpenClaims';

afterEach(() => localStorage.clear());

it.each([
  ['/claim/a', '', 'a'],
  ['/en/claim/a/', '', 'a'],
  ['/claim/success', '?id=b', 'b'],
  ['/en/claim/fail', '?id=c', 'c'],
  ['/claim', '', 'latest'],
  ['/en/claim', '', 'latest'],
  ['/', '', null],
  ['/claims', '', null],
  ['/faq', '?id=b', null],
])('the page %s%s shows the claim %s', (pathname, search, id) => {
  rememberClaim('latest');
  expect(claimOf(pathname, search)).toBe(id);
});

it('puts the nearest deadline first, and claims without one last', () => {
  const until = (expiresAt: string | null) => ({ expiresAt });
  const [soon, late, none] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z', null].map(until);
  expect([none, late, soon].filter((one) => one !== undefined).sort(byDeadline)).toEqual([soon, late, none]);
});
