//! What the console is shown of sources and rates, and how it sets sources up.

use agio_core::needs::Replayed;
use agio_core::texts::Locale;
use agio_http::{Dec, Moment, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::rules::DeskRateRules;
use crate::Rates;
use crate::service::{Explained, SourceSeen, StopSeen};
use crate::store::PointRow;

/// A live source.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRateSource {
    /// The plugin.
    name: String,
    /// What it is called.
    title: String,
    /// What it is for.
    about: String,
    /// Whether the plugin is there.
    there: bool,
    /// Whether it reads a monitor rather than prices.
    monitor: bool,
    /// Whether it is asked.
    enabled: bool,
    /// How often, in seconds.
    every_seconds: i64,
    /// How old what it says may be, in seconds.
    max_age_seconds: i64,
    /// Less is more trusted.
    priority: i64,
    /// Whether it counts for agreement alone and is never priced with.
    cross_check: bool,
    /// Whether it is on, answers, and its newest word is recent enough.
    live: bool,
    /// When it answered last.
    answered_at: Null<Moment>,
    /// How many prices or directions that answer had.
    prices: i64,
    /// Since when the oldest of its prices holds.
    oldest: Null<Moment>,
    /// Since when the newest does.
    newest: Null<Moment>,
    /// What was wrong when it was asked last.
    fault: Null<String>,
    /// When that was.
    fault_at: Null<Moment>,
    /// Counts the changes of how it is set up.
    revision: i64,
}

impl DeskRateSource {
    pub(super) fn of(seen: SourceSeen, locale: Locale) -> Self {
        let SourceSeen { title, about, is_there, reads_monitor, set, observed, is_live } = seen;
        Self {
            title: title.get(locale).to_owned(),
            about: about.get(locale).to_owned(),
            there: is_there,
            monitor: reads_monitor,
            enabled: set.enabled,
            every_seconds: set.every_seconds,
            max_age_seconds: set.max_age_seconds,
            priority: set.priority,
            cross_check: set.cross_check,
            live: is_live,
            answered_at: set.answered_at.map(Moment).into(),
            prices: set.prices,
            oldest: observed.map(|(oldest, _)| Moment(oldest)).into(),
            newest: observed.map(|(_, newest)| Moment(newest)).into(),
            fault: set.fault.into(),
            fault_at: set.fault_at.map(Moment).into(),
            revision: set.revision,
            name: set.name,
        }
    }
}

/// How a source is set up.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRateSourceSet {
    /// The revision that was seen; 0 for a source that was never set up.
    pub revision: i64,
    /// Whether it is asked.
    pub enabled: bool,
    /// How often, in seconds.
    pub every_seconds: i64,
    /// How old what it says may be, in seconds.
    pub max_age_seconds: i64,
    /// Less is more trusted.
    pub priority: i64,
    /// Whether it counts for agreement alone.
    pub cross_check: bool,
}

impl Example for DeskRateSourceSet {
    fn example() -> Self {
        Self { revision: 0, enabled: true, every_seconds: 30, max_age_seconds: 120, priority: 10, cross_check: false }
    }
}

/// Why a pair is stopped.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRateStop {
    /// The pair.
    pair_id: i64,
    /// A stable code: `stale`, `unusable`, `apart`, `too_few`, `jump`, `schedule`, `arbitrage`. What is stopped by `arbitrage` goes on by itself
    /// once the round trip in the text gains no longer, and cannot be let go on by hand.
    cause: String,
    /// Why, in the console's language, with the sources that do not count.
    text: String,
    /// Since when.
    since: Moment,
    /// How many looks in a row were good since.
    good_cycles: u32,
}

impl DeskRateStop {
    pub(super) fn of(rates: &Rates, seen: &StopSeen, locale: Locale) -> Self {
        Self {
            pair_id: seen.pair,
            cause: seen.stop.cause.clone(),
            text: rates.stop_text(&seen.stop, locale),
            since: Moment(seen.stop.since),
            good_cycles: seen.good_cycles,
        }
    }
}

/// How a rate came about.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRateExplained {
    /// The number of the claim for talk; null for the present rate of a pair.
    number: Null<i64>,
    /// The course as it is kept; null for the present rate of a pair.
    course: Null<Dec>,
    /// The course that the steps give when they are computed again; null where they give none.
    replayed: Null<Dec>,
    /// Whether both are the same.
    agrees: bool,
    /// How it came about, in a line.
    text: String,
    /// The steps as they are stored, JSON.
    steps: String,
}

impl DeskRateExplained {
    pub(super) fn of_claim(explained: Explained, locale: Locale) -> Self {
        let Explained { number, course, replayed } = explained;
        let agrees = replayed.course == Some(course);
        Self { number: Some(number).into(), course: Some(Dec(course)).into(), agrees, ..Self::of_pair(replayed, locale) }
    }

    pub(super) fn of_pair(replayed: Replayed, locale: Locale) -> Self {
        Self {
            number: Null(None),
            course: Null(None),
            replayed: replayed.course.map(Dec).into(),
            agrees: replayed.course.is_some(),
            text: replayed.words.get(locale).to_owned(),
            steps: replayed.steps.to_string(),
        }
    }
}

/// The rules of a pair, and how its rate comes about.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRatePair {
    /// The pair.
    pub(super) id: i64,
    /// Its rules.
    pub(super) rules: DeskRateRules,
    /// Counts their changes; 0 while there are none.
    pub(super) revision: i64,
    /// When they were changed last.
    pub(super) updated_at: Null<Moment>,
    /// Why it is stopped by what sources say.
    pub(super) stop: Null<DeskRateStop>,
    /// How its present rate comes about.
    pub(super) rate: Null<DeskRateExplained>,
}

/// A point of a chart.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskRatePoint {
    /// When.
    at: Moment,
    /// Units received for one sent at the market.
    market: Dec,
    /// The same for a customer.
    course: Null<Dec>,
    /// Whether the pair was stopped.
    stopped: bool,
}

impl From<PointRow> for DeskRatePoint {
    fn from(row: PointRow) -> Self {
        let PointRow { at, market, course, stopped, .. } = row;
        Self { at: Moment(at), market: Dec(market.0), course: course.map(|course| Dec(course.0)).into(), stopped }
    }
}
