import { describe, expect, it } from 'vitest';
import { EMPTY, promoOf } from './promo.ts';

describe('a promo code that is typed', () => {
  it('is sent without what was left empty', () => {
    expect(promoOf({ ...EMPTY, code: ' SPRING ', percent: '0,5' })).toEqual({
      code: 'SPRING',
      percent: '0.5',
      perCustomer: 1,
    });
    expect(promoOf({ ...EMPTY, code: 'SPRING', percent: '1', usesMax: '100', perCustomer: '', min: '1 000' })).toEqual({
      code: 'SPRING',
      percent: '1',
      usesMax: 100,
      min: '1000',
    });
  });

  it('is sent with moments in UTC', () => {
    const sent = promoOf({ ...EMPTY, code: 'SPRING', percent: '1', endsAt: '2024-03-28T12:00' });
    expect(sent?.endsAt).toBe(new Date('2024-03-28T12:00').toISOString());
  });

  it('is not sent while something is missing or is no number', () => {
    expect(promoOf(EMPTY)).toBeNull();
    for (const wrong of [{ percent: 'x' }, { usesMax: '1.5' }, { perCustomer: '-1' }, { min: 'ten' }, { code: ' ' }]) {
      expect(promoOf({ ...EMPTY, code: 'SPRING', percent: '1', ...wrong })).toBeNull();
    }
  });
});
