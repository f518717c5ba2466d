//! Request and response bodies of the partner API.

use agio_contracts::{AmountQuote, CurrencyInput, CurrencyKind, OfferedCurrency, OfferedPair, VerificationSubject};
use agio_core::Timestamp;
use agio_core::ratio::effective_rate;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, PayoutNetworkFee, body};
use agio_requisites::RequisiteKind;

use super::PartnerClaimView;
use super::access_bodies::{PartnerEarnings, TurnoverView};
use super::claim::PartnerCity;
use crate::model::commission::PartnerCommissionKind;
use crate::model::{KeyScope, PartnerRateType};
use crate::service::{PartnerCaller, PartnerOverview};

/// Server time.
#[body(response)]
pub struct PartnerTime {
    /// Current time.
    now: DateTime,
    /// Unix time in seconds, as used in signatures.
    seconds: i64,
}

impl PartnerTime {
    pub fn at(now: Timestamp) -> Self {
        Self { now: DateTime(now), seconds: now.as_seconds() }
    }
}

/// A partner key.
#[body(response)]
pub struct CallerKey {
    /// Name of the partner.
    partner: String,
    /// Label of the key.
    title: String,
    /// Sandbox keys create claims that move no money.
    sandbox: bool,
    /// Scopes of the key.
    scopes: Vec<ApiEnum<KeyScope>>,
    /// Requests per minute.
    per_minute: u32,
}

impl CallerKey {
    pub fn of(caller: &PartnerCaller) -> Self {
        Self {
            partner: caller.partner.name.clone(),
            title: caller.title.clone(),
            sandbox: caller.sandbox,
            scopes: caller.scopes.iter().copied().map(ApiEnum).collect(),
            per_minute: caller.per_minute,
        }
    }
}

/// A field that the customer fills in.
#[body(response)]
struct PartnerCurrencyField {
    /// Field name in the request.
    name: String,
    /// Format that is validated.
    kind: ApiEnum<RequisiteKind>,
    /// Label in the request's language.
    label: String,
    /// Whether it is required.
    required: bool,
    /// Example or advice to show at the field; null without one.
    hint: Nullable<String>,
    /// Regular expression that the whole value has to match, as in JavaScript with the flag `u`; null without one.
    pattern: Nullable<String>,
    /// Form in which the value is typed: `#` is a digit, `@` a Latin letter, `*` either, and other characters stand for
    /// themselves. It is accepted without them too; null without one.
    mask: Nullable<String>,
}

/// A currency.
#[body(response)]
pub struct PartnerCurrency {
    /// Currency code used in all requests.
    code: String,
    /// Ticker of the asset.
    ticker: String,
    /// Network or payment system.
    network: String,
    /// Name in the request's language.
    name: String,
    kind: ApiEnum<CurrencyKind>,
    /// Decimals of amounts.
    digits: u32,
    /// Whether it can be given.
    send: bool,
    /// Whether it can be received.
    receive: bool,
    /// Available reserve.
    reserve: Dec,
    /// Fields of `fromRequisites` when it is given.
    send_inputs: Vec<PartnerCurrencyField>,
    /// Fields of `toRequisites` when it is received.
    receive_inputs: Vec<PartnerCurrencyField>,
    /// Where cash changes hands; empty unless the currency is cash.
    cities: Vec<PartnerCity>,
}

impl PartnerCurrency {
    pub fn of(currency: &OfferedCurrency, locale: Locale) -> Self {
        let facts = &currency.facts;
        let input = |input: &CurrencyInput| PartnerCurrencyField {
            name: input.name.clone(),
            kind: input.kind.into(),
            label: input.label.get(locale).to_owned(),
            required: input.required,
            hint: Nullable(input.hint.as_ref().map(|hint| hint.get(locale).to_owned())),
            pattern: Nullable(input.pattern.clone()),
            mask: Nullable(input.mask.clone()),
        };
        Self {
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            network: facts.network.get(locale).to_owned(),
            name: facts.name.get(locale).to_owned(),
            kind: facts.kind.into(),
            digits: currency.digits,
            send: currency.can_give,
            receive: currency.can_receive,
            reserve: Dec(currency.reserve),
            send_inputs: facts.inputs.iter().filter(|field| field.give).map(input).collect(),
            receive_inputs: facts.inputs.iter().filter(|field| field.receive).map(input).collect(),
            cities: facts.cities.iter().map(|city| PartnerCity::of(city, locale)).collect(),
        }
    }
}

/// How the payment fixes a floating rate, at the rate of that time.
#[body(response)]
struct PartnerFloatingTerms {
    /// Number of confirmations that fixes the rate; null if staff confirm payments.
    confirmations: Nullable<u32>,
    /// Minutes within which the payment is due after the claim is created.
    minutes: i64,
    /// Percentage by which the rate is above (or, if negative, below) the source rate.
    deviation_percent: Dec,
}

impl PartnerFloatingTerms {
    fn of(pair: &OfferedPair) -> Nullable<Self> {
        Nullable(pair.floating.map(|terms| Self {
            confirmations: Nullable(terms.confirmations),
            minutes: terms.minutes,
            deviation_percent: Dec(terms.deviation_percent),
        }))
    }
}

/// Fixed fees; percentages are included in the rate.
#[body(response)]
struct PartnerFees {
    /// Deducted from the given amount, in its currency.
    from: Dec,
    /// Deducted from the received amount, in its currency; includes the network fee that the customer bears.
    to: Dec,
    /// Network fee of the payout; null where payouts cost nothing.
    network: Nullable<PayoutNetworkFee>,
}

impl PartnerFees {
    fn of(pair: &OfferedPair) -> Self {
        Self { from: Dec(pair.fees.0), to: Dec(pair.fees.1), network: Nullable(pair.network_fee.map(Into::into)) }
    }
}

/// Limits of an amount.
#[body(response)]
struct PartnerLimits {
    /// Minimum.
    min: Dec,
    /// Maximum.
    max: Dec,
    /// Amounts are multiples of this; null: of the last digit.
    step: Nullable<Dec>,
}

/// A currently available pair.
#[body(response)]
pub struct PartnerPair {
    /// Code of the given currency.
    from: String,
    /// Code of the received currency.
    to: String,
    /// Rate: units received per unit given, without fixed fees.
    course: Dec,
    /// Fixed fees.
    fees: PartnerFees,
    /// Limits of the given amount.
    from_summa: PartnerLimits,
    /// Limits of the received amount.
    to_summa: PartnerLimits,
    /// Available reserve of the received currency.
    reserve: Dec,
    /// When the rate is fixed.
    rate_type: ApiEnum<PartnerRateType>,
    /// Terms of a floating rate; null for a fixed rate.
    floating: Nullable<PartnerFloatingTerms>,
    /// Minutes for which a claim's rate is held.
    hold: i64,
    /// Verification required before payment; null if none.
    verification: Nullable<ApiEnum<VerificationSubject>>,
    /// Codes of the cities in which cash changes hands; empty without cash. A claim names one of them.
    cities: Vec<String>,
    /// Id of the terms that the customer has to accept before the claim is created; null for none. A quote has their
    /// text.
    customer_terms: Nullable<String>,
}

/// Terms that the customer has to accept before a claim is created.
#[body(response)]
struct PartnerCustomerTerms {
    /// Id of the text; send it as `acceptedTerms`.
    id: String,
    /// Title in the request's language.
    title: String,
    /// Text in the request's language. HTML with paragraphs, emphasis, lists and links only.
    message: String,
}

impl PartnerCustomerTerms {
    fn of(pair: &OfferedPair, locale: Locale) -> Nullable<Self> {
        Nullable(pair.customer_terms.as_ref().map(|terms| {
            let (title, message) = terms.get(locale);
            Self { id: terms.id.clone(), title: title.to_owned(), message: message.to_owned() }
        }))
    }
}

impl PartnerPair {
    pub fn of(pair: &OfferedPair) -> Self {
        let range = |(min, max), step: Option<_>| PartnerLimits { min: Dec(min), max: Dec(max), step: Nullable(step.map(Dec)) };
        Self {
            from: pair.from.code.clone(),
            to: pair.to.code.clone(),
            course: Dec(pair.rate),
            fees: PartnerFees::of(pair),
            from_summa: range(pair.give, pair.steps.0),
            to_summa: range(pair.receive, pair.steps.1),
            reserve: Dec(pair.reserve),
            rate_type: ApiEnum(PartnerRateType::of(pair.floating.is_some())),
            floating: PartnerFloatingTerms::of(pair),
            hold: pair.hold_minutes,
            verification: Nullable(pair.verification.map(ApiEnum)),
            cities: pair.cities.clone(),
            customer_terms: Nullable(pair.customer_terms.as_ref().map(|terms| terms.id.clone())),
        }
    }
}

/// A quote request with one of the two amounts.
#[body(request)]
#[derive(Clone, Debug)]
pub struct PartnerQuoteRequest {
    /// Code of the given currency.
    pub from: String,
    /// Code of the received currency.
    pub to: String,
    /// Amount given.
    pub from_summa: Option<Dec>,
    /// Minimum amount to receive.
    pub to_summa: Option<Dec>,
    /// Refuse the quote unless the pair's rate is of this type.
    pub rate_type: Option<ApiEnum<PartnerRateType>>,
}

/// A quote.
#[body(response)]
pub struct PartnerQuote {
    /// Quote id; send it as `quoteId` to get these terms.
    id: String,
    /// Code of the given currency.
    from: String,
    /// Code of the received currency.
    to: String,
    /// Amount given.
    from_summa: Dec,
    /// Amount received.
    to_summa: Dec,
    /// Rate for this amount: units received per unit given, without fixed fees.
    course: Dec,
    /// Fixed fees; already deducted from `toSumma`.
    fees: PartnerFees,
    /// `toSumma` per unit of `fromSumma`, including all fees and rounding; truncated to twelve significant digits.
    effective_rate: Nullable<Dec>,
    /// When the rate is fixed.
    rate_type: ApiEnum<PartnerRateType>,
    /// Terms of a floating rate; null for a fixed rate.
    floating: Nullable<PartnerFloatingTerms>,
    /// Minutes for which the claim's rate is held after its creation.
    hold: i64,
    /// Terms that the customer has to accept before the claim is created; null for none.
    customer_terms: Nullable<PartnerCustomerTerms>,
    /// When the quote expires.
    expires_at: DateTime,
}

impl PartnerQuote {
    pub fn of(quote: AmountQuote, locale: Locale) -> Self {
        Self {
            customer_terms: PartnerCustomerTerms::of(&quote.pair, locale),
            id: quote.token,
            from_summa: Dec(quote.give),
            to_summa: Dec(quote.receive),
            course: Dec(quote.pair.rate),
            fees: PartnerFees::of(&quote.pair),
            effective_rate: Nullable(effective_rate(quote.give, quote.receive).map(Dec)),
            rate_type: ApiEnum(PartnerRateType::of(quote.pair.floating.is_some())),
            floating: PartnerFloatingTerms::of(&quote.pair),
            hold: quote.pair.hold_minutes,
            expires_at: DateTime(quote.expires_at),
            from: quote.pair.from.code.clone(),
            to: quote.pair.to.code.clone(),
        }
    }
}

/// Turnover and commission.
#[body(response)]
pub struct PartnerStatistics {
    /// What the commission is a percentage of.
    commission_kind: ApiEnum<PartnerCommissionKind>,
    /// Commission percentage.
    commission_percent: String,
    /// Turnover by direction.
    turnover: Vec<TurnoverView>,
    /// Commission by currency.
    earnings: Vec<PartnerEarnings>,
}

impl PartnerStatistics {
    pub fn of(whole: PartnerOverview) -> Self {
        Self {
            commission_kind: whole.row.commission_kind.into(),
            commission_percent: whole.row.commission_percent,
            turnover: whole.turnover.into_iter().map(TurnoverView::of).collect(),
            earnings: whole.earnings.into_iter().map(PartnerEarnings::of).collect(),
        }
    }
}

/// A page of claims, newest first.
#[body(response)]
pub struct PartnerClaimPage {
    /// The claims.
    pub items: Vec<PartnerClaimView>,
    /// Page number, from 1.
    pub page: u32,
    /// Page size.
    pub size: u32,
    /// Total number of claims.
    pub total: i64,
}
