import { describe, expect, it } from 'vitest';
import { fieldText, instantOf } from '../ui/dateTime.ts';
import { draftOf, planOf } from './plan.ts';

const now = Date.parse('2024-03-28T12:00:00Z');

describe('a plan of a contest', () => {
  it('keeps the time as typed in the local time zone', () => {
    const moment = '2024-04-01T21:30:00.000Z';
    expect(instantOf(fieldText(new Date(moment)))).toBe(moment);
    expect(instantOf('')).toBeNull();
    expect(instantOf('tomorrow')).toBeNull();
  });

  it('is sent only when it is whole', () => {
    const draft = draftOf(null, now);
    expect(planOf(draft)).toBeNull();
    const whole = { ...draft, prizes: [{ currencyId: '3', amount: '500,5' }] };
    expect(planOf(whole)).toMatchObject({
      volumePerTicket: '100',
      maxTickets: 100,
      prizes: [{ currencyId: 3, amount: '500.5' }],
    });
    expect(planOf({ ...whole, volumePerTicket: '' })?.volumePerTicket).toBeNull();
    expect(planOf({ ...whole, volumePerTicket: 'much' })).toBeNull();
    expect(planOf({ ...whole, maxTickets: '1.5' })).toBeNull();
    expect(planOf({ ...whole, endsAt: '' })).toBeNull();
  });
});
