import { describe, expect, it } from 'vitest';
import { fieldText } from '../ui/dateTime.ts';
import { booksPayment, type ClaimTerms, datesPayment, deadlineOf, movementOf } from './deadline.ts';
import { EMPTY_DRAFT, inputOf } from './transitionFields.ts';
import type { Claim, Transition } from './types.ts';

const terms: ClaimTerms = {
  end: '2026-03-28T12:40:00Z',
  passed: true,
  paidAt: null,
  movedPercent: '-1.2',
  withinTolerance: true,
};

const step = (action: Transition['action'], consent = false): Transition => ({
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
  it('is shown once it has passed, and by the payment once that is dated', () => {
    expect(deadlineOf({ ...terms, passed: false })).toBeNull();
    expect(deadlineOf(terms)).toBe('passed');
    expect(deadlineOf({ ...terms, paidAt: '2026-03-28T12:39:59Z' })).toBe('in_time');
    expect(deadlineOf({ ...terms, paidAt: '2026-03-28T12:40:00Z' })).toBe('late');
  });

  it('shows how far the rate moved, and never that an unknown one did not move', () => {
    expect(movementOf(terms)).toBe('within');
    expect(movementOf({ ...terms, withinTolerance: false })).toBe('over');
    expect(movementOf({ ...terms, movedPercent: '0.00' })).toBe('none');
    expect(movementOf({ ...terms, movedPercent: null, withinTolerance: false })).toBe('unknown');
  });
});

describe('the time of a payment', () => {
  it('is asked for by the steps that establish it, while nothing has dated it', () => {
    const dated = ['payment_received', 'payment_seen', 'amount_mismatch'] as const;
    expect(dated.map((action) => datesPayment(claim({}), step(action)))).toEqual([true, true, true]);
    expect((['late_payment', 'hold'] as const).map((action) => datesPayment(claim({}), step(action)))).toEqual([
      false,
      false,
    ]);
    expect(booksPayment(step('late_payment'))).toBe(true);
    expect(datesPayment(claim({ terms: { ...terms, paidAt: terms.end } }), step('payment_received'))).toBe(false);
    expect(datesPayment(claim({ terms: null }), step('payment_received'))).toBe(false);
    // What came as another amount is booked already.
    expect(datesPayment(claim({ status: 'amount_mismatch' }), step('payment_received'))).toBe(false);
  });

  it('is sent as the operator’s own time says, and not at all where nothing was typed', () => {
    const sent = (paidAt: string, action: Transition['action'] = 'payment_received') =>
      inputOf(claim({}), step(action), { ...EMPTY_DRAFT, paidAt }, 0).paidAt;
    expect(sent('')).toBeUndefined();
    expect(sent(fieldText(new Date('2026-03-28T12:35:00Z')))).toBe('2026-03-28T12:35:00.000Z');
    expect(sent(fieldText(new Date('2026-03-28T12:35:00Z')), 'hold')).toBeUndefined();
    // A field without seconds does not put a payment before its claim.
    expect(sent(fieldText(new Date('2026-03-28T12:20:00Z')))).toBe('2026-03-28T12:20:30Z');
  });
});
