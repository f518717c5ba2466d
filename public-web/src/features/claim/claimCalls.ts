import { ApiError } from '@agio/client/problem';
import type { Body } from '../../api/calls';
import { addressOf, apiRoot, call } from '../../api/client';
import type { ClaimForm } from '../../api/types';
import type { Locale } from '../../i18n/locale';
import { newKey } from '../../newKey';
import { ClaimGone } from './line/statusStream';

export type Consent = Body<'POST /claim/{id}/confirm/'>;

export type ClaimCalls = ReturnType<typeof claimCalls>;

export function claimCalls(locale: Locale, id: string) {
  const path = { id };
  // Repeated steps are harmless; the key makes the answer the same.
  const once = () => ({ idempotencyKey: newKey() });
  const form = () => unlessGone(call(locale, 'GET /claim/{id}/form/', { path, quiet: true }));
  const pair = ({ from, to }: Pick<ClaimForm, 'from' | 'to'>) =>
    call(locale, 'GET /calculator/pair/{from}/{to}/', { path: { from: from.id, to: to.id }, quiet: true });
  return {
    form,
    status: () => unlessGone(call(locale, 'GET /claim/{id}/status/', { path, quiet: true })),
    /** Null where none can be written: the exchange is complete all the same. */
    review: () => call(locale, 'GET /claim/{id}/review/', { path, quiet: true }).catch(() => null),
    payment: () => call(locale, 'GET /claim/{id}/requisite/', { path, quiet: true }),
    confirm: (body: Consent) => call(locale, 'POST /claim/{id}/confirm/', { path, body, ...once() }),
    paid: () => call(locale, 'POST /claim/{id}/paid/', { path, ...once() }),
    cancel: () => call(locale, 'POST /claim/{id}/cancel/', { path, ...once() }),
    accept: (body: Body<'POST /claim/{id}/accept/'>) =>
      call(locale, 'POST /claim/{id}/accept/', { path, body, ...once() }),
    refund: (requisites: Record<string, string>) =>
      call(locale, 'POST /claim/{id}/refund/', { path, body: { requisites }, ...once() }),
    returnSurplus: (body: Body<'POST /claim/{id}/surplus/'>) =>
      call(locale, 'POST /claim/{id}/surplus/', { path, body, ...once() }),
    pair,
    refundInputs: async () => {
      const { structure } = await pair(await form());
      return structure.from.input.filter((input) => input.receive);
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
    // A malformed id is treated as unknown.
    const isUnknown = error instanceof ApiError && (error.status === 404 || error.status === 400);
    throw isUnknown ? new ClaimGone() : error;
  }
}
