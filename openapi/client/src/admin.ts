/**
 * The console's API as functions, each held to the published call it makes. How a call travels (token, retry,
 * language) is the transport's business.
 */
import createClient from 'openapi-fetch';
import type {
  CurrencyPatch,
  MovementInput,
  PairBulk,
  PairPatch,
  PoolRequisiteInput,
  PoolRequisitePatch,
  TechnicalMode,
  TransitionInput,
  VerificationVerdict,
} from './admin-shapes.ts';
import type { operations, paths } from './generated/admin.ts';

export type * from './admin-shapes.ts';

/** Sends a request and gives its good answer; anything else it throws. */
export type Send = (request: Request) => Promise<Response>;

export type ClaimQuery = NonNullable<operations['listClaims']['parameters']['query']>;

export type AdminApi = ReturnType<typeof adminApi>;

/** What a call answered; one that came back at all is a good one. */
async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** `origin` is where the server is, when that is not where the page is. */
export function adminApi(send: Send, origin = '') {
  const { GET, POST, PATCH, PUT } = createClient<paths>({ baseUrl: origin, fetch: send });
  return {
    me: () => answer(GET('/api/admin/v1/auth/me')),
    dashboard: () => answer(GET('/api/admin/v1/dashboard')),

    claims: (query: ClaimQuery, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/claims', { params: { query }, signal })),
    claim: (id: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/claims/{id}', { params: { path: { id } }, signal })),
    moveClaim: (id: string, body: TransitionInput) =>
      answer(POST('/api/admin/v1/claims/{id}/transitions', { params: { path: { id } }, body })),
    lockClaim: (id: string) => answer(POST('/api/admin/v1/claims/{id}/lock', { params: { path: { id } } })),
    unlockClaim: (id: string) => answer(POST('/api/admin/v1/claims/{id}/unlock', { params: { path: { id } } })),
    noteClaim: (id: string, text: string) =>
      answer(POST('/api/admin/v1/claims/{id}/notes', { params: { path: { id } }, body: { text } })),
    /** The file of a receipt: it stands behind the bearer, so a plain link could not open it. */
    receipt: (id: string, receipt: string) =>
      answer(GET('/api/admin/v1/claims/{id}/receipts/{receipt}', { params: { path: { id, receipt } }, parseAs: 'blob' })),

    verifications: (tab: 'sent' | 'asked' | 'closed', cursor?: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/verifications', { params: { query: { tab, cursor } }, signal })),
    verification: (id: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/verifications/{id}', { params: { path: { id } }, signal })),
    askVerification: (email: string) => answer(POST('/api/admin/v1/verifications', { body: { email } })),
    decideVerification: (id: string, body: VerificationVerdict, key: string) =>
      answer(
        POST('/api/admin/v1/verifications/{id}/decision', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    /** A photo of a card or document; the server writes down that it was looked at. */
    verificationPhoto: (id: string, photo: string) =>
      answer(
        GET('/api/admin/v1/verifications/{id}/photos/{photo}', { params: { path: { id, photo } }, parseAs: 'blob' }),
      ),

    currencies: () => answer(GET('/api/admin/v1/currencies')),
    updateCurrency: (id: number, body: CurrencyPatch) =>
      answer(PATCH('/api/admin/v1/currencies/{id}', { params: { path: { id } }, body })),

    pairs: () => answer(GET('/api/admin/v1/pairs')),
    updatePair: (id: number, body: PairPatch) =>
      answer(PATCH('/api/admin/v1/pairs/{id}', { params: { path: { id } }, body })),
    updatePairs: (body: PairBulk) => answer(POST('/api/admin/v1/pairs/bulk', { body })),
    previewPair: (id: number, body: PairPatch, signal?: AbortSignal) =>
      answer(POST('/api/admin/v1/pairs/{id}/preview', { params: { path: { id } }, body, signal })),

    reserves: () => answer(GET('/api/admin/v1/reserves')),
    movements: (currencyId: number, cursor?: string) =>
      answer(
        GET('/api/admin/v1/reserves/{currencyId}/movements', { params: { path: { currencyId }, query: { cursor } } }),
      ),
    moveReserve: (currencyId: number, body: MovementInput, key: string) =>
      answer(
        POST('/api/admin/v1/reserves/{currencyId}/movements', {
          params: { path: { currencyId }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),

    requisites: () => answer(GET('/api/admin/v1/requisites')),
    addRequisite: (body: PoolRequisiteInput) => answer(POST('/api/admin/v1/requisites', { body })),
    updateRequisite: (id: string, body: PoolRequisitePatch) =>
      answer(PATCH('/api/admin/v1/requisites/{id}', { params: { path: { id } }, body })),

    settings: () => answer(GET('/api/admin/v1/settings')),
    saveSettings: (body: Record<string, string>) => answer(PUT('/api/admin/v1/settings', { body })),

    tech: () => answer(GET('/api/admin/v1/tech')),
    setTech: (body: TechnicalMode) => answer(PUT('/api/admin/v1/tech', { body })),

    rates: () => answer(GET('/api/admin/v1/rates')),
  };
}
