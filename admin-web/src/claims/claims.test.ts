import type { Claim, ClaimRow, Transition } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { Arrivals } from './arrivals.ts';
import { inputOf, lacks, NO_ANSWERS, needsOf, OWN } from './asking.ts';
import { offered, wordsOf } from './ClaimActions.tsx';
import { nextToTake, step } from './order.ts';
import { distinct } from './useClaims.ts';

const leg = { id: 1, code: 'BTC', ticker: 'BTC', network: 'Bitcoin', amount: '0.1' };
const row = (id: string, more: Partial<ClaimRow> = {}): ClaimRow => ({
  id,
  publicId: 1,
  status: 'paid',
  turn: 'ours',
  step: 3,
  from: leg,
  to: leg,
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

  it('gives the next to take: ours, most urgent, in nobody else’s hands', () => {
    const desk = [
      row('held', { dueAt: '2026-03-28T09:10:00Z', holder: { id: 'denis', name: 'Денис' } }),
      row('customer', { dueAt: '2026-03-28T09:20:00Z', turn: 'customer' }),
      row('later', { dueAt: '2026-03-28T09:50:00Z' }),
      row('mine', { dueAt: '2026-03-28T09:40:00Z', holder: { id: 'anna', name: 'Анна' } }),
    ];
    expect(nextToTake(desk, 'anna')?.id).toBe('mine');
    expect(nextToTake(desk, 'oleg')?.id).toBe('later');
    expect(nextToTake([], 'anna')).toBeNull();
  });
});

describe('a claim that has just come', () => {
  it('is new until somebody opens it; what stood there at first never was', () => {
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

  it('asks why whenever it takes something from the customer', () => {
    expect(needsOf(reject)).toEqual(['reason']);
    expect(lacks(reject, NO_ANSWERS)).toEqual(['reason']);
    expect(lacks(reject, { ...NO_ANSWERS, reason: OWN, words: ' ' })).toEqual(['reason']);
  });

  it('sends what was asked, with the revision that was seen', () => {
    const answers = { ...NO_ANSWERS, reason: 'aml_check', answerIn: '30', txId: 'never asked' };
    expect(inputOf(claim, hold, answers, Date.parse('2026-03-28T09:00:00Z'))).toEqual({
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
    expect(lacks(partial, { ...NO_ANSWERS, amount: '1,2,3' })).toEqual(['amount']);
    expect(inputOf(claim, partial, { ...NO_ANSWERS, amount: '1 500,25' }, 0).amount).toBe('1500.25');
  });

  it('that a colleague has to agree to is a proposal, made once', () => {
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
    expect([wordsOf(open, payout), wordsOf(open, hold)]).toEqual(['proposals.payout_sent', 'moves.hold']);
  });
});
