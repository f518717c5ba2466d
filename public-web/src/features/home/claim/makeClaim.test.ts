import type { Pair } from '../../../api/types';
import { sumsWithin } from './makeClaim';

const pair = {
  course: '6012345.67',
  tiers: [],
  fees: { from: { fixed: '0' }, to: { fixed: '30' } },
  from: { min: '0.001', max: '2', roundCalculator: 8 },
  to: { min: '100', max: null, roundCalculator: 2 },
} as unknown as Pair;

it('offers the amounts that the reserve covers', () => {
  expect(sumsWithin('45000', pair)).toEqual({ fromSumma: '0.00748959', toSumma: '45000' });
  // A satoshi is six kopecks: the least amount for 45001 gives more, which would be refused again.
  const sums = sumsWithin('45001', pair);
  expect([sums?.fromSumma, Number(sums?.toSumma) <= 45_001, Number(sums?.toSumma) > 45_000.94]).toEqual([
    '0.00748975',
    true,
    true,
  ]);
});

it('offers nothing where the pair allows no amount so small', () => {
  expect(sumsWithin('0', pair)).toBeNull();
  expect(sumsWithin('5000', pair)).toBeNull();
});
