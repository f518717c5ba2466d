import { addressOf, apiRoot, call } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { ClaimForm, ClaimStatus, PaymentRequisite, RequisiteInput } from '../../api/types';
import type { Locale } from '../../i18n/locale';
import { ClaimGone } from './line/statusStream';

/** What the customer agrees to together with the confirmation. */
export interface Consent {
  termsVersion?: string;
  amlConsent?: boolean;
}

/** The calls about one claim, in the language of the page. */
export interface ClaimCalls {
  form(): Promise<ClaimForm>;
  status(): Promise<ClaimStatus>;
  payment(): Promise<PaymentRequisite>;
  confirm(consent: Consent): Promise<ClaimStatus>;
  paid(): Promise<ClaimStatus>;
  cancel(): Promise<ClaimStatus>;
  accept(terms: { fromSumma: string; toSumma: string }): Promise<ClaimStatus>;
  refund(requisites: Record<string, string>): Promise<ClaimStatus>;
  /** What must be known to send the currency the customer paid back to them. */
  refundInputs(): Promise<RequisiteInput[]>;
  /** Version of the exchange rules in force. */
  termsVersion(): Promise<string>;
  receiptAddress: string;
  eventsAddress: string;
}

export function claimCalls(locale: Locale, id: string): ClaimCalls {
  const path = { id };
  // A step that was made is answered as made, but a repeated key makes the answer the very same one.
  const once = () => ({ idempotencyKey: crypto.randomUUID() });
  const form = () => unlessGone(call(locale, 'GET /claim/{id}/form/', { path, quiet: true }));
  return {
    form,
    status: () => unlessGone(call(locale, 'GET /claim/{id}/status/', { path, quiet: true })),
    payment: () => call(locale, 'GET /claim/{id}/requisite/', { path, quiet: true }),
    confirm: (body) => call(locale, 'POST /claim/{id}/confirm/', { path, body, ...once() }),
    paid: () => call(locale, 'POST /claim/{id}/paid/', { path, ...once() }),
    cancel: () => call(locale, 'POST /claim/{id}/cancel/', { path, ...once() }),
    accept: (body) => call(locale, 'POST /claim/{id}/accept/', { path, body, ...once() }),
    refund: (requisites) => call(locale, 'POST /claim/{id}/refund/', { path, body: { requisites }, ...once() }),
    refundInputs: async () => {
      const { from, to } = await form();
      const pair = await call(locale, 'GET /calculator/pair/{from}/{to}/', {
        path: { from: from.id, to: to.id },
        quiet: true,
      });
      return pair.structure.from.input.filter((input) => input.receive);
    },
    termsVersion: async () => (await call(locale, 'GET /calculator/settings/', { quiet: true })).termsVersion,
    receiptAddress: addressOf(locale, 'POST /claim/{id}/bill/', { path }),
    eventsAddress: `${apiRoot(locale)}/claim/${encodeURIComponent(id)}/events/`,
  };
}

async function unlessGone<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // An id that is no id at all is as unknown as one nobody has.
    const isUnknown = error instanceof ApiError && (error.status === 404 || error.status === 400);
    throw isUnknown ? new ClaimGone() : error;
  }
}
