//! The use cases: one function, one transaction.

mod drawing;
mod entering;
mod paying;
mod periods;
mod planning;
mod viewing;

use std::sync::Arc;

use agio_approvals::Approvals;
use agio_core::audit::{self, Entry};
use agio_core::identity::Actor;
use agio_core::needs::{CurrencyFacts, Offers, Worths};
use agio_core::{Amount, Error, Platform, Result, Timestamp, Tx};
use agio_ledger::Ledger;
use agio_mail::Mailroom;
use serde_json::Value;
use uuid::Uuid;

use crate::BASE;
use crate::store::Row;

pub use drawing::{AgreedDraw, Drawing};
pub use paying::PrizePayment;
pub use planning::{Plan, PlannedPrize};
pub use viewing::{Seen, Standing};

/// Contests.
pub struct Contests {
    pub(crate) platform: Platform,
    ledger: Ledger,
    approvals: Approvals,
    offers: Arc<dyn Offers>,
    worths: Arc<dyn Worths>,
    mailroom: Mailroom,
}

impl Contests {
    /// Over the books, the currencies and what they are worth.
    #[must_use]
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        offers: Arc<dyn Offers>,
        worths: Arc<dyn Worths>,
        mailroom: Mailroom,
    ) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), ledger, approvals, offers, worths, mailroom })
    }

    /// The ticker in which the worth of exchanges is told.
    #[must_use]
    pub fn base(&self) -> String {
        self.platform.settings.text(BASE)
    }

    /// A currency, hidden ones included.
    #[must_use]
    pub fn currency(&self, id: i64) -> Option<CurrencyFacts> {
        self.offers.currencies().into_iter().find(|currency| currency.id == id)
    }

    /// An amount of a currency with its code.
    ///
    /// # Errors
    /// The currency is not there: a fault of the program.
    pub fn sum(&self, currency: i64, units: i64) -> Result<(Amount, String)> {
        let facts = self.currency(currency).ok_or_else(|| Error::internal(format!("a prize is of currency {currency}")))?;
        Ok((Amount::of_units(units, facts.scale), facts.code))
    }
}

/// What the secret of a contest is sealed for.
fn sealing(id: Uuid) -> String {
    format!("contest secret {id}")
}

fn not_found() -> Error {
    Error::not_found("contest_not_found")
}

fn changed() -> Error {
    Error::conflict("contest_changed")
}

/// Whether a contest is the one somebody saw.
fn is_seen(row: &Row, revision: i64) -> Result<()> {
    if row.revision == revision { Ok(()) } else { Err(changed()) }
}

/// Writes down what was done to a contest.
async fn write_down(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    id: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    let action = format!("contest.{action}");
    audit::record(tx, Entry { by, action: &action, about: "contest", id: id.to_string(), before, after }, now).await
}
