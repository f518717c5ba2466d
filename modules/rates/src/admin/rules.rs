//! The rules of a pair, as the console sends them and is shown them. They have the form they are stored in.

use std::collections::BTreeMap;

use agio_core::Error;
use agio_core::texts::Locale;
use agio_http::{Dec, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::Rates;
use crate::model::rules::Rules;
use crate::service::Dry;

/// Rules of a pair. What is left out is as the settings of the house say, or not there.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Object)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRateRules {
    /// How many sources have to agree on every part of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<u32>,
    /// By how many percent the rate may move within the window before the pair stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    jump_percent: Option<Dec>,
    /// The window, in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    window_minutes: Option<u32>,
    /// After how many good looks a stopped pair goes on by itself; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    resume_after: Option<u32>,
    /// The least and the greatest margin of the spread and all rules together.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<DeskRateBounds>,
    /// A place on a monitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<DeskRatePosition>,
    /// A correction by the reserve.
    #[serde(skip_serializing_if = "Option::is_none")]
    reserve: Option<DeskRateReserve>,
    /// A correction by the move of a day: from how many percent of move on how much is added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default)]
    moves: Vec<DeskRateCheckpoint>,
    /// Corrections by the hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<DeskRateSchedule>,
}

/// The least and the greatest margin, in percent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRateBounds {
    /// The least.
    floor: Dec,
    /// The greatest.
    ceiling: Dec,
}

/// A place on a monitor.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRatePosition {
    /// The source that reads the monitor.
    monitor: String,
    /// The best place wanted, from 1.
    best: u32,
    /// The worst place wanted.
    worst: u32,
    /// By how many points of percent the margin may change in a look.
    step: Dec,
    /// By how many points of percent the offer of whoever has the place is bettered.
    undercut: Dec,
    /// The house's own names on the monitor.
    #[serde(default)]
    #[oai(default)]
    own: Vec<String>,
    /// The least reserve of a competitor that counts, in the received currency.
    least_reserve: Dec,
}

/// A correction by the reserve.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRateReserve {
    /// The reserve that is wanted, in the received currency.
    target: Dec,
    /// From how many percent of it on how much is added.
    levels: Vec<DeskRateCheckpoint>,
}

/// From a value on, so much.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRateCheckpoint {
    /// The value.
    from: Dec,
    /// Points of percent added to the course; less than zero takes away.
    percent: Dec,
}

/// Hours of a week.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRateSchedule {
    /// How far the time of these hours is ahead of UTC, in minutes.
    ahead_minutes: i32,
    /// The hours; of several that hold, the first counts.
    windows: Vec<DeskRateWindow>,
}

/// Some hours of some days.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRateWindow {
    /// The days it begins on: 1 is Monday, 7 is Sunday.
    days: Vec<u32>,
    /// When it begins: `22:00`.
    from: String,
    /// When it ends; not after its beginning for the next day.
    to: String,
    /// Points of percent added to the course; left out for a rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    percent: Option<Dec>,
}

impl Example for DeskRateRules {
    fn example() -> Self {
        Self {
            sources: Some(2),
            jump_percent: Some(Dec(Decimal::from(5))),
            bounds: Some(DeskRateBounds { floor: Dec(Decimal::ONE), ceiling: Dec(Decimal::from(4)) }),
            reserve: Some(DeskRateReserve {
                target: Dec(Decimal::from(1_000_000)),
                levels: vec![
                    DeskRateCheckpoint { from: Dec(Decimal::ZERO), percent: Dec(Decimal::new(-5, 1)) },
                    DeskRateCheckpoint { from: Dec(Decimal::from(50)), percent: Dec(Decimal::ZERO) },
                ],
            }),
            ..Self::default()
        }
    }
}

impl DeskRateRules {
    pub(super) fn of(rules: &Rules) -> Result<Self, Error> {
        let stored = serde_json::to_value(rules).map_err(Error::internal)?;
        serde_json::from_value(stored).map_err(Error::internal)
    }

    pub(super) fn rules(&self) -> Result<Rules, Error> {
        let stored = serde_json::to_value(self).map_err(Error::internal)?;
        serde_json::from_value(stored).map_err(Error::internal)
    }
}

/// Rules in place of those that were seen.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRateRulesSet {
    /// The revision that was seen; 0 where there were none.
    pub revision: i64,
    /// The rules.
    pub rules: DeskRateRules,
}

impl Example for DeskRateRulesSet {
    fn example() -> Self {
        Self { revision: 0, rules: DeskRateRules::example() }
    }
}

/// Rules to be tried.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRateTry {
    /// The rules of some pairs; the others keep theirs.
    changes: Vec<DeskRateTryPair>,
}

/// The rules of a pair to be tried.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
struct DeskRateTryPair {
    /// The pair.
    pair_id: i64,
    /// The rules.
    rules: DeskRateRules,
}

impl Example for DeskRateTry {
    fn example() -> Self {
        Self { changes: vec![DeskRateTryPair { pair_id: 1, rules: DeskRateRules::example() }] }
    }
}

impl DeskRateTry {
    pub(super) fn changes(&self) -> Result<BTreeMap<i64, Rules>, Error> {
        self.changes.iter().map(|change| Ok((change.pair_id, change.rules.rules()?))).collect()
    }
}

/// What changed rules would do to a pair.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRateDry {
    /// The pair.
    pair_id: i64,
    /// The currency sent.
    from: String,
    /// The currency received.
    to: String,
    /// The course without the change.
    before: Null<Dec>,
    /// The course with it.
    after: Null<Dec>,
    /// Whether it is stopped without the change.
    was_stopped: bool,
    /// Why it would be stopped with it, in the console's language.
    stop: Null<String>,
}

impl DeskRateDry {
    pub(super) fn of(rates: &Rates, dry: Dry, locale: Locale) -> Self {
        Self {
            pair_id: dry.pair,
            from: dry.codes.0,
            to: dry.codes.1,
            before: dry.before.map(Dec).into(),
            after: dry.after.map(Dec).into(),
            was_stopped: dry.was_stopped,
            stop: dry.stop.map(|stop| rates.stop_text(&stop, locale)).into(),
        }
    }
}
