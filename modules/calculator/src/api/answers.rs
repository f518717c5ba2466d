//! The answers of the public calls.

use agio_core::needs::{CurrencyFacts, FloatingTerms, InputFacts, PromoSeen, Proof};
use agio_core::texts::{Locale, Texts};
use agio_http::{Dec, Moment, Null};
use poem_openapi::{Enum, Object};
use rust_decimal::Decimal;
use serde::Serialize;

use super::bonus::{CalculatorBonus, CalculatorBonusCut, CalculatorPromo};
use crate::market::{Currency, Lifted, MarketPair, Notices, Rate, RateSource, wording};
use crate::model::engine::TermsParts;
use crate::model::limits::{Limits, Range};
use crate::model::pricing::Fee;
use crate::model::quote::SignedQuote;

/// What a currency is.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum CalculatorKind {
    /// On a blockchain.
    Crypto,
    /// On a bank account or card.
    Bank,
    /// In a payment system.
    Ewallet,
    /// In cash.
    Cash,
}

impl CalculatorKind {
    /// The kind of a currency.
    #[must_use]
    pub fn of(facts: &CurrencyFacts) -> Self {
        match facts.kind.as_str() {
            "crypto" => Self::Crypto,
            "bank" => Self::Bank,
            "ewallet" => Self::Ewallet,
            _ => Self::Cash,
        }
    }
}

/// The currencies that customers may see.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorDirections {
    /// Currencies in the order of lists.
    pub directions: Vec<CalculatorDirection>,
}

/// A currency with its network or payment system.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorDirection {
    /// Identifier.
    id: i64,
    /// The monitors' code, such as `USDTTRC20`.
    code: String,
    /// Name in the caller's language.
    name: String,
    /// The asset, such as `USDT`.
    ticker: String,
    /// Network or payment system.
    network: String,
    /// What it is.
    kind: CalculatorKind,
    /// Name of its icon.
    icon: String,
    /// Decimals its amounts are shown and taken in.
    round_calculator: u32,
    /// Whether customers may send it.
    send: bool,
    /// Whether customers may receive it.
    receive: bool,
    /// Its place in lists.
    position: i64,
}

impl CalculatorDirection {
    /// A currency in one language.
    #[must_use]
    pub fn of(currency: &Currency, locale: Locale) -> Self {
        let facts = &currency.facts;
        Self {
            id: facts.id,
            code: facts.code.clone(),
            name: facts.name.get(locale).to_owned(),
            ticker: facts.ticker.clone(),
            network: facts.network.get(locale).to_owned(),
            kind: CalculatorKind::of(facts),
            icon: facts.icon.clone(),
            round_calculator: currency.round_digits,
            send: currency.send,
            receive: currency.receive,
            position: currency.position,
        }
    }
}

/// Something customers are told about a pair.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorNotice {
    /// The heading: plain text.
    title: String,
    /// The message: sanitised HTML.
    message: String,
}

/// Everything needed to exchange one currency for another: the rate, its limits, what is asked for, and a quote.
///
/// What is received is `(send - fees.from.fixed) x course - fees.to.fixed`, where the course is the one of the last tier
/// whose `min` is not above the sent amount, rounded down to `to.roundCalculator` decimals. Percents are inside the courses.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorPair {
    /// Units received for one unit sent, percents and bonus inside.
    course: Dec,
    /// Percent of bonus inside the course.
    bonus: Dec,
    /// What the bonus is given for; together the parts may ask for more than is inside.
    bonuses: Vec<CalculatorBonus>,
    /// Why the bonus is smaller than its parts together; null where it is not.
    bonus_cut: Null<CalculatorBonusCut>,
    /// The promo code that was asked with, and whether it counts; null without one.
    promo: Null<CalculatorPromo>,
    /// What customers of the pair are told.
    notify: Null<CalculatorNotice>,
    /// Limits of the sent amount.
    from: CalculatorSide,
    /// Limits of the received amount.
    to: CalculatorSide,
    /// The currencies, and what customers are asked for.
    structure: CalculatorStructure,
    /// The signed promise of these terms.
    quote: CalculatorQuote,
    /// Fees; percents are inside the course already.
    fees: CalculatorFees,
    /// From which sent amounts on other courses hold.
    tiers: Vec<CalculatorTier>,
    /// What is free of the received currency.
    reserve: Dec,
    /// For how many minutes a claim holds the rate.
    hold: i64,
    /// The same by its full name: from the quote over the confirmation to the payment; a payment that is first seen later is late.
    hold_minutes: i64,
    /// How the payment fixes the rate; null where the rate is fixed with the claim.
    floating: Null<CalculatorFloating>,
    /// What is verified before a customer pays, by a photo; null where nothing is.
    verification: Null<CalculatorProof>,
    /// The day whose rates are used, where that is not today.
    rates_of: Null<String>,
    /// Where the rate comes from.
    source: CalculatorRateSource,
    /// How the course is made, in a line.
    explanation: String,
}

/// One side of a pair.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct CalculatorSide {
    /// Least amount.
    min: Null<Dec>,
    /// Greatest amount; the free reserve is minded already.
    max: Null<Dec>,
    /// Decimals amounts are shown and taken in.
    round_calculator: u32,
    /// What customers are told about this side.
    notify: Null<CalculatorNotice>,
}

/// The currencies of a pair, and what customers are asked for.
#[derive(Debug, Serialize, Object)]
struct CalculatorStructure {
    /// On the sent side.
    from: CalculatorSideStructure,
    /// On the received side.
    to: CalculatorSideStructure,
}

/// A currency and what customers are asked for about it.
#[derive(Debug, Serialize, Object)]
struct CalculatorSideStructure {
    /// The currency.
    currency: CalculatorCurrency,
    /// Its network or payment system.
    network: String,
    /// What is asked for.
    input: Vec<CalculatorInput>,
}

/// A currency.
#[derive(Debug, Serialize, Object)]
struct CalculatorCurrency {
    /// Identifier.
    id: i64,
    /// The monitors' code.
    code: String,
    /// Name in the caller's language.
    name: String,
    /// The asset.
    ticker: String,
    /// Network or payment system.
    network: String,
    /// What it is.
    kind: CalculatorKind,
    /// Name of its icon.
    icon: String,
}

/// One thing customers are asked for.
#[derive(Debug, Serialize, Object)]
struct CalculatorInput {
    /// The key it is sent under.
    name: String,
    /// Whether it is asked when the currency is sent.
    send: bool,
    /// Whether it is asked when the currency is received.
    receive: bool,
    /// What the field is called, in the caller's language.
    label: String,
    /// Whether it must be given.
    required: bool,
    /// How it is checked: `btc`, `evm`, `tron`, `card`, `iban`, `phone`, `holder`, `memo` and so on.
    kind: String,
}

/// A signed promise of terms.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct CalculatorQuote {
    /// What a claim is made with to get these terms; also readable, see the key's document.
    id: String,
    /// From then on it no longer holds.
    expires_at: Moment,
    /// The signature alone, as base64url.
    signature: String,
}

/// Fees of both sides.
#[derive(Debug, Serialize, Object)]
pub struct CalculatorFees {
    /// On the sent side.
    from: CalculatorFee,
    /// On the received side.
    to: CalculatorFee,
}

/// A fee.
#[derive(Debug, Serialize, Object)]
struct CalculatorFee {
    /// Taken once, in the currency of its side.
    fixed: Dec,
    /// In percent of the amount of its side; inside the course already.
    percent: Dec,
}

/// How a floating rate is fixed: by the payment, at the rate of that moment, with no bound on how far that has moved.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct CalculatorFloating {
    /// The confirmation of the payment by which the rate is fixed; null where staff confirm payments.
    confirmations: Null<u32>,
    /// The payment is due within so many minutes after the claim is confirmed.
    minutes: i64,
    /// Where the rate is taken from, in the caller's language.
    source: String,
    /// By how many percent the course is above, or if negative below, the source's rate.
    deviation_percent: Dec,
}

/// How a floating rate is fixed, without words.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct CalculatorFloatingTerms {
    /// The confirmation of the payment by which the rate is fixed; null where staff confirm payments.
    confirmations: Null<u32>,
    /// The payment is due within so many minutes after the claim is confirmed.
    minutes: i64,
    /// By how many percent the course is above, or if negative below, the source's rate.
    deviation_percent: Dec,
}

impl CalculatorFloatingTerms {
    /// The terms of a floating rate.
    pub(super) fn of(terms: FloatingTerms) -> Self {
        let FloatingTerms { confirmations, minutes, deviation_percent } = terms;
        Self { confirmations: Null(confirmations), minutes, deviation_percent: Dec(deviation_percent) }
    }
}

/// A course that holds from a sent amount on.
#[derive(Debug, Serialize, Object)]
pub(super) struct CalculatorTier {
    /// Least sent amount.
    min: Dec,
    /// Units received for one unit sent.
    course: Dec,
}

/// Where a rate comes from.
#[derive(Debug, Serialize, Object)]
struct CalculatorRateSource {
    /// Set by hand, or made from what sources say.
    kind: CalculatorSourceKind,
    /// The sources and their time, in the caller's language.
    text: String,
}

/// What is verified before a customer pays.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub(super) enum CalculatorProof {
    /// The card they pay with.
    Card,
    /// Who they are.
    Identity,
}

impl CalculatorProof {
    pub(super) fn of(proof: Proof) -> Self {
        match proof {
            Proof::Card => Self::Card,
            Proof::Identity => Self::Identity,
        }
    }
}

/// Whether a rate is set by hand.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum CalculatorSourceKind {
    /// An operator set it.
    Manual,
    /// It is made from what sources say.
    Market,
}

/// A pair that can be exchanged now, with what holds at this moment.
pub(super) struct Offer<'a> {
    pub pair: &'a MarketPair,
    /// Its rate, with the bonus of whom it is made to.
    pub lifted: Lifted<'a>,
    pub limits: Limits,
    /// The free reserve, in units.
    pub free: i64,
    /// How the payment fixes the rate; nothing where it is fixed with the claim.
    pub floating: Option<FloatingTerms>,
}

impl CalculatorPair {
    /// The offer with its quote, in one language.
    pub(super) fn of(offer: &Offer<'_>, quote: &SignedQuote, expires_at: Moment, texts: &Texts, locale: Locale) -> Self {
        let Offer { pair, lifted, limits, free, floating } = offer;
        let rate: &Rate = &lifted.rate;
        let set = &pair.pair;
        let parts = rate.terms.parts();
        let Notices { general, from, to } = &set.notices;
        let notice = |notice: &Option<crate::market::BilingualNotice>| {
            let text = notice.as_ref().map(|notice| notice.get(locale));
            Null(text.map(|text| CalculatorNotice { title: text.title.clone(), message: text.message.clone() }))
        };
        Self {
            course: Dec(parts.course),
            bonus: Dec(lifted.percent),
            bonuses: lifted.parts.iter().map(|part| CalculatorBonus::of(part, texts, locale)).collect(),
            bonus_cut: Null(CalculatorBonusCut::of(lifted, texts, locale)),
            promo: Null(None),
            notify: notice(general),
            from: CalculatorSide::of(&limits.from, &pair.from, notice(from)),
            to: CalculatorSide::of(&limits.to, &pair.to, notice(to)),
            structure: CalculatorStructure {
                from: CalculatorSideStructure::of(&pair.from, set.verification == Some(Proof::Card), locale),
                to: CalculatorSideStructure::of(&pair.to, false, locale),
            },
            quote: CalculatorQuote { id: quote.token(), expires_at, signature: quote.signature.clone() },
            fees: CalculatorFees::of(pair),
            tiers: CalculatorTier::all(parts),
            reserve: Dec(pair.to.free(*free)),
            hold: set.hold_minutes,
            hold_minutes: set.hold_minutes,
            floating: Null(floating.map(|terms| CalculatorFloating {
                confirmations: Null(terms.confirmations),
                minutes: terms.minutes,
                source: wording::source(texts, locale, pair),
                deviation_percent: Dec(terms.deviation_percent),
            })),
            verification: Null(set.verification.map(CalculatorProof::of)),
            rates_of: Null(rate.rates_of.map(|day| day.to_string())),
            source: CalculatorRateSource {
                kind: match set.source {
                    RateSource::Manual => CalculatorSourceKind::Manual,
                    RateSource::Market => CalculatorSourceKind::Market,
                },
                text: wording::source(texts, locale, pair),
            },
            explanation: wording::explanation(texts, locale, &rate.explanation),
        }
    }

    /// The same with what is said about the promo code that was asked with.
    pub(super) fn with_promo(mut self, promo: Option<&PromoSeen>, offer: &Offer<'_>, texts: &Texts, locale: Locale) -> Self {
        self.promo = Null(promo.map(|seen| CalculatorPromo::of(seen, &offer.lifted, texts, locale)));
        self
    }
}

impl CalculatorSide {
    fn of(range: &Range, currency: &Currency, notify: Null<CalculatorNotice>) -> Self {
        Self {
            min: Null(Some(Dec(range.min.value))),
            max: Null(Some(Dec(range.max.value))),
            round_calculator: currency.round_digits,
            notify,
        }
    }
}

impl CalculatorSideStructure {
    /// `by_card`: the card that is paid with is asked for whatever the currency says, since it is verified.
    fn of(currency: &Currency, by_card: bool, locale: Locale) -> Self {
        let facts = &currency.facts;
        let input = |input: &InputFacts| CalculatorInput {
            name: input.name.clone(),
            send: input.send || (by_card && input.kind == "card"),
            receive: input.receive,
            label: input.label.get(locale).to_owned(),
            required: input.required,
            kind: input.kind.clone(),
        };
        Self {
            currency: CalculatorCurrency {
                id: facts.id,
                code: facts.code.clone(),
                name: facts.name.get(locale).to_owned(),
                ticker: facts.ticker.clone(),
                network: facts.network.get(locale).to_owned(),
                kind: CalculatorKind::of(facts),
                icon: facts.icon.clone(),
            },
            network: facts.network.get(locale).to_owned(),
            input: facts.inputs.iter().map(input).collect(),
        }
    }
}

impl CalculatorFees {
    /// The fees of a pair.
    pub(super) fn of(pair: &MarketPair) -> Self {
        Self { from: CalculatorFee::of(pair.pair.fee_from), to: CalculatorFee::of(pair.pair.fee_to) }
    }
}

impl CalculatorTier {
    /// The courses of a pair by what is sent, the first from zero.
    pub(super) fn all(parts: &TermsParts) -> Vec<Self> {
        let first = Self { min: Dec(Decimal::ZERO), course: Dec(parts.course) };
        let tiers = parts.tiers.iter().map(|tier| Self { min: Dec(tier.min_send), course: Dec(tier.course) });
        std::iter::once(first).chain(tiers).collect()
    }
}

impl CalculatorFee {
    fn of(fee: Fee) -> Self {
        Self { fixed: Dec(fee.fixed), percent: Dec(fee.percent) }
    }
}
