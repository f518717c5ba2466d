//! Responses for currencies and pairs.

use agio_contracts::{CashCity, CurrencyInput, CurrencyKind, FloatingTerms, PromoCodeCheck, VerificationSubject};
use agio_core::texts::{Locale, Texts};
use agio_http::{ApiEnum, DateTime, Dec, ExchangeFees, Nullable, body};
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;

use super::bonus::{BonusReduction, PairBonus, PromoCodeResult};
use crate::market::{BonusRate, Currency, MarketPair, PairNotices, Rate, RateSourceKind, rate_text};
use crate::model::engine::TermsParts;
use crate::model::limits::{Limits, Range};
use crate::model::quote::SignedQuote;

/// Currencies that customers can see.
#[body(response)]
#[derive(Debug)]
pub struct DirectionList {
    /// Currencies in list order.
    pub directions: Vec<CurrencySummary>,
}

/// A currency with its network or payment system.
#[body(response)]
#[derive(Debug)]
pub struct CurrencySummary {
    /// Unique identifier.
    id: i64,
    /// Code on exchange aggregators, such as `USDTTRC20`.
    code: String,
    /// Name in the request's language.
    name: String,
    /// Asset ticker, such as `USDT`.
    ticker: String,
    /// Network or payment system.
    network: String,
    /// Kind of currency.
    kind: ApiEnum<CurrencyKind>,
    /// Icon name.
    icon: String,
    /// Decimals of amounts shown and accepted.
    round_calculator: u32,
    /// Whether customers can give this currency.
    send: bool,
    /// Whether customers can receive this currency.
    receive: bool,
    /// Position in lists, ascending.
    position: i64,
}

impl CurrencySummary {
    pub fn of(currency: &Currency, locale: Locale) -> Self {
        let facts = &currency.facts;
        Self {
            id: facts.id,
            code: facts.code.clone(),
            name: facts.name.get(locale).to_owned(),
            ticker: facts.ticker.clone(),
            network: facts.network.get(locale).to_owned(),
            kind: facts.kind.into(),
            icon: facts.icon.clone(),
            round_calculator: currency.round_digits,
            send: currency.is_giveable(),
            receive: currency.is_receivable(),
            position: currency.position,
        }
    }
}

/// A notice to customers.
#[body(response)]
#[derive(Debug)]
pub struct PairNotice {
    /// Title, plain text.
    title: String,
    /// Message, sanitized HTML.
    message: String,
}

/// Terms of a pair that its customers accept.
#[body(response)]
#[derive(Debug)]
pub struct PairCustomerTerms {
    /// Identifier of the text, in all languages.
    id: String,
    /// Title, plain text.
    title: String,
    /// Message, sanitized HTML.
    message: String,
}

/// A pair: rate, limits, fees, required fields and a signed quote.
///
/// The customer receives `(give - fees.from.fixed) x course - fees.to.fixed`, rounded down to `to.roundCalculator`
/// decimals or, with one, to `to.step`. `course` is that of the last tier whose `min` is not above the give amount.
/// Percentage fees are included in the rates.
#[body(response)]
#[derive(Debug)]
pub struct PairDetails {
    /// Units received for one unit given, with percentage fees and the bonus included.
    course: Dec,
    /// Bonus included in the rate, in percent.
    bonus: Dec,
    /// Parts of the bonus. Their sum may exceed the bonus applied.
    bonuses: Vec<PairBonus>,
    /// Why the bonus is smaller than the sum of its parts. Null if it is not.
    bonus_cut: Nullable<BonusReduction>,
    /// The promo code of the request. Null without one.
    promo: Nullable<PromoCodeResult>,
    /// Notice about the pair.
    notify: Nullable<PairNotice>,
    /// Give side.
    from: PairSide,
    /// Receive side.
    to: PairSide,
    /// Where cash changes hands; empty without cash. A claim names one of them.
    cities: Vec<PairCity>,
    /// Currencies and the fields to fill in.
    structure: PairStructure,
    /// Signed quote for these terms.
    quote: PairQuote,
    /// Fees. Percentages are already included in the rate.
    fees: ExchangeFees,
    /// Rate tiers by give amount.
    tiers: Vec<RateTier>,
    /// Available reserve of the receive currency.
    reserve: Dec,
    /// Minutes a claim holds the rate.
    hold: i64,
    /// Minutes the rate is held, from the quote to the payment. A payment first detected later is late.
    hold_minutes: i64,
    /// How the payment fixes a floating rate. Null if the rate is fixed with the claim.
    floating: Nullable<FloatingRateDetails>,
    /// What the customer has to verify with a photo before paying. Null for nothing.
    verification: Nullable<ApiEnum<VerificationSubject>>,
    /// What the customer has to accept before paying: `acceptedTerms` of the confirmation. Null for nothing.
    customer_terms: Nullable<PairCustomerTerms>,
    /// The fixed day whose rates are used. Null when current rates are used.
    rates_of: Nullable<String>,
    /// Where the rate comes from.
    source: PairRateSource,
    /// How the rate is calculated, in one line.
    explanation: String,
}

/// One side of a pair.
#[body(response)]
#[derive(Debug)]
struct PairSide {
    /// Minimum amount.
    min: Nullable<Dec>,
    /// Maximum amount, limited by the available reserve.
    max: Nullable<Dec>,
    /// Amounts are multiples of this. Null: of the last accepted digit. A given amount brings a multiple of the receive
    /// side's step and must be the smallest that brings it.
    step: Nullable<Dec>,
    /// Decimals of amounts shown and accepted.
    round_calculator: u32,
    /// Notice about this side.
    notify: Nullable<PairNotice>,
}

/// Currencies of a pair and the fields to fill in.
#[body(response)]
#[derive(Debug)]
struct PairStructure {
    /// Give side.
    from: PairSideStructure,
    /// Receive side.
    to: PairSideStructure,
}

/// A currency and the fields to fill in.
#[body(response)]
#[derive(Debug)]
struct PairSideStructure {
    /// Currency.
    currency: PairCurrency,
    /// Network or payment system.
    network: String,
    /// Fields that customers fill in.
    input: Vec<RequisiteField>,
}

/// A city in which cash changes hands.
#[body(response)]
#[derive(Debug)]
struct PairCity {
    /// Code on exchange aggregators, such as `DUBAI`.
    code: String,
    /// Name in the request's language.
    name: String,
    /// The office and its hours. Null where they are agreed with the customer.
    place: Nullable<String>,
}

impl PairCity {
    fn of(city: &CashCity, locale: Locale) -> Self {
        let place = Some(city.place.get(locale).to_owned()).filter(|place| !place.is_empty());
        Self { code: city.code.clone(), name: city.name.get(locale).to_owned(), place: Nullable(place) }
    }
}

/// A currency.
#[body(response)]
#[derive(Debug)]
struct PairCurrency {
    /// Unique identifier.
    id: i64,
    /// Code on exchange aggregators, such as `USDTTRC20`.
    code: String,
    /// Name in the request's language.
    name: String,
    /// Asset ticker.
    ticker: String,
    /// Network or payment system.
    network: String,
    /// Kind of currency.
    kind: ApiEnum<CurrencyKind>,
    /// Icon name.
    icon: String,
}

/// A field that customers fill in.
#[body(response)]
#[derive(Debug)]
struct RequisiteField {
    /// Key of the field in a claim request.
    name: String,
    /// Whether the field is shown when the customer gives the currency.
    send: bool,
    /// Whether the field is shown when the customer receives the currency.
    receive: bool,
    /// Label in the request's language.
    label: String,
    /// Whether the field is required.
    required: bool,
    /// Requisite type that validates the value.
    kind: ApiEnum<RequisiteKind>,
    /// Example or advice to show at the field. Null without one.
    hint: Nullable<String>,
    /// Regular expression that the whole value has to match, as in JavaScript with the flag `u`. Null without one.
    pattern: Nullable<String>,
    /// Form in which the value is typed: `#` is a digit, `@` a Latin letter, `*` either, and other characters stand for
    /// themselves. It is accepted without them too. Null without one.
    mask: Nullable<String>,
}

/// A signed quote.
#[body(response)]
#[derive(Debug)]
struct PairQuote {
    /// Quote token to create a claim with. Its format is described in the quote key document.
    id: String,
    /// Expiry time.
    expires_at: DateTime,
    /// Signature in base64url.
    signature: String,
}

/// How a floating rate is fixed: by the payment, at the rate of that moment, without a limit.
#[body(response)]
#[derive(Debug)]
struct FloatingRateDetails {
    /// Number of confirmations after which the rate is fixed. Null if staff confirm payments.
    confirmations: Nullable<u32>,
    /// Minutes to pay after the claim is confirmed.
    minutes: i64,
    /// Rate source, in the request's language.
    source: String,
    /// Deviation of the rate from the source rate, in percent. Negative if below.
    deviation_percent: Dec,
}

/// How a floating rate is fixed.
#[body(response)]
#[derive(Debug)]
pub struct FloatingRateTerms {
    /// Number of confirmations after which the rate is fixed. Null if staff confirm payments.
    confirmations: Nullable<u32>,
    /// Minutes to pay after the claim is confirmed.
    minutes: i64,
    /// Deviation of the rate from the source rate, in percent. Negative if below.
    deviation_percent: Dec,
}

impl FloatingRateTerms {
    pub(super) fn of(terms: FloatingTerms) -> Self {
        let FloatingTerms { confirmations, minutes, deviation_percent } = terms;
        Self { confirmations: Nullable(confirmations), minutes, deviation_percent: Dec(deviation_percent) }
    }
}

/// A rate tier.
#[body(response)]
#[derive(Debug)]
pub(super) struct RateTier {
    /// Minimum give amount.
    min: Dec,
    /// Units received for one unit given.
    course: Dec,
}

/// Source of a rate.
#[body(response)]
#[derive(Debug)]
struct PairRateSource {
    /// Manual or market.
    kind: ApiEnum<RateSourceKind>,
    /// Sources and their time, in the request's language.
    text: String,
}

/// A pair that can be exchanged now, with its current terms.
pub(super) struct Offer<'a> {
    pub pair: &'a MarketPair,
    /// The rate with the customer's bonus.
    pub bonus_rate: BonusRate<'a>,
    pub limits: Limits,
    /// Available reserve, in units.
    pub free: i64,
    /// `None` if the rate is fixed with the claim.
    pub floating: Option<FloatingTerms>,
}

impl PairDetails {
    pub(super) fn of(offer: &Offer<'_>, quote: &SignedQuote, expires_at: DateTime, texts: &Texts, locale: Locale) -> Self {
        let Offer { pair, bonus_rate, limits, free, floating } = offer;
        let rate: &Rate = &bonus_rate.rate;
        let set = &pair.pair;
        let parts = rate.terms.parts();
        let PairNotices { general, from, to } = &set.notices;
        let notice = |notice: &Option<crate::market::BilingualNotice>| {
            let text = notice.as_ref().map(|notice| notice.get(locale));
            Nullable(text.map(|text| PairNotice { title: text.title.clone(), message: text.message.clone() }))
        };
        Self {
            course: Dec(parts.rate),
            bonus: Dec(bonus_rate.percent),
            bonuses: bonus_rate.parts.iter().map(|part| PairBonus::of(part, texts, locale)).collect(),
            bonus_cut: Nullable(BonusReduction::of(bonus_rate, texts, locale)),
            promo: Nullable(None),
            notify: notice(general),
            from: PairSide::of(&limits.give, rate.terms.give_step(), &pair.give, notice(from)),
            to: PairSide::of(&limits.receive, rate.terms.receive_step(), &pair.receive, notice(to)),
            cities: pair.cities().into_iter().map(|city| PairCity::of(city, locale)).collect(),
            structure: PairStructure {
                from: PairSideStructure::of(&pair.give, set.verification == Some(VerificationSubject::Card), locale),
                to: PairSideStructure::of(&pair.receive, false, locale),
            },
            quote: PairQuote { id: quote.token(), expires_at, signature: quote.signature.clone() },
            fees: pair.fees(parts).into(),
            tiers: RateTier::all(parts),
            reserve: Dec(pair.receive.free(*free)),
            hold: set.hold_minutes,
            hold_minutes: set.hold_minutes,
            floating: Nullable(floating.map(|terms| FloatingRateDetails {
                confirmations: Nullable(terms.confirmations),
                minutes: terms.minutes,
                source: rate_text::source(texts, locale, pair),
                deviation_percent: Dec(terms.deviation_percent),
            })),
            verification: Nullable(set.verification.map(ApiEnum)),
            customer_terms: Nullable(set.customer_terms().map(|terms| {
                let (title, message) = terms.get(locale);
                PairCustomerTerms { id: terms.id.clone(), title: title.to_owned(), message: message.to_owned() }
            })),
            rates_of: Nullable(rate.rates_of.map(|day| day.to_string())),
            source: PairRateSource { kind: set.source.into(), text: rate_text::source(texts, locale, pair) },
            explanation: rate_text::explanation(texts, locale, &rate.explanation.public_view()),
        }
    }

    pub(super) fn with_promo(mut self, promo: Option<&PromoCodeCheck>, offer: &Offer<'_>, texts: &Texts, locale: Locale) -> Self {
        self.promo = Nullable(promo.map(|check| PromoCodeResult::of(check, &offer.bonus_rate, texts, locale)));
        self
    }
}

impl PairSide {
    fn of(range: &Range, step: Option<Decimal>, currency: &Currency, notify: Nullable<PairNotice>) -> Self {
        Self {
            min: Nullable(Some(Dec(range.min.value))),
            max: Nullable(Some(Dec(range.max.value))),
            step: Nullable(step.map(Dec)),
            round_calculator: currency.round_digits,
            notify,
        }
    }
}

impl PairSideStructure {
    /// With `by_card` the card number is always requested, because the card has to be verified.
    fn of(currency: &Currency, by_card: bool, locale: Locale) -> Self {
        let facts = &currency.facts;
        let input = |input: &CurrencyInput| RequisiteField {
            name: input.name.clone(),
            send: input.give || (by_card && input.kind == RequisiteKind::Card),
            receive: input.receive,
            label: input.label.get(locale).to_owned(),
            required: input.required,
            kind: input.kind.into(),
            hint: Nullable(input.hint.as_ref().map(|hint| hint.get(locale).to_owned())),
            pattern: Nullable(input.pattern.clone()),
            mask: Nullable(input.mask.clone()),
        };
        Self {
            currency: PairCurrency {
                id: facts.id,
                code: facts.code.clone(),
                name: facts.name.get(locale).to_owned(),
                ticker: facts.ticker.clone(),
                network: facts.network.get(locale).to_owned(),
                kind: facts.kind.into(),
                icon: facts.icon.clone(),
            },
            network: facts.network.get(locale).to_owned(),
            input: facts.inputs.iter().map(input).collect(),
        }
    }
}

impl RateTier {
    /// All tiers, the first from zero.
    pub(super) fn all(parts: &TermsParts) -> Vec<Self> {
        let first = Self { min: Dec(Decimal::ZERO), course: Dec(parts.rate) };
        let tiers = parts.tiers.iter().map(|tier| Self { min: Dec(tier.min_give), course: Dec(tier.rate) });
        std::iter::once(first).chain(tiers).collect()
    }
}
