import type { Schema } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { refundStatus } from './refundStatus.ts';
import type { Claim, Transition } from './types.ts';

const refund: Schema<'DriverRefundView'> = {
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
    expect(refundStatus(claim({}), true)).toBe('send');
    expect(refundStatus(claim({ refund: null }), true)).toBe('none');
  });

  it('is not offered without the permission', () => {
    expect(refundStatus(claim({}), false)).toBe('none');
  });

  it('is made once', () => {
    const underWay = claim({ refund: { ...refund, underWay: true } });
    expect([refundStatus(underWay, true), refundStatus(underWay, false)]).toEqual(['under_way', 'under_way']);
  });

  it('needs an address', () => {
    expect(refundStatus(claim({ refund: { ...refund, address: null } }), true)).toBe('by_hand');
  });

  it('that needs a second person is requested once, and sent once it is approved', () => {
    const due = { transitions: [sent(true)] };
    const consent = (state: string) => ({ state }) as Claim['consent'];
    expect(refundStatus(claim(due), true)).toBe('propose');
    expect(refundStatus(claim({ ...due, consent: consent('waiting') }), true)).toBe('waits');
    expect(refundStatus(claim({ ...due, consent: consent('rejected') }), true)).toBe('propose');
    expect(refundStatus(claim({ consent: consent('approved') }), true)).toBe('send');
  });
});
