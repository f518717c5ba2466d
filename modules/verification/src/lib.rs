//! Verification of cards and identity by photos, before the customer pays.
//!
//! Claims request a verification through [`VerificationRegistry`], which also knows what was verified before. Customers
//! upload photos ([`VerificationApi`]), staff decide ([`VerificationAdminApi`]), and the claim is notified. Photos are
//! private: they are re-encoded without metadata, every view is audited, and they are deleted after the retention
//! period. Card numbers are stored only as keyed digests and masked.

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::VerificationAdminApi;
pub use api::VerificationApi;
pub use service::{Verification, VerificationRegistry};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Lists verifications without photos.
pub const VERIFICATION_READ: Permission = Permission("verification.read");
/// Views photos and decides.
pub const VERIFY: Permission = Permission("claims.verify");

/// Retention of photos, in days.
const PHOTO_DAYS: &str = "verification.photo_days";

const SETTINGS: &[Setting] = &[Setting::number(PHOTO_DAYS, 1, 3_650, "90")];

impl Module for Verification {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[VERIFICATION_READ, VERIFY],
            settings: SETTINGS,
            statements: store::STATEMENTS,
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
