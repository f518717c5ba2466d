//! Creation, changes and archiving of currencies: the row and its audit entry in one transaction, then a reload.

use std::collections::HashMap;

use agio_approvals::RATE_PERCENT;
use agio_contracts::CurrencyKind;
use agio_core::identity::Staff;
use agio_core::{Error, Result, Tx, idempotency};
use agio_ledger::Ledger;
use agio_requisites::RequisiteKind;

use super::Calculator;
use super::pairs::{ChangeContext, changed_since, opens_far, record};
use crate::market::{Currency, CurrencyChange, Market, MarketPair, NewCurrency, POSITION_MAX};
use crate::settings::LARGE_CHANGE_PERCENT;
use crate::store::{self, CurrencyRow};

/// Distance of positions, so that a currency can be moved between two others.
const POSITION_STEP: i64 = 10;

impl Calculator {
    /// Creates a currency, once per idempotency key, and returns its identifier.
    ///
    /// # Errors
    /// 409 `currency_code_taken`, 422 `validation_failed`.
    pub async fn create_currency(&self, new: NewCurrency, by: &Staff, key: Option<idempotency::Key>) -> Result<i64> {
        let (ledger, context) = (self.ledger.clone(), self.change_context(by));
        let created = idempotency::once(&self.platform.db, key, context.at, move |tx| {
            let (ledger, new, context) = (ledger.clone(), new.clone(), context.clone());
            Box::pin(async move { create_currency(tx, &ledger, new, &context).await })
        });
        let id = created.await?;
        self.reload().await?;
        Ok(id)
    }

    /// Updates a currency; with a revision only if it did not change since.
    ///
    /// # Errors
    /// 404 `currency_unknown`; 409 `market_changed`, `currency_code_taken`, `currency_in_use`; 422 `validation_failed`.
    pub async fn update_currency(&self, id: i64, revision: Option<i64>, change: CurrencyChange, by: &Staff) -> Result<()> {
        let context = self.change_context(by);
        self.platform
            .db
            .write(move |tx| {
                let (change, context) = (change.clone(), context.clone());
                Box::pin(async move { update_currency(tx, id, revision, change, &context).await })
            })
            .await?;
        self.reload().await
    }

    /// Whether a change offers an enabled pair again whose rate is far from the market by now, or leads customers
    /// elsewhere: to another office with their cash, to another block explorer, or by another hint at a field.
    ///
    /// # Errors
    /// 404 `currency_unknown`; 409 `approval_one_by_one` if it is beyond what one person may do; 422
    /// `validation_failed`.
    pub fn is_large_currency_change(&self, id: i64, change: &CurrencyChange) -> Result<bool> {
        let market = self.market();
        let before = market.currency(id).ok_or_else(|| Error::not_found("currency_unknown"))?;
        self.any_large_currency_change(&market, &[before.changed(change.clone())?])
    }

    /// [`is_large_currency_change`](Self::is_large_currency_change) for several currencies.
    pub(super) fn any_large_currency_change(&self, market: &Market, changed: &[Currency]) -> Result<bool> {
        let leads_elsewhere = changed.iter().any(|after| {
            let Some(before) = market.currency(after.id()) else { return false };
            let (before, after) = (&before.facts, &after.facts);
            before.cities != after.cities || before.explorer != after.explorer || before.inputs != after.inputs
        });
        let changed: HashMap<i64, &Currency> = changed.iter().map(|currency| (currency.id(), currency)).collect();
        let is_opened = |pair: &MarketPair| {
            let gives = changed.get(&pair.pair.give_id).copied().unwrap_or(&pair.give);
            let receives = changed.get(&pair.pair.receive_id).copied().unwrap_or(&pair.receive);
            pair.pair.enabled && gives.is_giveable() && receives.is_receivable() && !pair.is_offered()
        };
        let opened: Vec<&MarketPair> = market.pairs.iter().map(AsRef::as_ref).filter(|pair| is_opened(pair)).collect();
        let any_beyond = |setting| opened.iter().any(|pair| opens_far(pair, &market.rates, self.percent(setting)));
        if self.approvals.is_enabled() && any_beyond(RATE_PERCENT) {
            return Err(Error::conflict("approval_one_by_one"));
        }
        Ok(leads_elsewhere || any_beyond(LARGE_CHANGE_PERCENT))
    }
}

/// Creates a currency in the caller's transaction. Call [`Calculator::reload`] after the commit.
///
/// # Errors
/// 409 `currency_code_taken`, 422 `validation_failed`.
pub(super) async fn create_currency(tx: &mut Tx, ledger: &Ledger, mut new: NewCurrency, context: &ChangeContext) -> Result<i64> {
    let (id, last) = store::next_currency(tx).await?;
    new.properties.position.get_or_insert((last + POSITION_STEP).min(POSITION_MAX));
    let row = Currency::new(id, new, context.at)?.to_row();
    check_code(tx, &row).await?;
    if !store::insert_currency(tx, &row).await? {
        return Err(changed_since());
    }
    ledger.open_currency(tx, id).await?;
    record(tx, ("currency", "currency.created"), id.to_string(), (None, Some(&row)), context).await?;
    Ok(id)
}

/// Updates a currency in the caller's transaction. Call [`Calculator::reload`] after the commit.
///
/// # Errors
/// As [`Calculator::update_currency`].
pub(super) async fn update_currency(
    tx: &mut Tx,
    id: i64,
    revision: Option<i64>,
    change: CurrencyChange,
    context: &ChangeContext,
) -> Result<()> {
    store::lock_definitions(tx).await?;
    let before = store::currency(tx, id).await?.ok_or_else(|| Error::not_found("currency_unknown"))?;
    if revision.is_some_and(|revision| revision != before.revision) {
        return Err(changed_since());
    }
    let currency = Currency::from_row(&before)?;
    let changed = currency.changed(change)?;
    check_pairs(tx, &currency, &changed).await?;
    let mut after = changed.to_row();
    if before.code != after.code {
        check_code(tx, &after).await?;
    }
    let action = match (before.archived, after.archived) {
        (false, true) => "currency.archived",
        (true, false) => "currency.unarchived",
        _ => "currency.changed",
    };
    after.updated_at = context.at;
    if !store::update_currency(tx, &after).await? {
        return Err(changed_since());
    }
    record(tx, ("currency", action), id.to_string(), (Some(&before), Some(&after)), context).await
}

async fn check_code(tx: &mut Tx, row: &CurrencyRow) -> Result<()> {
    match store::currency_with_code(tx, &row.code).await? {
        Some(other) if other != row.id => Err(Error::conflict("currency_code_taken").at("code", "currency_code_taken")),
        _ => Ok(()),
    }
}

///
/// # Errors
/// 409 `currency_in_use`, 422 `validation_failed`.
pub(super) async fn check_pairs(tx: &mut Tx, before: &Currency, after: &Currency) -> Result<()> {
    let (old, new) = (&before.facts, &after.facts);
    if old.ticker == new.ticker && old.inputs == new.inputs {
        return Ok(());
    }
    let (pairs, verified_by_card) = store::pairs_of_currency(tx, before.id()).await?;
    check_use(before, after, pairs > 0, verified_by_card > 0)
}

/// Refuses what would change existing pairs and open claims. The ticker decides the rates of pairs; the kind of a crypto
/// address decides how the payment details of open claims are read.
///
/// # Errors
/// 409 `currency_in_use`, 422 `validation_failed`.
pub(super) fn check_use(before: &Currency, after: &Currency, has_pairs: bool, is_verified_by_card: bool) -> Result<()> {
    let (old, new) = (&before.facts, &after.facts);
    let is_other_network = old.kind == CurrencyKind::Crypto && old.address_kind() != new.address_kind();
    let changed = [("ticker", old.ticker != new.ticker), ("inputs", is_other_network)];
    if let Some((field, _)) = changed.into_iter().find(|(_, is_changed)| *is_changed && has_pairs) {
        return Err(Error::conflict("currency_in_use").at(field, "currency_in_use"));
    }
    if is_verified_by_card && !new.inputs.iter().any(|input| input.kind == RequisiteKind::Card) {
        return Err(Error::unprocessable("validation_failed").at("inputs", "verification_needs_card"));
    }
    Ok(())
}
