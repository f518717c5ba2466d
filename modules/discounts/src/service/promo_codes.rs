//! Creating and stopping promo codes.

use agio_core::audit::{self, NewAuditEntry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use serde_json::json;

use super::Discounts;
use crate::model::{normalize_code, parse_amount, parse_percent, percent, volume};
use crate::store::promo_codes::{self, PromoCodeRow};

const NOTE_MAX: usize = 200;
const LIMIT_MAX: i64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub struct NewPromoCode {
    pub code: String,
    /// Bonus in percent.
    pub percent: Decimal,
    pub uses_max: Option<i64>,
    pub per_customer: Option<i64>,
    /// Minimum claim value, in the base currency.
    pub min: Option<Decimal>,
    /// Now by default.
    pub starts_at: Option<Timestamp>,
    pub ends_at: Option<Timestamp>,
    pub note: String,
}

impl Discounts {
    /// # Errors
    /// 422 with the fields; 409 `promo_exists`.
    pub async fn create_promo_code(&self, new: NewPromoCode, staff: Staff, key: Option<Key>) -> Result<PromoCodeRow> {
        let now = self.platform.clock.now();
        let row = self.validate(new, &staff, now)?;
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (row, staff) = (row.clone(), staff.clone());
            Box::pin(async move {
                if !promo_codes::insert(tx, &row).await? {
                    return Err(Error::conflict("promo_exists").at("code", "promo_exists"));
                }
                log(tx, &staff, "promo.created", &row, now).await?;
                Ok(row)
            })
        })
        .await
    }

    fn validate(&self, new: NewPromoCode, staff: &Staff, now: Timestamp) -> Result<PromoCodeRow> {
        let mut wrong: Vec<FieldError> = Vec::new();
        let mut refuse = |field: &str, code: &'static str| wrong.push(FieldError::new(field, code));
        let code = normalize_code(&new.code);
        if code.is_none() {
            refuse("code", "promo_code_invalid");
        }
        for (field, limit) in [("usesMax", new.uses_max), ("perCustomer", new.per_customer)] {
            if limit.is_some_and(|limit| !(1..=LIMIT_MAX).contains(&limit)) {
                refuse(field, "promo_limit_invalid");
            }
        }
        let starts_at = new.starts_at.unwrap_or(now);
        if new.ends_at.is_some_and(|end| end <= starts_at || end <= now) {
            refuse("endsAt", "promo_period_invalid");
        }
        let note = new.note.trim().to_owned();
        if note.chars().count() > NOTE_MAX || note.chars().any(char::is_control) {
            refuse("note", "promo_note_invalid");
        }
        let percent_bps = parse_percent("percent".into(), new.percent).map_err(|fault| wrong.push(fault));
        let min = new.min.map(|min| parse_amount("min".into(), min)).transpose().map_err(|fault| wrong.push(fault));
        let (Some(code), Ok(percent_bps), Ok(min_units), true) = (code, percent_bps, min, wrong.is_empty()) else {
            return Err(Error::invalid(wrong));
        };
        Ok(PromoCodeRow {
            code,
            percent_bps,
            uses_max: new.uses_max,
            per_customer: new.per_customer,
            uses: 0,
            min_ticker: min_units.map(|_| self.base()),
            min_units,
            starts_at,
            ends_at: new.ends_at,
            note,
            created_at: now,
            created_by: staff.id,
            created_name: staff.name.clone(),
            stopped_at: None,
        })
    }

    /// Stops a promo code. Existing claims keep their bonus. Idempotent.
    ///
    /// # Errors
    /// 404 `promo_not_found`.
    pub async fn stop_promo_code(&self, code: &str, staff: Staff) -> Result<PromoCodeRow> {
        let now = self.platform.clock.now();
        let code = normalize_code(code).ok_or_else(promo_not_found)?;
        self.platform
            .db
            .write(move |tx| {
                let (code, staff) = (code.clone(), staff.clone());
                Box::pin(async move {
                    let stopped = promo_codes::stop(tx, &code, now).await?;
                    let row = promo_codes::find(tx, &code).await?.ok_or_else(promo_not_found)?;
                    if stopped {
                        log(tx, &staff, "promo.stopped", &row, now).await?;
                    }
                    Ok(row)
                })
            })
            .await
    }
}

pub(super) fn promo_not_found() -> Error {
    Error::not_found("promo_not_found")
}

async fn log(tx: &mut Tx, staff: &Staff, action: &str, row: &PromoCodeRow, now: Timestamp) -> Result<()> {
    let least = row.min_units.map(|units| format!("{} {}", volume(units), row.min_ticker.as_deref().unwrap_or_default()));
    let mut after = json!({
        "percent": percent(row.percent_bps).to_string(), "usesMax": row.uses_max, "perCustomer": row.per_customer, "min": least,
        "startsAt": row.starts_at, "endsAt": row.ends_at, "uses": row.uses, "stoppedAt": row.stopped_at,
    });
    if let Some(fields) = after.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    let by = &Actor::from(staff);
    audit::record(tx, NewAuditEntry { by, action, about: "promo", id: row.code.clone(), before: None, after: Some(after) }, now)
        .await
}
