//! Market updates: the row and its audit entry in one transaction, then a reload.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use serde::Serialize;

use super::Calculator;
use super::approvals::exceeds_percent;
use crate::market::{Currency, CurrencyChange, MarketPair, Pair, PairChange};
use crate::settings::LARGE_CHANGE_PERCENT;
use crate::store;

const BULK_MAX: usize = 1_000;

#[derive(Clone)]
struct ChangeContext {
    at: Timestamp,
    actor: Actor,
}

/// Values to set on several pairs. `None` keeps the value.
#[derive(Clone, Copy, Debug, Default)]
pub struct BulkChange {
    pub enabled: Option<bool>,
    pub spread_percent: Option<Decimal>,
}

impl BulkChange {
    fn of_a_pair(self) -> PairChange {
        PairChange { enabled: self.enabled, spread_percent: self.spread_percent, ..PairChange::default() }
    }
}

impl Calculator {
    /// Updates a currency; with a revision only if it did not change since.
    ///
    /// # Errors
    /// 404 `currency_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn update_currency(&self, id: i64, revision: Option<i64>, change: CurrencyChange, by: &Staff) -> Result<()> {
        let stamp = self.stamp(by);
        self.platform
            .db
            .write(move |tx| {
                let (change, stamp) = (change.clone(), stamp.clone());
                Box::pin(update_currency(tx, id, revision, change, stamp))
            })
            .await?;
        self.reload().await
    }

    /// Updates a pair if it did not change since the revision.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn update_pair(&self, id: i64, revision: i64, change: PairChange, by: &Staff) -> Result<()> {
        self.update_all(vec![(id, Some(revision), change)], by).await
    }

    /// Updates all pairs or none.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`, 422 `too_many_pairs`; 409 `approval_one_by_one` if one needs
    /// two-person approval.
    pub async fn update_pairs(&self, ids: &[i64], set: BulkChange, by: &Staff) -> Result<()> {
        if ids.len() > BULK_MAX {
            return Err(Error::unprocessable("too_many_pairs").with("max", BULK_MAX).at("ids", "too_many_pairs"));
        }
        let change = set.of_a_pair();
        for id in ids {
            if self.required_approval(*id, &change)?.is_some() {
                return Err(Error::conflict("approval_one_by_one"));
            }
        }
        self.update_all(ids.iter().map(|id| (*id, None, change.clone())).collect(), by).await
    }

    /// The pair with a change, priced with current rates. Nothing is stored.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn preview(&self, id: i64, change: PairChange) -> Result<MarketPair> {
        let market = self.market();
        let before = market.pair(id).ok_or_else(unknown_pair)?;
        let after = before.pair.changed(change, &before.give, &before.receive)?;
        Ok(MarketPair::price(after, &before.give, &before.receive, &market.rates, before.decision.clone()))
    }

    /// Whether a change moves the rate by more than the setting, or gives a rate to a pair without one, which cannot
    /// be compared.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn is_large_change(&self, id: i64, change: &PairChange) -> Result<bool> {
        let rate_of = |pair: &MarketPair| pair.rate.as_ref().map(|rate| rate.terms.parts().rate);
        let after = rate_of(&self.preview(id, change.clone())?);
        let before = self.market().pair(id).and_then(rate_of);
        let percent = Decimal::from(self.platform.settings.int(LARGE_CHANGE_PERCENT));
        Ok(match (before, after) {
            (Some(before), Some(after)) => exceeds_percent(before, after, percent),
            (None, Some(_)) => true,
            (_, None) => false,
        })
    }

    /// Whether a change widens the payment tolerance.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn widens_tolerance(&self, id: i64, change: &PairChange) -> Result<bool> {
        let after = self.preview(id, change.clone())?.pair.tolerance;
        Ok(self.market().pair(id).is_some_and(|before| after.may_be_wider_than(&before.pair.tolerance)))
    }

    /// # Errors
    /// As [`is_large_change`](Self::is_large_change).
    pub fn any_large_change(&self, ids: &[i64], set: BulkChange) -> Result<bool> {
        for id in ids.iter().take(BULK_MAX) {
            if self.is_large_change(*id, &set.of_a_pair())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn update_all(&self, changes: Vec<(i64, Option<i64>, PairChange)>, by: &Staff) -> Result<()> {
        let stamp = self.stamp(by);
        let changes = Arc::new(changes);
        self.platform
            .db
            .write(move |tx| {
                let (changes, stamp) = (changes.clone(), stamp.clone());
                Box::pin(async move {
                    for (id, revision, change) in changes.iter() {
                        update_pair(tx, *id, *revision, change.clone(), stamp.clone()).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        self.reload().await
    }

    /// Updates a pair in the caller's transaction if it did not change since the revision. Call
    /// [`Calculator::reload`] after the commit.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn update_pair_in(&self, tx: &mut Tx, id: i64, revision: i64, change: PairChange, by: Actor) -> Result<()> {
        update_pair(tx, id, Some(revision), change, ChangeContext { at: self.platform.clock.now(), actor: by }).await
    }

    fn stamp(&self, by: &Staff) -> ChangeContext {
        ChangeContext { at: self.platform.clock.now(), actor: Actor::from(by) }
    }
}

async fn update_currency(
    tx: &mut Tx,
    id: i64,
    revision: Option<i64>,
    change: CurrencyChange,
    stamp: ChangeContext,
) -> Result<()> {
    let before = store::currency(tx, id).await?.ok_or_else(|| Error::not_found("currency_unknown"))?;
    if revision.is_some_and(|revision| revision != before.revision) {
        return Err(changed_since());
    }
    let mut after = Currency::from_row(&before)?.changed(change)?.to_row();
    after.updated_at = stamp.at;
    if !store::update_currency(tx, &after).await? {
        return Err(changed_since());
    }
    record(tx, ("currency", "currency.changed"), id, &before, &after, &stamp).await
}

async fn update_pair(tx: &mut Tx, id: i64, revision: Option<i64>, change: PairChange, stamp: ChangeContext) -> Result<()> {
    let before = store::pair(tx, id).await?.ok_or_else(unknown_pair)?;
    if revision.is_some_and(|revision| revision != before.revision) {
        return Err(changed_since());
    }
    let from = currency_of_pair(tx, before.give_id).await?;
    let to = currency_of_pair(tx, before.receive_id).await?;
    let mut after = Pair::from_row(&before, &from, &to)?.changed(change, &from, &to)?.to_row(&from, &to)?;
    after.updated_at = stamp.at;
    if !store::update_pair(tx, &after).await? {
        return Err(changed_since());
    }
    record(tx, ("pair", "pair.changed"), id, &before, &after, &stamp).await
}

async fn currency_of_pair(tx: &mut Tx, id: i64) -> Result<Currency> {
    let row = store::currency(tx, id)
        .await?
        .ok_or_else(|| Error::internal(format!("a pair names currency {id}, which is not there")))?;
    Currency::from_row(&row)
}

async fn record(
    tx: &mut Tx,
    (about, action): (&'static str, &str),
    id: i64,
    before: &impl Serialize,
    after: &impl Serialize,
    stamp: &ChangeContext,
) -> Result<()> {
    let (before, after) = audit::difference(before, after)?;
    audit::record(tx, NewAuditEntry { by: &stamp.actor, action, about, id: id.to_string(), before, after }, stamp.at).await
}

fn unknown_pair() -> Error {
    Error::not_found("pair_unknown")
}

fn changed_since() -> Error {
    Error::conflict("market_changed")
}
