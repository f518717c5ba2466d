// @vitest-environment happy-dom
import { readStored, writeStored } from './browserStorage';

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

it('gives back what was stored, until it is removed', () => {
  writeStored('localStorage', 'key', { id: 'a' });
  expect(readStored('localStorage', 'key')).toEqual({ id: 'a' });
  expect(readStored('sessionStorage', 'key')).toBeNull();
  writeStored('localStorage', 'key', null);
  expect(localStorage).toHaveLength(0);
});

it.each(['{', '"text"', '5', 'true', ''])('does not take %j for an object', (text) => {
  localStorage.setItem('key', text);
  expect(readStored('localStorage', 'key')).toBeNull();
});

it('does without a storage that the browser closes to the page', () => {
  vi.spyOn(globalThis, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  expect(() => writeStored('localStorage', 'key', { id: 'a' })).not.toThrow();
  expect(readStored('localStorage', 'key')).toBeNull();
});
