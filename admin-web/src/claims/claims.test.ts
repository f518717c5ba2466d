import { describe, expect, it } from 'vitest';
import { Arrivals } from './arrivals.ts';
import { distinct } from './groups.ts';
import { step, toTake } from './order.ts';
import { EMPTY_DRAFT, inputOf, missingIn, needsOf, OWN } from './transitionFields.ts';
import { offered, textsOf } from './transitions.ts';
import type { Claim, ClaimRow, Transition } from './types.ts';

const side = { id: 1, code: 'BTC', ticker: 'BTC', network: 'Bitcoin', amount: '0.1' };
const row = (id: string, more: Partial<ClaimRow> = {}): ClaimRow => ({
  id,
  publicId: 1,
  status: 'paid',
  turn: 'ours',
  step: 3,
  from: side,
  to: side,
  paidOut: null,
  email: 'a@example.org',
  dueAt: '2026-03-28T10:00:00Z',
  createdAt: '2026-03-28T09:00:00Z',
  updatedAt: '2026-03-28T09:00:00Z',
  holder: null,
  revision: 4,
  ...more,
});

describe('the list', () => {
  const rows = [row('a'), row('b'), row('c')];

  it('is walked with J and K and stops at its ends', () => {
    expect(step(rows, null, 1)).toBe('a');
    expect(step(rows, 'a', 1)).toBe('b');
    expect(step(rows, 'c', 1)).toBe('c');
    expect(step(rows, 'a', -1)).toBe('a');
    expect(step([], null, 1)).toBeNull();
  });

  it('shows a claim once even when it moved between two pages', () => {
    expect(distinct([row('a'), row('b'), row('a')]).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('gives the next to take: ours, most urgent, not assigned to others', () => {
    const rows = [
      row('held', { dueAt: '2026-03-28T09:10:00Z', holder: { id: 'denis', name: 'Денис' } }),
      row('customer', { dueAt: '2026-03-28T09:20:00Z', turn: 'customer' }),
      row('later', { dueAt: '2026-03-28T09:50:00Z' }),
      row('mine', { dueAt: '2026-03-28T09:40:00Z', holder: { id: 'anna', name: 'Анна' } }),
    ];
    expect(toTake(rows, 'anna').map(({ id }) => id)).toEqual(['mine', 'later']);
    expect(toTake(rows, 'oleg').map(({ id }) => id)).toEqual(['later']);
    expect(toTake([], 'anna')).toEqual([]);
  });

  it('goes on from a claim left open to one that nobody has, before others of one’s own', () => {
    const anna = { id: 'anna', name: 'Анна' };
    const rows = [
      row('left', { dueAt: '2026-03-28T09:10:00Z', holder: anna }),
      row('mine', { dueAt: '2026-03-28T09:20:00Z', holder: anna }),
      row('free', { dueAt: '2026-03-28T09:30:00Z' }),
    ];
    expect(toTake(rows, 'anna', 'left').map(({ id }) => id)).toEqual(['free', 'mine']);
    // One that is done is not in the way of one's own.
    expect(toTake(rows, 'anna', 'done').map(({ id }) => id)).toEqual(['left', 'mine', 'free']);
  });
});

describe('a new claim', () => {
  it('is new until it is opened; the first rows never are', () => {
    const arrivals = new Arrivals();
    const old = row('old');
    const fresh = row('fresh', { createdAt: '2026-03-28T09:30:00Z' });
    arrivals.begin([old]);
    arrivals.begin([old, fresh]);
    expect(arrivals.isNew(old)).toBe(false);
    expect(arrivals.isNew(fresh)).toBe(true);
    arrivals.open('fresh');
    expect(arrivals.isNew(fresh)).toBe(false);
  });
});

describe('a step', () => {
  const claim = { ...row('a'), terms: null, returned: null } as Claim;
  const hold: Transition = {
    action: 'hold',
    to: 'on_hold',
    needs: ['reason', 'answerBy'],
    danger: false,
    main: false,
    consent: false,
  };
  const reject: Transition = { action: 'reject', to: 'rejected', needs: [], danger: true, main: false, consent: false };

  it('needs a reason whenever it is against the customer', () => {
    expect(needsOf(reject)).toEqual(['reason']);
    expect(missingIn(reject, EMPTY_DRAFT)).toEqual(['reason']);
    expect(missingIn(reject, { ...EMPTY_DRAFT, reason: OWN, ownReason: ' ' })).toEqual(['reason']);
  });

  it('sends what it needs, with the revision that was read', () => {
    const draft = { ...EMPTY_DRAFT, reason: 'aml_check', answerIn: '30', txId: 'not needed' };
    expect(inputOf(claim, hold, draft, Date.parse('2026-03-28T09:00:00Z'))).toEqual({
      action: 'hold',
      revision: 4,
      reason: 'aml_check',
      answerBy: '2026-03-28T09:30:00.000Z',
      txId: undefined,
      amount: undefined,
      paidAt: undefined,
      note: undefined,
    });
  });

  it('takes amounts as they are typed', () => {
    const partial: Transition = {
      action: 'payout_partial',
      to: 'payout_partial',
      needs: ['amount'],
      danger: false,
      main: true,
      consent: false,
    };
    expect(missingIn(partial, { ...EMPTY_DRAFT, amount: '1,2,3' })).toEqual(['amount']);
    expect(inputOf(claim, partial, { ...EMPTY_DRAFT, amount: '1 500,25' }, 0).amount).toBe('1500.25');
  });

  it('that needs a second person is an approval request, made once', () => {
    const payout: Transition = {
      action: 'payout_sent',
      to: 'payout_sent',
      needs: [],
      danger: false,
      main: true,
      consent: true,
    };
    const waiting = { state: 'waiting' } as Claim['consent'];
    const open: Claim = { ...claim, returned: null, transitions: [payout, hold], consent: null };
    expect(offered(open)).toEqual([payout, hold]);
    expect(offered({ ...open, consent: waiting })).toEqual([hold]);
    expect([textsOf(open, payout), textsOf(open, hold)]).toEqual(['approvals.payout_sent', 'moves.hold']);
  });
});
