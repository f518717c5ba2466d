import type { AccountCalls } from './account';
import type { ContestCalls } from './contest';
import type {
  CaptchaCheck,
  ClaimDraft,
  ClaimForm,
  ClaimStatus,
  ContentText,
  CreatedClaim,
  Directions,
  FeaturedRate,
  Pair,
  PaymentRequisite,
  Receipt,
  Reserve,
  Settings,
  TechnicalMode,
  Verification,
} from './types';

/** Every call of the public API: its path parameters, query, body and answer. */
export interface Calls extends AccountCalls, ContestCalls {
  'GET /calculator/': { answer: Directions };
  'GET /calculator/from/': { answer: number[] };
  'GET /calculator/from/{id}/': { path: { id: number }; answer: number[] };
  'GET /calculator/pair/{from}/{to}/': {
    path: { from: number; to: number };
    query?: { promo?: string | undefined };
    answer: Pair;
  };
  'GET /calculator/course/{from}/{to}/': { path: { from: number; to: number }; answer: { course: string } };
  'GET /calculator/reserves/': { answer: Reserve[] };
  'GET /calculator/rates/': { answer: FeaturedRate[] };
  'GET /calculator/settings/': { query?: { cur_from?: string; cur_to?: string }; answer: Settings };
  'GET /calculator/tech/': { answer: TechnicalMode };
  'GET /claim/captchacheck': { answer: CaptchaCheck };
  'POST /claim/': { body: ClaimDraft; answer: CreatedClaim };
  'GET /claim/{id}/form/': { path: { id: string }; answer: ClaimForm };
  'GET /claim/{id}/requisite/': { path: { id: string }; answer: PaymentRequisite };
  'GET /claim/{id}/status/': { path: { id: string }; answer: ClaimStatus };
  'POST /claim/{id}/confirm/': {
    path: { id: string };
    body?: { termsVersion?: string; amlConsent?: boolean };
    answer: ClaimStatus;
  };
  'POST /claim/{id}/paid/': { path: { id: string }; answer: ClaimStatus };
  'POST /claim/{id}/cancel/': { path: { id: string }; answer: ClaimStatus };
  'POST /claim/{id}/accept/': {
    path: { id: string };
    body: { fromSumma: string; toSumma: string };
    answer: ClaimStatus;
  };
  'POST /claim/{id}/refund/': {
    path: { id: string };
    body: { requisites: Record<string, string> };
    answer: ClaimStatus;
  };
  'GET /content/{page}/': { path: { page: string }; query?: { version?: string }; answer: ContentText };
  'GET /contact/captcha/': { answer: CaptchaCheck };
  'POST /contact/': {
    body: { name?: string; email: string; message: string; recaptcha: string };
    answer: { id: string };
  };
  'GET /verify/{id}/': { path: { id: string }; answer: Verification };
  'POST /verify/{id}/photos/': { path: { id: string }; body: FormData; answer: Verification };
  'POST /claim/{id}/bill/': { path: { id: string }; body: FormData; answer: Receipt };
}

export type CallName = keyof Calls;

export type Answer<C extends CallName> = Calls[C]['answer'];

type Part<C extends CallName, P extends string> = P extends keyof Calls[C] ? { [K in P]: Calls[C][P] } : unknown;

/** What a call is given besides its name. */
export type Ask<C extends CallName> = Part<C, 'path'> &
  ('query' extends keyof Calls[C] ? { query?: Calls[C]['query'] } : unknown) &
  ('body' extends keyof Calls[C]
    ? undefined extends Calls[C]['body']
      ? { body?: Calls[C]['body'] }
      : { body: Calls[C]['body'] }
    : unknown) & {
    signal?: AbortSignal;
    /** Makes a repeated POST harmless: the same key and body get the first answer. */
    idempotencyKey?: string;
    /** A call nobody waits for: it does not move the loading bar. */
    quiet?: boolean;
  };
