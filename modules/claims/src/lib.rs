//! Claims: somebody leaves money with the house and is to receive other money for it.
//!
//! A claim is made by a customer, paid, and paid out by an operator; [`model`] says in one table what may happen to it and
//! what each step does to the books. Every step is one function of [`service`] and one transaction: the claim, the ledger,
//! the history. Customers see it through [`ClaimsApi`], operators through [`ClaimsDesk`], and time passes by jobs.

mod admin;
mod api;
mod jobs;
pub mod model;
mod risk;
pub mod rules;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::{BoxFuture, Result};

pub use admin::ClaimsDesk;
pub use api::{AccountClaimsApi, ClaimsApi, SavedRequisitesApi};
pub use rules::payout::PayoutRules;
pub use service::{
    AddedRequisite, AgreedOverride, AgreedPayment, ChangedRequisite, Claims, DICTIONARY, DeskRow, Made, Needs, NewClaim,
    NewRequisite, Outgoing, Overview, Party, RequisiteChange, Said, SavedRequisites, Staffed, TECHNICAL_MODE, Viewer,
};

/// Seeing claims, their customers and their history.
pub const CLAIMS_READ: Permission = Permission("claims.read");
/// Moving claims on.
pub const CLAIMS_PROCESS: Permission = Permission("claims.process");
/// Returning payments.
pub const CLAIMS_REFUND: Permission = Permission("claims.refund");
/// Seeing the requisites customers pay to.
pub const REQUISITES_READ: Permission = Permission("requisites.read");
/// Changing the requisites customers pay to.
pub const REQUISITES_CHANGE: Permission = Permission("reserves.requisites");

const PERMISSIONS: &[Permission] = &[CLAIMS_READ, CLAIMS_PROCESS, CLAIMS_REFUND, REQUISITES_READ, REQUISITES_CHANGE];

/// By how much the course may move, in hundredths of a percent, so that a late payment goes on at the agreed terms.
const LATE_TOLERANCE: &str = "claims.late_tolerance_hundredths";

/// For how many minutes a payment may be reported without anybody seeing it, where a direction has no rule of its own.
const REPORTED_MINUTES: &str = "claims.reported_minutes";

/// How many percent of a reserve those who have proven nothing may hold together with claims for which nothing has come.
const UNPROVEN_SHARE: &str = "claims.unproven_share_percent";
/// Whether letters show what customers gave to pay and be paid by with most of it hidden.
const MASKED: &str = "claims.mail_masked";

const SETTINGS: &[Setting] = &[
    Setting::number("claims.confirm_minutes", 5, 1_440, "30"),
    Setting::number("claims.verify_minutes", 5, 10_080, "120"),
    Setting::number("claims.verify_first_above", 0, 100_000_000, "0"),
    Setting::number("claims.choice_hours", 1, 720, "24"),
    Setting::number(LATE_TOLERANCE, 0, 1_000, "200"),
    Setting::number("claims.answer_minutes", 1, 1_440, "20"),
    Setting::number(REPORTED_MINUTES, 10, 10_080, "120"),
    Setting::number("claims.unpaid_per_email", 0, 100_000, "10"),
    Setting::number("claims.unpaid_per_address", 0, 100_000, "30"),
    Setting::number("claims.unpaid_per_partner", 0, 100_000, "1000"),
    Setting::number(UNPROVEN_SHARE, 1, 100, "50"),
    Setting::switch("claims.captcha", "true"),
    Setting::number("claims.captcha_after", 0, 100_000, "5"),
    Setting::number("claims.mails_per_hour", 1, 1_000, "20"),
    Setting::number("claims.receipt_days", 1, 3_650, "180"),
    Setting::switch("claims.receipt_required", "false"),
    Setting::switch(MASKED, "true"),
];

impl Module for Claims {
    fn name(&self) -> &'static str {
        "claims"
    }

    fn permissions(&self) -> &'static [Permission] {
        PERMISSIONS
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::statements()
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }

    fn seal(self: Arc<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move { self.seal_open_rows().await })
    }
}

/// A number of minutes as a duration; none below zero.
pub(crate) fn minutes(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0) * 60)
}
