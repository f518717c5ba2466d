/**
 * The console's API as functions, each held to the published call it makes. How a call travels (token, retry,
 * language) is the transport's business.
 */
import createClient from 'openapi-fetch';
import type {
  Approval,
  Confirmation,
  ContentDraft,
  ContentText,
  ContestDrawing,
  ContestPlan,
  CurrencyPatch,
  DiscountTiersInput,
  InvitationInput,
  Joining,
  MonitorInput,
  MonitorPatch,
  MonitorSetup,
  RateRules,
  RateSourceSet,
  MovementInput,
  PairBulk,
  PairPatch,
  PartnerDecision,
  PartnerInput,
  PartnerKeyInput,
  PartnerPatch,
  PartnerPayoutInput,
  PasswordChange,
  PaymentRouteInput,
  PluginPatch,
  PoolRequisiteInput,
  PoolRequisitePatch,
  PromoInput,
  ReferralProgrammeChange,
  ReferralStepInput,
  ReferralTermsInput,
  ReferralVerdict,
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
export type Recalculation = Awaited<ReturnType<AdminApi['recalculation']>>;

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
    noteClaim: (id: string, text: string, key: string) =>
      answer(
        POST('/api/admin/v1/claims/{id}/notes', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body: { text },
        }),
      ),
    /** What exchanging the amount that came would mean now. */
    recalculation: (id: string) =>
      answer(GET('/api/admin/v1/claims/{id}/recalculation', { params: { path: { id } } })),
    setRefundDestination: (id: string, revision: number, requisites: Record<string, string>, note: string) =>
      answer(
        POST('/api/admin/v1/claims/{id}/refund-destination', {
          params: { path: { id } },
          body: { revision, requisites, note },
        }),
      ),
    /** The file of a receipt: it stands behind the bearer, so a plain link could not open it. */
    receipt: (id: string, receipt: string) =>
      answer(GET('/api/admin/v1/claims/{id}/receipts/{receipt}', { params: { path: { id, receipt } }, parseAs: 'blob' })),

    verifications: (tab: 'sent' | 'asked' | 'closed', cursor?: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/verifications', { params: { query: { tab, cursor } }, signal })),
    verification: (id: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/verifications/{id}', { params: { path: { id } }, signal })),
    askVerification: (email: string, key: string) =>
      answer(POST('/api/admin/v1/verifications', { params: { header: { 'Idempotency-Key': key } }, body: { email } })),
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

    contents: () => answer(GET('/api/admin/v1/content')),
    content: (page: string, version?: number) =>
      answer(GET('/api/admin/v1/content/{page}', { params: { path: { page }, query: { version } } })),
    contentVersions: (page: string, cursor?: string) =>
      answer(GET('/api/admin/v1/content/{page}/versions', { params: { path: { page }, query: { cursor } } })),
    previewContent: (page: string, locale: 'ru' | 'en', text: ContentText, signal?: AbortSignal) =>
      answer(
        POST('/api/admin/v1/content/{page}/preview', { params: { path: { page } }, body: { locale, text }, signal }),
      ),
    publishContent: (page: string, body: ContentDraft, key: string) =>
      answer(
        POST('/api/admin/v1/content/{page}/versions', {
          params: { path: { page }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    contactMessages: (cursor?: string) =>
      answer(GET('/api/admin/v1/contact-messages', { params: { query: { cursor } } })),

    contests: () => answer(GET('/api/admin/v1/contests')),
    planContest: (body: ContestPlan, key: string) =>
      answer(POST('/api/admin/v1/contests', { params: { header: { 'Idempotency-Key': key } }, body })),
    replanContest: (id: string, revision: number, plan: ContestPlan) =>
      answer(PUT('/api/admin/v1/contests/{id}', { params: { path: { id } }, body: { revision, plan } })),
    cancelContest: (id: string, revision: number) =>
      answer(POST('/api/admin/v1/contests/{id}/cancel', { params: { path: { id } }, body: { revision } })),
    contestEntries: (id: string, cursor?: number) =>
      answer(GET('/api/admin/v1/contests/{id}/entries', { params: { path: { id }, query: { cursor } } })),
    drawContest: (id: string, body: ContestDrawing, key: string) =>
      outcome(
        POST('/api/admin/v1/contests/{id}/draw', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    payPrize: (id: string, place: number, note: string, key: string) =>
      outcome(
        POST('/api/admin/v1/contests/{id}/prizes/{place}/pay', {
          params: { path: { id, place }, header: { 'Idempotency-Key': key } },
          body: { note },
        }),
      ),

    payments: () => answer(GET('/api/admin/v1/payments')),
    setPaymentRoute: (currency: number, body: PaymentRouteInput) =>
      outcome(PUT('/api/admin/v1/payments/routes/{currency}', { params: { path: { currency } }, body })),
    paymentAttempts: () => answer(GET('/api/admin/v1/payments/attempts')),
    askPaymentAttempt: (id: string) =>
      answer(POST('/api/admin/v1/payments/attempts/{id}/ask', { params: { path: { id } } })),
    retryPaymentAttempt: (id: string, note: string, key: string) =>
      answer(
        POST('/api/admin/v1/payments/attempts/{id}/retry', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body: { note },
        }),
      ),
    refundClaim: (id: string, key: string) =>
      answer(
        POST('/api/admin/v1/payments/claims/{id}/refund', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    paymentMovements: () => answer(GET('/api/admin/v1/payments/movements')),
    attachPaymentMovement: (id: number, claim: number) =>
      answer(POST('/api/admin/v1/payments/movements/{id}/attach', { params: { path: { id } }, body: { claim } })),
    settlePaymentMovement: (id: number) =>
      answer(POST('/api/admin/v1/payments/movements/{id}/settle', { params: { path: { id } } })),

    plugins: () => answer(GET('/api/admin/v1/plugins')),
    updatePlugin: (name: string, body: PluginPatch) =>
      answer(PATCH('/api/admin/v1/plugins/{name}', { params: { path: { name } }, body })),
    revivePlugin: (name: string) => answer(POST('/api/admin/v1/plugins/{name}/revival', { params: { path: { name } } })),
    pluginLog: (name: string) => answer(GET('/api/admin/v1/plugins/{name}/log', { params: { path: { name } } })),
    monitors: () => answer(GET('/api/admin/v1/monitors')),
    addMonitor: (body: MonitorInput, key: string) =>
      answer(POST('/api/admin/v1/monitors', { params: { header: { 'Idempotency-Key': key } }, body })),
    updateMonitor: (id: string, body: MonitorPatch) =>
      answer(PATCH('/api/admin/v1/monitors/{id}', { params: { path: { id } }, body })),
    removeMonitor: (id: string) => answer(DELETE('/api/admin/v1/monitors/{id}', { params: { path: { id } } })),
    monitorDirections: (from: number) =>
      answer(GET('/api/admin/v1/monitors/directions', { params: { query: { from } } })),
    setMonitorDirection: (from: number, to: number, body: MonitorSetup) =>
      answer(PUT('/api/admin/v1/monitors/directions/{from}/{to}', { params: { path: { from, to } }, body })),
    rateSources: () => answer(GET('/api/admin/v1/rates/sources')),
    setRateSource: (name: string, body: RateSourceSet) =>
      answer(PUT('/api/admin/v1/rates/sources/{name}', { params: { path: { name } }, body })),
    rateStops: () => answer(GET('/api/admin/v1/rates/stops')),
    ratePair: (id: number) => answer(GET('/api/admin/v1/rates/pairs/{id}', { params: { path: { id } } })),
    setRatePair: (id: number, revision: number, rules: RateRules) =>
      outcome(PUT('/api/admin/v1/rates/pairs/{id}', { params: { path: { id } }, body: { revision, rules } })),
    releaseRatePair: (id: number) =>
      answer(POST('/api/admin/v1/rates/pairs/{id}/release', { params: { path: { id } } })),
    rateHistory: (id: number, days: number) =>
      answer(GET('/api/admin/v1/rates/pairs/{id}/history', { params: { path: { id }, query: { days } } })),
    tryRateRules: (pairId: number, rules: RateRules) =>
      answer(POST('/api/admin/v1/rates/try', { body: { changes: [{ pairId, rules }] } })),
    explainClaimRate: (id: string) =>
      answer(GET('/api/admin/v1/rates/claims/{id}/explain', { params: { path: { id } } })),

    discounts: () => answer(GET('/api/admin/v1/discounts')),
    changeDiscountTiers: (body: DiscountTiersInput) => answer(PUT('/api/admin/v1/discounts/tiers', { body })),
    discountCustomers: (email?: string, cursor?: string) =>
      answer(GET('/api/admin/v1/discounts/customers', { params: { query: { email, cursor } } })),
    promos: (cursor?: string) => answer(GET('/api/admin/v1/discounts/promos', { params: { query: { cursor } } })),
    promo: (code: string, cursor?: string) =>
      answer(GET('/api/admin/v1/discounts/promos/{code}', { params: { path: { code }, query: { cursor } } })),
    addPromo: (body: PromoInput, key: string) =>
      answer(
        POST('/api/admin/v1/discounts/promos', { params: { header: { 'Idempotency-Key': key } }, body }),
      ),
    stopPromo: (code: string) =>
      answer(POST('/api/admin/v1/discounts/promos/{code}/stop', { params: { path: { code } } })),

    referralProgrammes: () => answer(GET('/api/admin/v1/referral/programmes')),
    addReferralProgramme: (body: ReferralTermsInput) => answer(POST('/api/admin/v1/referral/programmes', { body })),
    changeReferralProgramme: (id: string, body: ReferralProgrammeChange) =>
      answer(PUT('/api/admin/v1/referral/programmes/{id}', { params: { path: { id } }, body })),
    referrers: (q: string, cursor?: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/referral/referrers', { params: { query: { q: q || undefined, cursor } }, signal })),
    referrer: (id: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/referral/referrers/{id}', { params: { path: { id } }, signal })),
    giveReferrerProgramme: (id: string, programmeId: string | null) =>
      answer(
        PUT('/api/admin/v1/referral/referrers/{id}/programme', { params: { path: { id } }, body: { programmeId } }),
      ),
    referralAccruals: (tab: 'open' | 'past', cursor?: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/referral/accruals', { params: { query: { tab, cursor } }, signal })),
    decideReferralAccrual: (id: string, body: ReferralVerdict, key: string) =>
      answer(
        POST('/api/admin/v1/referral/accruals/{id}/decision', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    referralWithdrawals: (tab: 'open' | 'past', cursor?: string, signal?: AbortSignal) =>
      answer(GET('/api/admin/v1/referral/withdrawals', { params: { query: { tab, cursor } }, signal })),
    moveReferralWithdrawal: (id: string, body: ReferralStepInput, key: string) =>
      outcome(
        POST('/api/admin/v1/referral/withdrawals/{id}/steps', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),

    partners: () => answer(GET('/api/admin/v1/partners')),
    partner: (id: string) => answer(GET('/api/admin/v1/partners/{id}', { params: { path: { id } } })),
    addPartner: (body: PartnerInput, key: string) =>
      answer(POST('/api/admin/v1/partners', { params: { header: { 'Idempotency-Key': key } }, body })),
    changePartner: (id: string, body: PartnerPatch) =>
      answer(PATCH('/api/admin/v1/partners/{id}', { params: { path: { id } }, body })),
    decidePartner: (id: string, body: PartnerDecision) =>
      answer(POST('/api/admin/v1/partners/{id}/decision', { params: { path: { id } }, body })),
    payPartner: (id: string, body: PartnerPayoutInput, key: string) =>
      outcome(
        POST('/api/admin/v1/partners/{id}/payouts', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    changePartnerSecret: (id: string) =>
      answer(POST('/api/admin/v1/partners/{id}/secret', { params: { path: { id } } })),
    addPartnerKey: (id: string, body: PartnerKeyInput, key: string) =>
      answer(
        POST('/api/admin/v1/partners/{id}/keys', { params: { path: { id }, header: { 'Idempotency-Key': key } }, body }),
      ),
    revokePartnerKey: (id: string, key: string) =>
      answer(POST('/api/admin/v1/partners/{id}/keys/{key}/revoke', { params: { path: { id, key } } })),
    partnerNews: (id: string, state?: string, cursor?: string) =>
      answer(GET('/api/admin/v1/partners/{id}/news', { params: { path: { id }, query: { state, cursor } } })),
    tellPartnerAgain: (id: string, message: number) =>
      answer(POST('/api/admin/v1/partners/{id}/news/{message}/resend', { params: { path: { id, message } } })),

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
    addRequisite: (body: PoolRequisiteInput, key: string) =>
      outcome(POST('/api/admin/v1/requisites', { params: { header: { 'Idempotency-Key': key } }, body })),
    updateRequisite: (id: string, body: PoolRequisitePatch) =>
      outcome(PATCH('/api/admin/v1/requisites/{id}', { params: { path: { id } }, body })),

    settings: () => answer(GET('/api/admin/v1/settings')),
    /** `confirm` names a setting that was confirmed by itself. */
    saveSettings: (body: Record<string, string>, confirm?: string) =>
      outcome(PUT('/api/admin/v1/settings', { params: { query: { confirm } }, body })),
    quoteKeys: () => answer(GET('/api/admin/v1/quote-keys')),
    rotateQuoteKey: () => answer(POST('/api/admin/v1/quote-keys/rotate')),

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
    notices: (state: MailState, cursor?: string) =>
      answer(GET('/api/admin/v1/notices', { params: { query: { state, cursor } } })),
    resendNotice: (id: number) => answer(POST('/api/admin/v1/notices/{id}/resend', { params: { path: { id } } })),
    resendMail: (id: number) => answer(POST('/api/admin/v1/mail/{id}/resend', { params: { path: { id } } })),
  };
}
