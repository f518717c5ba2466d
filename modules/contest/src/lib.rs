//! Contests: exchanges during a period enter a publicly verifiable draw.
//!
//! The draw is pure ([`model::draw`]) and its published file verifies itself ([`model::published_draw`]). Completed
//! exchanges enter through [`agio_contracts::ExchangeListener`]. A job starts and closes periods; staff draw with
//! public randomness; prizes are booked as owed until they are paid.

mod admin;
mod api;
pub mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::texts::Dictionary;

pub use admin::ContestAdminApi;
pub use api::ContestApi;
pub use service::{ApprovedDraw, ApprovedPrizePayment, Contests};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// View contests and entries.
pub const CONTEST_READ: Permission = Permission("contest.read");
pub const CONTEST_EDIT: Permission = Permission("contest.edit");
pub const CONTEST_PAY: Permission = Permission("contest.pay");

/// Site setting: whether contests are shown.
const SITE_CONTEST: &str = "site.contest";

/// Rates setting: ticker of the base currency.
const BASE: &str = "rates.base";

const PERIOD_CHECK_INTERVAL: Duration = Duration::from_secs(15);

impl Module for Contests {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[CONTEST_READ, CONTEST_EDIT, CONTEST_PAY],
            statements: store::STATEMENTS,
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("contest", "id": Uuid, "secret", |vault, id, sealed| vault.reseal(&service::secret_purpose(id), sealed)),
                ]
            },
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("contest.periods", PERIOD_CHECK_INTERVAL, &self, |contests| {
            Box::pin(async move { contests.advance_periods().await })
        })]
    }
}
