//! Rate rules of a pair.

use agio_core::FieldError;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::formula::Formula;
use super::schedule::RateSchedule;

/// Maximum decimals of a percentage.
pub const PERCENT_DIGITS: u32 = 6;
/// The greatest margin, in percent.
pub const MARGIN_MAX: Decimal = Decimal::from_parts(90, 0, 0, false, 0);
/// Minimum undercut: more than rounding a margin can take back.
const UNDERCUT_MIN: Decimal = Decimal::from_parts(1, 0, 0, false, 4);
const CHECKPOINTS_MAX: usize = 20;
const OWN_NAMES_MAX: usize = 20;
const NAME_MAX: usize = 80;

/// Rate rules of a pair. `None` uses the global settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RateRules {
    /// The formula of the rate, instead of the market rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Number of sources that must agree on every part of the rate.
    pub sources: Option<u32>,
    /// Maximum price move within the window, in percent.
    #[serde(with = "agio_core::decimal::optional_text")]
    pub jump_percent: Option<Decimal>,
    /// In minutes.
    pub window_minutes: Option<u32>,
    /// Good cycles before a suspended pair resumes; zero for never.
    pub resume_after: Option<u32>,
    /// Bounds of the margin. Without them nothing is adjusted.
    pub bounds: Option<MarginBounds>,
    pub rank: Option<RankRule>,
    pub reserve: Option<ReserveRule>,
    /// Adjustment by the daily price move, in percent.
    pub moves: Vec<MarginCheckpoint>,
    /// Adjustments by schedule.
    pub schedule: Option<RateSchedule>,
}

agio_core::named! {
    /// A rule that can be set alone.
    RateRuleField {
        Formula = "formula",
        Sources = "sources",
        JumpPercent = "jumpPercent",
        WindowMinutes = "windowMinutes",
        ResumeAfter = "resumeAfter",
        Bounds = "bounds",
        Rank = "rank",
        Reserve = "reserve",
        Moves = "moves",
        Schedule = "schedule",
    }
}

agio_core::named! {
    /// What the floor of the margin is held over.
    FloorBase {
        /// The market rate.
        Market = "market",
        /// The cost price: the market rate less the network fee of the payout.
        Cost = "cost",
    }
}

/// Bounds of the margin, in percent. Where they contradict each other, the floor wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MarginBounds {
    #[serde(with = "agio_core::decimal::text")]
    pub floor: Decimal,
    /// Over the market rate.
    #[serde(with = "agio_core::decimal::text")]
    pub ceiling: Decimal,
    #[serde(default = "over_market", skip_serializing_if = "is_over_market")]
    pub floor_over: FloorBase,
}

fn over_market() -> FloorBase {
    FloorBase::Market
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_over_market(base: &FloorBase) -> bool {
    *base == FloorBase::Market
}

impl MarginBounds {
    pub fn ends(self) -> (Decimal, Decimal) {
        (self.floor, self.ceiling)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankRule {
    pub aggregator: String,
    pub best: u32,
    pub worst: u32,
    /// Maximum change of the margin per cycle, in percentage points.
    #[serde(with = "agio_core::decimal::text")]
    pub step: Decimal,
    /// Percentage points by which to beat the competitor at that rank.
    #[serde(with = "agio_core::decimal::text")]
    pub undercut: Decimal,
    /// The exchange's own names on the aggregator; not counted as competitors.
    #[serde(default)]
    pub own: Vec<String>,
    /// Competitors with a smaller reserve are ignored. In the receive currency.
    #[serde(with = "agio_core::decimal::text")]
    pub least_reserve: Decimal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReserveRule {
    /// Target reserve in the receive currency.
    #[serde(with = "agio_core::decimal::text")]
    pub target: Decimal,
    /// Adjustments by percentage of the target.
    pub levels: Vec<MarginCheckpoint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MarginCheckpoint {
    #[serde(with = "agio_core::decimal::text")]
    pub from: Decimal,
    /// Percentage points added to the rate.
    #[serde(with = "agio_core::decimal::text")]
    pub percent: Decimal,
}

impl MarginCheckpoint {
    /// The adjustment at a value: that of the last checkpoint at or below it, or of the first checkpoint.
    pub fn at(all: &[Self], value: Decimal) -> Option<Decimal> {
        let reached = all.iter().rev().find(|checkpoint| checkpoint.from <= value);
        reached.or(all.first()).map(|checkpoint| checkpoint.percent)
    }
}

impl RateRules {
    /// These rules with some of others; one that the others do not have is removed.
    pub fn with(&self, fields: &[RateRuleField], others: &Self) -> Self {
        let mut rules = self.clone();
        for field in fields {
            match field {
                RateRuleField::Formula => rules.formula.clone_from(&others.formula),
                RateRuleField::Sources => rules.sources = others.sources,
                RateRuleField::JumpPercent => rules.jump_percent = others.jump_percent,
                RateRuleField::WindowMinutes => rules.window_minutes = others.window_minutes,
                RateRuleField::ResumeAfter => rules.resume_after = others.resume_after,
                RateRuleField::Bounds => rules.bounds = others.bounds,
                RateRuleField::Rank => rules.rank.clone_from(&others.rank),
                RateRuleField::Reserve => rules.reserve.clone_from(&others.reserve),
                RateRuleField::Moves => rules.moves.clone_from(&others.moves),
                RateRuleField::Schedule => rules.schedule.clone_from(&others.schedule),
            }
        }
        rules
    }

    /// Whether the rules adjust the rate, which requires bounds.
    pub fn adjusts(&self) -> bool {
        let by_hour =
            self.schedule.as_ref().is_some_and(|schedule| schedule.windows.iter().any(|window| window.percent.is_some()));
        self.rank.is_some() || self.reserve.is_some() || !self.moves.is_empty() || by_hour
    }

    /// The bounds, if they apply: to rules that adjust the rate, to a formula, and with a floor over the cost price.
    pub fn applied_bounds(&self) -> Option<MarginBounds> {
        self.bounds.filter(|bounds| self.adjusts() || self.formula.is_some() || bounds.floor_over == FloorBase::Cost)
    }

    /// Every invalid field.
    pub fn faults(&self) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        let formula = self.formula.as_deref().map(Formula::parse);
        wrong.extend(formula.and_then(Result::err).map(|fault| fault.field_error("formula")));
        between(&mut wrong, "sources", self.sources.map(Decimal::from), 1, 10);
        between(&mut wrong, "jumpPercent", self.jump_percent, 0, 90);
        if self.jump_percent == Some(Decimal::ZERO) {
            wrong.push(FieldError::new("jumpPercent", "value_out_of_range").with("min", "0.01").with("max", "90"));
        }
        between(&mut wrong, "windowMinutes", self.window_minutes.map(Decimal::from), 1, 10_080);
        between(&mut wrong, "resumeAfter", self.resume_after.map(Decimal::from), 0, 1_000);
        match self.bounds {
            None if self.adjusts() => wrong.push(FieldError::new("bounds", "required")),
            None => {}
            Some(bounds) => {
                between(&mut wrong, "bounds.floor", Some(bounds.floor), -50, 90);
                between(&mut wrong, "bounds.ceiling", Some(bounds.ceiling), -50, 90);
                if bounds.floor > bounds.ceiling {
                    wrong.push(FieldError::new("bounds.ceiling", "max_below_min"));
                }
            }
        }
        self.check_rank(&mut wrong);
        if let Some(reserve) = &self.reserve {
            if reserve.target <= Decimal::ZERO {
                wrong.push(FieldError::new("reserve.target", "rate_not_positive"));
            }
            check_points(&mut wrong, "reserve.levels", &reserve.levels);
        }
        if !self.moves.is_empty() {
            check_points(&mut wrong, "moves", &self.moves);
        }
        wrong.extend(self.schedule.iter().flat_map(RateSchedule::faults));
        wrong
    }

    fn check_rank(&self, wrong: &mut Vec<FieldError>) {
        let Some(rank_rule) = &self.rank else { return };
        between(wrong, "rank.best", Some(rank_rule.best.into()), 1, 100);
        between(wrong, "rank.worst", Some(rank_rule.worst.into()), 1, 100);
        if rank_rule.best > rank_rule.worst {
            wrong.push(FieldError::new("rank.worst", "max_below_min"));
        }
        between(wrong, "rank.step", Some(rank_rule.step), 0, 50);
        if rank_rule.step.is_zero() {
            wrong.push(FieldError::new("rank.step", "value_out_of_range").with("min", "0.000001").with("max", "50"));
        }
        between(wrong, "rank.undercut", Some(rank_rule.undercut), 0, 5);
        if rank_rule.undercut < UNDERCUT_MIN {
            wrong.push(FieldError::new("rank.undercut", "value_out_of_range").with("min", "0.0001").with("max", "5"));
        }
        if rank_rule.least_reserve < Decimal::ZERO {
            wrong.push(FieldError::new("rank.leastReserve", "amount_negative"));
        }
        let names = || std::iter::once(&rank_rule.aggregator).chain(&rank_rule.own);
        if names().any(|name| name.trim().is_empty() || name.chars().count() > NAME_MAX || name.chars().any(char::is_control)) {
            wrong.push(FieldError::new("rank.own", "text_too_long").with("max", NAME_MAX));
        }
        if rank_rule.own.len() > OWN_NAMES_MAX {
            wrong.push(FieldError::new("rank.own", "value_out_of_range").with("min", "0").with("max", OWN_NAMES_MAX));
        }
    }
}

fn check_points(wrong: &mut Vec<FieldError>, field: &str, points: &[MarginCheckpoint]) {
    if points.is_empty() || points.len() > CHECKPOINTS_MAX {
        wrong.push(FieldError::new(field, "value_out_of_range").with("min", "1").with("max", CHECKPOINTS_MAX));
    }
    if !points.is_sorted_by(|before, after| before.from < after.from) {
        wrong.push(FieldError::new(field, "checkpoints_not_ascending"));
    }
    for (place, point) in points.iter().enumerate() {
        between(wrong, &format!("{field}[{place}].percent"), Some(point.percent), -50, 50);
        between(wrong, &format!("{field}[{place}].from"), Some(point.from), -100, 100_000);
    }
}

/// Reports a number outside its range or with too many decimals.
pub(super) fn between(wrong: &mut Vec<FieldError>, field: &str, value: Option<Decimal>, least: i64, most: i64) {
    let Some(value) = value else { return };
    if value < Decimal::from(least) || value > Decimal::from(most) {
        wrong.push(FieldError::new(field, "value_out_of_range").with("min", least).with("max", most));
    } else if value.normalize().scale() > PERCENT_DIGITS {
        wrong.push(FieldError::new(field, "too_many_digits").with("digits", PERCENT_DIGITS));
    }
}
