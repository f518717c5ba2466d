//! Automatic payments: incoming payments are detected, confirmed and screened, and payouts are sent.
//!
//! A currency's route says which plugin watches its network and pays on it, how many confirmations a payment needs,
//! which plugin
//! screens it, and how much may be paid out automatically. Plugins are called outside transactions, and never twice
//! for a request that may have moved money: each attempt is stored first, and its outcome is queried. What a payment
//! means for its claim is one pure function ([`model`]); claims are moved by [`agio_contracts::ClaimTransitions`] along
//! their own table.

mod admin;
mod jobs;
pub mod model;
mod routing;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::PaymentsAdminApi;
pub use routing::PaymentRouting;
pub use service::{PaymentRouteApproval, Payments, PayoutsOpeningApproval, RouteChange};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Viewing routes, attempts and incoming payments with issues.
pub const PAYMENTS_READ: Permission = Permission("payments.read");
/// Changing payment routes.
pub const PAYMENTS_CHANGE: Permission = Permission("payments.change");
/// Settling payments manually: attaching payments to claims, checking and retrying attempts.
pub const PAYMENTS_SETTLE: Permission = Permission("claims.payments");

/// How many addresses to create in advance.
const ADDRESSES_AHEAD: &str = "payments.addresses_ahead";

/// Whether no driver is told to send anything: after a restore, until wallets and banks were compared with the claims.
pub const PAYOUTS_CLOSED: Setting = Setting::switch("payments.closed", "false").unlisted();

const SETTINGS: &[Setting] = &[Setting::number(ADDRESSES_AHEAD, 1, 1_000, "20"), PAYOUTS_CLOSED];

impl Module for Payments {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[PAYMENTS_READ, PAYMENTS_CHANGE, PAYMENTS_SETTLE],
            settings: SETTINGS,
            statements: store::statements(),
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("payment_attempt", "id": Text, "address", |vault, id, sealed| {
                        vault.reseal(&store::attempts::purpose(id, store::attempts::ADDRESS), sealed)
                    }),
                    agio_core::sealed_column!("payment_attempt", "id": Text, "memo", |vault, id, sealed| {
                        vault.reseal(&store::attempts::purpose(id, store::attempts::MEMO), sealed)
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
