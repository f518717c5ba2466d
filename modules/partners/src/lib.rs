//! Partners: shops, wallets and monitors that exchange through the house for customers of their own.
//!
//! A partner calls with a key and signs each call ([`model::signature`]); [`Partners::admit`] lets a call in once and never again. What
//! may be exchanged, quotes and claims come from other rooms through traits of core. Each move of a partner's claim is told to the
//! partner by [`Webhooks`]: written in the transaction of the move, signed and delivered after it until it arrives ([`channel`]). With a
//! sandbox key the same calls rehearse claims that move no money.

mod admin;
mod api;
mod channel;
mod guide;
mod jobs;
pub mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::texts::Dictionary;

pub use admin::PartnersDesk;
pub use api::PartnerApi;
pub use channel::{CHANNEL, Caller, WebhookChannel};
pub use guide::guide;
pub use service::{Admission, KeyWish, Keyring, PartnerCaller, PartnerWish, Partners, SignedCall, Usage, Webhooks};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing partners, what was exchanged through them and what they were told.
pub const PARTNERS_READ: Permission = Permission("partners.read");
/// Making and changing partners and their keys, and telling them again.
pub const PARTNERS_MANAGE: Permission = Permission("partners.manage");

impl Module for Partners {
    fn name(&self) -> &'static str {
        "partners"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[PARTNERS_READ, PARTNERS_MANAGE]
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
