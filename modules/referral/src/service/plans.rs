//! Referral plans.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Referral, refused};
use crate::model::PlanTerms;
use crate::store::plans::{self, ReferralPlan};
use crate::store::referrers;

const NAME_MAX: usize = 100;

#[derive(Clone, Debug)]
pub struct NewReferralPlan {
    pub name: String,
    pub terms: PlanTerms,
}

impl Referral {
    pub async fn plans(&self) -> Result<Vec<ReferralPlan>> {
        plans::all(&mut self.platform.db.read().await?).await
    }

    /// # Errors
    /// 404 `referral_plan_not_found`.
    pub async fn plan(&self, id: Uuid) -> Result<ReferralPlan> {
        plans::one(&mut self.platform.db.read().await?, id).await?.ok_or_else(not_found)
    }

    /// # Errors
    /// 409 `referral_plan_named` if the name is taken; 422 for the terms, or `idempotency_mismatch`.
    pub async fn create_plan(self: &Arc<Self>, new: NewReferralPlan, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let new = Arc::new(validated(new)?);
        let (this, id, now) = (self.clone(), self.platform.random.uuid(), self.platform.clock.now());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, new, staff) = (this.clone(), new.clone(), staff.clone());
            Box::pin(async move {
                if !plans::insert(tx, id, &new.name).await? {
                    return Err(Error::conflict("referral_plan_named"));
                }
                plans::insert_terms(tx, id, 1, &new.terms, (staff.id, &staff.name), now).await?;
                this.record_audit(tx, "referral.plan_added", id, (None, Some(audit_snapshot(&new)?)), &staff, now).await?;
                Ok(id)
            })
        })
        .await
    }

    /// Earned commission does not change.
    ///
    /// # Errors
    /// 404 `referral_plan_not_found`; 409 `referral_changed` if the revision is stale,
    /// `referral_plan_named`; 422 for the terms.
    pub async fn update_plan(
        self: &Arc<Self>,
        id: Uuid,
        revision: i64,
        new: NewReferralPlan,
        staff: Staff,
    ) -> Result<ReferralPlan> {
        let new = Arc::new(validated(new)?);
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (this, new, staff) = (this.clone(), new.clone(), staff.clone());
                Box::pin(async move {
                    let old = plans::one(tx, id).await?.ok_or_else(not_found)?;
                    if plans::named(tx, &new.name).await?.is_some_and(|other| other != id) {
                        return Err(Error::conflict("referral_plan_named"));
                    }
                    if old.revision != revision || !plans::change(tx, id, revision, &new.name).await? {
                        return Err(Error::conflict("referral_changed"));
                    }
                    plans::insert_terms(tx, id, revision + 1, &new.terms, (staff.id, &staff.name), now).await?;
                    let before = audit_snapshot(&NewReferralPlan { name: old.name, terms: old.terms })?;
                    let change = audit::difference(&before, &audit_snapshot(&new)?)?;
                    this.record_audit(tx, "referral.terms_changed", id, change, &staff, now).await?;
                    plans::one(tx, id).await?.ok_or_else(not_found)
                })
            })
            .await
    }

    /// `None` restores the default plan.
    ///
    /// # Errors
    /// 404 `referrer_not_found`; 422 `referral_plan_not_found` at `planId`.
    pub async fn assign_plan(self: &Arc<Self>, referrer: Uuid, plan: Option<Uuid>, staff: Staff) -> Result<()> {
        let now = self.platform.clock.now();
        self.platform
            .db
            .write(move |tx| {
                let staff = staff.clone();
                Box::pin(async move {
                    let found = referrers::lock(tx, referrer).await?.ok_or_else(|| Error::not_found("referrer_not_found"))?;
                    if let Some(id) = plan
                        && plans::one(tx, id).await?.is_none()
                    {
                        return Err(refused("planId", "referral_plan_not_found"));
                    }
                    if found.plan_id == plan {
                        return Ok(());
                    }
                    referrers::set_plan(tx, referrer, plan).await?;
                    let entry = NewAuditEntry {
                        by: &Actor::from(&staff),
                        action: "referral.plan_assigned",
                        about: "referrer",
                        id: referrer.to_string(),
                        before: Some(json!({ "plan": found.plan_id })),
                        after: Some(json!({ "plan": plan })),
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }

    async fn record_audit(
        &self,
        tx: &mut Tx,
        action: &str,
        id: Uuid,
        (before, after): (Option<Value>, Option<Value>),
        staff: &Staff,
        now: Timestamp,
    ) -> Result<()> {
        let by = Actor::from(staff);
        audit::record(tx, NewAuditEntry { by: &by, action, about: "referral_plan", id: id.to_string(), before, after }, now).await
    }
}

fn validated(new: NewReferralPlan) -> Result<NewReferralPlan> {
    let name = new.name.trim().to_owned();
    let mut refusals = new.terms.faults();
    if name.is_empty() {
        refusals.push(FieldError::new("name", "required"));
    }
    if name.chars().count() > NAME_MAX {
        refusals.push(FieldError::new("name", "text_too_long").with("max", NAME_MAX));
    }
    if refusals.is_empty() { Ok(NewReferralPlan { name, ..new }) } else { Err(Error::invalid(refusals)) }
}

fn audit_snapshot(new: &NewReferralPlan) -> Result<Value> {
    let mut terms = serde_json::to_value(&new.terms).map_err(Error::internal)?;
    terms["name"] = new.name.clone().into();
    Ok(terms)
}

fn not_found() -> Error {
    Error::not_found("referral_plan_not_found")
}
