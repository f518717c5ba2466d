//! The pool of requisites customers pay to, as the staff keep it.

use std::sync::Arc;

use agio_approvals::Done;
use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::needs::CurrencyFacts;
use agio_core::{Amount, Error, FieldError, Result, Tx};
use agio_requisites::{Kind, mask};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Claims;
use super::moving::day_of;
use crate::rules::fields::checked_value;
use crate::rules::payment::address_kind;
use crate::store::requisites::{self, PoolRow};

/// The longest holder's name and memo.
const WORDS_MAX: usize = 200;

/// A requisite to be added.
#[derive(Clone, Debug)]
pub struct NewRequisite {
    /// The currency it takes.
    pub currency: i64,
    /// The card, account or address, as typed.
    pub value: String,
    /// Who holds it.
    pub holder: Option<String>,
    /// The memo or tag that must go with a payment.
    pub memo: Option<String>,
    /// Whether it is given out.
    pub enabled: bool,
    /// The most that is asked to be paid here on a day.
    pub daily_limit: Option<Decimal>,
}

/// What changes in a requisite; what is nothing stays.
#[derive(Clone, Debug, Default)]
pub struct RequisiteChange {
    /// The card, account or address, as typed.
    pub value: Option<String>,
    /// Who holds it; the inner nothing removes it.
    pub holder: Option<Option<String>>,
    /// The memo or tag; the inner nothing removes it.
    pub memo: Option<Option<String>>,
    /// Whether it is given out.
    pub enabled: Option<bool>,
    /// The daily limit; the inner nothing removes it.
    pub daily_limit: Option<Option<Decimal>>,
}

impl Claims {
    /// The whole pool.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn requisites(&self) -> Result<Vec<PoolRow>> {
        requisites::all(&mut self.platform.db.read().await?).await
    }

    /// How much was asked to be paid to a requisite today, in units.
    #[must_use]
    pub fn taken_today(&self, row: &PoolRow) -> i64 {
        if row.taken_day == day_of(self.platform.clock.now()) { row.taken_units } else { 0 }
    }

    /// Adds a requisite to the pool, or proposes it where a second person has to agree.
    ///
    /// # Errors
    /// 422 with the fields.
    pub async fn add_requisite(self: &Arc<Self>, new: NewRequisite, staff: Staff) -> Result<Done<PoolRow>> {
        let currency = self.known_currency(new.currency)?;
        let row = PoolRow {
            id: self.platform.random.uuid(),
            currency_id: new.currency,
            value: pool_value(&currency, &new.value)?,
            holder: words("holder", new.holder)?,
            memo: words("memo", new.memo)?,
            enabled: new.enabled,
            daily_limit: limit(&currency, new.daily_limit)?,
            taken_day: 0,
            taken_units: 0,
            last_used_at: None,
        };
        let (this, row) = (self.clone(), Arc::new(row));
        self.platform
            .db
            .write(move |tx| {
                let (this, row, staff) = (this.clone(), row.clone(), staff.clone());
                Box::pin(async move {
                    if this.approvals.are_on() {
                        return this.propose_requisite(tx, None, &row, &staff).await.map(|row| Done::Proposed(Box::new(row)));
                    }
                    this.put_requisite(tx, None, &row, &Actor::from(&staff)).await?;
                    Ok(Done::Now(PoolRow::clone(&row)))
                })
            })
            .await
    }

    /// Changes a requisite of the pool, or proposes that where a second person has to agree. Claims that were given it keep what they were
    /// given.
    ///
    /// # Errors
    /// 404 `requisite_not_found`; 409 `approval_waits`; 422 with the fields.
    pub async fn change_requisite(self: &Arc<Self>, id: Uuid, change: RequisiteChange, staff: Staff) -> Result<Done<PoolRow>> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, change, staff) = (this.clone(), change.clone(), staff.clone());
                Box::pin(async move {
                    let found = requisites::requisite(tx, id).await?;
                    let before = found.ok_or_else(|| Error::not_found("requisite_not_found"))?;
                    let after = this.changed(before.clone(), change)?;
                    if after != before {
                        if this.approvals.are_on() && !only_restricts(&before, &after) {
                            return this
                                .propose_requisite(tx, Some(&before), &after, &staff)
                                .await
                                .map(|row| Done::Proposed(Box::new(row)));
                        }
                        this.put_requisite(tx, Some(&before), &after, &Actor::from(&staff)).await?;
                    }
                    Ok(Done::Now(after))
                })
            })
            .await
    }

    fn changed(&self, mut row: PoolRow, change: RequisiteChange) -> Result<PoolRow> {
        let currency = self.known_currency(row.currency_id)?;
        if let Some(value) = change.value {
            row.value = pool_value(&currency, &value)?;
        }
        if let Some(holder) = change.holder {
            row.holder = words("holder", holder)?;
        }
        if let Some(memo) = change.memo {
            row.memo = words("memo", memo)?;
        }
        row.enabled = change.enabled.unwrap_or(row.enabled);
        if let Some(daily_limit) = change.daily_limit {
            row.daily_limit = limit(&currency, daily_limit)?;
        }
        Ok(row)
    }

    pub(super) fn known_currency(&self, id: i64) -> Result<Arc<CurrencyFacts>> {
        let unknown = || Error::unprocessable("validation_failed").at("currencyId", "currency_unknown");
        self.quotes.currency(id).ok_or_else(unknown)
    }

    /// Puts a requisite into the pool, in the caller's transaction: it keeps the whole change, and the audit log the change with masked
    /// requisites.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn put_requisite(&self, tx: &mut Tx, before: Option<&PoolRow>, after: &PoolRow, by: &Actor) -> Result<()> {
        let now = self.platform.clock.now();
        match before {
            None => requisites::insert(tx, after, now).await?,
            Some(_) => requisites::update(tx, after, now).await?,
        }
        let (old, new) = (before.map(whole), whole(after));
        let old_text = old.as_ref().map(Value::to_string);
        let staff = by.id.ok_or_else(|| Error::internal("the pool is changed by staff alone"))?;
        requisites::insert_event(tx, after.id, (staff, &by.name), old_text.as_deref(), &new.to_string(), now).await?;
        let (action, (old, new)) = match old {
            None => ("requisite.added", (None, Some(new))),
            Some(old) => ("requisite.changed", audit::difference(&old, &new)?),
        };
        let kind = self.quotes.currency(after.currency_id).and_then(|currency| address_kind(&currency)).unwrap_or(Kind::Text);
        let id = after.id.to_string();
        let entry = Entry {
            by,
            action,
            about: "requisite",
            id,
            before: old.map(|row| masked(row, kind)),
            after: new.map(|row| masked(row, kind)),
        };
        audit::record(tx, entry, now).await
    }
}

/// Whether a change only takes a requisite out of use or lowers its limit. That is never put off: a card that was lost must be out of use
/// at once.
fn only_restricts(before: &PoolRow, after: &PoolRow) -> bool {
    let same = PoolRow { enabled: before.enabled, daily_limit: before.daily_limit, ..after.clone() } == *before;
    let is_lower = match (before.daily_limit, after.daily_limit) {
        (Some(before), Some(after)) => after <= before,
        (Some(_), None) => false,
        (None, _) => true,
    };
    same && is_lower && (before.enabled || !after.enabled)
}

/// A requisite of the pool as data.
pub(super) fn whole(row: &PoolRow) -> Value {
    json!({
        "currency": row.currency_id, "value": row.value, "holder": row.holder, "memo": row.memo,
        "enabled": row.enabled, "dailyLimitUnits": row.daily_limit,
    })
}

/// The same with everything hidden by which somebody could be paid.
fn masked(mut row: Value, kind: Kind) -> Value {
    for (field, kind) in [("value", kind), ("holder", Kind::Holder), ("memo", Kind::Memo)] {
        if let Some(Value::String(text)) = row.get_mut(field) {
            *text = mask(kind, text);
        }
    }
    row
}

/// A value for the pool in its normal form, checked as a requisite of the currency where its kind is known.
fn pool_value(currency: &CurrencyFacts, typed: &str) -> Result<String> {
    let kind = address_kind(currency).unwrap_or(Kind::Text);
    checked_value("value", kind, typed).map_err(|refused: FieldError| Error::invalid(vec![refused]))
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

fn limit(currency: &CurrencyFacts, limit: Option<Decimal>) -> Result<Option<i64>> {
    let refused = |code| Error::unprocessable("validation_failed").at("dailyLimit", code);
    let Some(limit) = limit else { return Ok(None) };
    let units = Amount::exact(limit, currency.scale).map_err(|error| refused(error.code()))?.units();
    if units > 0 { Ok(Some(units)) } else { Err(refused("not_an_amount")) }
}
