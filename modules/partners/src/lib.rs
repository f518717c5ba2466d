//! Partners: shops, wallets and aggregators that exchange for their own customers.
//!
//! Every request is signed with a key ([`model::signature`]); [`Partners::admit`] verifies it and rejects replays.
//! Offers, quotes and claims come from other modules through `agio_contracts`. Each status change of a partner's
//! claim is sent as a webhook: [`Webhooks`] enqueues it in the same transaction, and [`channel`] signs and delivers
//! it. With a sandbox key the same requests create sandbox claims that move no money.
//!
//! **Self-service.** A customer with a confirmed e-mail address requests access and staff decide. Sandbox keys work
//! at once, live keys while the partner is approved. Creating a live key needs the password and, where enabled, a
//! second-factor code. Staff can suspend any partner at any time.
//!
//! **Commission.** The transaction that completes a partner's claim credits the partner with a percentage of the
//! profit (in the received currency) or of the amount (in the given currency), rounded down ([`model::commission`]).
//! It is kept in a ledger account and paid out by staff, above the payout limit with a second person's approval. A
//! reversed claim reverses its commission; what has already been paid out becomes a debt that is set off against
//! later commission.

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
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::PartnerAdminApi;
pub use api::{PartnerAccessApi, PartnerApi};
pub use channel::{CHANNEL, WebhookChannel, WebhookClient};
pub use guide::guide;
pub use service::{
    Admission, ApprovedCommissionPayout, Commissions, KeyCache, NewPartner, NewPartnerKey, PartnerCaller, PartnerDependencies,
    Partners, SignedRequest, Usage, Webhooks,
};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// View partners, their turnover and webhook deliveries.
pub const PARTNERS_READ: Permission = Permission("partners.read");
/// Create and update partners and keys, redeliver webhooks.
pub const PARTNERS_MANAGE: Permission = Permission("partners.manage");
pub const PARTNERS_PAY: Permission = Permission("partners.pay");

/// Whether customers can request partner access.
pub const SELF_SERVICE: &str = "partners.selfService";

const SETTINGS: &[Setting] = &[Setting::switch(SELF_SERVICE, "true")];

impl Module for Partners {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[PARTNERS_READ, PARTNERS_MANAGE, PARTNERS_PAY],
            settings: SETTINGS,
            statements: store::statements(),
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("partner", "id": Uuid, "webhook_secret", |vault, id, sealed| {
                        vault.reseal(&service::key_cache::webhook_purpose(id), sealed)
                    }),
                    agio_core::sealed_column!("partner_key", "id": Uuid, "secret", |vault, id, sealed| {
                        vault.reseal(&service::key_cache::key_purpose(id), sealed)
                    }),
                    agio_core::sealed_column!("partner_trustee_order", "claim_id": Uuid, "request", |vault, id, sealed| {
                        vault.reseal(&trustee::store::purpose(id), sealed)
                    }),
                ]
            },
            retention: service::RETENTION,
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
