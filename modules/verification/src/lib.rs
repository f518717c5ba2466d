//! Verifications: a customer shows by photos that a card is theirs, or who they are, before they pay.
//!
//! Claims ask for a verification through [`Register`], which also knows what was verified before and is not asked again. The customer
//! sends photos by [`VerificationApi`], staff look at them and decide by [`VerificationDesk`], and the claim hears of it. Photos are
//! private: they are redrawn without what cameras write behind them, every look at one is written down, and they are deleted when
//! their time is over. Of a card's number only a keyed digest and a masked form are kept.

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::VerificationDesk;
pub use api::VerificationApi;
pub use service::{Register, Verification};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing which verifications there are, without their photos.
pub const VERIFICATION_READ: Permission = Permission("verification.read");
/// Looking at photos and deciding.
pub const VERIFY: Permission = Permission("claims.verify");

/// The setting that says how long photos are kept.
const PHOTO_DAYS: &str = "verification.photo_days";

const SETTINGS: &[Setting] = &[Setting::number(PHOTO_DAYS, 1, 3_650, "90")];

impl Module for Verification {
    fn name(&self) -> &'static str {
        "verification"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[VERIFICATION_READ, VERIFY]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
