//! Suspended pairs, rate explanations and rate history for staff.

use std::time::Duration;

use agio_contracts::{ExcludedSource, PricedPair, RateBreakdown, SuspensionReason};
use agio_core::error::Params;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Rates;
use crate::model::pair_rate_state::{PairRateState, RateFault};
use crate::store::{self, HistoryPointRow};

#[derive(Clone, Debug)]
pub struct SuspendedPair {
    pub pair: i64,
    pub suspension: SuspensionReason,
    /// Consecutive good cycles since then.
    pub good_cycles: u32,
}

#[derive(Clone, Debug)]
pub struct ClaimRateExplanation {
    pub number: i64,
    pub rate: Decimal,
    pub recomputed: RateBreakdown,
}

impl Rates {
    /// Suspended pairs, longest first.
    pub async fn list_suspensions(&self) -> Result<Vec<SuspendedPair>> {
        let mut pairs = self.suspensions_since(Timestamp(0)).await?;
        pairs.extend(self.suspended());
        pairs.sort_by_key(|one| one.suspension.since);
        Ok(pairs)
    }

    /// Pairs suspended for arbitrage.
    pub(super) fn suspended(&self) -> impl Iterator<Item = SuspendedPair> {
        self.pair_pricing.suspended().into_iter().map(|(pair, suspension)| SuspendedPair { pair, suspension, good_cycles: 0 })
    }

    /// Pairs suspended after a moment and not resumed.
    pub async fn recent_suspensions(&self, since: Timestamp) -> Result<Vec<(i64, SuspensionReason)>> {
        let suspended = self.suspended().filter(|one| one.suspension.since > since);
        Ok(self.suspensions_since(since).await?.into_iter().chain(suspended).map(|one| (one.pair, one.suspension)).collect())
    }

    async fn suspensions_since(&self, since: Timestamp) -> Result<Vec<SuspendedPair>> {
        let rows = store::suspended_since(&mut self.platform.db.read().await?, since).await?;
        let mut pairs = Vec::new();
        for row in rows {
            pairs.extend(suspended_pair(&row)?);
        }
        Ok(pairs)
    }

    pub async fn suspension_of(&self, pair: i64) -> Result<Option<SuspendedPair>> {
        let row = store::pair_state(&mut self.platform.db.read().await?, pair).await?;
        let suspended = row.map_or(Ok(None), |row| suspended_pair(&row))?;
        Ok(suspended.or_else(|| self.suspended().find(|one| one.pair == pair)))
    }

    /// The pair as it is priced now.
    ///
    /// # Errors
    /// 404 `pair_unknown`.
    pub fn priced_pair(&self, pair: i64) -> Result<PricedPair> {
        self.pair_pricing.priced_pair(pair).ok_or_else(|| Error::not_found("pair_unknown"))
    }

    /// # Errors
    /// 404 `pair_unknown`.
    pub fn explain_pair(&self, pair: i64) -> Result<Option<RateBreakdown>> {
        self.explainer.explain_pair(pair)
    }

    /// Recalculated from the stored terms.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn explain_claim(&self, claim: Uuid) -> Result<ClaimRateExplanation> {
        let stored = self.claims.of(claim).await?;
        Ok(ClaimRateExplanation { number: stored.number, rate: stored.rate, recomputed: self.explainer.explain(&stored)? })
    }

    /// # Errors
    /// 404 `pair_unknown`; 422 `validation_failed`.
    pub async fn history(&self, pair: i64, days: u32) -> Result<Vec<HistoryPointRow>> {
        self.explainer.explain_pair(pair)?;
        let since = self.platform.clock.now().minus(Duration::from_secs(u64::from(days) * 24 * 60 * 60));
        store::points(&mut self.platform.db.read().await?, pair, since).await
    }

    /// Why a price cannot be used.
    pub fn fault_text(&self, fault: RateFault, locale: Locale) -> String {
        let RateFault { cause, asset_pair, numbers, excluded } = fault;
        let since = self.platform.clock.now();
        self.suspension_text(&SuspensionReason { cause, asset_pair, numbers, excluded, since }, locale)
    }

    pub fn suspension_text(&self, suspension: &SuspensionReason, locale: Locale) -> String {
        let number = |name: &str| {
            suspension.numbers.iter().find(|(known, _)| known == name).map_or_else(String::new, |(_, value)| value.clone())
        };
        let excluded: Vec<String> = suspension.excluded.iter().map(|one| self.exclusion_text(one, locale)).collect();
        let mut params = Params::from([("assetPair", suspension.asset_pair.clone())]);
        for name in ["before", "now", "percent", "have", "need", "hours", "cycle", "times", "fee"] {
            params.insert(name, number(name));
        }
        let mut text = self.texts.get(locale, &format!("rate_stop.{}", suspension.cause), &params);
        if !excluded.is_empty() {
            text.push(' ');
            text.push_str(&excluded.join("; "));
            text.push('.');
        }
        text
    }

    fn exclusion_text(&self, one: &ExcludedSource, locale: Locale) -> String {
        let params = Params::from([("source", one.source.clone()), ("said", one.quote.clone())]);
        self.texts.get(locale, &format!("rate_fault.{}", one.reason), &params)
    }
}

fn suspended_pair(row: &store::PairRateStateRow) -> Result<Option<SuspendedPair>> {
    let state: PairRateState = serde_json::from_str(&row.state).map_err(Error::internal)?;
    let good_cycles = state.good_cycles;
    let suspension = state.problem().cloned();
    Ok(suspension.map(|suspension| SuspendedPair { pair: row.pair_id, suspension, good_cycles }))
}
