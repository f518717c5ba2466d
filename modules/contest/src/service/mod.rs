//! Use cases: one function, one transaction.

mod customer_records;
mod draw;
mod entries;
mod overview;
mod periods;
mod plans;
mod prize_payments;

use std::fmt::Display;
use std::sync::Arc;

use agio_approvals::Approvals;
use agio_contracts::{CurrencyInfo, OfferProvider, ReferenceValueProvider};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::Actor;
use agio_core::{Amount, Error, Platform, Result, Timestamp, Tx};
use agio_ledger::Ledger;
use agio_mail::Mailer;
use serde_json::Value;
use uuid::Uuid;

use crate::BASE;
use crate::store::ContestRow;

pub use draw::{ApprovedDraw, PublicRandomness};
pub use overview::ContestSnapshot;
pub use plans::{ContestPlan, PlannedPrize};
pub use prize_payments::ApprovedPrizePayment;

pub struct Contests {
    pub(crate) platform: Platform,
    ledger: Ledger,
    approvals: Approvals,
    offers: Arc<dyn OfferProvider>,
    reference_values: Arc<dyn ReferenceValueProvider>,
    mailer: Mailer,
}

impl Contests {
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        offers: Arc<dyn OfferProvider>,
        reference_values: Arc<dyn ReferenceValueProvider>,
        mailer: Mailer,
    ) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), ledger, approvals, offers, reference_values, mailer })
    }

    pub fn base(&self) -> String {
        self.platform.settings.text(BASE)
    }

    pub fn currency(&self, id: i64) -> Option<CurrencyInfo> {
        self.offers.currencies().into_iter().find(|currency| currency.id == id)
    }

    /// # Errors
    /// `internal` if the currency does not exist.
    pub fn prize_amount(&self, currency: i64, units: i64) -> Result<(Amount, String)> {
        let facts = self.currency(currency).ok_or_else(|| Error::internal(format!("unknown prize currency {currency}")))?;
        Ok((facts.amount(units), facts.code))
    }
}

/// Encryption context of contest secrets.
pub(crate) fn secret_purpose(id: impl Display) -> String {
    format!("contest secret {id}")
}

fn not_found() -> Error {
    Error::not_found("contest_not_found")
}

fn changed() -> Error {
    Error::conflict("contest_changed")
}

fn check_revision(row: &ContestRow, revision: i64) -> Result<()> {
    if row.revision == revision { Ok(()) } else { Err(changed()) }
}

async fn record_audit(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    id: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    let action = format!("contest.{action}");
    audit::record(tx, NewAuditEntry { by, action: &action, about: "contest", id: id.to_string(), before, after }, now).await
}
