//! Contracts between modules: narrow traits named by capability, and the values they exchange.
//!
//! A module depends on a trait from here, never on another module. The composition root in `server` connects them.

mod agreed_terms;
mod bonuses;
mod claim_status;
mod completed_exchanges;
mod currencies;
mod customer_terms;
mod customers;
mod emails;
mod market_parts;
mod messengers;
mod network_fees;
mod offers;
mod pair_pricing;
mod partner_claims;
mod partner_offers;
mod payments;
mod quotes;
mod rate_adjustments;
mod rate_decisions;
mod rate_explanations;
mod rate_files;
mod reference_values;
mod requisites;
mod sessions;
mod staff;
mod verification;

pub use agreed_terms::{AgreedFee, AgreedFees, AgreedTerms, AgreedTier, AgreedTolerance, LATE_TOLERANCE};
pub use bonuses::{
    ABOVE_MARKET, Bonus, BonusCustomer, BonusKind, BonusPart, BonusProvider, MAX_BONUS_PERCENT, OfferedBonus, PromoCodeCheck,
    PromoCodeRefusal, PromoCodeUse,
};
pub use claim_status::{ClaimState, CustomerAction, PublicClaimStatus};
pub use completed_exchanges::{CompletedExchange, ExchangeListener, address_digest, guest_digest, payout_digest};
pub use currencies::{CashCity, CurrencyInfo, CurrencyInput, CurrencyKind, CurrencyLookup, TX_PLACE, direction_cities};
pub use customer_terms::CustomerTerms;
pub use customers::{
    ClaimEmails, ClaimReviews, ConfirmedEmails, ConfirmedSignUp, CustomerAccount, CustomerInfo, CustomerLookup, CustomerRecords,
    CustomerTokens, ExportedRecords, SignUpListener,
};
pub use emails::{EmailGate, EmailRequest};
pub use market_parts::{
    MarketOutline, MarketPart, MarketPartChange, OutlinedCurrency, PartEntries, PlannedEntry, plan_entries, without_empty, yes,
};
pub use messengers::{Messenger, MessengerProvider};
pub use network_fees::{NetworkFee, NetworkFeePayer};
pub use offers::{CrawlerAllowlist, FloatingTerms, OfferProvider, OfferedDirection, OfferedSide, OffersVersion};
pub use pair_pricing::{
    ExchangeAmounts, ImportedPrice, MarketPrice, ObservedPrice, PairCosts, PairOffer, PairPricing, PricedPair, RateTier,
};
pub use partner_claims::{
    CallingPartner, DirectionTurnover, PartnerAction, PartnerClaim, PartnerClaimListener, PartnerClaimQuery, PartnerClaimRequest,
    PartnerClaims, PartnerPayment, PartnerRefund, PartnerSurplus, PartnerTransaction, RecalculationOffer, SandboxProgress,
    SandboxStatus,
};
pub use partner_offers::{AmountQuote, OfferedCurrency, OfferedPair, PartnerOffers, QuotedSide};
pub use payments::{
    AddressAssignment, AutomaticPayments, ClaimTransitions, ConfirmationCount, DetectedPayment, InvoiceDetails, PayableClaim,
    PaymentDestination, PaymentHandling, PaymentHandlingProvider, PaymentStage, PaymentStep, RefundRoute,
};
pub use quotes::{AgreedQuote, QuoteProvider, QuoteRequest, RecalculatedTerms, TermsVersionProvider};
pub use rate_adjustments::{
    Adjustment, BoundAdjustment, PriceMoveAdjustment, RankAdjustment, RankInputs, ReserveAdjustment, ScheduleAdjustment,
};
pub use rate_decisions::{
    AggregatedPrice, ConsensusPrice, ExcludedSource, ExclusionReason, FormulaDecision, FormulaInput, FormulaPrice, JUMP_PERCENT,
    OPENS_AT, PairRateDecision, RateDecision, SidePrice, SuspensionCause, SuspensionReason,
};
pub use rate_explanations::{ClaimTermsProvider, RateBreakdown, RateExplainer, StoredTerms};
pub use rate_files::{FilePrice, RateFile, RateFileReader};
pub use reference_values::{ReferenceValue, ReferenceValueProvider};
pub use requisites::{
    CheckedPayoutField, PayoutRequisiteValidator, RequisiteToValidate, RequisiteValidation, RequisiteValidator,
};
pub use sessions::{CustomerSessions, Reauthentication, ReauthenticationRequest, SessionLookup};
pub use staff::{StaffEmail, StaffEmails, StaffLookup, StaffTokens};
pub use verification::{
    ClaimVerificationRequest, ClaimVerifications, VerificationEvent, VerificationListener, VerificationSubject,
};
