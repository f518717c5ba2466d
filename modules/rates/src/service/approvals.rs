//! Two-person approval of rate rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, RATE_PERCENT, outdated};
use agio_contracts::{PricedPair, RateDecision};
use agio_core::identity::{Permission, Staff};
use agio_core::money::plain;
use agio_core::{BoxFuture, Error, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Rates;
use super::rate_aggregation::CycleStart;
use crate::RATES_EDIT;
use crate::model::decision::decide;
use crate::model::rate_range::{FormulaMove, MarginRange, exceeds_limit};
use crate::model::rules::{MarginCheckpoint, RateRules};
use crate::model::schedule::ScheduleWindow;

pub(super) const RATE_RULES: &str = "rate_rules";

#[derive(Serialize, Deserialize)]
struct ProposedRules {
    revision: i64,
    rules: RateRules,
}

impl Rates {
    /// The facts to approve if new rules need two-person approval.
    ///
    /// # Errors
    /// 404 `pair_unknown`.
    pub(super) async fn required_approval(&self, pair: i64, after: &RateRules) -> Result<Option<Vec<ApprovalFact>>> {
        if !self.approvals.is_enabled() {
            return Ok(None);
        }
        let changes = BTreeMap::from([(pair, after.clone())]);
        let Some(start) = self.load_cycle_with(Some(&changes)).await? else { return Ok(None) };
        let unknown = || Error::not_found("pair_unknown");
        let priced_pair = start.input.pairs.iter().find(|known| known.id == pair).ok_or_else(unknown)?;
        let before = start.rules.get(&pair).cloned().unwrap_or_default();
        let spread = priced_pair.spread_percent;
        let ruled = decide(&start.input, &start.rules).decision;
        let moved = (before.formula != after.formula).then(|| self.formula_move(&start, &ruled, &changes, priced_pair));
        let added = ruled.pairs.iter().filter(|decision| decision.pair == pair).flat_map(|decision| &decision.adjustments);
        let margin = spread - added.map(agio_contracts::Adjustment::percent).sum::<Decimal>();
        let old = before.margin_range(spread, &start.input.cost_price(priced_pair, &before));
        let new = after.future_margin_range(spread, &start.input.cost_price(priced_pair, after));
        let percent = Decimal::from(self.platform.settings.int(RATE_PERCENT));
        let rises_above_market = |moved: FormulaMove| {
            let from_market = FormulaMove { before: priced_pair.reference, ..moved };
            moved.before < moved.after && priced_pair.reference.is_some() && from_market.exceeds(percent)
        };
        let moves_far = moved.is_some_and(|moved| moved.exceeds(percent) || rises_above_market(moved));
        let widens_far = !after.has_bounds_of(&before) && exceeds_limit(margin, old, new, percent);
        if !moves_far && !widens_far {
            return Ok(None);
        }
        let direction = format!("{} → {}", priced_pair.codes.0, priced_pair.codes.1);
        let mut facts = vec![ApprovalFact::new("pair", direction)];
        if let Some(FormulaMove { before, after }) = moved {
            let number = |rate: Option<Decimal>| rate.map(|rate| ApprovalValue::from(plain(rate)));
            facts.extend(ApprovalFact::change("rate_now", number(before), number(after)));
        }
        facts.extend(ApprovalFact::change(
            "rate_margin",
            old.map(range_text).map(ApprovalValue::from),
            new.map(range_text).map(ApprovalValue::from),
        ));
        facts.extend(ApprovalFact::change("rate_floor_over", floor_over(&before), floor_over(after)));
        let value = |text: Option<String>| text.map(ApprovalValue::from);
        for ((name, before), (_, after)) in parts(&before).into_iter().zip(parts(after)) {
            facts.extend(ApprovalFact::change(name, value(before), value(after)));
        }
        Ok(Some(facts))
    }

    /// How far a change of the formula moves the rate: of a pair that is offered from its own rate, of another one from
    /// the market rate.
    fn formula_move(
        &self,
        start: &CycleStart,
        ruled: &RateDecision,
        changes: &BTreeMap<i64, RateRules>,
        pair: &PricedPair,
    ) -> FormulaMove {
        let mut rules = start.rules.clone();
        rules.extend(changes.clone());
        let rate =
            |decision: &RateDecision| self.pair_pricing.preview_pair(decision, pair.id).and_then(|offer| offer.priced.rate);
        if !pair.is_market {
            // Its manual rate holds until its source changes.
            let formula = start.input.formula_of(pair.id, &rules).and_then(|formula| formula.price.ok());
            return FormulaMove { before: pair.reference, after: formula.map(|price| price.rate) };
        }
        let before = if pair.enabled { rate(ruled) } else { None };
        FormulaMove { before: before.or(pair.reference), after: rate(&decide(&start.input, &rules).decision) }
    }

    pub(super) async fn propose_rules(
        &self,
        tx: &mut Tx,
        (pair, revision): (i64, i64),
        rules: &RateRules,
        shown: Vec<ApprovalFact>,
        staff: &Staff,
    ) -> Result<ApprovalRow> {
        let payload = json!(ProposedRules { revision, rules: rules.clone() });
        let about = ("pair", pair.to_string());
        self.approvals.propose(tx, ApprovalRequest { kind: RATE_RULES, about, shown, payload }, staff).await
    }

    async fn apply_rules(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let ProposedRules { revision, rules } = approval.read()?;
        let pair = approval.about_id.parse().map_err(Error::internal)?;
        let put = self.put_rules(tx, pair, revision, &rules, &approval.proposer()).await;
        put.map_err(|error| if error.code() == "rate_rules_changed" { outdated() } else { error })
    }
}

fn floor_over(rules: &RateRules) -> Option<ApprovalValue> {
    let base = rules.bounds?.floor_over;
    Some(ApprovalValue::Text { text: format!("approval_value.floor_over_{base}") })
}

fn range_text(margin_range: MarginRange) -> String {
    let percent = |value: Decimal| plain(value.normalize());
    if margin_range.least == margin_range.most {
        return percent(margin_range.least);
    }
    format!("{} … {}", percent(margin_range.least), percent(margin_range.most))
}

/// The parts of the rules as short texts.
fn parts(rules: &RateRules) -> [(&'static str, Option<String>); 8] {
    let points = |all: &[MarginCheckpoint]| {
        let points: Vec<_> = all.iter().map(|point| format!("{}: {}", plain(point.from), plain(point.percent))).collect();
        points.join(", ")
    };
    let window = |window: &ScheduleWindow| {
        let days: Vec<_> = window.days.iter().map(ToString::to_string).collect();
        let percent = window.percent.map_or_else(|| "×".to_owned(), plain);
        format!("{} {}–{}: {percent}", days.join(","), window.from, window.to)
    };
    let place = rules
        .rank
        .as_ref()
        .map(|rank_rule| format!("{}: {}–{}, ±{}", rank_rule.aggregator, rank_rule.best, rank_rule.worst, plain(rank_rule.step)));
    let reserve = rules.reserve.as_ref().map(|reserve| format!("{}; {}", plain(reserve.target), points(&reserve.levels)));
    let hours = rules.schedule.as_ref().map(|schedule| schedule.windows.iter().map(window).collect::<Vec<_>>().join("; "));
    [
        ("rate_formula", rules.formula.clone()),
        ("rate_place", place),
        ("rate_reserve", reserve),
        ("rate_moves", (!rules.moves.is_empty()).then(|| points(&rules.moves))),
        ("rate_hours", hours),
        ("rate_sources", rules.sources.map(|count| count.to_string())),
        ("rate_jump", rules.jump_percent.map(plain)),
        ("rate_resume", rules.resume_after.map(|count| count.to_string())),
    ]
}

pub struct ApprovedRateRules(pub Arc<Rates>);

impl ApprovalHandler for ApprovedRateRules {
    fn handles(&self) -> (&'static str, Permission) {
        (RATE_RULES, RATES_EDIT)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.apply_rules(tx, approval).await })
    }
}
