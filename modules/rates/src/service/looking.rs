//! What staff see: which pairs are stopped and why, how a rate came about, and how it went.

use std::time::Duration;

use agio_core::error::Params;
use agio_core::needs::{LeftOut, Replayed, Stop};
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Rates;
use crate::model::watch::Watch;
use crate::store::{self, PointRow};

/// The most days of a chart.
const DAYS_MAX: u32 = 365;

/// A pair that is stopped.
#[derive(Clone, Debug)]
pub struct StopSeen {
    /// The pair.
    pub pair: i64,
    /// Why.
    pub stop: Stop,
    /// How many cycles in a row were good since.
    pub good_cycles: u32,
}

/// The rate of a claim, computed again.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The claim's number for talk.
    pub number: i64,
    /// The course as it is kept.
    pub course: Decimal,
    /// What the stored steps give.
    pub replayed: Replayed,
}

impl Rates {
    /// The pairs that are stopped by what sources say or suspended because a round trip over them gains, the longest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn stops(&self) -> Result<Vec<StopSeen>> {
        let mut seen = self.stops_since(Timestamp(0)).await?;
        seen.extend(self.suspended());
        seen.sort_by_key(|seen| seen.stop.since);
        Ok(seen)
    }

    /// The pairs that are suspended because a round trip over them gains.
    pub(super) fn suspended(&self) -> impl Iterator<Item = StopSeen> {
        self.book.suspended().into_iter().map(|(pair, stop)| StopSeen { pair, stop, good_cycles: 0 })
    }

    /// Why the pairs stopped that did so after a moment and have not gone on, in words for staff.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn news(&self, since: Timestamp) -> Result<Vec<(i64, Stop)>> {
        let suspended = self.suspended().filter(|seen| seen.stop.since > since);
        Ok(self.stops_since(since).await?.into_iter().chain(suspended).map(|seen| (seen.pair, seen.stop)).collect())
    }

    async fn stops_since(&self, since: Timestamp) -> Result<Vec<StopSeen>> {
        let rows = store::stopped_since(&mut self.platform.db.read().await?, since).await?;
        let mut seen = Vec::new();
        for row in rows {
            seen.extend(stop_seen(&row)?);
        }
        Ok(seen)
    }

    /// Why a pair is stopped by what sources say, or suspended, if it is.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn stop_of(&self, pair: i64) -> Result<Option<StopSeen>> {
        let row = store::watch(&mut self.platform.db.read().await?, pair).await?;
        let stopped = row.map_or(Ok(None), |row| stop_seen(&row))?;
        Ok(stopped.or_else(|| self.suspended().find(|seen| seen.pair == pair)))
    }

    /// How the present rate of a pair comes about.
    ///
    /// # Errors
    /// 404 `pair_unknown`.
    pub fn explain_pair(&self, pair: i64) -> Result<Option<Replayed>> {
        self.replays.of_pair(pair)
    }

    /// How the rate of a claim came about, computed again from what is stored with it.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn explain_claim(&self, claim: Uuid) -> Result<Explained> {
        let kept = self.claims.of(claim).await?;
        Ok(Explained { number: kept.number, course: kept.course, replayed: self.replays.replay(&kept)? })
    }

    /// How the rate of a pair went in the last days.
    ///
    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed`.
    pub async fn history(&self, pair: i64, days: u32) -> Result<Vec<PointRow>> {
        self.replays.of_pair(pair)?;
        if !(1..=DAYS_MAX).contains(&days) {
            let error = Error::unprocessable("validation_failed").with("min", 1).with("max", DAYS_MAX);
            return Err(error.at("days", "value_out_of_range"));
        }
        let since = self.platform.clock.now().minus(Duration::from_secs(u64::from(days) * 24 * 60 * 60));
        store::points(&mut self.platform.db.read().await?, pair, since).await
    }

    /// Why a pair is stopped, in words.
    #[must_use]
    pub fn stop_text(&self, stop: &Stop, locale: Locale) -> String {
        let number = |name: &str| {
            stop.numbers.iter().find(|(known, _)| known == name).map_or_else(String::new, |(_, value)| value.clone())
        };
        let left_out: Vec<String> = stop.left_out.iter().map(|one| self.left_out_text(one, locale)).collect();
        let mut params = Params::from([("leg", stop.leg.clone())]);
        for name in ["before", "now", "percent", "have", "need", "hours", "cycle", "times"] {
            params.insert(name, number(name));
        }
        let mut text = self.texts.get(locale, &format!("rate_stop.{}", stop.cause), &params);
        if !left_out.is_empty() {
            text.push(' ');
            text.push_str(&left_out.join("; "));
            text.push('.');
        }
        text
    }

    fn left_out_text(&self, one: &LeftOut, locale: Locale) -> String {
        let params = Params::from([("source", one.source.clone()), ("said", one.said.clone())]);
        self.texts.get(locale, &format!("rate_fault.{}", one.why), &params)
    }
}

fn stop_seen(row: &store::WatchRow) -> Result<Option<StopSeen>> {
    let watch: Watch = serde_json::from_str(&row.watch).map_err(Error::internal)?;
    let good_cycles = watch.good_cycles;
    Ok(watch.stop.map(|stop| StopSeen { pair: row.pair_id, stop, good_cycles }))
}
