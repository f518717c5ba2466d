//! SQL of rate decisions and live prices.

use std::collections::{HashMap, HashSet};

use agio_contracts::{AggregatedPrice, ConsensusPrice, FormulaDecision, FormulaPrice, ObservedPrice, PairRateDecision};
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all};

use super::{
    AGGREGATED_PRICES, DELETE_AGGREGATED_PRICE, DELETE_RATE_DECISION, PUT_AGGREGATED_PRICE, PUT_LIVE_OBSERVATION,
    PUT_RATE_DECISION, RATE_DECISIONS,
};
use agio_core::decimal::StoredDecimal;

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct AggregatedPriceRow {
    pub base: String,
    pub quote: String,
    /// JSON.
    pub price: Option<String>,
}

/// A rate decision about a pair.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct RateDecisionRow {
    pub pair_id: i64,
    /// JSON of the suspension.
    pub suspension: Option<String>,
    /// JSON of the adjustments.
    pub adjustments: String,
    /// The pair's own price jump limit, in percent.
    pub jump_percent: Option<StoredDecimal>,
    /// JSON of what its formula gives.
    pub formula: Option<String>,
}

impl AggregatedPriceRow {
    pub(crate) fn of(aggregated: &AggregatedPrice) -> Self {
        let price = aggregated.price.as_ref().map(|price| serde_json::to_string(price).expect("a price is plain data"));
        Self { base: aggregated.base.clone(), quote: aggregated.quote.clone(), price }
    }

    /// An expired price counts as none.
    pub(crate) fn price_at(self, now: Timestamp) -> Result<AggregatedPrice> {
        let price: Option<ConsensusPrice> =
            self.price.map(|json| serde_json::from_str(&json)).transpose().map_err(Error::internal)?;
        Ok(AggregatedPrice { base: self.base, quote: self.quote, price: price.filter(|price| price.good_until >= now) })
    }
}

impl RateDecisionRow {
    pub(crate) fn of(decision: &PairRateDecision) -> Self {
        let json = |suspension| serde_json::to_string(suspension).expect("a suspension is plain data");
        Self {
            pair_id: decision.pair,
            suspension: decision.suspension.as_ref().map(json),
            adjustments: serde_json::to_string(&decision.adjustments).expect("adjustments are plain data"),
            jump_percent: decision.jump_percent.map(StoredDecimal),
            formula: decision.formula.as_ref().map(|formula| serde_json::to_string(formula).expect("a formula is plain data")),
        }
    }

    /// An expired price of a formula counts as none.
    pub(crate) fn decision_at(self, now: Timestamp) -> Result<PairRateDecision> {
        let is_good = |price: &FormulaPrice| price.good_until.is_none_or(|good_until| good_until >= now);
        let formula: Option<FormulaDecision> =
            self.formula.map(|json| serde_json::from_str(&json)).transpose().map_err(Error::internal)?;
        Ok(PairRateDecision {
            pair: self.pair_id,
            suspension: self.suspension.map(|json| serde_json::from_str(&json)).transpose().map_err(Error::internal)?,
            adjustments: serde_json::from_str(&self.adjustments).map_err(Error::internal)?,
            jump_percent: self.jump_percent.map(|percent| percent.0),
            formula: formula.map(|formula| FormulaDecision { price: formula.price.filter(is_good), ..formula }),
        })
    }
}

pub(crate) async fn prices(tx: &mut Tx) -> Result<Vec<AggregatedPriceRow>> {
    fetch_all!(tx, AggregatedPriceRow, AGGREGATED_PRICES)
}

pub(crate) async fn decisions(tx: &mut Tx) -> Result<Vec<RateDecisionRow>> {
    fetch_all!(tx, RateDecisionRow, RATE_DECISIONS)
}

/// Replaces the aggregated prices.
pub(crate) async fn put_prices(tx: &mut Tx, rows: &[AggregatedPriceRow]) -> Result<()> {
    let before = prices(tx).await?;
    for row in rows.iter().filter(|row| !before.contains(row)) {
        execute!(tx, PUT_AGGREGATED_PRICE, &row.base, &row.quote, row.price.as_deref())?;
    }
    let is_gone = |old: &&AggregatedPriceRow| !rows.iter().any(|row| (&row.base, &row.quote) == (&old.base, &old.quote));
    for row in before.iter().filter(is_gone) {
        execute!(tx, DELETE_AGGREGATED_PRICE, &row.base, &row.quote)?;
    }
    Ok(())
}

/// Replaces the decisions about pairs.
pub(crate) async fn put_decisions(tx: &mut Tx, rows: &[RateDecisionRow]) -> Result<()> {
    let before: HashMap<i64, RateDecisionRow> = decisions(tx).await?.into_iter().map(|row| (row.pair_id, row)).collect();
    for row in rows.iter().filter(|row| before.get(&row.pair_id) != Some(row)) {
        execute!(
            tx,
            PUT_RATE_DECISION,
            row.pair_id,
            row.suspension.as_deref(),
            &row.adjustments,
            row.jump_percent,
            row.formula.as_deref()
        )?;
    }
    let now: HashSet<i64> = rows.iter().map(|row| row.pair_id).collect();
    for pair in before.keys().filter(|pair| !now.contains(pair)) {
        execute!(tx, DELETE_RATE_DECISION, *pair)?;
    }
    Ok(())
}

pub(crate) async fn put_live_observation(tx: &mut Tx, price: &ObservedPrice, now: Timestamp) -> Result<()> {
    let (bid, ask) = (StoredDecimal(price.bid), StoredDecimal(price.ask));
    execute!(tx, PUT_LIVE_OBSERVATION, &price.source, &price.base, &price.quote, bid, ask, price.observed_at, now)?;
    Ok(())
}
