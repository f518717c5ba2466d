/**
 * What the calls about accounts say and hear.
 *
 * Times are RFC 3339 in UTC, percents decimal strings.
 */
import type { CaptchaCheck, ClaimState, RequisiteKind, VerificationState } from './types';

/** A customer's account, as its owner sees it. */
export interface Customer {
  id: string;
  email: string;
  /** Whether the address was shown to be theirs. */
  activated: boolean;
  /** The language of their letters: that of the last sign-in. */
  language: string;
  createdAt: string;
  /** Percent of bonus in their rates. */
  bonus: string;
  /** Whether signing in needs a code. */
  totp: boolean;
  /** How many recovery codes are left. */
  recoveryCodes: number;
}

/** What a sign-in or a refresh gives. */
export interface SignedIn {
  accessToken: string;
  /** Seconds until the access token ends. */
  expiresIn: number;
  user: Customer;
}

/** Something to tell the customer, in the language of the call. */
export interface Told {
  notification: { title: string; message: string };
}

/** The calls a captcha may be asked for. */
export type Guarded = 'login' | 'signup' | 'restore' | 'reactivate' | 'findclaim';

/** A browser that is signed in to the account. */
export interface SignedInBrowser {
  id: string;
  /** Whether it is the one that asks. */
  current: boolean;
  createdAt: string;
  lastUsedAt: string;
  /** Where the sign-in came from. */
  address: string;
  /** What the browser calls itself. */
  agent: string;
}

/** A claim in the list of its owner. */
export interface OwnClaim {
  id: string;
  publicId: number;
  status: ClaimState;
  from: { code: string; amount: string };
  to: { code: string; amount: string };
  createdAt: string;
}

/** Requisites that are kept: masked in a list, open one set at a time. */
export interface KeptRequisites {
  id: string;
  currencyId: number;
  code: string;
  name: string;
  fields: { name: string; label: string; kind: RequisiteKind; value: string }[];
  createdAt: string;
}

/** A step of the table of discounts: from this volume on so much percent is added to the rate. */
export interface DiscountTier {
  min: string;
  percent: string;
}

/** Where an account stands in the table. */
export interface OwnDiscount {
  volume: string;
  percent: string;
  /** Null on the last step, and where there are none. */
  next: { min: string; percent: string; left: string } | null;
  /** Whether exchanges made without the account count: only once its address is confirmed. */
  confirmed: boolean;
}

export interface Discounts {
  /** The ticker volume is counted in. */
  base: string;
  tiers: DiscountTier[];
  /** The most percent all bonuses together add. */
  most: string;
  /** Null for whoever is not signed in. */
  mine: OwnDiscount | null;
}

/** A verification in the list of the account. */
export interface OwnVerification {
  id: string;
  kind: 'card' | 'identity';
  state: VerificationState;
  card: string | null;
  createdAt: string;
  decidedAt: string | null;
}

/** A percent that holds from a referred volume on. */
export interface ReferralTier {
  from: string;
  percent: string;
}

/** A currency a referral balance can be paid in, and what is asked about where it goes. */
export interface ReferralCurrency {
  id: number;
  code: string;
  name: string;
  network: string;
  input: { name: string; label: string; kind: RequisiteKind; required: boolean }[];
}

/** A referrer's link and what it brought. */
export interface Referral {
  code: string;
  link: string;
  percent: string;
  kind: 'profit' | 'amount';
  tiers: ReferralTier[];
  next: ReferralTier | null;
  /** In the base currency, whose ticker is `base`. */
  volume: string;
  base: string;
  balance: string;
  pending: string;
  debt: string;
  /** The code of the balance's currency; empty where the house has set none. */
  currency: string;
  visits: number;
  registrations: number;
  claims: number;
  earned: string;
  minimum: string;
  holdHours: number;
  days: number;
  currencies: ReferralCurrency[];
}

/** What was earned or withdrawn. */
export interface ReferralLine {
  id: string;
  kind: 'accrual' | 'withdrawal';
  amount: string;
  currency: string;
  status: 'review' | 'held' | 'available' | 'refused' | 'reversed' | 'requested' | 'approved' | 'paid';
  createdAt: string;
}

export interface ReferralDay {
  /** The day in UTC, `2024-03-28`. */
  date: string;
  visits: number;
  claims: number;
  earned: string;
}

/** A withdrawal of a referral balance. */
export interface ReferralWithdrawal {
  id: string;
  amount: string;
  currency: string;
  status: 'requested' | 'approved' | 'paid' | 'refused';
  to: string;
  tx: string | null;
  reason: string | null;
  createdAt: string;
}

/** How often a key was used on a day in UTC. */
export interface PartnerKeyDay {
  /** `2024-03-28`. */
  date: string;
  calls: number;
}

/** A key by which a partner's programme calls. */
export interface PartnerKey {
  id: string;
  /** The name calls carry. */
  name: string;
  title: string;
  sandbox: boolean;
  scopes: string[];
  /** Empty: from everywhere. */
  networks: string[];
  perMinute: number;
  /** The last thirty days, those without calls left out. */
  usage: PartnerKeyDay[];
  createdAt: string;
  revokedAt: string | null;
}

/** What was exchanged through a partner in one direction. */
export interface PartnerTurnover {
  from: string;
  to: string;
  claims: number;
  completed: number;
  open: number;
  sent: string;
  received: string;
}

/** What a partner earned in a currency. */
export interface PartnerEarnings {
  currency: string;
  claims: number;
  earned: string;
  balance: string;
  debt: string;
}

export interface PartnerPayout {
  id: string;
  currency: string;
  amount: string;
  tx: string;
  createdAt: string;
}

/** The partner access of an account. */
export interface PartnerAccess {
  name: string;
  site: string;
  email: string;
  /** Empty: news go nowhere. */
  callbackUrl: string;
  standing: 'requested' | 'approved' | 'declined';
  reason: string | null;
  suspended: boolean;
  commissionKind: 'profit' | 'amount';
  commissionPercent: string;
  keys: PartnerKey[];
  turnover: PartnerTurnover[];
  earnings: PartnerEarnings[];
  payouts: PartnerPayout[];
  createdAt: string;
}

export interface PartnerView {
  /** Whether access may be asked for now. */
  open: boolean;
  /** Null where it was never asked for. */
  access: PartnerAccess | null;
}

/** What a partner was told of a claim. */
export interface PartnerNews {
  id: number;
  event: string;
  claim: string;
  status: ClaimState;
  sandbox: boolean;
  url: string;
  state: 'queued' | 'sent' | 'dead';
  attempts: number;
  fault: string | null;
  createdAt: string;
  settledAt: string | null;
}

/** What shows that the account is one's own. */
export interface OwnerProof {
  password: string;
  code?: string;
}

export interface ListPage<Item> {
  items: Item[];
  page: number;
  size: number;
  total: number;
}

type Nothing = undefined;

export interface AccountCalls {
  'POST /front-api/auth/login/': {
    query: { locale?: string };
    body: { email: string; password: string; recaptcha?: string; otp?: string };
    answer: SignedIn;
  };
  'GET /front-api/auth/refresh/': { answer: SignedIn };
  'POST /front-api/auth/logout/': { answer: Nothing };
  'GET /front-api/auth/captcha/': { query: { action?: Guarded }; answer: CaptchaCheck };
  'POST /users/signup/': {
    body: { email: string; password: string; recaptcha?: string; refferal?: string };
    answer: Told;
  };
  'POST /users/activate/{token}/': { path: { token: string }; answer: Told };
  'POST /users/reactivate/': { body: { email?: string; recaptcha?: string }; answer: Told };
  'POST /users/restore/': { body: { email: string; recaptcha?: string }; answer: Told };
  'POST /users/restore/{token}/': { path: { token: string }; body: { password: string }; answer: Told };
  'GET /users/me/': { answer: Customer };
  'GET /users/me/claims/': { query: { page?: string; size?: string }; answer: ListPage<OwnClaim> };
  'POST /claim/find/': {
    body: { email: string; recaptcha?: string };
    answer: { title: string; message: string };
  };
  'GET /users/me/requisites/': { query?: { currency_id?: string }; answer: { items: KeptRequisites[] } };
  'GET /users/me/requisites/{id}/': { path: { id: string }; answer: KeptRequisites };
  'DELETE /users/me/requisites/{id}/': { path: { id: string }; answer: Nothing };
  'GET /discounts/': { answer: Discounts };
  'GET /users/me/verifications/': { answer: { items: OwnVerification[] } };
  'POST /referral/visits/': { body: { code: string }; answer: { days: number } };
  'GET /users/me/refferal/': { answer: Referral };
  'GET /users/me/refferal/dw/': {
    query: { page?: string; size?: string; date_from?: string; date_to?: string };
    answer: ListPage<ReferralLine>;
  };
  'GET /users/me/refferal/days/': {
    query?: { date_from?: string; date_to?: string };
    answer: { items: ReferralDay[] };
  };
  'GET /users/me/refferal/withdrawal/': {
    query: { page?: string; size?: string };
    answer: ListPage<ReferralWithdrawal>;
  };
  'POST /users/me/refferal/withdrawal/': {
    body: { amount: string; currencyId: number; requisites: Record<string, string> };
    answer: ReferralWithdrawal;
  };
  'GET /users/me/partner/': { answer: PartnerView };
  'POST /users/me/partner/': {
    body: { name: string; site: string; email: string; callbackUrl: string };
    answer: PartnerView;
  };
  'PATCH /users/me/partner/': { body: OwnerProof & { email: string; callbackUrl: string }; answer: PartnerView };
  'POST /users/me/partner/secret/': { body: OwnerProof; answer: { secret: string } };
  'POST /users/me/partner/keys/': {
    body: Partial<OwnerProof> & { title: string; sandbox: boolean; scopes: string[]; networks: string[] };
    answer: { key: PartnerKey; secret: string };
  };
  'POST /users/me/partner/keys/{key}/revoke/': { path: { key: string }; answer: PartnerKey };
  'GET /users/me/partner/news/': {
    query: { state?: string | undefined; cursor?: string | undefined; size?: string | undefined };
    answer: { items: PartnerNews[]; nextCursor: string | null };
  };
  'POST /users/me/partner/news/{message}/resend/': { path: { message: number }; answer: Nothing };
  'POST /users/me/password/': { body: { oldPassword: string; newPassword: string }; answer: Nothing };
  'GET /users/me/sessions/': { answer: SignedInBrowser[] };
  'DELETE /users/me/sessions/': { answer: Nothing };
  'DELETE /users/me/sessions/{id}/': { path: { id: string }; answer: Nothing };
  'POST /users/me/totp/': { body: { password: string }; answer: { secret: string; url: string } };
  'POST /users/me/totp/confirm/': { body: { code: string }; answer: { recoveryCodes: string[] } };
  'POST /users/me/totp/remove/': { body: { password: string; code: string }; answer: Nothing };
  'POST /users/me/totp/recovery/': { body: { password: string; code: string }; answer: { recoveryCodes: string[] } };
}
