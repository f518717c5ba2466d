import { expect, it } from 'vitest';
import { paymentObstacle } from './usePaymentAvailability';

const available = (minAmount: string | null, maxAmount: string | null) => ({ available: true, minAmount, maxAmount });

it('names an amount that no payment details take', () => {
  expect(paymentObstacle(null, '1')).toBeNull();
  expect(paymentObstacle({ available: false, minAmount: null, maxAmount: null }, null)).toBe('none');
  expect(paymentObstacle(available(null, null), '1000000')).toBeNull();
  expect(paymentObstacle(available('0.1', '0.2'), null)).toBeNull();
  expect(
    ['0.09999999', '0.1', '0.2', '0.20000001'].map((give) => paymentObstacle(available('0.1', '0.2'), give)),
  ).toEqual(['amount', null, null, 'amount']);
});
