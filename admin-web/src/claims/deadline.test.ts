import type { Claim, ClaimTerms, Transition } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { fieldText } from '../ui/moment.ts';
import { inputOf, NO_ANSWERS } from './asking.ts';
import { booksPayment, datesPayment, deadlineOf, movementOf } from './deadline.ts';

const terms: ClaimTerms = {
  end: '2026-03-28T12:40:00Z',
  passed: true,
  paidAt: null,
  movedPercent: '-1.2',
  withinTolerance: true,
};

const step = (action: string, consent = false): Transition => ({
  action,
  to: 'paid',
  needs: [],
  danger: false,
  main: true,
  consent,
});

const claim = (facts: Partial<Claim>) =>
  ({ status: 'payment_claimed', revision: 4, createdAt: '2026-03-28T12:20:30Z', terms, ...facts }) as Claim;

describe('the end of the agreed rate', () => {
  it('is told once it has passed, and by the payment once that is dated', () => {
    expect(deadlineOf({ ...terms, passed: false })).toBeNull();
    expect(deadlineOf(terms)).toBe('passed');
    expect(deadlineOf({ ...terms, paidAt: '2026-03-28T12:39:59Z' })).toBe('in_time');
    expect(deadlineOf({ ...terms, paidAt: '2026-03-28T12:40:00Z' })).toBe('late');
  });

  it('says how far the rate has gone, and never that an unknown one stands still', () => {
    expect(movementOf(terms)).toBe('within');
    expect(movementOf({ ...terms, withinTolerance: false })).toBe('over');
    expect(movementOf({ ...terms, movedPercent: '0.00' })).toBe('none');
    expect(movementOf({ ...terms, movedPercent: null, withinTolerance: false })).toBe('unknown');
  });
});

describe('the moment of a payment', () => {
  it('is asked for by the steps that establish it, while nothing has dated it', () => {
    const asked = ['payment_received', 'payment_seen', 'amount_mismatch'];
    expect(asked.map((action) => datesPayment(claim({}), step(action)))).toEqual([true, true, true]);
    expect(['late_payment', 'hold'].map((action) => datesPayment(claim({}), step(action)))).toEqual([false, false]);
    expect(booksPayment(step('late_payment'))).toBe(true);
    expect(datesPayment(claim({ terms: { ...terms, paidAt: terms.end } }), step('payment_received'))).toBe(false);
    expect(datesPayment(claim({ terms: null }), step('payment_received'))).toBe(false);
    // What came as another amount is booked already.
    expect(datesPayment(claim({ status: 'amount_mismatch' }), step('payment_received'))).toBe(false);
  });

  it('is sent as the operator’s own time says, and not at all where nothing was typed', () => {
    const sent = (paidAt: string, action = 'payment_received') =>
      inputOf(claim({}), step(action), { ...NO_ANSWERS, paidAt }, 0).paidAt;
    expect(sent('')).toBeUndefined();
    expect(sent(fieldText(new Date('2026-03-28T12:35:00Z')))).toBe('2026-03-28T12:35:00.000Z');
    expect(sent(fieldText(new Date('2026-03-28T12:35:00Z')), 'hold')).toBeUndefined();
    // A field without seconds does not put a payment before its claim.
    expect(sent(fieldText(new Date('2026-03-28T12:20:00Z')))).toBe('2026-03-28T12:20:30Z');
  });
});
