/**
 * What the public API says and hears.
 *
 * Amounts, rates and percents are decimal strings; times are RFC 3339 in UTC; a value that may be missing is null.
 */

export type CurrencyKind = 'crypto' | 'bank' | 'ewallet' | 'cash';

export interface Currency {
  id: number;
  code: string;
  /** In the language of the call. */
  name: string;
  ticker: string;
  network: string;
  kind: CurrencyKind;
  icon: string;
}

export interface Direction extends Currency {
  /** Decimals an amount of this currency is rounded down to. */
  roundCalculator: number;
  send: boolean;
  receive: boolean;
  position: number;
}

export interface Directions {
  directions: Direction[];
}

/** A message of the operator. The message is restricted HTML. */
export interface Notice {
  title: string;
  message: string;
}

export type RequisiteKind =
  | 'btc'
  | 'ltc'
  | 'doge'
  | 'bch'
  | 'dash'
  | 'zec'
  | 'evm'
  | 'tron'
  | 'ton'
  | 'xmr'
  | 'xrp'
  | 'xlm'
  | 'sol'
  | 'ada'
  | 'iban'
  | 'card'
  | 'phone'
  | 'account_ru'
  | 'text'
  | 'memo'
  | 'tag'
  | 'holder'
  | 'email';

/** A field the customer fills in for one side of the exchange. */
export interface RequisiteInput {
  name: string;
  label: string;
  kind: RequisiteKind;
  required: boolean;
  /** Asked when this currency is sent. */
  send: boolean;
  /** Asked when this currency is received. */
  receive: boolean;
}

export interface PairSide {
  min: string | null;
  max: string | null;
  roundCalculator: number;
  notify: Notice | null;
}

export interface PairStructure {
  currency: Currency;
  network: string;
  input: RequisiteInput[];
}

export interface Fee {
  fixed: string;
  percent: string;
}

export interface Pair {
  /** Units received for one unit sent, all percents inside. */
  course: string;
  /** Percent of the course that is the customer's bonus. */
  bonus: string;
  /** What the bonus is given for. */
  bonuses: { kind: 'tier' | 'promo'; percent: string; code: string | null; text: string }[];
  /** Why the bonus is smaller than its parts together. */
  bonusCut: { bound: 'most' | 'market'; asked: string; text: string } | null;
  /** The promo code it was asked for with. */
  promo: PromoSeen | null;
  notify: Notice | null;
  from: PairSide;
  to: PairSide;
  structure: { from: PairStructure; to: PairStructure };
  quote: { id: string; expiresAt: string; signature: string };
  fees: { from: Fee; to: Fee };
  /** From the sent amount `min` on, another course holds. Ascending. */
  tiers: { min: string; course: string }[];
  reserve: string;
  /** Minutes to pay in after a claim is confirmed. */
  hold: number;
  /** Minutes from the quote to the end of the agreed rate: confirming and paying together. */
  holdMinutes: number;
  floating: Floating | null;
  /** What is to be shown by photos before the payment. */
  verification: 'card' | 'identity' | null;
  /** The day the rates are of, when they are not today's. */
  ratesOf: string | null;
  source: { kind: 'manual' | 'market'; text: string };
  explanation: string;
}

/** How the rate of a floating direction is fixed: when the payment is confirmed, by a source's rate of that moment. */
export interface Floating {
  /** The confirmation that fixes the rate; null where staff confirm the receipt. */
  confirmations: number | null;
  /** Within so many minutes after the claim is confirmed the payment is due. */
  minutes: number;
  /** In the language of the call. */
  source: string;
  /** By how many percent the rate will be above that of the source; negative where it is below. */
  deviationPercent: string;
}

/** A promo code as the server saw it. */
export interface PromoSeen {
  code: string;
  /** Whether it makes the course better. */
  ok: boolean;
  reason: string | null;
  /** What is to be said about it. */
  text: string;
  /** What a claim must be worth at least. */
  min: { amount: string; ticker: string } | null;
}

export interface Reserve {
  id: number;
  amount: string;
  updatedAt: string;
}

export interface Settings {
  /** Null where nothing can be exchanged now. */
  exchangeAttributes: { fromCurrencyId: number | null; toCurrencyId: number | null };
  contest: boolean;
  captchaLogin: boolean;
  usePublicId: boolean;
  supportEmail: string;
  siteName: string;
  chat: { url: string; title: string; onClaims: boolean } | null;
  ratesOf: string | null;
  termsVersion: string;
}

export interface TechnicalMode {
  technicalMode: { on: boolean; time: string | null };
}

/** A row of the table of rates; currencies by id. */
export interface FeaturedRate {
  from: number;
  to: number;
  course: string;
  min: string | null;
  max: string | null;
  reserve: string;
  fees: { from: Fee; to: Fee };
}

/** A proof-of-work challenge, answered in the payload's `recaptcha`. */
export interface CaptchaChallenge {
  parameters: {
    algorithm: string;
    nonce: string;
    salt: string;
    cost: number;
    keyLength: number;
    keyPrefix: string;
    expiresAt?: number;
    [more: string]: unknown;
  };
  signature?: string;
}

/** Somebody the operator has tell people from programmes. */
export type CaptchaProvider = 'recaptcha' | 'hcaptcha' | 'turnstile';

export interface CaptchaCheck {
  required: boolean;
  challenge: CaptchaChallenge | null;
  /** Who is asked in place of a proof of work, with the key of their script. */
  provider?: CaptchaProvider | null;
  siteKey?: string | null;
}

/** The payload of a new claim. */
export interface ClaimDraft {
  email: string;
  fromPs: number;
  toPs: number;
  fromSumma: string;
  toSumma: string;
  fromRequisites: Record<string, string>;
  toRequisites: Record<string, string>;
  recaptcha?: string;
  refferal?: string;
  quoteId?: string;
  extras?: {
    termsVersion?: string;
    amlConsent?: boolean;
    ownFunds?: boolean;
    keepRequisites?: boolean;
    promo?: string;
  };
}

export interface CreatedClaim {
  id: string;
  publicId: number;
  status: ClaimState;
  expiresAt: string | null;
}

export type ClaimState =
  | 'created'
  | 'verification'
  | 'awaiting_payment'
  | 'payment_claimed'
  | 'payment_seen'
  | 'amount_mismatch'
  | 'late_payment'
  | 'on_hold'
  | 'paid'
  | 'processing'
  | 'payout_sent'
  | 'payout_error'
  | 'payout_partial'
  | 'refund_pending'
  | 'refund_sent'
  | 'completed'
  | 'refunded'
  | 'cancelled'
  | 'expired'
  | 'rejected';

export type PublicState =
  | 'waiting'
  | 'confirming'
  | 'exchanging'
  | 'sending'
  | 'finished'
  | 'hold'
  | 'refunding'
  | 'refunded'
  | 'expired'
  | 'failed';

export type VerificationState = 'asked' | 'sent' | 'accepted' | 'rejected' | 'ended';

/** A photo of the present round of a verification; the name is its owner's alone. */
export interface VerificationPhoto {
  id: string;
  name: string;
  size: number;
  type: string;
  createdAt: string;
  deleteAfter: string;
}

/** What is to be shown by photos, and where that stands. */
export interface Verification {
  id: string;
  kind: 'card' | 'identity';
  state: VerificationState;
  cause: { code: string; text: string };
  /** The card, masked. */
  card: string | null;
  claim: { id: string; publicId: number } | null;
  reason: { code: string; text: string } | null;
  photos: VerificationPhoto[];
  photosNeeded: number;
  photosMax: number;
  photoDays: number;
  owner: boolean;
  /** Until when the claim waits for the photos. */
  expiresAt: string | null;
  updatedAt: string;
}

export type ClaimAction = 'confirm' | 'paid' | 'cancel' | 'accept' | 'refund' | 'refund_to' | 'upload';

export interface Receipt {
  id: string;
  name: string;
  size: number;
  type: string;
  createdAt: string;
}

export interface ClaimSide extends Omit<Currency, 'icon'> {
  icon?: string;
  amount: string;
  requisites: { name: string; label: string; kind: RequisiteKind; value: string }[];
}

/** Everything the review of a claim shows and asks. */
export interface ClaimForm {
  id: string;
  publicId: number;
  status: ClaimState;
  expiresAt: string | null;
  createdAt: string;
  /** Masked for anyone but the owner. */
  email: string;
  owner: boolean;
  from: ClaimSide;
  to: ClaimSide;
  course: string;
  bonus: string;
  floating: boolean;
  hold: number;
  fees: { from: Fee; to: Fee };
  rate: { text: string; explanation: string };
  /** Null until the customer accepts the terms. */
  termsVersion: string | null;
  amlConsent: boolean;
  receiptRequired: boolean;
  receipts: Receipt[];
}

/** Where and how much to pay. */
export interface PaymentRequisite {
  value: string;
  holder: string | null;
  memo: string | null;
  amount: string;
  /** Code of the currency. */
  currency: string;
  network: string;
  kind: RequisiteKind;
  paymentUri: string | null;
  expiresAt: string | null;
}

export interface Refund {
  /** What the customer gets, after the fee. */
  amount: string;
  /** Code of the currency. */
  currency: string;
  fee: string;
  /** Where to, masked; null while that is not known. */
  destination: string | null;
  tx: { id: string; url: string | null } | null;
}

export interface ClaimStatus {
  id: string;
  publicId: number;
  status: ClaimState;
  publicStatus: PublicState;
  isFinal: boolean;
  reason: { code: string; text: string } | null;
  answerBy: string | null;
  confirmations: number | null;
  confirmationsRequired: number | null;
  txIn: { id: string; url: string | null } | null;
  txOut: { id: string; url: string | null } | null;
  /** The verification it waits for. */
  verification: string | null;
  actions: ClaimAction[];
  /** What comes back to the customer: before they choose it, what would; afterwards, what really did. */
  refund: Refund | null;
  /** Of a payout in parts: what was sent and what is left of it. */
  paidOut: { paid: string; left: string; currency: string } | null;
  /** Until when the agreed rate holds; null where none was promised. */
  termsEnd: string | null;
  /** When a reported payment that nobody saw ends the claim. */
  claimEndsAt: string | null;
  /** Whether the customer was told that their payment is not to be seen. */
  paymentMissing: boolean;
  offer: { fromSumma: string; toSumma: string; course: string; expiresAt: string | null } | null;
  updatedAt: string;
  expiresAt: string | null;
}

/** A text of the operator's, as a page shows it. */
export interface ContentText {
  page: string;
  title: string;
  description: string;
  /** Cleaned by the server. */
  html: string;
  version: number;
  /** Whether it holds now. */
  present: boolean;
  updatedAt: string;
  /** The same as a day in words. */
  updatedOn: string;
}
