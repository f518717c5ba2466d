import { toDecimal } from './WaitlistForm';

it.each([
  ['1', '1'],
  [' 12\u00a0345,60 ', '12345.60'],
  ['0.5', '0.5'],
  ['', null],
  ['-1', null],
  ['1,000,000', null],
  ['1e3', null],
  ['x', null],
])('%j is the number %j', (typed, number) => {
  expect(toDecimal(typed)).toBe(number);
});
