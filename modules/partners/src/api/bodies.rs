//! What partners send, and the smaller answers.

use agio_core::Timestamp;
use agio_core::needs::{AmountQuote, InputFacts, OfferedCurrency, OfferedPair, Proof};
use agio_core::ratio::effective_rate;
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::PartnerClaimBody;
use super::access_bodies::{AccessEarnings, AccessTurnover};
use crate::service::{PartnerCaller, PartnerWhole, RateType};

/// The house's clock.
#[derive(Serialize, Object)]
pub struct PartnerTime {
    /// The present moment.
    now: Moment,
    /// The same in whole seconds since 1970, as a signature carries it.
    seconds: i64,
}

impl PartnerTime {
    pub fn at(now: Timestamp) -> Self {
        Self { now: Moment(now), seconds: now.as_seconds() }
    }
}

/// A key.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct PartnerKey {
    /// The partner's name.
    partner: String,
    /// What the key is called.
    title: String,
    /// Whether its claims are rehearsals that move no money.
    sandbox: bool,
    /// What it may do: `read`, `quote`, `claim`, `trustee`.
    scopes: Vec<String>,
    /// Calls a minute.
    per_minute: u32,
}

impl PartnerKey {
    pub fn of(caller: &PartnerCaller) -> Self {
        Self {
            partner: caller.party.name.clone(),
            title: caller.title.clone(),
            sandbox: caller.sandbox,
            scopes: caller.scopes.iter().map(ToString::to_string).collect(),
            per_minute: caller.per_minute,
        }
    }
}

/// One thing a customer is asked for.
#[derive(Serialize, Object)]
struct PartnerInput {
    /// The key it is sent under.
    name: String,
    /// How it is checked: `btc`, `evm`, `card`, `iban`, `holder`, `memo` and so on.
    kind: String,
    /// What it is called, in the language of the call.
    label: String,
    /// Whether it must be given.
    required: bool,
}

/// A currency.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct PartnerCurrency {
    /// The code it is named by in every call.
    code: String,
    /// The asset.
    ticker: String,
    /// Its network or payment system.
    network: String,
    /// Its name, in the language of the call.
    name: String,
    /// `crypto`, `bank`, `ewallet` or `cash`.
    kind: String,
    /// Decimals amounts are taken and told in.
    digits: u32,
    /// Whether it may be sent.
    send: bool,
    /// Whether it may be received.
    receive: bool,
    /// What is free of it.
    reserve: Dec,
    /// What is asked where it is sent, for `fromRequisites`.
    send_inputs: Vec<PartnerInput>,
    /// What is asked where it is received, for `toRequisites`.
    receive_inputs: Vec<PartnerInput>,
}

impl PartnerCurrency {
    pub fn of(currency: &OfferedCurrency, locale: Locale) -> Self {
        let facts = &currency.facts;
        let input = |input: &InputFacts| PartnerInput {
            name: input.name.clone(),
            kind: input.kind.clone(),
            label: input.label.get(locale).to_owned(),
            required: input.required,
        };
        Self {
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            network: facts.network.get(locale).to_owned(),
            name: facts.name.get(locale).to_owned(),
            kind: facts.kind.clone(),
            digits: currency.digits,
            send: currency.send,
            receive: currency.receive,
            reserve: Dec(currency.reserve),
            send_inputs: facts.inputs.iter().filter(|asked| asked.send).map(input).collect(),
            receive_inputs: facts.inputs.iter().filter(|asked| asked.receive).map(input).collect(),
        }
    }
}

/// When a rate is fixed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum PartnerRateType {
    /// When the claim is made.
    Fixed,
    /// When its payment arrives.
    Floating,
}

impl From<PartnerRateType> for RateType {
    fn from(of: PartnerRateType) -> Self {
        match of {
            PartnerRateType::Fixed => Self::Fixed,
            PartnerRateType::Floating => Self::Floating,
        }
    }
}

impl PartnerRateType {
    pub fn of(floating: bool) -> Self {
        if floating { Self::Floating } else { Self::Fixed }
    }
}

/// How the payment fixes a floating rate, at the rate of that moment.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct PartnerFloating {
    /// The confirmation of the payment by which it is fixed; null where our staff confirm payments.
    confirmations: Null<u32>,
    /// The payment is due within so many minutes after the claim is made.
    minutes: i64,
    /// By how many percent the course is above, or if negative below, the rate of its source.
    deviation_percent: Dec,
}

impl PartnerFloating {
    fn of(pair: &OfferedPair) -> Null<Self> {
        Null(pair.floating.map(|terms| Self {
            confirmations: Null(terms.confirmations),
            minutes: terms.minutes,
            deviation_percent: Dec(terms.deviation_percent),
        }))
    }
}

/// Fixed fees; percents are inside the course.
#[derive(Serialize, Object)]
struct PartnerFees {
    /// Taken from what is sent, in its currency.
    from: Dec,
    /// Taken from what is received, in its currency.
    to: Dec,
}

impl PartnerFees {
    fn of(pair: &OfferedPair) -> Self {
        Self { from: Dec(pair.fees.0), to: Dec(pair.fees.1) }
    }
}

/// The least and the most.
#[derive(Serialize, Object)]
struct PartnerRange {
    /// The least.
    min: Dec,
    /// The most.
    max: Dec,
}

/// A pair that can be exchanged now.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct PartnerPair {
    /// The code of the currency sent.
    from: String,
    /// The code of the currency received.
    to: String,
    /// Units received for one unit sent; fixed fees apart.
    course: Dec,
    /// The fixed fees.
    fees: PartnerFees,
    /// What may be sent.
    from_summa: PartnerRange,
    /// What may be received.
    to_summa: PartnerRange,
    /// What is free of the received currency.
    reserve: Dec,
    /// When the rate is fixed.
    rate_type: PartnerRateType,
    /// How the payment fixes the rate; null for a fixed one.
    floating: Null<PartnerFloating>,
    /// For how many minutes a claim's rate is held.
    hold: i64,
    /// What customers have verified before they pay: `card`, `identity`, or null.
    verification: Null<String>,
}

impl PartnerPair {
    pub fn of(pair: &OfferedPair) -> Self {
        let range = |(min, max)| PartnerRange { min: Dec(min), max: Dec(max) };
        Self {
            from: pair.from.code.clone(),
            to: pair.to.code.clone(),
            course: Dec(pair.course),
            fees: PartnerFees::of(pair),
            from_summa: range(pair.send),
            to_summa: range(pair.receive),
            reserve: Dec(pair.reserve),
            rate_type: PartnerRateType::of(pair.floating.is_some()),
            floating: PartnerFloating::of(pair),
            hold: pair.hold_minutes,
            verification: Null(pair.proof.map(Proof::name).map(str::to_owned)),
        }
    }
}

/// What is to be quoted: one of the two amounts.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartnerQuoteWish {
    /// The code of the currency sent.
    pub from: String,
    /// The code of the currency received.
    pub to: String,
    /// How much is sent.
    #[serde(default)]
    pub from_summa: Option<Dec>,
    /// How much is to be received at least.
    #[serde(default)]
    pub to_summa: Option<Dec>,
    /// Refuse the quote unless the pair's rate is of this type.
    #[serde(default)]
    pub rate_type: Option<PartnerRateType>,
}

/// A quote.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct PartnerQuote {
    /// What a claim is made with to get these terms.
    id: String,
    /// The code of the currency sent.
    from: String,
    /// The code of the currency received.
    to: String,
    /// What is sent.
    from_summa: Dec,
    /// What is received for it.
    to_summa: Dec,
    /// Units received for one unit sent at this amount; fixed fees apart.
    course: Dec,
    /// The fixed fees; they are taken off `toSumma` already.
    fees: PartnerFees,
    /// `toSumma` for one unit of `fromSumma`, every fee and rounding counted: cut to twelve significant digits.
    effective_rate: Null<Dec>,
    /// When the rate is fixed.
    rate_type: PartnerRateType,
    /// How the payment fixes the rate; null for a fixed one.
    floating: Null<PartnerFloating>,
    /// For how many minutes a claim's rate is held once it is made.
    hold: i64,
    /// From then on the quote no longer holds.
    expires_at: Moment,
}

impl PartnerQuote {
    pub fn of(quote: AmountQuote) -> Self {
        Self {
            id: quote.token,
            from_summa: Dec(quote.send),
            to_summa: Dec(quote.receive),
            course: Dec(quote.pair.course),
            fees: PartnerFees::of(&quote.pair),
            effective_rate: Null(effective_rate(quote.send, quote.receive).map(Dec)),
            rate_type: PartnerRateType::of(quote.pair.floating.is_some()),
            floating: PartnerFloating::of(&quote.pair),
            hold: quote.pair.hold_minutes,
            expires_at: Moment(quote.expires_at),
            from: quote.pair.from.code.clone(),
            to: quote.pair.to.code.clone(),
        }
    }
}

/// What was exchanged and earned.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct PartnerStatistics {
    /// `profit` or `amount`: what the commission is a share of.
    commission_kind: String,
    /// How many percent of it.
    commission_percent: String,
    /// What was exchanged, by direction.
    turnover: Vec<AccessTurnover>,
    /// What was earned, by currency.
    earnings: Vec<AccessEarnings>,
}

impl PartnerStatistics {
    pub fn of(whole: PartnerWhole) -> Self {
        Self {
            commission_kind: whole.row.commission_kind.to_string(),
            commission_percent: whole.row.commission_percent,
            turnover: whole.turnover.into_iter().map(AccessTurnover::of).collect(),
            earnings: whole.earnings.into_iter().map(AccessEarnings::of).collect(),
        }
    }
}

/// A page of claims, the newest first.
#[derive(Serialize, Object)]
pub struct PartnerClaimPage {
    /// The claims.
    pub items: Vec<PartnerClaimBody>,
    /// Which page this is, from 1.
    pub page: u32,
    /// How many a page has at most.
    pub size: u32,
    /// How many there are in all.
    pub total: i64,
}
