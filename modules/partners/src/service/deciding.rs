//! Staff decide on customers who ask for partner access.

use std::sync::Arc;

use agio_core::audit;
use agio_core::identity::Actor;
use agio_core::{Error, Result};
use uuid::Uuid;

use super::Partners;
use super::desk::{bad_text, log, tell, trace};
use crate::model::standing::PartnerStanding;
use crate::store::{self, PartnerRow};

/// The longest reason.
const REASON_MAX: usize = 500;

/// What staff decide.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Live keys are good from now on.
    Approve,
    /// Not now, for this reason in words for the customer.
    Decline(String),
}

impl Partners {
    /// Approves or declines a partner who asked for access, and writes to them.
    ///
    /// # Errors
    /// 404 `partner_not_found`; 409 `partner_changed` when it is not the revision they saw, `partner_decided` when nobody asks any
    /// more; 422 at `reason`.
    pub async fn decide(&self, id: Uuid, revision: i64, decision: Decision, by: Actor) -> Result<PartnerRow> {
        let before = store::partner(&mut self.platform.db.read().await?, id).await?;
        if before.standing != PartnerStanding::Requested {
            return Err(Error::conflict("partner_decided"));
        }
        let (standing, reason, action) = match decision {
            Decision::Approve => (PartnerStanding::Approved, None, "partner.approved"),
            Decision::Decline(reason) => {
                let reason = reason.trim().to_owned();
                if let Some(wrong) = bad_text("reason", &reason, REASON_MAX) {
                    return Err(Error::invalid(vec![wrong]));
                }
                (PartnerStanding::Declined, Some(reason), "partner.declined")
            }
        };
        let now = self.platform.clock.now();
        let after = PartnerRow { standing, reason, revision, updated_at: now, ..before.clone() };
        let (rows, letters) = (Arc::new((before, after)), self.letters.clone());
        self.change(None, now, move |tx, platform| {
            let (rows, letters, by) = (rows.clone(), letters.clone(), by.clone());
            Box::pin(async move {
                let (before, after) = &*rows;
                store::update_partner(tx, after).await?;
                match after.standing {
                    PartnerStanding::Approved => letters.approved(tx, after, now).await?,
                    _ => letters.declined(tx, after, now).await?,
                }
                let difference = audit::difference(&trace(before), &trace(after))?;
                log(tx, &by, action, after.id, difference, now).await?;
                tell(tx, platform);
                Ok(())
            })
        })
        .await?;
        store::partner(&mut self.platform.db.read().await?, id).await
    }
}
