/**
 * The console's API as functions, each held to the published call it makes. How a call travels (token, retry,
 * language) is the transport's business.
 */
import createClient from 'openapi-fetch';
import type {
  Approval,
  Confirmation,
  CurrencyPatch,
  InvitationInput,
  Joining,
  MovementInput,
  PairBulk,
  PairPatch,
  PasswordChange,
  PoolRequisiteInput,
  PoolRequisitePatch,
  RoleName,
  TechnicalMode,
  TransitionInput,
  VerificationVerdict,
} from './admin-shapes.ts';
import type { operations, paths } from './generated/admin.ts';

export type * from './admin-shapes.ts';

/** Sends a request and gives its good answer; anything else it throws. */
export type Send = (request: Request) => Promise<Response>;

export type ClaimQuery = NonNullable<operations['listClaims']['parameters']['query']>;

export type AuditQuery = NonNullable<operations['listAudit']['parameters']['query']>;
export type MailState = 'dead' | 'queued' | 'sent';

/** What a call did that may need a second person: the thing, or a proposal of it. */
export type Outcome<T> = { done: T; proposed: null } | { done: null; proposed: Approval };

export type AdminApi = ReturnType<typeof adminApi>;

/** What a call answered; one that came back at all is a good one. */
async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** What a call did; 202 says that it was proposed. */
async function outcome<T>(call: Promise<{ data?: T; response: Response }>): Promise<Outcome<Exclude<T, Approval>>> {
  const { data, response } = await call;
  return response.status === 202
    ? { done: null, proposed: data as Approval }
    : { done: data as Exclude<T, Approval>, proposed: null };
}

/** `origin` is where the server is, when that is not where the page is. */
export function adminApi(send: Send, origin = '') {
  const { GET, POST, PATCH, PUT, DELETE } = createClient<paths>({ baseUrl: origin, fetch: send });
  return {
    me: () => answer(GET('/api/admin/v1/auth/me')),
    invitation: (token: string) => answer(POST('/api/admin/v1/auth/invitation', { body: { token } })),
    join: (body: Joining) => answer(POST('/api/admin/v1/auth/invitation/accept', { body })),
    restore: (token: string, password: string) =>
      answer(POST('/api/admin/v1/auth/restore', { body: { token, password } })),

    confirm: (body: Confirmation) => answer(POST('/api/admin/v1/me/confirm', { body })),
    changePassword: (body: PasswordChange) => answer(POST('/api/admin/v1/me/password', { body })),
    mySessions: () => answer(GET('/api/admin/v1/me/sessions')),
    endMySession: (id: string) => answer(DELETE('/api/admin/v1/me/sessions/{id}', { params: { path: { id } } })),
    endMyOtherSessions: () => answer(DELETE('/api/admin/v1/me/sessions')),
    beginSecondFactor: (password?: string) => answer(POST('/api/admin/v1/me/second-factor', { body: { password } })),
    confirmSecondFactor: (code: string) =>
      answer(POST('/api/admin/v1/me/second-factor/confirm', { body: { code } })),
    removeSecondFactor: (password: string) =>
      answer(POST('/api/admin/v1/me/second-factor/remove', { body: { password } })),
    renewRecoveryCodes: (password: string) =>
      answer(POST('/api/admin/v1/me/second-factor/recovery', { body: { password } })),

    staff: () => answer(GET('/api/admin/v1/staff')),
    roles: () => answer(GET('/api/admin/v1/staff/roles')),
    invite: (body: InvitationInput, key: string) =>
      answer(POST('/api/admin/v1/invitations', { params: { header: { 'Idempotency-Key': key } }, body })),
    inviteAgain: (id: string) =>
      answer(POST('/api/admin/v1/invitations/{id}/resend', { params: { path: { id } } })),
    withdrawInvitation: (id: string) =>
      answer(DELETE('/api/admin/v1/invitations/{id}', { params: { path: { id } } })),
    changeRole: (id: string, role: RoleName) =>
      answer(PUT('/api/admin/v1/staff/{id}/role', { params: { path: { id } }, body: { role } })),
    disableStaff: (id: string) => answer(POST('/api/admin/v1/staff/{id}/disable', { params: { path: { id } } })),
    enableStaff: (id: string) => answer(POST('/api/admin/v1/staff/{id}/enable', { params: { path: { id } } })),
    resetSecondFactor: (id: string) =>
      answer(POST('/api/admin/v1/staff/{id}/second-factor/reset', { params: { path: { id } } })),
    sendRestore: (id: string) => answer(POST('/api/admin/v1/staff/{id}/restore', { params: { path: { id } } })),
    sessionsOf: (id: string) => answer(GET('/api/admin/v1/staff/{id}/sessions', { params: { path: { id } } })),
    endSessionOf: (id: string, session: string) =>
      answer(DELETE('/api/admin/v1/staff/{id}/sessions/{session}', { params: { path: { id, session } } })),
    endSessionsOf: (id: string) => answer(DELETE('/api/admin/v1/staff/{id}/sessions', { params: { path: { id } } })),
    customers: (q: string, banned: boolean, cursor?: string, signal?: AbortSignal) =>
      answer(
        GET('/api/admin/v1/customers', { params: { query: { q: q || undefined, banned, cursor } }, signal }),
      ),
    banCustomer: (id: string, reason: string) =>
      answer(POST('/api/admin/v1/customers/{id}/ban', { params: { path: { id } }, body: { reason } })),
    unbanCustomer: (id: string, reason: string) =>
      answer(POST('/api/admin/v1/customers/{id}/unban', { params: { path: { id } }, body: { reason } })),

    dashboard: () => answer(GET('/api/admin/v1/dashboard')),

    claims: (query: ClaimQuery, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/claims', { params: { query }, signal })),
    claim: (id: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/claims/{id}', { params: { path: { id } }, signal })),
    moveClaim: (id: string, body: TransitionInput) =>
      outcome(POST('/api/admin/v1/claims/{id}/transitions', { params: { path: { id } }, body })),
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
      outcome(PATCH('/api/admin/v1/pairs/{id}', { params: { path: { id } }, body })),
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
    addRequisite: (body: PoolRequisiteInput) => outcome(POST('/api/admin/v1/requisites', { body })),
    updateRequisite: (id: string, body: PoolRequisitePatch) =>
      outcome(PATCH('/api/admin/v1/requisites/{id}', { params: { path: { id } }, body })),

    settings: () => answer(GET('/api/admin/v1/settings')),
    saveSettings: (body: Record<string, string>) => outcome(PUT('/api/admin/v1/settings', { body })),

    tech: () => answer(GET('/api/admin/v1/tech')),
    setTech: (body: TechnicalMode) => answer(PUT('/api/admin/v1/tech', { body })),

    rates: () => answer(GET('/api/admin/v1/rates')),

    approvals: (decided: boolean, cursor?: string) =>
      answer(GET('/api/admin/v1/approvals', { params: { query: { decided, cursor } } })),
    approve: (id: string) => answer(POST('/api/admin/v1/approvals/{id}/approve', { params: { path: { id } } })),
    refuse: (id: string, reason: string) =>
      answer(POST('/api/admin/v1/approvals/{id}/reject', { params: { path: { id } }, body: { reason } })),
    withdraw: (id: string) => answer(POST('/api/admin/v1/approvals/{id}/withdraw', { params: { path: { id } } })),

    audit: (query: AuditQuery) => answer(GET('/api/admin/v1/audit', { params: { query } })),
    auditActions: () => answer(GET('/api/admin/v1/audit/actions')),

    mails: (state: MailState, cursor?: string) =>
      answer(GET('/api/admin/v1/mail', { params: { query: { state, cursor } } })),
    mail: (id: number) => answer(GET('/api/admin/v1/mail/{id}', { params: { path: { id } } })),
    resendMail: (id: number) => answer(POST('/api/admin/v1/mail/{id}/resend', { params: { path: { id } } })),
  };
}
