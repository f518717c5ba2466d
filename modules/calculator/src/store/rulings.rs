//! What is ruled about rates, and what live sources said, in SQL.

use std::collections::{HashMap, HashSet};

use agio_core::needs::{AgreedPrice, JudgedLeg, PairRuling, SeenPrice};
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all};

use super::{DELETE_LEG, DELETE_RULING, LEGS, PUT_LEG, PUT_LIVE_OBSERVATION, PUT_RULING, RULINGS, Stored, THIN_OUT_OBSERVATIONS};

/// What counts for two assets, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct LegRow {
    /// The asset that is priced.
    pub base: String,
    /// The asset it is priced in.
    pub quote: String,
    /// The agreed price, JSON.
    pub price: Option<String>,
}

/// What is ruled about a pair, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct RulingRow {
    /// The pair.
    pub pair_id: i64,
    /// Why it is stopped, JSON.
    pub stop: Option<String>,
    /// What is added to its course, JSON.
    pub adjustments: String,
    /// By how many percent its rate may jump, where its rules say so.
    pub jump_percent: Option<Stored>,
}

impl LegRow {
    /// The row of a judged leg.
    pub(crate) fn of(leg: &JudgedLeg) -> Self {
        let price = leg.price.as_ref().map(|price| serde_json::to_string(price).expect("a price is plain data"));
        Self { base: leg.base.clone(), quote: leg.quote.clone(), price }
    }

    /// What it says at this moment: a price that is past its time is none.
    pub(crate) fn judged(self, now: Timestamp) -> Result<JudgedLeg> {
        let price: Option<AgreedPrice> =
            self.price.map(|json| serde_json::from_str(&json)).transpose().map_err(Error::internal)?;
        Ok(JudgedLeg { base: self.base, quote: self.quote, price: price.filter(|price| price.good_until >= now) })
    }
}

impl RulingRow {
    /// The row of a ruling.
    pub(crate) fn of(ruling: &PairRuling) -> Self {
        let json = |stop| serde_json::to_string(stop).expect("a stop is plain data");
        Self {
            pair_id: ruling.pair,
            stop: ruling.stop.as_ref().map(json),
            adjustments: serde_json::to_string(&ruling.adjustments).expect("adjustments are plain data"),
            jump_percent: ruling.jump_percent.map(Stored),
        }
    }

    /// What it says.
    pub(crate) fn ruling(self) -> Result<PairRuling> {
        Ok(PairRuling {
            pair: self.pair_id,
            stop: self.stop.map(|json| serde_json::from_str(&json)).transpose().map_err(Error::internal)?,
            adjustments: serde_json::from_str(&self.adjustments).map_err(Error::internal)?,
            jump_percent: self.jump_percent.map(|percent| percent.0),
        })
    }
}

/// What live sources agree on.
pub(crate) async fn legs(tx: &mut Tx) -> Result<Vec<LegRow>> {
    fetch_all!(tx, LegRow, LEGS)
}

/// What is ruled about pairs.
pub(crate) async fn rulings(tx: &mut Tx) -> Result<Vec<RulingRow>> {
    fetch_all!(tx, RulingRow, RULINGS)
}

/// Puts what counts for assets in place of what counted before.
pub(crate) async fn put_legs(tx: &mut Tx, rows: &[LegRow]) -> Result<()> {
    let before = legs(tx).await?;
    for row in rows.iter().filter(|row| !before.contains(row)) {
        execute!(tx, PUT_LEG, &row.base, &row.quote, row.price.as_deref())?;
    }
    let is_gone = |old: &&LegRow| !rows.iter().any(|row| (&row.base, &row.quote) == (&old.base, &old.quote));
    for row in before.iter().filter(is_gone) {
        execute!(tx, DELETE_LEG, &row.base, &row.quote)?;
    }
    Ok(())
}

/// Puts what is ruled about pairs in place of what was ruled before.
pub(crate) async fn put_rulings(tx: &mut Tx, rows: &[RulingRow]) -> Result<()> {
    let before: HashMap<i64, RulingRow> = rulings(tx).await?.into_iter().map(|row| (row.pair_id, row)).collect();
    for row in rows.iter().filter(|row| before.get(&row.pair_id) != Some(row)) {
        execute!(tx, PUT_RULING, row.pair_id, row.stop.as_deref(), &row.adjustments, row.jump_percent)?;
    }
    let now: HashSet<i64> = rows.iter().map(|row| row.pair_id).collect();
    for pair in before.keys().filter(|pair| !now.contains(pair)) {
        execute!(tx, DELETE_RULING, *pair)?;
    }
    Ok(())
}

/// Stores what a live source said.
pub(crate) async fn put_live_observation(tx: &mut Tx, seen: &SeenPrice, now: Timestamp) -> Result<()> {
    let (bid, ask) = (Stored(seen.bid), Stored(seen.ask));
    execute!(tx, PUT_LIVE_OBSERVATION, &seen.source, &seen.base, &seen.quote, bid, ask, seen.observed_at, now)?;
    Ok(())
}

/// Of what live sources said before, keeps the last of each hour.
pub(crate) async fn thin_out_observations(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    execute!(tx, THIN_OUT_OBSERVATIONS, before)
}
