import type { ClaimForm, ClaimPayment, ClaimStatus } from '../../../api/types';

/** Example claims for tests. */
const ID = '3f2b8c1e-5d74-4a0b-9a63-0c1f7e2d4b58';

export function statusFixture(changes: Partial<ClaimStatus> = {}): ClaimStatus {
  return {
    id: ID,
    publicId: 184207,
    status: 'awaiting_payment',
    publicStatus: 'waiting',
    isFinal: false,
    reason: null,
    answerBy: null,
    confirmations: null,
    confirmationsRequired: null,
    txIn: null,
    txOut: null,
    verification: null,
    meetingCode: null,
    actions: [],
    refund: null,
    paidOut: null,
    payouts: [],
    termsEnd: null,
    claimEndsAt: null,
    paymentMissing: false,
    offer: null,
    surplus: null,
    received: null,
    steps: [],
    waiting: null,
    updatedAt: '2026-11-21T14:15:00Z',
    expiresAt: '2099-11-21T14:35:00Z',
    ...changes,
  };
}

export function formFixture(changes: Partial<ClaimForm> = {}): ClaimForm {
  return {
    id: ID,
    publicId: 184207,
    status: 'created',
    createdAt: '2026-11-21T14:14:00Z',
    expiresAt: '2099-11-21T14:44:00Z',
    email: 'anna@example.com',
    owner: true,
    from: {
      id: 17,
      code: 'TON',
      name: 'Toncoin',
      ticker: 'TON',
      network: 'TON',
      kind: 'crypto',
      icon: 'ton',
      amount: '412.5',
      requisites: [],
    },
    to: {
      id: 3,
      code: 'SBERRUB',
      name: 'Сбербанк',
      ticker: 'RUB',
      network: '',
      kind: 'bank',
      icon: 'sber',
      amount: '90184.87',
      requisites: [{ name: 'card', label: 'Номер карты', kind: 'card', value: '4276 •••• •••• 4276' }],
    },
    city: null,
    course: '218.63',
    bonus: '0',
    floating: false,
    hold: 20,
    fees: { from: { fixed: '0', percent: '0' }, to: { fixed: '0', percent: '0' }, network: null },
    rate: { text: '1 TON = 218,63 ₽', explanation: 'Курс биржи и наша наценка 1,5 %.', ratesOf: null },
    termsVersion: '',
    amlConsent: false,
    customerTerms: null,
    receiptRequired: false,
    receipts: [],
    effectiveRate: null,
    promo: null,
    ...changes,
  };
}

export function paymentFixture(changes: Partial<ClaimPayment> = {}): ClaimPayment {
  return {
    value: 'UQExampleAddressDoNotPay0000000000000000000000Agio',
    holder: null,
    memo: '70418826',
    memoKind: 'memo',
    amount: '412.5',
    currency: 'TON',
    network: 'TON',
    kind: 'ton',
    paymentUri: 'ton://transfer/UQExampleAddressDoNotPay?amount=412500000000&text=70418826',
    page: null,
    expiresAt: '2099-11-21T14:35:00Z',
    ...changes,
  };
}
