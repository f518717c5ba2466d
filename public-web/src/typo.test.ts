import { isNear } from './typo';

it('forgives one letter, not two', () => {
  expect(isNear('bitcoin', 'bitcoin')).toBe(true);
  expect(isNear('bitcoin', 'bitxoi')).toBe(true);
  expect(isNear('bitcoin', 'bixxoin')).toBe(false);
  expect(isNear('bitcoin', 'butxoin')).toBe(false);
});
