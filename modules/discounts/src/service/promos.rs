//! Making and stopping promo codes.

use agio_core::audit::{self, Entry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use rust_decimal::Decimal;
use serde_json::json;

use super::Discounts;
use crate::model::{normal_code, percent, read_amount, read_percent, volume};
use crate::store::promos::{self, PromoRow};

/// The longest remark for colleagues.
const NOTE_MAX: usize = 200;
/// The most uses a limit can name.
const LIMIT_MAX: i64 = 1_000_000_000;

/// A promo code as an operator wants it.
#[derive(Clone, Debug)]
pub struct NewPromo {
    /// The code, in any case.
    pub code: String,
    /// Percent it adds.
    pub percent: Decimal,
    /// How often it may be used in all.
    pub uses_max: Option<i64>,
    /// How often by one customer.
    pub per_customer: Option<i64>,
    /// What a claim must be worth at least, in the base currency.
    pub least: Option<Decimal>,
    /// From when on; from now, if nothing is said.
    pub starts_at: Option<Timestamp>,
    /// Until when.
    pub ends_at: Option<Timestamp>,
    /// A remark for colleagues.
    pub note: String,
}

impl Discounts {
    /// Makes a promo code.
    ///
    /// # Errors
    /// 422 with the fields; 409 `promo_exists`.
    pub async fn add_promo(&self, new: NewPromo, staff: Staff, key: Option<Key>) -> Result<PromoRow> {
        let now = self.platform.clock.now();
        let row = self.checked(new, &staff, now)?;
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (row, staff) = (row.clone(), staff.clone());
            Box::pin(async move {
                if !promos::insert(tx, &row).await? {
                    return Err(Error::conflict("promo_exists").at("code", "promo_exists"));
                }
                log(tx, &staff, "promo.created", &row, now).await?;
                Ok(row)
            })
        })
        .await
    }

    fn checked(&self, new: NewPromo, staff: &Staff, now: Timestamp) -> Result<PromoRow> {
        let mut wrong: Vec<FieldError> = Vec::new();
        let mut refuse =
            |field: &str, code: &'static str| wrong.push(FieldError { field: field.into(), code, params: [].into() });
        let code = normal_code(&new.code);
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
        let percent_e2 = read_percent("percent".into(), new.percent).map_err(|fault| wrong.push(fault));
        let least = new.least.map(|least| read_amount("min".into(), least)).transpose().map_err(|fault| wrong.push(fault));
        let (Some(code), Ok(percent_e2), Ok(least_units), true) = (code, percent_e2, least, wrong.is_empty()) else {
            return Err(Error::invalid(wrong));
        };
        Ok(PromoRow {
            code,
            percent_e2,
            uses_max: new.uses_max,
            per_customer: new.per_customer,
            uses: 0,
            least_ticker: least_units.map(|_| self.base()),
            least_units,
            starts_at,
            ends_at: new.ends_at,
            note,
            created_at: now,
            created_by: staff.id,
            created_name: staff.name.clone(),
            stopped_at: None,
        })
    }

    /// Stops a promo code: nobody uses it from now on. Claims that were made with it keep what they were promised. Stopping it twice
    /// changes nothing.
    ///
    /// # Errors
    /// 404 `promo_not_found`.
    pub async fn stop_promo(&self, code: &str, staff: Staff) -> Result<PromoRow> {
        let now = self.platform.clock.now();
        let code = normal_code(code).ok_or_else(promo_not_found)?;
        self.platform
            .db
            .write(move |tx| {
                let (code, staff) = (code.clone(), staff.clone());
                Box::pin(async move {
                    let stopped = promos::stop(tx, &code, now).await?;
                    let row = promos::one(tx, &code).await?.ok_or_else(promo_not_found)?;
                    if stopped {
                        log(tx, &staff, "promo.stopped", &row, now).await?;
                    }
                    Ok(row)
                })
            })
            .await
    }
}

/// The answer for a code there is not.
pub(super) fn promo_not_found() -> Error {
    Error::not_found("promo_not_found")
}

async fn log(tx: &mut Tx, staff: &Staff, action: &str, row: &PromoRow, now: Timestamp) -> Result<()> {
    let least = row.least_units.map(|units| format!("{} {}", volume(units), row.least_ticker.as_deref().unwrap_or_default()));
    let mut after = json!({
        "percent": percent(row.percent_e2).to_string(), "usesMax": row.uses_max, "perCustomer": row.per_customer, "min": least,
        "startsAt": row.starts_at, "endsAt": row.ends_at, "uses": row.uses, "stoppedAt": row.stopped_at,
    });
    if let Some(fields) = after.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    let by = &Actor::from(staff);
    audit::record(tx, Entry { by, action, about: "promo", id: row.code.clone(), before: None, after: Some(after) }, now).await
}
