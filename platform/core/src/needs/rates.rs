//! What the room that judges rates tells the one that prices with them, and what it asks there.

use std::collections::BTreeSet;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::bonuses::percent_text as decimal_text;
use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;

/// What a live source said: units of the quote for one of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPrice {
    /// Name of the source.
    pub source: String,
    /// The asset that is priced.
    pub base: String,
    /// The asset it is priced in.
    pub quote: String,
    /// What the source buys the base at.
    pub bid: Decimal,
    /// What it sells the base at.
    pub ask: Decimal,
    /// When that was so; midnight stands for a whole day.
    pub observed_at: Timestamp,
}

/// What is known of two assets that live sources price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedLeg {
    /// The asset that is priced.
    pub base: String,
    /// The asset it is priced in.
    pub quote: String,
    /// The price that counts; nothing where the sources do not agree on one. No other price of these two assets counts then either.
    pub price: Option<AgreedPrice>,
}

/// A price that sources agree on: of those that agree, the one that is best for the house on either side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgreedPrice {
    /// What the base is sold at.
    pub bid: SidePrice,
    /// What it is bought at.
    pub ask: SidePrice,
    /// The sources that agree, by name.
    pub agreed: Vec<String>,
    /// Until when it may be priced with.
    pub good_until: Timestamp,
}

/// One side of a price, and who said so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SidePrice {
    /// Units of the quote for one of the base.
    #[serde(with = "decimal_text")]
    pub price: Decimal,
    /// Whose price it is.
    pub source: String,
    /// When it held; midnight stands for a whole day.
    pub observed_at: Timestamp,
}

/// What is ruled about one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRuling {
    /// The pair.
    pub pair: i64,
    /// Why nobody exchanges it now; nothing where it goes on.
    pub stop: Option<Stop>,
    /// What is added to its course, in points of percent, with what each follows from.
    pub adjustments: Vec<Adjustment>,
    /// By how many percent its rate may jump, where that is not what [`JUMP_PERCENT`] says.
    pub jump_percent: Option<Decimal>,
}

/// The setting that says by how many percent a rate may jump before its pair stops. The room that judges rates declares it; the one
/// that prices holds quotes against the same bound.
pub const JUMP_PERCENT: &str = "rates.jump_percent";

/// All that is ruled at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruling {
    /// Prices of assets.
    pub legs: Vec<JudgedLeg>,
    /// Pairs that are not left as their operator set them.
    pub pairs: Vec<PairRuling>,
}

/// Why a pair is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stop {
    /// Stable: `stale`, `unusable`, `apart`, `too_few`, `jump`, `schedule`, `arbitrage`.
    pub cause: String,
    /// The two assets it is about, as `BASE/QUOTE`; empty where it is about the whole rate.
    #[serde(default)]
    pub leg: String,
    /// The numbers of its text, by name.
    #[serde(default)]
    pub numbers: Vec<(String, String)>,
    /// The sources that were left out, and why.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
    /// Since when.
    pub since: Timestamp,
}

/// A source that does not count for two assets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The source.
    pub source: String,
    /// Why: `stale`, `not_positive`, `crossed`, `ahead`, `apart`.
    pub why: String,
    /// What it said, or how old that is.
    pub said: String,
}

/// Something added to the course of a pair. All of them and the pair's own spread are points of percent of the same rate: they are added
/// up, then the rate is multiplied once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Adjustment {
    /// For a place on a monitor.
    Position(PositionPart),
    /// By how much of the reserve there is.
    Reserve(ReservePart),
    /// By how far the rate moved in a day.
    Move(MovePart),
    /// By the hour.
    Schedule(SchedulePart),
    /// What brings the sum into the pair's bounds.
    Bound(BoundPart),
}

impl Adjustment {
    /// Points of percent it adds to the course; less than nothing takes away.
    #[must_use]
    pub fn percent(&self) -> Decimal {
        match self {
            Self::Position(part) => part.percent,
            Self::Reserve(part) => part.percent,
            Self::Move(part) => part.percent,
            Self::Schedule(part) => part.percent,
            Self::Bound(part) => part.percent,
        }
    }
}

/// What a place on a monitor asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionPart {
    /// Points of percent added to the course.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
    /// The margin that was aimed at and the one that was reached, with what they follow from. Customers are not shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<PositionInputs>,
}

/// What a place on a monitor follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionInputs {
    /// The source that read the monitor.
    pub monitor: String,
    /// When it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<Timestamp>,
    /// How many competitors counted.
    pub counted: String,
    /// The place that is had with the margin aimed at; nothing where nobody fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Who has that place now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchanger: Option<String>,
    /// What they offer: units received for one sent, as plain digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<String>,
    /// The margin aimed at, in percent.
    #[serde(with = "decimal_text")]
    pub aim: Decimal,
    /// The margin reached in this step, in percent.
    #[serde(with = "decimal_text")]
    pub margin: Decimal,
}

/// What the reserve asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReservePart {
    /// Points of percent added to the course.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
    /// How much of the wanted reserve there is, in percent.
    #[serde(with = "decimal_text")]
    pub level: Decimal,
}

/// What the move of a day asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MovePart {
    /// Points of percent added to the course.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
    /// By how many percent the rate moved.
    #[serde(with = "decimal_text")]
    pub moved: Decimal,
    /// What it moved from.
    #[serde(with = "decimal_text")]
    pub before: Decimal,
    /// When it was that.
    pub at: Timestamp,
}

/// What the hour asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchedulePart {
    /// Points of percent added to the course.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
    /// The hours: `22:00-06:00`.
    pub hours: String,
}

/// What the bounds ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundPart {
    /// Points of percent added to the course.
    #[serde(with = "decimal_text")]
    pub percent: Decimal,
    /// The least margin, in percent.
    #[serde(with = "decimal_text")]
    pub floor: Decimal,
    /// The greatest margin, in percent.
    #[serde(with = "decimal_text")]
    pub ceiling: Decimal,
}

/// A pair as rates are judged for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookPair {
    /// The pair.
    pub id: i64,
    /// The codes of its currencies.
    pub codes: (String, String),
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether its rate is made from what sources say.
    pub is_market: bool,
    /// Units received for one sent before the house adds its own; nothing where none can be made.
    pub market: Option<Decimal>,
    /// The assets its rate goes over, two by two, in order.
    pub path: Vec<(String, String)>,
    /// The two assets on its path that sources do not agree on.
    pub blocked: Option<(String, String)>,
    /// Whether all of its rate is recent enough.
    pub is_fresh: bool,
    /// What an operator keeps of the rate, in percent.
    pub spread_percent: Decimal,
    /// The fees in percent, on the sent and on the received side.
    pub fee_percents: (Decimal, Decimal),
    /// What is free of the received currency.
    pub free: Decimal,
    /// What a customer gets for one unit, fixed fees apart.
    pub course: Option<Decimal>,
}

/// The book of pairs and what they are priced with.
pub trait RateBook: Send + Sync {
    /// The tickers that rates go over.
    fn assets(&self) -> BTreeSet<String>;

    /// Whether live prices count: they do not while a day is fixed.
    fn is_live(&self) -> bool;

    /// Every pair as it would be with a ruling. Nothing is stored. Takes as long as pricing every pair does.
    fn priced(&self, ruling: &Ruling) -> Vec<BookPair>;

    /// Pairs that are suspended because a round trip over them gains, the longest first. They go on by themselves when it gains no longer.
    fn suspended(&self) -> Vec<(i64, Stop)>;

    /// Stores what live sources said, in the caller's transaction. It is not priced with until a ruling says so.
    fn put<'a>(&'a self, tx: &'a mut Tx, seen: &'a [SeenPrice]) -> BoxFuture<'a, Result<()>>;

    /// Puts a ruling in place of the one before, in the caller's transaction. It holds when that is durable and [`RateBook::refresh`]
    /// was called.
    fn rule<'a>(&'a self, tx: &'a mut Tx, ruling: &'a Ruling) -> BoxFuture<'a, Result<()>>;

    /// Prices with what is ruled now.
    fn refresh(&self) -> BoxFuture<'_, Result<()>>;

    /// Of what live sources said before `before` keeps one price an hour. Gives how many went.
    fn thin_out(&self, before: Timestamp) -> BoxFuture<'_, Result<u64>>;
}

/// The terms a claim was agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptTerms {
    /// Its number for talk.
    pub number: i64,
    /// Units received for one unit sent, as kept.
    pub course: Decimal,
    /// The terms as they were agreed, JSON.
    pub terms: String,
}

/// Knowing what claims were agreed on.
pub trait ClaimTerms: Send + Sync {
    /// The terms of a claim.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn of(&self, claim: Uuid) -> BoxFuture<'_, Result<KeptTerms>>;
}

/// How a course came about, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The course that the stored steps give when they are computed again; nothing where they give none.
    pub course: Option<Decimal>,
    /// The steps as they are stored, JSON.
    pub steps: serde_json::Value,
    /// In words of both languages.
    pub words: crate::texts::Bilingual,
}

/// Computing rates again from what is stored of them.
pub trait Replays: Send + Sync {
    /// The steps in the terms of a claim, computed again for its course.
    ///
    /// # Errors
    /// `internal` when the terms are not ones this program has written.
    fn replay(&self, terms: &KeptTerms) -> Result<Replayed>;

    /// The present rate of a pair; nothing where it has none.
    ///
    /// # Errors
    /// 404 `pair_unknown`.
    fn of_pair(&self, pair: i64) -> Result<Option<Replayed>>;
}
