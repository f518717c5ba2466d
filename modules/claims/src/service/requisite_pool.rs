//! The requisites that customers pay to.

use std::sync::Arc;

use agio_approvals::ChangeOutcome;
use agio_contracts::{CurrencyInfo, CurrencyKind};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Tx};
use agio_requisites::{RequisiteKind, mask};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Claims;
use super::requisite_assignment::{PaymentAvailability, availability};
use crate::rules::fields::{checked_memo, checked_value};
use crate::rules::payment::address_kind;
use crate::rules::requisite_pool::{
    RequisiteIdentification, RequisiteLimits, RequisiteRotation, RequisiteRow, RequisiteUsage, UsageDate,
};
use crate::store::requisites;

/// The longest holder's name and memo.
const WORDS_MAX: usize = 200;

/// The largest number of claims in a day, priority, and pause in minutes (thirty days).
const DAILY_COUNT_MAX: i64 = 1_000_000;
const PRIORITY_MAX: i64 = 1_000;
const COOLING_MAX: i64 = 43_200;

/// The largest weight, and that of a requisite that was given none.
const WEIGHT_MAX: i64 = 1_000;
pub(super) const WEIGHT_DEFAULT: i64 = 1;

/// The priority of a requisite that was given none.
pub(super) const PRIORITY_DEFAULT: i64 = 100;

#[derive(Clone, Debug)]
pub struct NewRequisite {
    pub currency: i64,
    /// What differs from a requisite that is enabled and has no limits. A value is required.
    pub properties: RequisiteChange,
}

/// What changes in a requisite; what is nothing stays. An inner nothing removes the value. Amounts are in the currency.
#[derive(Clone, Debug, Default)]
pub struct RequisiteChange {
    /// The card, account or address, as typed.
    pub value: Option<String>,
    pub holder: Option<Option<String>>,
    /// The memo or tag every payment must carry.
    pub memo: Option<Option<String>>,
    /// Whether new claims get it.
    pub enabled: Option<bool>,
    pub identification: Option<RequisiteIdentification>,
    /// Lower comes first.
    pub priority: Option<i64>,
    /// Its share of a day's claims.
    pub weight: Option<i64>,
    /// The smallest amount of one claim.
    pub operation_min: Option<Option<Decimal>>,
    /// The largest amount of one claim.
    pub operation_max: Option<Option<Decimal>>,
    pub daily_limit: Option<Option<Decimal>>,
    pub monthly_limit: Option<Option<Decimal>>,
    /// The number of claims in a day.
    pub daily_count: Option<Option<i64>>,
    /// The total amount ever.
    pub turnover_limit: Option<Option<Decimal>>,
    /// Whether it is for one claim alone.
    pub one_time: Option<bool>,
    /// How long it is not given out after a claim got it.
    pub cooling_minutes: Option<i64>,
}

/// The requisites of a currency together.
#[derive(Clone, Debug)]
pub struct RequisitePool {
    pub currency: i64,
    pub rotation: RequisiteRotation,
    /// The enabled requisites.
    pub enabled: usize,
    /// Those that a claim may get now.
    pub available: usize,
    pub takes: PaymentAvailability,
}

impl Claims {
    pub async fn list_requisites(&self) -> Result<Vec<RequisiteRow>> {
        requisites::all(&mut self.platform.db.read().await?).await
    }

    /// # Errors
    /// 404 `requisite_not_found`.
    pub async fn requisite(&self, id: Uuid) -> Result<RequisiteRow> {
        let found = requisites::requisite(&mut self.platform.db.read().await?, id).await?;
        found.ok_or_else(|| Error::not_found("requisite_not_found"))
    }

    /// The currencies with a requisite that new claims get.
    pub async fn currencies_with_requisites(&self) -> Result<Vec<i64>> {
        requisites::enabled_currencies(&mut self.platform.db.read().await?).await
    }

    /// The pools of all currencies that have a requisite or a rotation of their own, by currency.
    pub async fn list_requisite_pools(&self) -> Result<Vec<RequisitePool>> {
        let mut tx = self.platform.db.read().await?;
        let (rows, rotations) = (requisites::all(&mut tx).await?, requisites::rotations(&mut tx).await?);
        drop(tx);
        let now = self.platform.clock.now();
        let mut currencies: Vec<i64> = rows.iter().map(|row| row.currency_id).chain(rotations.iter().map(|set| set.0)).collect();
        currencies.sort_unstable();
        currencies.dedup();
        let pool_of = |currency: i64| {
            let own: Vec<RequisiteRow> = rows.iter().filter(|row| row.currency_id == currency).cloned().collect();
            RequisitePool {
                currency,
                rotation: rotations.iter().find(|set| set.0 == currency).map_or(RequisiteRotation::InTurn, |set| set.1),
                enabled: own.iter().filter(|row| row.enabled).count(),
                available: own.iter().filter(|row| row.unavailability_for_any(now).is_none()).count(),
                takes: availability(&own, now),
            }
        };
        Ok(currencies.into_iter().map(pool_of).collect())
    }

    /// Sets the order in which the requisites of a currency are given out.
    ///
    /// # Errors
    /// 422 `currency_unknown`.
    pub async fn set_requisite_rotation(
        self: &Arc<Self>,
        currency: i64,
        rotation: RequisiteRotation,
        staff: Staff,
    ) -> Result<RequisitePool> {
        self.require_currency(currency)?;
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, staff) = (this.clone(), staff.clone());
                Box::pin(async move {
                    requisites::lock_pool(tx, currency).await?;
                    this.store_rotation(tx, currency, rotation, &Actor::from(&staff)).await
                })
            })
            .await?;
        let pools = self.list_requisite_pools().await?;
        let pool = pools.into_iter().find(|pool| pool.currency == currency);
        Ok(pool.unwrap_or(RequisitePool { currency, rotation, enabled: 0, available: 0, takes: PaymentAvailability::default() }))
    }

    /// Stores a rotation with an audit entry, unless it is the same. The caller holds the lock of the pool.
    pub(super) async fn store_rotation(&self, tx: &mut Tx, currency: i64, rotation: RequisiteRotation, by: &Actor) -> Result<()> {
        let before = requisites::rotation(tx, currency).await?;
        if before == rotation {
            return Ok(());
        }
        let now = self.platform.clock.now();
        requisites::set_rotation(tx, currency, rotation, now).await?;
        let entry = NewAuditEntry {
            by,
            action: "requisite.rotation_changed",
            about: "currency",
            id: currency.to_string(),
            before: Some(json!({ "rotation": before })),
            after: Some(json!({ "rotation": rotation })),
        };
        audit::record(tx, entry, now).await
    }

    /// What a requisite was given out for, on the present day and month.
    pub fn usage_now(&self, row: &RequisiteRow) -> RequisiteUsage {
        row.usage.clone().on(UsageDate::of(self.platform.clock.now()))
    }

    /// Creates a requisite, or an approval request for it.
    ///
    /// # Errors
    /// 422 with the fields, `requisite_listed` at `value` for the account of another one.
    pub async fn add_requisite(self: &Arc<Self>, new: NewRequisite, staff: Staff) -> Result<ChangeOutcome<RequisiteRow>> {
        let (this, row) = (self.clone(), Arc::new(self.new_requisite(new)?));
        self.platform
            .db
            .write(move |tx| {
                let (this, row, staff) = (this.clone(), row.clone(), staff.clone());
                Box::pin(async move {
                    requisites::lock_pool(tx, row.currency_id).await?;
                    refuse_duplicate(tx, None, &row).await?;
                    if this.approvals.is_enabled() {
                        return this
                            .propose_requisite(tx, None, &row, &staff)
                            .await
                            .map(|row| ChangeOutcome::PendingApproval(Box::new(row)));
                    }
                    this.store_requisite(tx, None, &row, &Actor::from(&staff)).await?;
                    Ok(ChangeOutcome::Applied(RequisiteRow::clone(&row)))
                })
            })
            .await
    }

    /// A requisite to store.
    ///
    /// # Errors
    /// 422 with the fields.
    pub(super) fn new_requisite(&self, new: NewRequisite) -> Result<RequisiteRow> {
        let currency = self.require_currency(new.currency)?;
        self.refuse_archived(new.currency)?;
        let mut properties = new.properties;
        // Nothing typed is refused as any other wrong value.
        properties.value.get_or_insert_default();
        changed(&currency, self.empty_requisite(new.currency), properties)
    }

    /// A new requisite without a value.
    pub(super) fn empty_requisite(&self, currency: i64) -> RequisiteRow {
        RequisiteRow {
            id: self.platform.random.uuid(),
            currency_id: currency,
            value: String::new(),
            holder: None,
            memo: None,
            enabled: true,
            identification: RequisiteIdentification::None,
            priority: PRIORITY_DEFAULT,
            weight: WEIGHT_DEFAULT,
            limits: RequisiteLimits::default(),
            usage: RequisiteUsage::default(),
        }
    }

    /// Updates a requisite, or creates an approval request for it. Claims that have it keep the old values.
    ///
    /// # Errors
    /// 404 `requisite_not_found`; 409 `approval_waits`; 422 with the fields, `requisite_listed` at `value` for the account of
    /// another one.
    pub async fn change_requisite(
        self: &Arc<Self>,
        id: Uuid,
        change: RequisiteChange,
        staff: Staff,
    ) -> Result<ChangeOutcome<RequisiteRow>> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, change, staff) = (this.clone(), change.clone(), staff.clone());
                Box::pin(async move {
                    let not_found = || Error::not_found("requisite_not_found");
                    let currency = requisites::requisite(tx, id).await?.ok_or_else(not_found)?.currency_id;
                    requisites::lock_pool(tx, currency).await?;
                    let before = requisites::locked(tx, id).await?.ok_or_else(not_found)?;
                    let currency = this.require_currency(currency)?;
                    let after = changed(&currency, before.clone(), change)?;
                    if after != before {
                        refuse_duplicate(tx, Some(&before), &after).await?;
                        if this.approvals.is_enabled() && !only_restricts(&before, &after) {
                            return this
                                .propose_requisite(tx, Some(&before), &after, &staff)
                                .await
                                .map(|row| ChangeOutcome::PendingApproval(Box::new(row)));
                        }
                        this.store_requisite(tx, Some(&before), &after, &Actor::from(&staff)).await?;
                    }
                    Ok(ChangeOutcome::Applied(after))
                })
            })
            .await
    }

    pub(super) fn require_currency(&self, id: i64) -> Result<Arc<CurrencyInfo>> {
        let unknown = || Error::unprocessable("validation_failed").at("currencyId", "currency_unknown");
        self.quotes.by_id(id).ok_or_else(unknown)
    }

    /// # Errors
    /// 422 `validation_failed` if the currency is archived: nobody pays with or receives it any more.
    pub(super) fn refuse_archived(&self, currency: i64) -> Result<()> {
        let archived = || Error::unprocessable("validation_failed").at("currencyId", "currency_archived");
        if self.quotes.is_archived(currency) { Err(archived()) } else { Ok(()) }
    }

    /// Stores a requisite in the caller's transaction, with the full change and an audit entry with masked values.
    pub(super) async fn store_requisite(
        &self,
        tx: &mut Tx,
        before: Option<&RequisiteRow>,
        after: &RequisiteRow,
        by: &Actor,
    ) -> Result<()> {
        self.write_requisite(tx, before, after, by).await?;
        let new = whole(after);
        let (action, (old, new)) = match before.map(whole) {
            None => ("requisite.added", (None, Some(new))),
            Some(old) => ("requisite.changed", audit::difference(&old, &new)?),
        };
        let kind =
            self.quotes.by_id(after.currency_id).and_then(|currency| address_kind(&currency)).unwrap_or(RequisiteKind::Text);
        let id = after.id.to_string();
        let entry = NewAuditEntry {
            by,
            action,
            about: "requisite",
            id,
            before: old.map(|row| masked(row, kind)),
            after: new.map(|row| masked(row, kind)),
        };
        audit::record(tx, entry, self.platform.clock.now()).await
    }

    /// Writes a new or changed requisite and the full change, without an audit entry.
    pub(super) async fn write_requisite(
        &self,
        tx: &mut Tx,
        before: Option<&RequisiteRow>,
        after: &RequisiteRow,
        by: &Actor,
    ) -> Result<()> {
        let now = self.platform.clock.now();
        match before {
            None => requisites::insert(tx, after, now).await?,
            Some(_) => requisites::update(tx, after, now).await?,
        }
        let (old, new) = (before.map(|row| whole(row).to_string()), whole(after).to_string());
        // The command line has no account: its changes have the nil identifier.
        let staff = by.id.unwrap_or_default();
        requisites::insert_event(tx, after.id, (staff, &by.name), old.as_deref(), &new, now).await
    }
}

/// Refuses the account of another requisite.
///
/// # Errors
/// 422 `requisite_listed` at `value`.
async fn refuse_duplicate(tx: &mut Tx, before: Option<&RequisiteRow>, after: &RequisiteRow) -> Result<()> {
    if is_duplicate(tx, before, after).await? {
        return Err(Error::unprocessable("validation_failed").at("value", "requisite_listed"));
    }
    Ok(())
}

/// Whether a new or changed requisite gets the account of another one: claims of both would pay the same amounts to one
/// account, and each limit would count twice. The caller holds the lock of the pool.
pub(super) async fn is_duplicate(tx: &mut Tx, before: Option<&RequisiteRow>, after: &RequisiteRow) -> Result<bool> {
    let stays = before.is_some_and(|before| (&before.value, &before.memo) == (&after.value, &after.memo));
    Ok(!stays && requisites::is_account_taken(tx, after).await?)
}

/// Whether a change only disables a requisite, tightens its limits or moves it in the order. That is applied at once: a
/// lost card must be disabled immediately.
fn only_restricts(before: &RequisiteRow, after: &RequisiteRow) -> bool {
    let same = RequisiteRow {
        enabled: before.enabled,
        priority: before.priority,
        weight: before.weight,
        limits: before.limits.clone(),
        ..after.clone()
    } == *before;
    let (old, new) = (&before.limits, &after.limits);
    let at_most = |old: Option<i64>, new: Option<i64>| old.is_none_or(|old| new.is_some_and(|new| new <= old));
    let at_least = |old: Option<i64>, new: Option<i64>| old.is_none_or(|old| new.is_some_and(|new| new >= old));
    same && (before.enabled || !after.enabled)
        && at_least(old.operation_min, new.operation_min)
        && at_most(old.operation_max, new.operation_max)
        && at_most(old.daily_limit, new.daily_limit)
        && at_most(old.monthly_limit, new.monthly_limit)
        && at_most(old.daily_count, new.daily_count)
        && at_most(old.turnover_limit, new.turnover_limit)
        && (new.one_time || !old.one_time)
        && new.cooling_minutes >= old.cooling_minutes
}

pub(super) fn whole(row: &RequisiteRow) -> Value {
    let limits = &row.limits;
    json!({
        "currency": row.currency_id, "value": row.value, "holder": row.holder, "memo": row.memo, "enabled": row.enabled,
        "identification": row.identification, "priority": row.priority, "weight": row.weight,
        "minAmountUnits": limits.operation_min, "maxAmountUnits": limits.operation_max,
        "dailyLimitUnits": limits.daily_limit, "monthlyLimitUnits": limits.monthly_limit, "dailyCount": limits.daily_count,
        "turnoverLimitUnits": limits.turnover_limit, "oneTime": limits.one_time, "coolingMinutes": limits.cooling_minutes,
    })
}

/// The same with the account masked.
pub(super) fn masked(mut row: Value, kind: RequisiteKind) -> Value {
    for (field, kind) in [("value", kind), ("holder", RequisiteKind::Holder), ("memo", RequisiteKind::Memo)] {
        if let Some(Value::String(text)) = row.get_mut(field) {
            *text = mask(kind, text);
        }
    }
    row
}

/// A value in its normal form, validated as a requisite of the currency if its kind is known.
fn pool_value(currency: &CurrencyInfo, typed: &str) -> Result<String> {
    let kind = address_kind(currency).unwrap_or(RequisiteKind::Text);
    checked_value("value", kind, typed).map_err(|refused: FieldError| Error::invalid(vec![refused]))
}

/// A memo in its normal form, by the rules of the network if the currency has one.
fn pool_memo(currency: &CurrencyInfo, typed: Option<String>) -> Result<Option<String>> {
    let Some(address) = address_kind(currency).filter(|kind| kind.is_address()) else {
        return words("memo", typed);
    };
    let typed = typed.filter(|text| !text.trim().is_empty());
    let checked = typed.map(|text| checked_memo("memo", address, &text)).transpose();
    checked.map_err(|refused| Error::invalid(vec![refused]))
}

fn words(field: &'static str, text: Option<String>) -> Result<Option<String>> {
    let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    match &text {
        Some(text) if text.chars().count() > WORDS_MAX => {
            Err(Error::unprocessable("validation_failed").with("max", WORDS_MAX).at(field, "text_too_long"))
        }
        _ => Ok(text),
    }
}

/// The requisite with a change.
///
/// # Errors
/// 422 with the fields.
pub(super) fn changed(currency: &CurrencyInfo, mut row: RequisiteRow, change: RequisiteChange) -> Result<RequisiteRow> {
    if currency.is_cash() {
        return Err(Error::unprocessable("validation_failed").at("value", "cash_has_cities"));
    }
    if let Some(value) = change.value {
        row.value = pool_value(currency, &value)?;
    }
    if let Some(holder) = change.holder {
        row.holder = words("holder", holder)?;
    }
    if let Some(memo) = change.memo {
        row.memo = pool_memo(currency, memo)?;
    }
    row.enabled = change.enabled.unwrap_or(row.enabled);
    row.identification = change.identification.unwrap_or(row.identification);
    if row.identification == RequisiteIdentification::Memo && row.memo.is_some() {
        return Err(Error::unprocessable("validation_failed").at("memo", "memo_per_claim"));
    }
    let carries_memo =
        currency.kind != CurrencyKind::Crypto || currency.inputs.iter().any(|input| input.kind == RequisiteKind::Memo);
    if row.identification == RequisiteIdentification::Memo && !carries_memo {
        return Err(Error::unprocessable("validation_failed").at("identification", "memo_not_carried"));
    }
    if let Some(priority) = change.priority {
        row.priority = within("priority", priority, 0, PRIORITY_MAX)?;
    }
    if let Some(weight) = change.weight {
        row.weight = within("weight", weight, 1, WEIGHT_MAX)?;
    }
    let limits = &mut row.limits;
    let amounts = [
        ("minAmount", change.operation_min, &mut limits.operation_min),
        ("maxAmount", change.operation_max, &mut limits.operation_max),
        ("dailyLimit", change.daily_limit, &mut limits.daily_limit),
        ("monthlyLimit", change.monthly_limit, &mut limits.monthly_limit),
        ("turnoverLimit", change.turnover_limit, &mut limits.turnover_limit),
    ];
    for (field, change, limit) in amounts {
        if let Some(amount) = change {
            *limit = amount.map(|amount| positive_units(currency, field, amount)).transpose()?;
        }
    }
    if let Some(count) = change.daily_count {
        limits.daily_count = count.map(|count| within("dailyCount", count, 1, DAILY_COUNT_MAX)).transpose()?;
    }
    limits.one_time = change.one_time.unwrap_or(limits.one_time);
    if let Some(minutes) = change.cooling_minutes {
        limits.cooling_minutes = within("coolingMinutes", minutes, 0, COOLING_MAX)?;
    }
    if limits.operation_min.zip(limits.operation_max).is_some_and(|(min, max)| max < min) {
        return Err(Error::unprocessable("validation_failed").at("maxAmount", "max_below_min"));
    }
    Ok(row)
}

fn within(field: &'static str, number: i64, min: i64, max: i64) -> Result<i64> {
    if (min..=max).contains(&number) {
        return Ok(number);
    }
    Err(Error::unprocessable("validation_failed").with("min", min).with("max", max).at(field, "value_out_of_range"))
}

fn positive_units(currency: &CurrencyInfo, field: &'static str, amount: Decimal) -> Result<i64> {
    let refused = |code| Error::unprocessable("validation_failed").with("digits", currency.scale).at(field, code);
    let units = currency.exact(amount).map_err(|error| refused(error.code()))?.units();
    if units > 0 { Ok(units) } else { Err(refused("not_an_amount")) }
}
