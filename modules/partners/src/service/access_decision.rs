//! Staff approve or decline partner access requests.

use agio_core::identity::Actor;
use agio_core::{Error, Result};
use uuid::Uuid;

use super::Partners;
use super::admin::text_error;
use crate::model::PartnerAccessStatus;
use crate::store::{self, PartnerRow};

const REASON_MAX: usize = 500;

#[derive(Clone, Debug)]
pub enum AccessDecision {
    Approve,
    /// With the reason the customer is sent.
    Decline(String),
}

impl Partners {
    /// Approves or declines a request and e-mails the customer.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed` if the revision is stale, `partner_decided` if there is no
    /// open request; 422 at `reason`.
    pub async fn decide(&self, id: Uuid, revision: i64, decision: AccessDecision, by: Actor) -> Result<PartnerRow> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        if before.status != PartnerAccessStatus::Requested {
            return Err(Error::conflict("partner_decided"));
        }
        let (status, reason, action) = match decision {
            AccessDecision::Approve => (PartnerAccessStatus::Approved, None, "partner.approved"),
            AccessDecision::Decline(reason) => {
                let reason = reason.trim().to_owned();
                if let Some(wrong) = text_error("reason", &reason, REASON_MAX) {
                    return Err(Error::invalid(vec![wrong]));
                }
                (PartnerAccessStatus::Declined, Some(reason), "partner.declined")
            }
        };
        let now = self.platform.clock.now();
        let after = PartnerRow { status, reason, revision, updated_at: now, ..before.clone() };
        self.save_partner(before, after, action, by, now).await
    }
}
