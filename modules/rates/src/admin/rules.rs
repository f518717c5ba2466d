//! Rate rules in requests and responses. The JSON is the same as the stored form.

use std::collections::BTreeMap;

use agio_contracts::PricedPair;
use agio_core::Error;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, DateTime, Dec, Nullable, body};
use poem_openapi::types::Example;
use rust_decimal::Decimal;

use super::bodies::ExchangeCosts;
use crate::Rates;
use crate::model::cost_price::ExchangeMargins;
use crate::model::formula::evaluation::FormulaReference;
use crate::model::rate_range::margin_percent;
use crate::model::rules::{FloorBase, RateRuleField, RateRules};
use crate::service::{BulkRulesUpdate, DryRunResult, RulesPreview};

/// Rate rules of a pair. Omitted values use the global settings.
#[body(shared, example)]
#[derive(Clone, Debug, Default)]
#[serde(default)]
pub struct PairRateRules {
    /// Formula of the rate, instead of the market rate: `mid(binance:BTCUSDT) * cbr:USDRUB`. Its unit has to be the
    /// receive currency per give currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// Number of sources that must agree on every part of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<u32>,
    /// Maximum price move within the window, in percent. The pair is suspended beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    jump_percent: Option<Dec>,
    /// Window in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    window_minutes: Option<u32>,
    /// Number of good cycles after which a suspended pair resumes automatically; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    resume_after: Option<u32>,
    /// Bounds of the total margin: the spread plus all rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<PairMarginBounds>,
    /// Target rank on an exchange aggregator.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<PairRankRule>,
    /// Adjustment by reserve level.
    #[serde(skip_serializing_if = "Option::is_none")]
    reserve: Option<PairReserveRule>,
    /// Adjustment by the daily price move, in percent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default)]
    moves: Vec<PairMarginCheckpoint>,
    /// Adjustments by schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<PairRateSchedule>,
}

/// Bounds of the margin, in percent. Where they contradict each other, the minimum applies.
#[body(shared)]
#[derive(Clone, Copy, Debug)]
struct PairMarginBounds {
    /// Minimum.
    floor: Dec,
    /// Maximum, over the market rate.
    ceiling: Dec,
    /// What the minimum is held over; omit for the market rate. Over the cost price, no exchange leaves less of the given
    /// amount, at the market rate, after the payout and its network fee. Held in the smallest exchange of every tier,
    /// where the network fee weighs most; fixed fees count there and nowhere for more. If that cannot be kept, the pair
    /// is suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    floor_over: Option<ApiEnum<FloorBase>>,
}

/// Target rank on an exchange aggregator.
#[body(shared)]
#[derive(Clone, Debug)]
struct PairRankRule {
    /// Source that reads the aggregator.
    aggregator: String,
    /// Best rank to aim for, from 1.
    best: u32,
    /// Worst acceptable rank.
    worst: u32,
    /// Maximum change of the margin per cycle, in percentage points.
    step: Dec,
    /// Percentage points by which to beat the competitor at that rank.
    undercut: Dec,
    /// The exchange's own names on the aggregator; not counted as competitors.
    #[serde(default)]
    #[oai(default)]
    own: Vec<String>,
    /// Competitors with a smaller reserve are ignored. In the receive currency.
    least_reserve: Dec,
}

/// Adjustment by reserve level.
#[body(shared)]
#[derive(Clone, Debug)]
struct PairReserveRule {
    /// Target reserve in the receive currency.
    target: Dec,
    /// Adjustments by percentage of the target.
    levels: Vec<PairMarginCheckpoint>,
}

/// An adjustment that applies from a value upwards.
#[body(shared)]
#[derive(Clone, Copy, Debug)]
struct PairMarginCheckpoint {
    /// Threshold.
    from: Dec,
    /// Percentage points added to the rate; may be negative.
    percent: Dec,
}

/// Weekly schedule.
#[body(shared)]
#[derive(Clone, Debug)]
struct PairRateSchedule {
    /// IANA name of the time zone, such as `Europe/Moscow`, or an offset from UTC, such as `+03:00`. Windows follow the
    /// clock of the place, summer time included.
    time_zone: String,
    /// Windows. If several match, the first applies.
    windows: Vec<PairScheduleWindow>,
}

/// A schedule window.
#[body(shared)]
#[derive(Clone, Debug)]
struct PairScheduleWindow {
    /// Days on which the window starts: 1 is Monday, 7 is Sunday.
    days: Vec<u32>,
    /// Start time, such as `22:00`.
    from: String,
    /// End time. If not after the start, the window ends on the next day.
    to: String,
    /// Percentage points added to the rate. Omit to suspend the pair during the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    percent: Option<Dec>,
}

impl Example for PairRateRules {
    fn example() -> Self {
        Self {
            sources: Some(2),
            jump_percent: Some(Dec(Decimal::from(5))),
            bounds: Some(PairMarginBounds { floor: Dec(Decimal::ONE), ceiling: Dec(Decimal::from(4)), floor_over: None }),
            reserve: Some(PairReserveRule {
                target: Dec(Decimal::from(1_000_000)),
                levels: vec![
                    PairMarginCheckpoint { from: Dec(Decimal::ZERO), percent: Dec(Decimal::new(-5, 1)) },
                    PairMarginCheckpoint { from: Dec(Decimal::from(50)), percent: Dec(Decimal::ZERO) },
                ],
            }),
            ..Self::default()
        }
    }
}

impl PairRateRules {
    pub(super) fn of(rules: &RateRules) -> Result<Self, Error> {
        let stored = serde_json::to_value(rules).map_err(Error::internal)?;
        serde_json::from_value(stored).map_err(Error::internal)
    }

    pub(super) fn rules(&self) -> Result<RateRules, Error> {
        let stored = serde_json::to_value(self).map_err(Error::internal)?;
        let rules: RateRules = serde_json::from_value(stored).map_err(Error::internal)?;
        let formula = rules.formula.map(|formula| formula.trim().to_owned()).filter(|formula| !formula.is_empty());
        Ok(RateRules { formula, ..rules })
    }
}

/// New rate rules of a pair.
#[body(request, example)]
#[derive(Debug)]
pub struct UpdateRateRulesRequest {
    /// The revision you edited; 0 if there were no rules.
    pub revision: i64,
    /// Rate rules.
    pub rules: PairRateRules,
}

impl Example for UpdateRateRulesRequest {
    fn example() -> Self {
        Self { revision: 0, rules: PairRateRules::example() }
    }
}

/// Rate rules to test.
#[body(request, example)]
#[derive(Debug)]
pub struct DryRunRateRulesRequest {
    /// Rules by pair. Other pairs keep theirs.
    changes: Vec<DryRunPairRules>,
}

/// Rate rules of one pair to test.
#[body(request)]
#[derive(Debug)]
struct DryRunPairRules {
    /// Pair.
    pair_id: i64,
    /// Rate rules.
    rules: PairRateRules,
}

impl Example for DryRunRateRulesRequest {
    fn example() -> Self {
        Self { changes: vec![DryRunPairRules { pair_id: 1, rules: PairRateRules::example() }] }
    }
}

impl DryRunRateRulesRequest {
    pub(super) fn changes(&self) -> Result<BTreeMap<i64, RateRules>, Error> {
        self.changes.iter().map(|change| Ok((change.pair_id, change.rules.rules()?))).collect()
    }
}

/// Effect of the tested rules on a pair.
#[body(response)]
pub struct RateDryRunResult {
    /// Pair.
    pair_id: i64,
    /// Currency the customer gives.
    from: String,
    /// Currency the customer receives.
    to: String,
    /// Current rate.
    before: Nullable<Dec>,
    /// Rate with the tested rules.
    after: Nullable<Dec>,
    /// What exchanges cost and leave now. Null if nothing can be exchanged or the market rate is unknown.
    costs_before: Nullable<ExchangeCosts>,
    /// What exchanges cost and leave with the tested rules.
    costs_after: Nullable<ExchangeCosts>,
    /// Whether the pair is suspended now.
    was_suspended: bool,
    /// Why the pair would be suspended, in the request's language. Null if it would not.
    suspension: Nullable<String>,
}

impl RateDryRunResult {
    pub(super) fn of(rates: &Rates, dry_run: DryRunResult, locale: Locale) -> Self {
        Self {
            pair_id: dry_run.pair,
            from: dry_run.codes.0,
            to: dry_run.codes.1,
            before: dry_run.before.map(Dec).into(),
            after: dry_run.after.map(Dec).into(),
            costs_before: dry_run.margins.0.map(ExchangeCosts::from).into(),
            costs_after: dry_run.margins.1.map(ExchangeCosts::from).into(),
            was_suspended: dry_run.was_suspended,
            suspension: dry_run.suspension.map(|suspension| rates.suspension_text(&suspension, locale)).into(),
        }
    }
}

/// Rate rules to set on several pairs.
#[body(request, example)]
#[derive(Debug)]
pub struct UpdateRateRulesInBulkRequest {
    /// Pair identifiers, at most 1,000.
    ids: Vec<i64>,
    /// The rules to set. All others stay as they are.
    fields: Vec<ApiEnum<RateRuleField>>,
    /// What they are set to. A rule of `fields` that is missing here is removed.
    rules: PairRateRules,
    /// Whether to only compute the effect.
    #[serde(default)]
    #[oai(default)]
    pub dry_run: bool,
}

impl Example for UpdateRateRulesInBulkRequest {
    fn example() -> Self {
        let (ids, fields) = (vec![1, 2, 3], vec![RateRuleField::Bounds.into()]);
        Self { ids, fields, rules: PairRateRules::example(), dry_run: true }
    }
}

impl UpdateRateRulesInBulkRequest {
    pub(super) fn update(&self) -> Result<BulkRulesUpdate, Error> {
        let fields = self.fields.iter().map(|field| field.0).collect();
        Ok(BulkRulesUpdate { pairs: self.ids.clone(), fields, rules: self.rules.rules()? })
    }
}

/// The effect of rate rules for several pairs.
#[body(response)]
pub struct UpdatedRateRules {
    /// Number of pairs whose rules change.
    pub changed: usize,
    /// The pairs whose rate or state changes now. Empty unless it is a dry run.
    pub pairs: Vec<RateDryRunResult>,
}

/// Rate rules to preview.
#[body(request, example)]
#[derive(Debug)]
pub struct PreviewRateRulesRequest {
    /// Rate rules.
    pub rules: PairRateRules,
}

impl Example for PreviewRateRulesRequest {
    fn example() -> Self {
        Self { rules: PairRateRules::example() }
    }
}

/// What customers would see of a pair with other rate rules.
#[body(response)]
pub struct RateRulesPreview {
    /// Currency the customer gives.
    from: String,
    /// Currency the customer receives.
    to: String,
    /// The market rate: what the sources say. Null if they are silent or too old.
    market_rate: Nullable<Dec>,
    /// What the formula gives. Null without a formula and if it gives nothing now.
    formula_rate: Nullable<Dec>,
    /// The prices that the formula uses.
    references: Vec<FormulaReferenceView>,
    /// The present rate.
    before: PreviewedRate,
    /// The rate with these rules.
    after: PreviewedRate,
    /// A usual exchange with these rules, with all fees. Null if nothing could be exchanged.
    sample: Nullable<PreviewedExchange>,
    /// Why the pair would be suspended, in the request's language. Null if it would not.
    suspension: Nullable<String>,
}

/// A price that a formula uses.
#[body(response)]
struct FormulaReferenceView {
    /// Such as `binance:BTC/USDT`.
    name: String,
    /// What the base sells at. Null if there is no price.
    bid: Nullable<Dec>,
    /// What the base costs. Null if there is no price.
    ask: Nullable<Dec>,
    /// Names of the sources.
    sources: Vec<String>,
    /// Time of the oldest price.
    observed_at: Nullable<DateTime>,
    /// Why the price cannot be used, in the request's language. Null if it can.
    fault: Nullable<String>,
}

/// A rate and its margin.
#[body(response)]
struct PreviewedRate {
    /// Units received for one unit given. Null if there is no rate.
    rate: Nullable<Dec>,
    /// How far the rate is below the market rate, in percent. Null if one of them is unknown.
    margin_percent: Nullable<Dec>,
    /// What exchanges cost and leave. Null if nothing can be exchanged or the market rate is unknown.
    costs: Nullable<ExchangeCosts>,
}

/// An exchange as a customer would see it.
#[body(response)]
struct PreviewedExchange {
    /// Given amount.
    give: Dec,
    /// Received amount.
    receive: Dec,
}

impl RateRulesPreview {
    pub(super) fn of(rates: &Rates, preview: RulesPreview, locale: Locale) -> Self {
        let RulesPreview { before, after, formula, suspension } = preview;
        let market = after.priced.reference;
        let rate = |pair: &PricedPair| PreviewedRate {
            rate: pair.rate.map(Dec).into(),
            margin_percent: market.zip(pair.rate).and_then(|(market, rate)| margin_percent(market, rate)).map(Dec).into(),
            costs: ExchangeMargins::of(pair).map(ExchangeCosts::from).into(),
        };
        let reference = |reference: FormulaReference| {
            let input = reference.input.as_ref();
            FormulaReferenceView {
                bid: input.map(|input| Dec(input.bid)).into(),
                ask: input.map(|input| Dec(input.ask)).into(),
                sources: input.map(|input| input.sources.clone()).unwrap_or_default(),
                observed_at: input.and_then(|input| input.observed_at).map(DateTime).into(),
                fault: reference.fault.map(|fault| rates.fault_text(fault, locale)).into(),
                name: reference.name,
            }
        };
        let (formula_rate, references) = formula.map_or((None, Vec::new()), |formula| {
            (formula.price.ok().map(|price| Dec(price.rate)), formula.inputs.into_iter().map(reference).collect())
        });
        Self {
            before: rate(&before),
            after: rate(&after.priced),
            from: after.priced.codes.0,
            to: after.priced.codes.1,
            market_rate: market.map(Dec).into(),
            formula_rate: formula_rate.into(),
            references,
            sample: after.sample.map(|sample| PreviewedExchange { give: Dec(sample.give), receive: Dec(sample.receive) }).into(),
            suspension: suspension.map(|suspension| rates.suspension_text(&suspension, locale)).into(),
        }
    }
}
