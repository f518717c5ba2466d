import { describe, expect, it } from 'vitest';
import { after, signedAmount } from './movement.ts';

describe('a movement of a reserve', () => {
  it('goes the way its reason says', () => {
    expect(signedAmount({ reason: 'deposit', amount: '-1,5', note: '' })).toBe('1.5');
    expect(signedAmount({ reason: 'withdrawal', amount: '1,5', note: '' })).toBe('-1.5');
    expect(signedAmount({ reason: 'correction', amount: '\u22120,1', note: '' })).toBe('-0.1');
    expect(signedAmount({ reason: 'deposit', amount: '0', note: '' })).toBeNull();
  });

  it('shows what will be free and stops at nothing', () => {
    expect(after('3.62', { reason: 'withdrawal', amount: '3,62', note: '' })).toEqual({
      amount: '0.00',
      possible: true,
    });
    expect(after('3.62', { reason: 'withdrawal', amount: '4', note: '' })).toEqual({
      amount: '-0.38',
      possible: false,
    });
    expect(after('3.62', { reason: 'deposit', amount: 'x', note: '' })).toBeNull();
  });
});
