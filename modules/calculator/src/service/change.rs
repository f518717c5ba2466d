//! Changing what is set on the market: the row, its entry in the audit log and nothing else in one transaction, then a new picture.

use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use serde::Serialize;

use super::Calculator;
use super::consent::is_further;
use crate::market::{Currency, CurrencyChange, MarketPair, Pair, PairChange};
use crate::settings::LARGE_CHANGE_PERCENT;
use crate::store;

/// The most pairs that are changed in one go.
const BULK_MAX: usize = 1_000;

/// Who changes something, and when.
#[derive(Clone)]
struct Stamp {
    at: Timestamp,
    actor: Actor,
}

/// What is set on many pairs at once; what is nothing stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct BulkChange {
    /// Whether they are offered.
    pub enabled: Option<bool>,
    /// Another spread.
    pub spread_percent: Option<Decimal>,
}

impl BulkChange {
    /// What is set on each pair.
    fn of_a_pair(self) -> PairChange {
        PairChange { enabled: self.enabled, spread_percent: self.spread_percent, ..PairChange::default() }
    }
}

impl Calculator {
    /// Changes a currency. With a revision, only if nobody changed it since.
    ///
    /// # Errors
    /// 404 `currency_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn change_currency(&self, id: i64, revision: Option<i64>, change: CurrencyChange, by: &Staff) -> Result<()> {
        let stamp = self.stamp(by);
        self.platform
            .db
            .write(move |tx| {
                let (change, stamp) = (change.clone(), stamp.clone());
                Box::pin(change_currency(tx, id, revision, change, stamp))
            })
            .await?;
        self.reload().await
    }

    /// Changes a pair if nobody changed it since the revision.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn change_pair(&self, id: i64, revision: i64, change: PairChange, by: &Staff) -> Result<()> {
        self.change_all(vec![(id, Some(revision), change)], by).await
    }

    /// Changes many pairs, all of them or none.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`, 422 `too_many_pairs`; 409 `approval_one_by_one` when one of them would move further than
    /// one person may move it.
    pub async fn change_pairs(&self, ids: &[i64], set: BulkChange, by: &Staff) -> Result<()> {
        if ids.len() > BULK_MAX {
            return Err(Error::unprocessable("too_many_pairs").with("max", BULK_MAX).at("ids", "too_many_pairs"));
        }
        let change = set.of_a_pair();
        for id in ids {
            if self.needs_consent(*id, &change)?.is_some() {
                return Err(Error::conflict("approval_one_by_one"));
            }
        }
        self.change_all(ids.iter().map(|id| (*id, None, change.clone())).collect(), by).await
    }

    /// The pair as it would be with a change, priced with the present rates. Nothing is stored.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn preview(&self, id: i64, change: PairChange) -> Result<MarketPair> {
        let market = self.market();
        let before = market.pair(id).ok_or_else(unknown_pair)?;
        let after = before.pair.changed(change, &before.from, &before.to)?;
        Ok(MarketPair::price(after, &before.from, &before.to, &market.rates, before.ruling.clone()))
    }

    /// Whether a change would move the rate of a pair by more than the setting says; also whether it would give one to a pair that has
    /// none, since nothing says then how far that is from right.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn moves_far(&self, id: i64, change: &PairChange) -> Result<bool> {
        let course = |pair: &MarketPair| pair.rate.as_ref().map(|rate| rate.terms.parts().course);
        let after = course(&self.preview(id, change.clone())?);
        let before = self.market().pair(id).and_then(course);
        let percent = Decimal::from(self.platform.settings.int(LARGE_CHANGE_PERCENT));
        Ok(match (before, after) {
            (Some(before), Some(after)) => is_further(before, after, percent),
            (None, Some(_)) => true,
            (_, None) => false,
        })
    }

    /// Whether a change would let more pass for the payment that was agreed on.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 422 `validation_failed`.
    pub fn widens_tolerance(&self, id: i64, change: &PairChange) -> Result<bool> {
        let after = self.preview(id, change.clone())?.pair.tolerance;
        Ok(self.market().pair(id).is_some_and(|before| after.may_be_wider_than(&before.pair.tolerance)))
    }

    /// Whether one of many pairs would move far.
    ///
    /// # Errors
    /// As [`moves_far`](Self::moves_far).
    pub fn one_moves_far(&self, ids: &[i64], set: BulkChange) -> Result<bool> {
        for id in ids.iter().take(BULK_MAX) {
            if self.moves_far(*id, &set.of_a_pair())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn change_all(&self, changes: Vec<(i64, Option<i64>, PairChange)>, by: &Staff) -> Result<()> {
        let stamp = self.stamp(by);
        let changes = Arc::new(changes);
        self.platform
            .db
            .write(move |tx| {
                let (changes, stamp) = (changes.clone(), stamp.clone());
                Box::pin(async move {
                    for (id, revision, change) in changes.iter() {
                        change_pair(tx, *id, *revision, change.clone(), stamp.clone()).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        self.reload().await
    }

    /// Changes a pair if nobody changed it since the revision, in the caller's transaction. Call [`Calculator::reload`] once that is
    /// durable.
    ///
    /// # Errors
    /// 404 `pair_unknown`, 409 `market_changed`, 422 `validation_failed`.
    pub async fn change_pair_in(&self, tx: &mut Tx, id: i64, revision: i64, change: PairChange, by: Actor) -> Result<()> {
        change_pair(tx, id, Some(revision), change, Stamp { at: self.platform.clock.now(), actor: by }).await
    }

    fn stamp(&self, by: &Staff) -> Stamp {
        Stamp { at: self.platform.clock.now(), actor: Actor::from(by) }
    }
}

async fn change_currency(tx: &mut Tx, id: i64, revision: Option<i64>, change: CurrencyChange, stamp: Stamp) -> Result<()> {
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

async fn change_pair(tx: &mut Tx, id: i64, revision: Option<i64>, change: PairChange, stamp: Stamp) -> Result<()> {
    let before = store::pair(tx, id).await?.ok_or_else(unknown_pair)?;
    if revision.is_some_and(|revision| revision != before.revision) {
        return Err(changed_since());
    }
    let from = currency_of_pair(tx, before.from_id).await?;
    let to = currency_of_pair(tx, before.to_id).await?;
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
    stamp: &Stamp,
) -> Result<()> {
    let (before, after) = audit::difference(before, after)?;
    audit::record(tx, Entry { by: &stamp.actor, action, about, id: id.to_string(), before, after }, stamp.at).await
}

fn unknown_pair() -> Error {
    Error::not_found("pair_unknown")
}

fn changed_since() -> Error {
    Error::conflict("market_changed")
}
