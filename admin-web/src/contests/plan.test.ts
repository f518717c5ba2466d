import { describe, expect, it } from 'vitest';
import { fieldText, momentOf } from '../ui/moment.ts';
import { draftOf, planOf } from './plan.ts';

const now = Date.parse('2024-03-28T12:00:00Z');

describe('a plan of a contest', () => {
  it('keeps the moment that was typed in one’s own time', () => {
    const moment = '2024-04-01T21:30:00.000Z';
    expect(momentOf(fieldText(new Date(moment)))).toBe(moment);
    expect(momentOf('')).toBeNull();
    expect(momentOf('tomorrow')).toBeNull();
  });

  it('is sent only when it is whole', () => {
    const draft = draftOf(null, now);
    expect(planOf(draft)).toBeNull();
    const whole = { ...draft, prizes: [{ currencyId: '3', amount: '500,5' }] };
    expect(planOf(whole)).toMatchObject({
      perWorth: '100',
      mostWeight: 100,
      prizes: [{ currencyId: 3, amount: '500.5' }],
    });
    expect(planOf({ ...whole, perWorth: '' })?.perWorth).toBeNull();
    expect(planOf({ ...whole, perWorth: 'much' })).toBeNull();
    expect(planOf({ ...whole, mostWeight: '1.5' })).toBeNull();
    expect(planOf({ ...whole, endsAt: '' })).toBeNull();
  });
});
