import { adminClient } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { Session } from '../api/session.ts';
import { Transport } from '../api/transport.ts';
import { costOf, isRateChanged } from './recalculation.ts';
import { sideOfAmount } from './transitionFields.ts';
import { offered, textsOf } from './transitions.ts';
import type { Claim, Recalculation, Transition } from './types.ts';
import { isOutdated } from './useClaimActions.ts';

const PREVIEW: Recalculation = {
  revision: 6,
  came: '4.2',
  from: 'LTC',
  to: 'SBERRUB',
  agreed: { send: '5', receive: '42841.80', rate: '8568.36' },
  receive: '35987.11',
  rate: '8568.36',
  basis: 'agreed',
  withinTolerance: false,
  fees: { from: { fixed: '0', percent: '0' }, to: { fixed: '0', percent: '0' }, network: null },
  income: { feeFrom: '0', feeTo: '0', spread: '809.52' },
};

const step = (action: Transition['action'], consent = false): Transition => ({
  action,
  to: 'paid',
  needs: [],
  danger: false,
  main: false,
  consent,
});
const claim = (facts: Partial<Claim>) =>
  ({ status: 'amount_mismatch', consent: null, paidOut: null, returned: null, transitions: [], ...facts }) as Claim;

describe('another amount', () => {
  it('paid as agreed costs one side the difference', () => {
    expect(costOf(PREVIEW)).toEqual({ amount: '6854.69', payer: 'exchange' });
    expect(costOf({ ...PREVIEW, receive: '51410.16' })).toEqual({ amount: '8568.36', payer: 'customer' });
    expect(costOf({ ...PREVIEW, receive: '42841.8' })).toEqual({ amount: '0', payer: null });
  });

  it('has texts of its own when paid as agreed, with and without approval', () => {
    const received = (consent: boolean) => step('payment_received', consent);
    expect(textsOf(claim({}), received(false))).toBe('asAgreed.within');
    expect(textsOf(claim({}), received(true))).toBe('asAgreed.approval');
    expect(textsOf(claim({ status: 'payment_claimed' }), received(false))).toBe('moves.payment_received');
    expect(textsOf(claim({}), step('recalculate'))).toBe('moves.recalculate');
  });

  it('is exchanged at the numbers that were shown; other numbers are confirmed again', async () => {
    const bodies: unknown[] = [];
    const call: typeof fetch = async (request) => {
      if (!(request instanceof Request)) return new Response('{}', { status: 401 });
      if (request.method === 'GET') return new Response(JSON.stringify(PREVIEW));
      bodies.push([new URL(request.url).pathname, await request.json()]);
      return new Response(JSON.stringify({ code: 'rate_changed', params: { toSumma: '36002.5' } }), { status: 409 });
    };
    const api = adminClient(new Transport(new Session(call), () => 'ru', call).fetch, 'http://127.0.0.1');
    const params = { path: { id: 'a' } };
    const { data } = await api.GET('/claims/{id}/recalculation', { params });
    const { revision, came, receive } = data as Recalculation;
    const refused = await api
      .POST('/claims/{id}/transitions', {
        params,
        body: { action: 'recalculate', revision, terms: { came, receive } },
      })
      .catch((error: unknown) => error);
    expect(isRateChanged(refused)).toBe(true);
    // The dialog stays open: the claim is the same, only its price moved.
    expect(isOutdated(refused)).toBe(false);
    expect(bodies).toEqual([
      [
        '/api/admin/v1/claims/a/transitions',
        { action: 'recalculate', revision: 6, terms: { came: '4.2', receive: '35987.11' } },
      ],
    ]);
  });
});

describe('a part that was paid out', () => {
  const part = claim({ status: 'payout_partial', paidOut: { paid: '10000', left: '32841.80', currency: 'RUB' } });

  it('leaves the rest to be sent or returned', () => {
    expect(textsOf(part, step('payout_sent'))).toBe('rest.payout_sent');
    expect(textsOf(part, step('refund'))).toBe('rest.refund');
    expect(textsOf(part, step('payout_sent', true))).toBe('approvals.payout_sent');
    expect(textsOf(part, step('hold'))).toBe('moves.hold');
    const handedOut: Transition = { ...step('payout_sent'), needs: ['meetingCode'] };
    expect(textsOf(claim({}), handedOut)).toBe('cash.payout_sent');
  });

  it('is counted in what is received', () => {
    const [from, to] = [{ ticker: 'LTC' }, { ticker: 'RUB' }] as Claim['from'][];
    const counted = { ...part, from, to } as Claim;
    expect(sideOfAmount(counted, step('payout_partial'))).toBe(to);
    expect(sideOfAmount(counted, step('amount_mismatch'))).toBe(from);
  });
});

describe('a refund without a destination', () => {
  it('is not offered to be sent', () => {
    const returned = { amount: '4.2', fee: '0', currency: 'LTC', destination: [], isMissing: true, tx: null };
    const open = claim({ status: 'refund_pending', transitions: [step('refund_sent'), step('hold')], returned });
    expect(offered(open).map(({ action }) => action)).toEqual(['hold']);
    const known = { ...open, returned: { ...returned, isMissing: false } };
    expect(offered(known).map(({ action }) => action)).toEqual(['refund_sent', 'hold']);
  });
});
