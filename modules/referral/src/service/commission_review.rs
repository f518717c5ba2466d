//! Review of commissions that may be self-referrals or have no amount.

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Amount, CurrencyUnit, Error, Result, Timestamp, Tx};
use serde_json::json;
use uuid::Uuid;

use super::commissions::{PricedShare, changed};
use super::{Referral, refused, too_long, units};
use crate::model::{ReferralCommissionDecision, ReferralCommissionState};
use crate::store::commissions::{self, ReferralCommission};
use crate::store::plans;
use crate::store::referrers::{self, Referrer};

const REASON_MAX: usize = 500;

#[derive(Clone, Debug)]
pub struct CommissionReview {
    pub staff: Staff,
    pub decision: ReferralCommissionDecision,
    pub comment: Option<String>,
}

impl Referral {
    /// A commission without an amount is valued at current rates.
    ///
    /// # Errors
    /// 404 `referral_commission_not_found`; 409 `referral_commission_closed` if it needs no review, `referral_no_worth` if
    /// there is still no rate; 422 for the comment.
    pub async fn review_commission(self: &Arc<Self>, id: Uuid, review: CommissionReview, key: Option<Key>) -> Result<()> {
        let comment = review.comment.as_deref().map(str::trim).unwrap_or_default();
        if comment.is_empty() && review.decision == ReferralCommissionDecision::Refuse {
            return Err(refused("comment", "required"));
        }
        if comment.chars().count() > REASON_MAX {
            return Err(too_long("comment", REASON_MAX));
        }
        let (this, now) = (self.clone(), self.platform.clock.now());
        let review =
            Arc::new(CommissionReview { comment: Some(comment.to_owned()).filter(|comment| !comment.is_empty()), ..review });
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, review) = (this.clone(), review.clone());
            Box::pin(async move { this.carry_out(tx, id, &review, now).await })
        })
        .await
    }

    async fn carry_out(&self, tx: &mut Tx, id: Uuid, review: &CommissionReview, now: Timestamp) -> Result<()> {
        let not_found = || Error::not_found("referral_commission_not_found");
        let found = commissions::one(tx, id).await?.ok_or_else(not_found)?;
        let referrer = referrers::lock(tx, found.referrer_id).await?.ok_or_else(not_found)?;
        let mut row = commissions::one(tx, id).await?.ok_or_else(not_found)?;
        let before = row.state;
        if !before.is_open() {
            return Err(Error::conflict("referral_commission_closed"));
        }
        row.comment.clone_from(&review.comment);
        (row.decided_by, row.decided_name) = (Some(review.staff.id), Some(review.staff.name.clone()));
        (row.decided_at, row.updated_at) = (Some(now), now);
        match review.decision {
            ReferralCommissionDecision::Approve => self.approve_commission(tx, &mut row, &referrer, now).await?,
            ReferralCommissionDecision::Refuse => {
                row.state = ReferralCommissionState::Refused;
                if let Some(amount) = row.amount() {
                    self.book_refusal(tx, row.id, referrer.customer_id, amount, now).await?;
                }
            }
        }
        if !commissions::update(tx, before, &row).await? {
            return Err(changed());
        }
        let action = match review.decision {
            ReferralCommissionDecision::Approve => "referral.approved",
            ReferralCommissionDecision::Refuse => "referral.refused",
        };
        let after = json!({ "state": row.state, "amount": units(row.units, row.scale).to_string(), "comment": row.comment });
        let entry = NewAuditEntry {
            by: &Actor::from(&review.staff),
            action,
            about: "referral_commission",
            id: id.to_string(),
            before: Some(json!({ "state": before })),
            after: Some(after),
        };
        audit::record(tx, entry, now).await
    }

    async fn approve_commission(
        &self,
        tx: &mut Tx,
        row: &mut ReferralCommission,
        referrer: &Referrer,
        now: Timestamp,
    ) -> Result<()> {
        if !row.is_counted {
            referrers::add_volume(tx, referrer.customer_id, row.volume).await?;
            row.is_counted = true;
        }
        if row.state == ReferralCommissionState::Review {
            row.state = ReferralCommissionState::Held;
            return Ok(());
        }
        let plan = plans::holding(tx, referrer.plan_id).await?;
        let percent = row.percent.parse().map_err(Error::internal)?;
        let of = Amount::of_units(row.of_units, CurrencyUnit::new(row.of_currency, row.of_scale));
        match self.price(&plan.terms, percent, of, referrer.currency_id) {
            PricedShare::Units(units, (currency, scale)) => {
                (row.state, row.reason, row.units) = (ReferralCommissionState::Held, None, units);
                (row.currency_id, row.scale) = (Some(currency), scale);
                row.available_at = row.available_at.max(now);
                self.book_pending(tx, referrer, row).await
            }
            PricedShare::Nothing(reason) => {
                (row.state, row.reason) = (ReferralCommissionState::Nothing, Some(reason.to_owned()));
                Ok(())
            }
            PricedShare::Unknown(_) => Err(Error::conflict("referral_no_worth")),
        }
    }
}
