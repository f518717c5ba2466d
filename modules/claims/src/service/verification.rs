//! Verifications before the payment.

use std::sync::Arc;

use agio_contracts::{ClaimVerificationRequest, VerificationEvent, VerificationListener, VerificationSubject};
use agio_core::identity::{self, Staff};
use agio_core::{Amount, BoxFuture, Error, Result, Timestamp, Tx};
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use super::staff_actions::check_lock;
use super::transition::{Initiator, TransitionInput};
use crate::minutes;
use crate::model::{Action, Actor, ClaimState};
use crate::rules::Claim;
use crate::rules::queue::{due_at, ends_at};
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};

/// The setting with the value above which a first claim needs a verification, in whole units of the base currency; 0
/// for never.
const FIRST_ABOVE: &str = "claims.verify_first_above";

impl Claims {
    /// Requests the verification that a claim needs before the payment; `None` when it needs none, or has it already.
    pub(super) async fn request_verification(&self, tx: &mut Tx, claim: &Claim) -> Result<Option<Uuid>> {
        let of_direction = self
            .quotes
            .required_verification(claim.give.currency_id(), claim.receive.currency_id())
            .map(|subject| (subject, "direction"));
        let of_risk = self.first_claim_verification(tx, claim, claim.give.amount).await?.map(|subject| (subject, "first_claim"));
        for (subject, cause) in [of_direction, of_risk].into_iter().flatten() {
            let verification_request = self.verification_request(claim, subject, cause)?;
            if let Some(verification) = self.verifications.request(tx, &verification_request).await? {
                return Ok(Some(verification));
            }
        }
        Ok(None)
    }

    /// Whether a different amount or a late payment must not be exchanged by the customer's choice alone: its claim was
    /// rejected after a check, or needs a verification for what arrived that it never had.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) async fn is_offer_withheld(&self, tx: &mut Tx, claim: &Claim) -> Result<bool> {
        let entered = history::states_of_claim(tx, claim.public_id).await?;
        // A report of a payment that was not found is rejected without a check: then the money may still be exchanged.
        let is_check = |before: ClaimState| matches!(before, ClaimState::Verification | ClaimState::OnHold);
        if entered.windows(2).any(|pair| is_check(pair[0].state) && pair[1].state == ClaimState::Rejected) {
            return Ok(true);
        }
        let is_confirmed = entered.iter().any(|entry| entry.state == ClaimState::AwaitingPayment);
        // Nobody confirms a claim without the verification that it waits for, and a confirmed one may be paid as agreed.
        // What its agreed amount would need today tells nothing: the threshold and the price move.
        let is_more = claim.excess()?.is_some();
        if is_confirmed && (claim.references.verification_id.is_some() || !is_more) {
            return Ok(false);
        }
        let of_direction = self.quotes.required_verification(claim.give.currency_id(), claim.receive.currency_id());
        let of_direction = of_direction.filter(|_| !is_confirmed);
        let of_risk = self.first_claim_verification(tx, claim, claim.balances.received).await?;
        for subject in [of_direction, of_risk].into_iter().flatten() {
            if !self.verifications.has_verified(tx, &self.verification_request(claim, subject, "first_claim")?).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a first claim of a given amount needs a verification. An unknown value counts as high.
    fn is_above_first(&self, given: Amount) -> bool {
        let above = self.platform.settings.int(FIRST_ABOVE);
        let value = self.reference_values.reference_value(given);
        above > 0 && value.is_none_or(|value| value.amount > Decimal::from(above))
    }

    /// The verification that a given amount needs in a first claim: of the card, or else of the identity.
    async fn first_claim_verification(&self, tx: &mut Tx, claim: &Claim, given: Amount) -> Result<Option<VerificationSubject>> {
        if !self.is_above_first(given) {
            return Ok(None);
        }
        // An e-mail address counts only for its owner: anyone can type it.
        let owner = self.confirmed_emails.owner(tx, &claim.customer.email).await?;
        let own = (owner.is_some() && owner == claim.customer.account_id).then_some(claim.customer.email.as_str());
        if claims::has_completed(tx, claim.customer.account_id, &claim.customer.guest_digest, own).await? {
            return Ok(None);
        }
        Ok(Some(if self.card_of(claim)?.is_some() { VerificationSubject::Card } else { VerificationSubject::Identity }))
    }

    /// The number of the card the customer pays with, if the claim knows it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    fn card_of(&self, claim: &Claim) -> Result<Option<String>> {
        let mut given = claim.give_requisites(&self.platform.vault)?.into_iter();
        Ok(given.find(|requisite| requisite.kind == RequisiteKind::Card).map(|requisite| requisite.value))
    }

    fn verification_request(
        &self,
        claim: &Claim,
        subject: VerificationSubject,
        cause: &'static str,
    ) -> Result<ClaimVerificationRequest> {
        Ok(ClaimVerificationRequest {
            verification: subject,
            cause,
            claim: claim.id,
            claim_number: claim.public_id,
            customer: claim.customer.account_id,
            email: claim.customer.email.clone(),
            locale: claim.locale(),
            time_zone: claim.customer.time_zone.clone(),
            guest_digest: claim.customer.guest_digest.clone(),
            card: self.card_of(claim)?,
            until: self.platform.clock.now().plus(minutes(self.timeouts().verify_minutes)),
        })
    }

    async fn handle_verification_event(
        self: &Arc<Self>,
        tx: &mut Tx,
        id: Uuid,
        what: &VerificationEvent,
    ) -> Result<Option<Timestamp>> {
        let claim = claims::locked(tx, id).await?;
        if claim.state != ClaimState::Verification {
            return Err(Error::conflict("claim_changed"));
        }
        let (staff, action, input) = match what {
            VerificationEvent::Submitted => return self.wait_for_verification(tx, claim, None).await,
            VerificationEvent::RequestedAgain(staff) => return self.wait_for_verification(tx, claim, Some(staff)).await,
            VerificationEvent::Accepted(staff) => (staff, Action::VerifyAccept, TransitionInput::default()),
            VerificationEvent::Rejected(staff, reason) => {
                let reason = Some(reason.get(claim.locale()).to_owned());
                (staff, Action::VerifyReject, TransitionInput { reason, ..TransitionInput::default() })
            }
        };
        check_lock(&claim, staff)?;
        let row = Self::row(&claim, action, Actor::Operator)?;
        self.advance(tx, claim, row, &Initiator::Staff(staff.clone()), &input).await?;
        Ok(None)
    }

    /// The claim waits for the staff or, after a new request, for the customer.
    async fn wait_for_verification(
        &self,
        tx: &mut Tx,
        mut claim: Claim,
        requested_by: Option<&Staff>,
    ) -> Result<Option<Timestamp>> {
        let (now, before) = (self.platform.clock.now(), self.audit_snapshot(&claim));
        // The customer's deadline does not run during the review.
        claim.progress.expires_at = requested_by.and_then(|_| ends_at(&claim, self.timeouts(), now));
        claim.progress.due_at = due_at(&claim, self.timeouts(), now);
        claim.updated_at = now;
        claims::update(tx, &mut claim).await?;
        let (actor, action) = match requested_by {
            Some(_) => (Actor::Operator, "proof_again"),
            None => (Actor::Customer, "proof_sent"),
        };
        let event = NewClaimEvent {
            staff: requested_by.map(|staff| (staff.id, staff.name.as_str())),
            ..NewClaimEvent::of(&claim, now, actor, action)
        };
        history::insert(tx, &event).await?;
        let by = requested_by.map_or_else(|| identity::Actor::system("verification"), identity::Actor::from);
        self.record_audit(tx, &by, action, &before, &claim, now).await?;
        self.publish_change(tx, claim.id);
        Ok(claim.progress.expires_at)
    }
}

impl VerificationListener for Claims {
    fn verification_changed<'a>(
        self: Arc<Self>,
        tx: &'a mut Tx,
        claim: Uuid,
        what: &'a VerificationEvent,
    ) -> BoxFuture<'a, Result<Option<Timestamp>>> {
        Box::pin(async move { self.handle_verification_event(tx, claim, what).await })
    }

    fn time_zone<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move { Ok(claims::claim(tx, claim).await?.customer.time_zone) })
    }
}
