//! Request and response bodies of rate sources and rates.

use agio_contracts::{RateBreakdown, SuspensionCause};
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;

use super::rules::PairRateRules;
use crate::Rates;
use crate::model::cost_price::{ExchangeMargin, ExchangeMargins};
use crate::model::rate_range::margin_percent;
use crate::service::{ClaimRateExplanation, RateSourceDetails, SuspendedPair};
use crate::store::HistoryPointRow;

/// A rate source.
#[body(response)]
pub struct RateSourceView {
    /// Plugin name.
    name: String,
    /// Title.
    title: String,
    /// Description.
    about: String,
    /// Whether the plugin is installed.
    installed: bool,
    /// Whether it reads competitors' offers from an exchange aggregator instead of prices.
    reads_aggregator: bool,
    /// Whether the source is enabled.
    enabled: bool,
    /// Polling interval in seconds.
    every_seconds: i64,
    /// Maximum age of its data, in seconds.
    max_age_seconds: i64,
    /// Priority; lower is more trusted.
    priority: i64,
    /// Whether it only confirms other sources and never sets the price.
    cross_check: bool,
    /// Whether the source is enabled, responds, and its latest data is recent enough.
    live: bool,
    /// Time of the last response.
    responded_at: Nullable<DateTime>,
    /// Number of prices or directions in the last response.
    prices: i64,
    /// Time of its oldest price.
    oldest: Nullable<DateTime>,
    /// Time of its latest price.
    newest: Nullable<DateTime>,
    /// Last error.
    fault: Nullable<String>,
    /// Time of the last error.
    fault_at: Nullable<DateTime>,
    /// Revision, incremented on every change.
    revision: i64,
}

impl RateSourceView {
    pub(super) fn of(source: RateSourceDetails, locale: Locale) -> Self {
        let RateSourceDetails { title, about, is_installed, reads_aggregator, set, observed, is_live } = source;
        Self {
            title: title.get(locale).to_owned(),
            about: about.get(locale).to_owned(),
            installed: is_installed,
            reads_aggregator,
            enabled: set.enabled,
            every_seconds: set.every_seconds,
            max_age_seconds: set.max_age_seconds,
            priority: set.priority,
            cross_check: set.cross_check,
            live: is_live,
            responded_at: set.responded_at.map(DateTime).into(),
            prices: set.prices,
            oldest: observed.map(|(oldest, _)| DateTime(oldest)).into(),
            newest: observed.map(|(_, newest)| DateTime(newest)).into(),
            fault: set.fault.into(),
            fault_at: set.fault_at.map(DateTime).into(),
            revision: set.revision,
            name: set.name,
        }
    }
}

/// Configuration of a rate source. Omitted fields keep their value, or that of a new source.
#[body(request, example)]
#[derive(Debug)]
pub struct UpdateRateSourceRequest {
    /// The revision you edited; 0 for a source that has not been configured yet.
    pub revision: i64,
    /// Whether the source is enabled.
    pub enabled: bool,
    /// Polling interval in seconds.
    pub every_seconds: Option<i64>,
    /// Maximum age of its data, in seconds.
    pub max_age_seconds: Option<i64>,
    /// Priority; lower is more trusted.
    pub priority: Option<i64>,
    /// Whether it only confirms other sources and never sets the price.
    pub cross_check: Option<bool>,
}

impl Example for UpdateRateSourceRequest {
    fn example() -> Self {
        Self {
            revision: 0,
            enabled: true,
            every_seconds: Some(30),
            max_age_seconds: Some(120),
            priority: Some(10),
            cross_check: Some(false),
        }
    }
}

/// A suspended pair.
#[body(response)]
pub struct SuspensionView {
    /// Pair.
    pair_id: i64,
    /// Reason. A pair suspended for `arbitrage`, `cost_unknown` or `below_cost` resumes when that has passed and cannot be
    /// resumed manually.
    cause: ApiEnum<SuspensionCause>,
    /// Explanation with the excluded sources, in the request's language.
    text: String,
    /// Start of the suspension.
    since: DateTime,
    /// Number of consecutive good cycles since then.
    good_cycles: u32,
}

impl SuspensionView {
    pub(super) fn of(rates: &Rates, suspended: &SuspendedPair, locale: Locale) -> Self {
        Self {
            pair_id: suspended.pair,
            cause: suspended.suspension.cause.into(),
            text: rates.suspension_text(&suspended.suspension, locale),
            since: DateTime(suspended.suspension.since),
            good_cycles: suspended.good_cycles,
        }
    }
}

/// How a rate was calculated.
#[body(response)]
pub struct RateExplanationView {
    /// Claim number. Null for the current rate of a pair.
    number: Nullable<i64>,
    /// Stored rate. Null for the current rate of a pair.
    rate: Nullable<Dec>,
    /// Rate recalculated from the stored steps. Null if they give none.
    recomputed: Nullable<Dec>,
    /// Whether both rates are equal.
    agrees: bool,
    /// The calculation in one line.
    text: String,
    /// The stored steps, as JSON.
    steps: String,
}

impl RateExplanationView {
    pub(super) fn of_claim(explained: ClaimRateExplanation, locale: Locale) -> Self {
        let ClaimRateExplanation { number, rate, recomputed } = explained;
        let agrees = recomputed.rate == Some(rate);
        Self { number: Some(number).into(), rate: Some(Dec(rate)).into(), agrees, ..Self::of_pair(recomputed, locale) }
    }

    pub(super) fn of_pair(recomputed: RateBreakdown, locale: Locale) -> Self {
        Self {
            number: Nullable(None),
            rate: Nullable(None),
            recomputed: recomputed.rate.map(Dec).into(),
            agrees: recomputed.rate.is_some(),
            text: recomputed.words.get(locale).to_owned(),
            steps: recomputed.steps.to_string(),
        }
    }
}

/// Rate rules and the current rate of a pair.
#[body(response)]
pub struct PairRateDetails {
    /// Pair.
    pub(super) id: i64,
    /// Currency the customer gives.
    pub(super) from: String,
    /// Currency the customer receives.
    pub(super) to: String,
    /// Rate rules.
    pub(super) rules: PairRateRules,
    /// Revision of the rules; 0 while there are none.
    pub(super) revision: i64,
    /// When the rules last changed.
    pub(super) updated_at: Nullable<DateTime>,
    /// Suspension of the pair, if any.
    pub(super) suspension: Nullable<SuspensionView>,
    /// How the current rate is calculated.
    pub(super) rate: Nullable<RateExplanationView>,
    /// Names of the sources that a formula may use.
    pub(super) formula_sources: Vec<String>,
    /// Whether the rate is manual. Then a formula has no effect.
    pub(super) is_manual: bool,
    /// The market rate: what the sources say, also if the rate does not follow them. Null if they are silent or too old.
    pub(super) market_rate: Nullable<Dec>,
    /// Units received for one unit given, without fixed fees. Null if there is no rate.
    pub(super) customer_rate: Nullable<Dec>,
    /// How far the customer rate is below the market rate, in percent. Null if one of them is unknown.
    pub(super) margin_percent: Nullable<Dec>,
    /// What exchanges cost and leave. Null if nothing can be exchanged or the market rate is unknown.
    pub(super) costs: Nullable<ExchangeCosts>,
}

/// What the smallest and the largest exchange of a pair cost and leave.
#[body(response)]
pub struct ExchangeCosts {
    /// What the network takes for a payout, in the receive currency, also if the customer bears it.
    network_fee: Dec,
    /// The smallest exchange.
    smallest: ExchangeCost,
    /// The largest exchange.
    largest: ExchangeCost,
}

/// What an exchange costs and leaves.
#[body(response)]
struct ExchangeCost {
    /// Given amount.
    give: Dec,
    /// Received amount, with all fees.
    receive: Dec,
    /// Cost price: units received for one unit given at which nothing would be left. Null if the network fee alone costs
    /// more.
    cost_price: Nullable<Dec>,
    /// What is left of the given amount at the market rate, after the payout and its network fee. In the receive currency.
    margin: Dec,
    /// The same in percent of the given amount.
    margin_percent: Dec,
}

impl From<ExchangeMargins> for ExchangeCosts {
    fn from(margins: ExchangeMargins) -> Self {
        let cost = |margin: ExchangeMargin| ExchangeCost {
            give: Dec(margin.amounts.give),
            receive: Dec(margin.amounts.receive),
            cost_price: margin.cost_price.map(Dec).into(),
            margin: Dec(margin.margin),
            margin_percent: Dec(margin.percent),
        };
        Self { network_fee: Dec(margins.network_fee), smallest: cost(margins.smallest), largest: cost(margins.largest) }
    }
}

/// A point of the rate history.
#[body(response)]
pub struct RateHistoryPoint {
    /// Time.
    at: DateTime,
    /// Market rate. The rate before spread and rules where the sources said nothing.
    market: Dec,
    /// Customer rate. Null if there was none.
    rate: Nullable<Dec>,
    /// How far the customer rate was below the market rate, in percent. Null if there was none.
    margin_percent: Nullable<Dec>,
    /// Whether the pair was suspended.
    suspended: bool,
}

impl From<HistoryPointRow> for RateHistoryPoint {
    fn from(row: HistoryPointRow) -> Self {
        let HistoryPointRow { at, market, rate, suspended, .. } = row;
        let margin = rate.and_then(|rate| margin_percent(market.0, rate.0));
        Self {
            at: DateTime(at),
            market: Dec(market.0),
            rate: rate.map(|rate| Dec(rate.0)).into(),
            margin_percent: margin.map(Dec).into(),
            suspended,
        }
    }
}
