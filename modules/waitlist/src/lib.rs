//! "Notify me of a rate or reserve": visitors who wait for a reserve or a rate, and are told once by email.
//!
//! Only the owner of a mailbox can confirm an entry, so nobody is told what somebody else asked for. The address is
//! sealed, and it is forgotten with the notification, when the visitor unsubscribes or when the entry expires.

mod admin;
mod api;
mod customer_records;
mod emails;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::retention::RetentionRule;
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::WaitlistAdminApi;
pub use api::WaitlistApi;
pub use service::{Waitlist, WaitlistDependencies};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Reads how many visitors wait for each direction. Nobody reads their addresses.
pub const WAITLIST_READ: Permission = Permission("waitlist.read");

/// Days until a confirmed entry expires; 0 offers none.
pub const WAITLIST_DAYS: &str = "waitlist.days";

const SETTINGS: &[Setting] = &[Setting::number(WAITLIST_DAYS, 0, 365, "60")];

const RETENTION: &[RetentionRule] = &[RetentionRule {
    name: "waitlist_entry",
    delete: agio_core::delete_rows!("waitlist_entry", "id", "expires_at <= $1"),
    before: |_, now| now.0,
}];

impl Module for Waitlist {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[WAITLIST_READ],
            settings: SETTINGS,
            statements: store::STATEMENTS,
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("waitlist_entry", "id": Uuid, "email", |vault, _, sealed| vault.reseal(service::SEAL, sealed)),
                ]
            },
            retention: RETENTION,
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
