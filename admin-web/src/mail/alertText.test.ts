import { expect, it } from 'vitest';
import { splitAlert } from './alertText.ts';

it('an alert has a first line and the rest', () => {
  expect(splitAlert('The ledger does not balance\n\nDifferences: 1.\n\nThe first: x')).toEqual({
    head: 'The ledger does not balance',
    rest: 'Differences: 1.\n\nThe first: x',
  });
  expect(splitAlert('One line')).toEqual({ head: 'One line', rest: '' });
  expect(splitAlert('')).toEqual({ head: '', rest: '' });
});
