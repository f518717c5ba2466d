//! Partners: shops, wallets and monitors that exchange through the house for customers of their own.
//!
//! A partner calls with a key and signs each call ([`model::signature`]); [`Partners::admit`] lets a call in once and never again. What
//! may be exchanged, quotes and claims come from other rooms through traits of core. Each move of a partner's claim is told to the
//! partner by [`Webhooks`]: written in the transaction of the move, signed and delivered after it until it arrives ([`channel`]). With a
//! sandbox key the same calls rehearse claims that move no money.
//!
//! **Self-service.** A customer whose address is confirmed asks for access in their account and staff decide. Sandbox keys are good at once,
//! keys for real claims while the partner is approved; whoever makes one shows the password once more, and a code where they have a second
//! factor. Staff can suspend any partner at any time.
//!
//! **Commission.** In the very transaction that completes a partner's claim the partner gets a percent of the profit, in the currency
//! received, or of the amount, in the currency sent, rounded down ([`model::commission`]). It lies in an account of the books and is paid
//! by staff, above the limit for payouts with a colleague. A claim that is undone takes its commission back; what is not there any more
//! is owed and set off against what is earned next.

mod admin;
mod api;
mod channel;
mod guide;
mod jobs;
pub mod model;
mod service;
mod store;
pub mod trustee;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::Dictionary;
use agio_core::{BoxFuture, Result};

pub use admin::PartnersDesk;
pub use api::{PartnerAccessApi, PartnerApi};
pub use channel::{CHANNEL, Caller, WebhookChannel};
pub use guide::guide;
pub use service::{
    Admission, AgreedCommission, Commissions, KeyWish, Keyring, Needs, PartnerCaller, PartnerWish, Partners, SignedCall, Usage,
    Webhooks,
};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing partners, what was exchanged through them and what they were told.
pub const PARTNERS_READ: Permission = Permission("partners.read");
/// Making and changing partners and their keys, and telling them again.
pub const PARTNERS_MANAGE: Permission = Permission("partners.manage");
/// Paying partners what they earned.
pub const PARTNERS_PAY: Permission = Permission("partners.pay");

/// The setting that lets customers ask for partner access in their accounts.
pub const SELF_SERVICE: &str = "partners.selfService";

const SETTINGS: &[Setting] = &[Setting { name: SELF_SERVICE, kind: SettingKind::Bool, default: "true", listed: true }];

impl Module for Partners {
    fn name(&self) -> &'static str {
        "partners"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[PARTNERS_READ, PARTNERS_MANAGE, PARTNERS_PAY]
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
