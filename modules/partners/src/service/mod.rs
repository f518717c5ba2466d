//! Use cases: one function, one transaction.

mod access_decision;
mod admin;
mod admission;
mod claims;
mod commissions;
mod customer_records;
mod emails;
pub(crate) mod key_cache;
mod keys;
mod payout;
mod sandbox;
mod self_service;
mod usage;
mod webhook_deliveries;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use agio_approvals::Approvals;
use agio_contracts::{OfferProvider, PartnerClaims, PartnerOffers, Reauthentication, ReferenceValueProvider};
use agio_core::retention::RetentionRule;
use agio_core::{Platform, Result, delete_rows};
use agio_mail::Mailer;
use arc_swap::ArcSwapOption;

use crate::store::accounts;
use crate::trustee::RateList;

pub use access_decision::AccessDecision;
pub use admin::{NewPartner, PartnerAndSecret, PartnerChange, PartnerOverview};
pub(crate) use admission::WINDOW_SECONDS;
pub use admission::{Admission, PartnerCaller, SignedRequest};
pub use commissions::{Commissions, Earnings};
pub use key_cache::KeyCache;
pub use keys::NewPartnerKey;
pub use payout::{ApprovedCommissionPayout, PartnerPayout};
pub use self_service::{NewPartnerAccess, OWN_PER_MINUTE, PartnerAccessOverview};
pub use usage::Usage;
pub use webhooks::{WebhookEvent, Webhooks};

/// Kept a little longer than its request is accepted, because clocks differ between nodes.
const NONCE_RETENTION: Duration = Duration::from_secs(60);

const MINUTE_RETENTION: i64 = 10;
const DAY_RETENTION: i64 = 370;

/// After the last change of a sandbox claim.
const SANDBOX_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

pub const RETENTION: &[RetentionRule] = &[
    RetentionRule {
        name: "partner_nonce",
        delete: delete_rows!("partner_nonce", "key_id, nonce", "expires_at < $1"),
        before: |_, now| now.minus(NONCE_RETENTION).0,
    },
    RetentionRule {
        name: "partner_minute",
        delete: delete_rows!("partner_minute", "key_id, minute", "minute < $1"),
        before: |_, now| usage::minute_of(now) - MINUTE_RETENTION,
    },
    RetentionRule {
        name: "partner_day",
        delete: delete_rows!("partner_day", "key_id, day", "day < $1"),
        before: |_, now| usage::day_of(now) - DAY_RETENTION,
    },
    RetentionRule {
        name: "partner_sandbox_claim",
        delete: delete_rows!("partner_sandbox_claim", "id", "updated_at < $1"),
        before: |_, now| now.minus(SANDBOX_RETENTION).0,
    },
    RetentionRule {
        name: "partner_trustee_order, sandbox",
        delete: delete_rows!(
            "partner_trustee_order",
            "claim_id",
            "sandbox AND created_at < $1
                AND NOT EXISTS (SELECT 1 FROM partner_sandbox_claim WHERE partner_sandbox_claim.id = partner_trustee_order.claim_id)"
        ),
        before: |_, now| now.minus(SANDBOX_RETENTION).0,
    },
];

/// What this module needs from other modules.
pub struct PartnerDependencies {
    pub offers: Arc<dyn PartnerOffers>,
    pub directions: Arc<dyn OfferProvider>,
    pub claims: Arc<dyn PartnerClaims>,
    pub reauthentication: Arc<dyn Reauthentication>,
    pub reference_values: Arc<dyn ReferenceValueProvider>,
    pub approvals: Approvals,
    pub mailer: Mailer,
    pub site: String,
}

pub struct Partners {
    pub(crate) platform: Platform,
    pub(crate) key_cache: KeyCache,
    pub(crate) webhooks: Arc<Webhooks>,
    pub(crate) offers: Arc<dyn PartnerOffers>,
    pub(crate) directions: Arc<dyn OfferProvider>,
    pub(crate) trustee_list: ArcSwapOption<RateList>,
    pub(crate) site: String,
    pub(crate) claims: Arc<dyn PartnerClaims>,
    pub(crate) commissions: Arc<Commissions>,
    pub(crate) approvals: Approvals,
    reauthentication: Arc<dyn Reauthentication>,
    reference_values: Arc<dyn ReferenceValueProvider>,
    emails: emails::PartnerEmails,
    allows_private: bool,
    usage: usage::UsageMeter,
    /// Secret used for unknown keys, so that timing does not reveal which keys exist.
    pub(crate) decoy: [u8; 32],
}

impl Partners {
    /// `allows_private` permits webhooks to private addresses.
    pub fn new(
        platform: &Platform,
        webhooks: Arc<Webhooks>,
        commissions: Arc<Commissions>,
        dependencies: PartnerDependencies,
        allows_private: bool,
    ) -> Arc<Self> {
        let mut decoy = [0; 32];
        platform.random.fill(&mut decoy);
        Arc::new(Self {
            platform: platform.clone(),
            key_cache: webhooks.key_cache().clone(),
            webhooks,
            commissions,
            offers: dependencies.offers,
            directions: dependencies.directions,
            trustee_list: ArcSwapOption::empty(),
            site: dependencies.site,
            claims: dependencies.claims,
            approvals: dependencies.approvals,
            reauthentication: dependencies.reauthentication,
            reference_values: dependencies.reference_values,
            emails: emails::PartnerEmails(dependencies.mailer),
            allows_private,
            usage: usage::UsageMeter::default(),
            decoy,
        })
    }

    pub async fn load(&self) -> Result<()> {
        self.key_cache.load(&self.platform).await
    }

    /// Open access requests.
    pub async fn count_requests(&self) -> Result<i64> {
        accounts::requested(&mut self.platform.db.read().await?).await
    }
}
