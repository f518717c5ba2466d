//! The requisites that customers pay to.

use std::sync::Arc;

use agio_approvals::ChangeOutcome;
use agio_contracts::CurrencyInfo;
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Tx};
use agio_requisites::{RequisiteKind, mask};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Claims;
use super::transition::day_of;
use crate::rules::fields::checked_value;
use crate::rules::payment::address_kind;
use crate::store::requisites::{self, RequisiteRow};

/// The longest holder's name and memo.
const WORDS_MAX: usize = 200;

#[derive(Clone, Debug)]
pub struct NewRequisite {
    pub currency: i64,
    /// The card, account or address, as typed.
    pub value: String,
    pub holder: Option<String>,
    /// The memo or tag a payment must carry.
    pub memo: Option<String>,
    /// Whether new claims get it.
    pub enabled: bool,
    /// The daily limit of payments to it.
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
    /// Whether new claims get it.
    pub enabled: Option<bool>,
    /// The daily limit; the inner nothing removes it.
    pub daily_limit: Option<Option<Decimal>>,
}

impl Claims {
    pub async fn list_requisites(&self) -> Result<Vec<RequisiteRow>> {
        requisites::all(&mut self.platform.db.read().await?).await
    }

    /// The currencies with a requisite that new claims get.
    pub async fn currencies_with_requisites(&self) -> Result<Vec<i64>> {
        requisites::enabled_currencies(&mut self.platform.db.read().await?).await
    }

    /// The amount assigned to a requisite today, in units.
    #[must_use]
    pub fn used_today(&self, row: &RequisiteRow) -> i64 {
        if row.used_day == day_of(self.platform.clock.now()) { row.used_units } else { 0 }
    }

    /// Creates a requisite, or an approval request for it.
    ///
    /// # Errors
    /// 422 with the fields.
    pub async fn add_requisite(self: &Arc<Self>, new: NewRequisite, staff: Staff) -> Result<ChangeOutcome<RequisiteRow>> {
        let currency = self.require_currency(new.currency)?;
        self.refuse_archived(new.currency)?;
        let row = RequisiteRow {
            id: self.platform.random.uuid(),
            currency_id: new.currency,
            value: pool_value(&currency, &new.value)?,
            holder: words("holder", new.holder)?,
            memo: words("memo", new.memo)?,
            enabled: new.enabled,
            daily_limit: limit(&currency, new.daily_limit)?,
            used_day: 0,
            used_units: 0,
            last_used_at: None,
        };
        let (this, row) = (self.clone(), Arc::new(row));
        self.platform
            .db
            .write(move |tx| {
                let (this, row, staff) = (this.clone(), row.clone(), staff.clone());
                Box::pin(async move {
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

    /// Updates a requisite, or creates an approval request for it. Claims that have it keep the old values.
    ///
    /// # Errors
    /// 404 `requisite_not_found`; 409 `approval_waits`; 422 with the fields.
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
                    let found = requisites::requisite(tx, id).await?;
                    let before = found.ok_or_else(|| Error::not_found("requisite_not_found"))?;
                    let after = this.changed(before.clone(), change)?;
                    if after != before {
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

    fn changed(&self, mut row: RequisiteRow, change: RequisiteChange) -> Result<RequisiteRow> {
        let currency = self.require_currency(row.currency_id)?;
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
        audit::record(tx, entry, now).await
    }
}

/// Whether a change only disables a requisite or lowers its limit. That is applied at once: a lost card must be
/// disabled immediately.
fn only_restricts(before: &RequisiteRow, after: &RequisiteRow) -> bool {
    let same = RequisiteRow { enabled: before.enabled, daily_limit: before.daily_limit, ..after.clone() } == *before;
    let is_lower = match (before.daily_limit, after.daily_limit) {
        (Some(before), Some(after)) => after <= before,
        (Some(_), None) => false,
        (None, _) => true,
    };
    same && is_lower && (before.enabled || !after.enabled)
}

pub(super) fn whole(row: &RequisiteRow) -> Value {
    json!({
        "currency": row.currency_id, "value": row.value, "holder": row.holder, "memo": row.memo,
        "enabled": row.enabled, "dailyLimitUnits": row.daily_limit,
    })
}

/// The same with the account masked.
fn masked(mut row: Value, kind: RequisiteKind) -> Value {
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

fn words(field: &'static str, text: Option<String>) -> Result<Option<String>> {
    let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    match &text {
        Some(text) if text.chars().count() > WORDS_MAX => {
            Err(Error::unprocessable("validation_failed").with("max", WORDS_MAX).at(field, "text_too_long"))
        }
        _ => Ok(text),
    }
}

fn limit(currency: &CurrencyInfo, limit: Option<Decimal>) -> Result<Option<i64>> {
    let refused = |code| Error::unprocessable("validation_failed").at("dailyLimit", code);
    let Some(limit) = limit else { return Ok(None) };
    let units = currency.exact(limit).map_err(|error| refused(error.code()))?.units();
    if units > 0 { Ok(Some(units)) } else { Err(refused("not_an_amount")) }
}
