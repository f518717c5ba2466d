/**
 * The types of the public API, derived from the published document. Amounts, rates and percents are decimal strings,
 * times RFC 3339 in UTC; what may be missing is null.
 */
import type { Answer, Ask, Body, CallName } from './calls';

type Items<C extends CallName> = Answer<C> extends { items: (infer Item)[] } ? Item : never;

export type Directions = Answer<'GET /calculator/'>;
export type Direction = Directions['directions'][number];
export type Pair = Answer<'GET /calculator/pair/{from}/{to}/'>;
export type City = Pair['cities'][number];
export type PairSide = Pair['from'];
export type PairStructure = Pair['structure']['from'];
export type Currency = PairStructure['currency'];
export type CurrencyKind = Currency['kind'];
export type RequisiteInput = PairStructure['input'][number];
export type RequisiteKind = RequisiteInput['kind'];
export type Notice = NonNullable<Pair['notify']>;
export type Fee = Pair['fees']['from'];
export type NetworkFee = NonNullable<Pair['fees']['network']>;
export type Floating = NonNullable<Pair['floating']>;
export type PromoCodeResult = NonNullable<Pair['promo']>;
export type Reserve = Answer<'GET /calculator/reserves/'>[number];
export type Settings = Answer<'GET /calculator/settings/'>;
export type Messenger = Settings['messengers'][number];
export type ServiceStatus = Answer<'GET /calculator/tech/'>;
export type FeaturedRate = Answer<'GET /calculator/rates/'>[number];
export type PairOpening = Answer<'GET /calculator/openings/'>[number];

export type PaymentAvailability = Answer<'GET /claim/availability/'>;
export type CaptchaCheck = Answer<'GET /claim/captchacheck'>;
export type CaptchaChallenge = NonNullable<CaptchaCheck['challenge']>;
export type CaptchaAction = NonNullable<NonNullable<Ask<'GET /front-api/auth/captcha/'>['query']>['action']>;
export type CaptchaProvider = NonNullable<CaptchaCheck['provider']>;

export type ClaimDraft = Body<'POST /claim/'>;
export type CreatedClaim = Answer<'POST /claim/'>;
export type ClaimForm = Answer<'GET /claim/{id}/form/'>;
export type ClaimSide = ClaimForm['from'];
export type Receipt = ClaimForm['receipts'][number];
export type ClaimPayment = Answer<'GET /claim/{id}/requisite/'>;
export type ClaimStatus = Answer<'GET /claim/{id}/status/'>;
export type ClaimState = ClaimStatus['status'];
export type ClaimAction = ClaimStatus['actions'][number];
export type ClaimReview = Answer<'GET /claim/{id}/review/'>;

export type WaitlistEntry = Answer<'GET /waitlist/{id}/'>;

export type Verification = Answer<'GET /verify/{id}/'>;

export type SignInResponse = Answer<'GET /front-api/auth/refresh/'>;
export type Customer = SignInResponse['user'];
/** A message for the customer, in the language of the call. */
export type NotificationResponse = Answer<'POST /users/restore/'>;
export type CustomerSession = Answer<'GET /users/me/sessions/'>[number];
export type CustomerClaim = Items<'GET /users/me/claims/'>;
export type SavedRequisites = Items<'GET /users/me/requisites/'>;
export type CustomerVerification = Items<'GET /users/me/verifications/'>;
export type Discounts = Answer<'GET /discounts/'>;
export type DiscountTier = Discounts['tiers'][number];
export type CustomerDiscount = NonNullable<Discounts['mine']>;

export type Referral = Answer<'GET /users/me/refferal/'>;
export type ReferralCurrency = Referral['currencies'][number];
export type ReferralHistoryEntry = Items<'GET /users/me/refferal/dw/'>;
export type ReferralDay = Items<'GET /users/me/refferal/days/'>;
export type ReferralWithdrawal = Items<'GET /users/me/refferal/withdrawal/'>;

export type PartnerView = Answer<'GET /users/me/partner/'>;
export type PartnerAccess = NonNullable<PartnerView['access']>;
export type PartnerKey = PartnerAccess['keys'][number];
export type WebhookDelivery = Items<'GET /users/me/partner/webhook-deliveries/'>;
/** The confirmation that partner settings require. */
export type AccountConfirmation = Body<'POST /users/me/partner/secret/'>;

export type ContestOverview = Answer<'GET /contest/'>;
export type Contest = NonNullable<ContestOverview['current']>;
export type ContestDraw = Answer<'GET /contest/{id}/draw/'>;

export interface ListPage<Item> {
  items: Item[];
  page: number;
  size: number;
  total: number;
}
