//! Payments without staff: money that comes is seen on its network, counted and screened, and what is owed for it is sent.
//!
//! How a currency is handled is its route: which plugin watches its network and pays on it, when a payment is certain, who judges where money comes
//! from, and how much may leave without staff. Plugins are asked outside of transactions and never twice for one thing that may have moved
//! money: each try to send is written down first, and what became of it is found out by asking. What follows for a claim from what came for it is
//! one pure function ([`model`]); claims are moved by [`agio_core::needs::MovesClaims`] in steps of their own table.

mod admin;
mod book;
mod jobs;
pub mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::Dictionary;
use agio_core::{BoxFuture, Result};

pub use admin::PaymentsDesk;
pub use book::PaymentBook;
pub use service::{AgreedRoute, Payments, RouteChange};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing routes, tries to send money, and money that nobody waits for.
pub const PAYMENTS_READ: Permission = Permission("payments.read");
/// Changing how a currency is watched and paid.
pub const PAYMENTS_CHANGE: Permission = Permission("payments.change");
/// Settling what automatic payments could not: attaching money to claims, asking drivers again, sending once more.
pub const PAYMENTS_SETTLE: Permission = Permission("claims.payments");

/// How many addresses are made ahead.
const AHEAD: &str = "payments.addresses_ahead";

const SETTINGS: &[Setting] = &[Setting { name: AHEAD, kind: SettingKind::Int(1, 1_000), default: "20", listed: true }];

impl Module for Payments {
    fn name(&self) -> &'static str {
        "payments"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[PAYMENTS_READ, PAYMENTS_CHANGE, PAYMENTS_SETTLE]
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
