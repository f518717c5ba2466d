/**
 * The console's names for what its API sends and takes. Every shape is the published one, so the type check fails
 * wherever the console has not followed a change of the API. Words of open lists (states of a claim, its steps) are
 * strings: the server may know more of them than a console that was loaded yesterday.
 */
import type { components } from './generated/admin.ts';

type Schemas = components['schemas'];

/** Must say which revision it was read at, so that nobody overwrites what they have not seen. */
type Seen<Change extends { revision?: number }> = Change & { revision: number };

export type Staff = Schemas['AuthStaff'];
export type StaffSession = Schemas['AuthSession'];
export type Invited = Schemas['AuthInvited'];
export type Joining = Schemas['AuthJoin'];
export type Confirmation = Schemas['AuthConfirmation'];
export type AppSecret = Schemas['AuthTotpSecret'];
export type PasswordChange = Schemas['AuthPasswordChange'];
export type SignedIn = Schemas['AuthStaffSession'];
export type Colleague = Schemas['AuthColleague'];
export type CustomerRow = Schemas['AuthCustomerRow'];
export type Invitation = Schemas['AuthInvitation'];
export type InvitationInput = Schemas['AuthInvite'];
export type RoleName = Schemas['AuthRole'];
export type Role = Schemas['AuthRoleView'];

export type Texts = Schemas['MarketText'];
export type Language = keyof Texts;

export type ClaimPage = Schemas['DeskPage'];
export type ClaimCounts = Schemas['DeskCounts'];
export type ClaimRow = Schemas['DeskClaimRow'];
export type Claim = Schemas['DeskClaim'];
export type Leg = Schemas['DeskSide'];
export type Requisite = Schemas['ClaimRequisite'];
export type Receipt = Schemas['DeskReceipt'];
export type TimelineEntry = Schemas['DeskStep'];
export type LedgerEntry = Schemas['DeskEntry'];
export type Payment = Schemas['DeskPayment'];
export type Transition = Schemas['DeskMove'];
export type TransitionInput = Schemas['DeskTransition'];
export type RefundSummary = NonNullable<Claim['returned']>;
export type ClaimTerms = NonNullable<Claim['terms']>;

export type Verification = Schemas['DeskVerification'];
export type VerificationRow = Schemas['DeskVerificationRow'];
export type VerificationPhoto = Schemas['DeskVerificationPhoto'];
export type VerificationVerdict = Schemas['DeskVerificationVerdict'];
export type VerificationDecision = VerificationVerdict['decision'];

export type ContentRow = Schemas['DeskContentRow'];
export type ContentPage = Schemas['DeskContent'];
export type ContentText = Schemas['DeskContentText'];
export type ContentVersion = Schemas['DeskContentVersion'];
export type ContentDraft = Schemas['DeskContentDraft'];
export type ContentPreview = Schemas['DeskContentPreview'];
export type ContactMessage = Schemas['DeskMessage'];
export type Contests = Schemas['DeskContests'];
export type Contest = Schemas['DeskContest'];
export type ContestPrize = Schemas['DeskContestPrize'];
export type ContestPlan = Schemas['DeskContestPlan'];
export type ContestDrawing = Schemas['DeskContestDrawing'];

export type Payments = Schemas['DeskPayments'];
export type PaymentRoute = Schemas['DeskPaymentRoute'];
export type PaymentPlugin = Schemas['DeskPaymentPlugin'];
export type PaymentRouteInput = Schemas['DeskRouteChange'];
export type PaymentAttempt = Schemas['DeskAttempt'];
export type PaymentMovement = Schemas['DeskMovement'];

export type Plugins = Schemas['DeskPlugins'];
export type PluginLine = Schemas['DeskPluginLine'];
export type Plugin = Schemas['DeskPlugin'];
export type PluginField = Schemas['DeskPluginField'];
export type PluginPatch = Schemas['DeskPluginChange'];
export type Monitors = Schemas['DeskMonitors'];
export type Monitor = Schemas['DeskMonitor'];
export type MonitorFeed = Schemas['DeskMonitorFeed'];
export type MonitorFinding = Schemas['DeskMonitorFinding'];
export type MonitorInput = Schemas['DeskMonitorNew'];
export type MonitorPatch = Schemas['DeskMonitorChange'];
export type MonitorDirection = Schemas['DeskMonitorDirection'];
export type MonitorSetup = Schemas['DeskMonitorSetup'];
export type RateSource = Schemas['DeskRateSource'];
export type RateSourceSet = Schemas['DeskRateSourceSet'];
export type RateStop = Schemas['DeskRateStop'];
export type RatePair = Schemas['DeskRatePair'];
export type RatePoint = Schemas['DeskRatePoint'];
export type RateRules = Schemas['DeskRateRules'];
export type RateDry = Schemas['DeskRateDry'];
export type RateExplained = Schemas['DeskRateExplained'];
export type Discounts = Schemas['DeskDiscounts'];
export type DiscountTiersInput = Schemas['DeskDiscountTiers'];
export type DiscountCustomer = Schemas['DeskDiscountCustomer'];
export type OwnDiscount = Schemas['DiscountMine'];
export type Promo = Schemas['DeskPromo'];
export type PromoInput = Schemas['DeskPromoOrder'];
export type PromoUse = Schemas['DeskPromoUse'];
export type ReferralProgramme = Schemas['DeskProgramme'];
export type ReferralTermsInput = Schemas['DeskProgrammeOrder'];
export type ReferralProgrammeChange = Schemas['DeskProgrammeChange'];
export type ReferralKind = Schemas['ReferralKind'];
export type Referrer = Schemas['DeskReferrerRow'];
export type ReferrerWhole = Schemas['DeskReferrerView'];
export type ReferralPerson = Schemas['DeskReferralPerson'];
export type ReferralAccrual = Schemas['DeskAccrualRow'];
export type ReferralVerdict = Schemas['DeskAccrualVerdict'];
export type ReferralWithdrawal = Schemas['DeskReferralWithdrawal'];
export type ReferralStepInput = Schemas['DeskReferralWithdrawalStep'];

export type Currency = Schemas['MarketCurrency'];
export type CurrencyKind = Schemas['CalculatorKind'];
export type CurrencyPatch = Schemas['MarketCurrencyChange'];

export type Pair = Schemas['MarketPairRow'];
export type PairPatch = Seen<Schemas['MarketPairChange']>;
/** Everything of a pair that can be changed. */
export type PairTerms = Required<Omit<PairPatch, 'revision'>>;
export type PairState = Schemas['MarketPairState'];
export type PairSource = Schemas['MarketPairSource'];
/** What customers have verified before they pay. */
export type PairProof = Schemas['MarketPairProof'];
export type PairBulk = Schemas['MarketBulkChange'];
export type PairPreview = Schemas['MarketPreview'];
export type Bounds = Schemas['MarketRange'];
export type Notice = Schemas['MarketNoticeText'];
export type NoticeTexts = Schemas['MarketNotice'];
export type NoticePlace = keyof Schemas['MarketNotices'];

export type Reserve = Schemas['ReserveRow'];
export type Movement = Schemas['ReserveMovement'];
export type MovementPage = Schemas['ReserveMovements'];
export type MovementInput = Schemas['ReserveMove'];
export type MovementReason = Schemas['ReserveReason'];

export type PoolRequisite = Schemas['DeskRequisite'];
export type PoolRequisiteInput = Schemas['NewDeskRequisite'];
export type PoolRequisitePatch = Schemas['DeskRequisiteChange'];

export type Setting = Schemas['SettingsRow'];
export type QuoteKey = Schemas['QuoteKeyRow'];
export type TechnicalMode = Schemas['TechnicalMode'];
export type Rates = Schemas['MarketRates'];
export type Dashboard = Schemas['DeskDashboard'];
export type DashboardItem = Schemas['DeskItem'];

export type PartnerRow = Schemas['DeskPartnerRow'];
export type Partner = Schemas['DeskPartner'];
export type PartnerInput = Schemas['DeskPartnerOrder'];
export type PartnerPatch = Schemas['DeskPartnerChange'];
export type PartnerDecision = Schemas['DeskPartnerDecision'];
export type PartnerEarnings = Schemas['DeskEarnings'];
export type PartnerPayout = Schemas['DeskPartnerPayout'];
export type PartnerPayoutInput = Schemas['DeskPartnerPayoutOrder'];
export type PartnerKey = Schemas['DeskPartnerKey'];
export type PartnerKeyInput = Schemas['DeskKeyOrder'];
export type PartnerTurnover = Schemas['DeskTurnover'];
export type PartnerNews = Schemas['DeskNews'];

export type Approval = Schemas['Approval'];
export type AuditEntry = Schemas['AuditEntry'];
export type Mail = Schemas['MailRow'];
export type MailWhole = Schemas['MailWhole'];
export type StaffNotice = Schemas['NoticeRow'];
export type ClaimRefund = Schemas['DeskRefund'];

/** What a notice of the live stream carries besides its name. */
export type LiveFields = Schemas['DeskEvent'];
