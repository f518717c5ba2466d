//! Claims: a customer gives one currency and receives another.
//!
//! A claim is created and paid by a customer, and paid out by an operator. [`model`] defines its lifecycle in one
//! table, with the effect of each transition on the ledger. Every transition is one function of [`service`] and one
//! transaction: the claim, the ledger, the history. Customers use [`ClaimsApi`], operators [`ClaimsAdminApi`];
//! deadlines are jobs.

mod admin;
mod api;
mod jobs;
pub mod model;
mod recent_claims;
pub mod rules;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::LATE_TOLERANCE;
use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::{Setting, SettingGuard};
use agio_push::{BROWSER_NOTIFICATIONS, MESSENGER_NOTIFICATIONS};

pub use admin::{ClaimsAdminApi, RequisitesAdminApi, TurnoverAdminApi};
pub use api::{AccountClaimsApi, BrowserNotificationsApi, ChatsApi, ClaimsApi, SavedRequisitesApi};
pub use rules::payout::PayoutRules;
pub use service::{
    AmountOverrideApproval, ClaimViewer, Claims, ClaimsDependencies, ClaimsOverview, CreatedClaim, CustomerConsents, DICTIONARY,
    HoldApproval, NewClaim, NewRequisite, OutgoingKind, OutgoingPaymentApproval, PaymentAvailability, Requester, RequisiteChange,
    RequisiteCreationApproval, RequisiteImport, RequisiteImportApproval, RequisitePool, RequisiteUpdateApproval, SavedRequisites,
    StaffTransition, TECHNICAL_MODE, TransitionInput, UrgentClaim,
};

/// Viewing claims, their customers and their history.
pub const CLAIMS_READ: Permission = Permission("claims.read");
pub const CLAIMS_PROCESS: Permission = Permission("claims.process");
pub const CLAIMS_REFUND: Permission = Permission("claims.refund");
/// Viewing the requisites customers pay to.
pub const REQUISITES_READ: Permission = Permission("requisites.read");
/// Changing the requisites customers pay to.
pub const REQUISITES_CHANGE: Permission = Permission("reserves.requisites");

const PERMISSIONS: &[Permission] = &[CLAIMS_READ, CLAIMS_PROCESS, CLAIMS_REFUND, REQUISITES_READ, REQUISITES_CHANGE];

/// The least surplus that is returned beside an exchange, in whole units of the base currency.
const SURPLUS_MIN: &str = "claims.surplus_min";

/// How many minutes a reported payment may remain undetected, for directions without their own setting.
const REPORTED_MINUTES: &str = "claims.reported_minutes";

/// The share of a reserve, in percent, that all unproven customers together may hold with unpaid claims.
const UNPROVEN_SHARE: &str = "claims.unproven_share_percent";
/// Whether e-mails show requisites masked.
const MASKED: &str = "claims.mail_masked";

/// Days after their end until the personal data of claims are masked; 0: never.
const PERSONAL_DATA_DAYS: &str = "claims.personal_data_days";

const SETTINGS: &[Setting] = &[
    Setting::number("claims.confirm_minutes", 5, 1_440, "30"),
    Setting::number("claims.verify_minutes", 5, 10_080, "120"),
    Setting::number("claims.verify_first_above", 0, 100_000_000, "0").guarded(SettingGuard::RaisingToZero),
    Setting::number("claims.choice_hours", 1, 720, "24"),
    Setting::number(LATE_TOLERANCE, 0, 1_000, "200").guarded(SettingGuard::Raising),
    Setting::number(SURPLUS_MIN, 0, 1_000_000, "5").guarded(SettingGuard::Lowering),
    Setting::number("claims.answer_minutes", 1, 1_440, "20"),
    Setting::number(REPORTED_MINUTES, 10, 10_080, "120"),
    Setting::number("claims.unpaid_per_email", 0, 100_000, "10").guarded(SettingGuard::RaisingToZero),
    Setting::number("claims.unpaid_per_address", 0, 100_000, "30").guarded(SettingGuard::RaisingToZero),
    Setting::number("claims.unpaid_per_partner", 0, 100_000, "1000").guarded(SettingGuard::RaisingToZero),
    Setting::number(UNPROVEN_SHARE, 1, 100, "50").guarded(SettingGuard::Raising),
    Setting::switch("claims.captcha", "true"),
    Setting::number("claims.captcha_after", 0, 100_000, "5"),
    Setting::number("claims.mails_per_hour", 1, 1_000, "20"),
    Setting::number("claims.receipt_days", 1, 3_650, "180"),
    Setting::number(PERSONAL_DATA_DAYS, 0, 36_500, "1825"),
    Setting::switch("claims.receipt_required", "false"),
    Setting::switch(MASKED, "true"),
    Setting::switch(BROWSER_NOTIFICATIONS, "true"),
    Setting::switch(MESSENGER_NOTIFICATIONS, "false"),
];

impl Module for Claims {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: PERMISSIONS,
            settings: SETTINGS,
            statements: store::statements(),
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("claim", "id": Uuid, "give_requisites", |vault, id, sealed| {
                        vault.reseal(&rules::claim::purpose(id, rules::claim::GIVE_REQUISITES), sealed)
                    }),
                    agio_core::sealed_column!("claim", "id": Uuid, "receive_requisites", |vault, id, sealed| {
                        vault.reseal(&rules::claim::purpose(id, rules::claim::RECEIVE_REQUISITES), sealed)
                    }),
                    agio_core::sealed_column!("claim", "id": Uuid, "refund_requisites", |vault, id, sealed| {
                        vault.reseal(&rules::claim::purpose(id, rules::claim::REFUND_REQUISITES), sealed)
                    }),
                    agio_core::sealed_column!("customer_requisite", "id": Uuid, "sealed", |vault, id, sealed| {
                        vault.reseal(&service::saved_requisites::purpose(id), sealed)
                    }),
                ]
            },
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}

/// A number of minutes as a duration; zero for negative numbers.
pub(crate) fn minutes(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0) * 60)
}
