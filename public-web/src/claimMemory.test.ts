// @vitest-environment happy-dom
import {
  forgetClaim,
  openClaims,
  rememberClaim,
  rememberedClaim,
  rememberedClaims,
  setAccountClaims,
} from './claimMemory';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('remembers several claims, the latest first, each once', () => {
  for (const id of ['a', 'b', 'a']) rememberClaim(id);
  expect(rememberedClaims()).toEqual(['a', 'b']);
  setAccountClaims(['c', 'b']);
  expect(rememberedClaims()).toEqual(['a', 'b']);
  expect(openClaims()).toEqual(['a', 'b', 'c']);
  forgetClaim('a');
  expect(rememberedClaim()).toBe('b');
  forgetClaim('b');
  expect(openClaims()).toEqual(['c']);
  forgetClaim('c');
  expect(rememberedClaim()).toBeNull();
  expect(openClaims()).toEqual([]);
  expect(localStorage.length).toBe(0);
});

it('reads what an earlier version stored, and nothing from anything else', () => {
  localStorage.setItem('agio.claim', '{"id":"a"}');
  expect(rememberedClaims()).toEqual(['a']);
  for (const other of ['', '{', '{"id":5,"others":"b"}', 'null']) {
    localStorage.setItem('agio.claim', other);
    expect(rememberedClaims()).toEqual([]);
  }
});
