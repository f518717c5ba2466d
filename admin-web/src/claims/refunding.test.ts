import type { Claim, ClaimRefund, Transition } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { refundingOf } from './refunding.ts';

const refund: ClaimRefund = {
  driver: 'bitcoin-core',
  address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  memo: null,
  amount: '0.01',
  underWay: false,
};

const sent = (consent: boolean): Transition => ({
  action: 'refund_sent',
  to: 'refund_sent',
  needs: consent ? [] : ['txId'],
  danger: false,
  main: true,
  consent,
});

const claim = (facts: Partial<Claim>) => ({ refund, consent: null, transitions: [sent(false)], ...facts }) as Claim;

describe('a refund through a driver', () => {
  it('is offered where the server says that there is one', () => {
    expect(refundingOf(claim({}), true)).toBe('send');
    expect(refundingOf(claim({ refund: null }), true)).toBe('none');
  });

  it('is not offered to whoever may not return payments', () => {
    expect(refundingOf(claim({}), false)).toBe('none');
  });

  it('is made once', () => {
    const underWay = claim({ refund: { ...refund, underWay: true } });
    expect([refundingOf(underWay, true), refundingOf(underWay, false)]).toEqual(['under_way', 'under_way']);
  });

  it('needs an address', () => {
    expect(refundingOf(claim({ refund: { ...refund, address: null } }), true)).toBe('by_hand');
  });

  it('that a colleague has to agree to is a proposal, made once, and sent when they have', () => {
    const due = { transitions: [sent(true)] };
    const said = (state: string) => ({ state }) as Claim['consent'];
    expect(refundingOf(claim(due), true)).toBe('propose');
    expect(refundingOf(claim({ ...due, consent: said('waiting') }), true)).toBe('waits');
    expect(refundingOf(claim({ ...due, consent: said('rejected') }), true)).toBe('propose');
    expect(refundingOf(claim({ consent: said('approved') }), true)).toBe('send');
  });
});
