import { expect, it } from 'vitest';
import { headOf } from './notice.ts';

it('a notice has a first line and the rest', () => {
  expect(headOf('The books do not balance\n\nDifferences: 1.\n\nThe first: x')).toEqual({
    head: 'The books do not balance',
    rest: 'Differences: 1.\n\nThe first: x',
  });
  expect(headOf('One line')).toEqual({ head: 'One line', rest: '' });
  expect(headOf('')).toEqual({ head: '', rest: '' });
});
