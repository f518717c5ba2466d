//! Having something verified before a customer pays, and hearing what came of it.

use std::sync::Arc;

use agio_core::identity::{self, Staff};
use agio_core::needs::{AwaitsProof, Proof, ProofWish, Proving};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx};
use agio_requisites::Kind as RequisiteKind;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Claims;
use super::moving::{Said, Who};
use super::operator::is_free_for;
use crate::minutes;
use crate::model::{Action, Actor, State};
use crate::rules::Claim;
use crate::rules::desk::{due_at, ends_at};
use crate::store::claims;
use crate::store::history::{self, NewEvent};

/// The setting that says from what worth on a first claim is verified, in whole units of the base currency; 0 is never.
const FIRST_ABOVE: &str = "claims.verify_first_above";

impl Claims {
    /// Asks for what is to be verified before the claim is paid, and gives the verification; nothing when nothing is asked, or all of it
    /// was verified before.
    pub(super) async fn ask_proof(&self, tx: &mut Tx, claim: &Claim) -> Result<Option<Uuid>> {
        let of_direction = self.quotes.proof(claim.from_id, claim.to_id).map(|proof| (proof, "direction"));
        let of_risk = self.proof_of_first(tx, claim).await?.map(|proof| (proof, "first_claim"));
        for (proof, cause) in [of_direction, of_risk].into_iter().flatten() {
            let wish = self.wish(claim, proof, cause)?;
            if let Some(verification) = self.proofs.ask(tx, &wish).await? {
                return Ok(Some(verification));
            }
        }
        Ok(None)
    }

    /// What a first claim of some worth has verified: the card it is paid with, or else the customer. A claim whose worth nobody can tell
    /// counts as worth much.
    async fn proof_of_first(&self, tx: &mut Tx, claim: &Claim) -> Result<Option<Proof>> {
        let above = self.platform.settings.int(FIRST_ABOVE);
        if above == 0 {
            return Ok(None);
        }
        let worth = self.worths.worth(claim.from_id, claim.send());
        let is_small = worth.is_some_and(|worth| worth.amount <= Decimal::from(above));
        if is_small {
            return Ok(None);
        }
        // Of an address only its owner has done what was done with it: others merely type it.
        let owner = self.addresses.owner(tx, &claim.email).await?;
        let own = (owner.is_some() && owner == claim.customer_id).then_some(claim.email.as_str());
        if claims::has_completed(tx, claim.customer_id, &claim.guest_digest, own).await? {
            return Ok(None);
        }
        Ok(Some(if self.card_of(claim)?.is_some() { Proof::Card } else { Proof::Identity }))
    }

    /// The number of the card the customer pays with, if the claim knows it.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    fn card_of(&self, claim: &Claim) -> Result<Option<String>> {
        let mut given = claim.from_requisites(&self.platform.vault)?.into_iter();
        Ok(given.find(|requisite| requisite.kind == RequisiteKind::Card).map(|requisite| requisite.value))
    }

    fn wish(&self, claim: &Claim, proof: Proof, cause: &'static str) -> Result<ProofWish> {
        Ok(ProofWish {
            proof,
            cause,
            claim: claim.id,
            claim_number: claim.public_id,
            customer: claim.customer_id,
            email: claim.email.clone(),
            locale: claim.locale(),
            guest_digest: claim.guest_digest.clone(),
            card: self.card_of(claim)?,
            until: self.platform.clock.now().plus(minutes(self.patience().verify_minutes)),
        })
    }

    async fn hear_of_proof(self: &Arc<Self>, tx: &mut Tx, id: Uuid, what: &Proving) -> Result<Option<Timestamp>> {
        let claim = claims::locked(tx, id).await?;
        if claim.state != State::Verification {
            return Err(Error::conflict("claim_changed"));
        }
        let (staff, action, said) = match what {
            Proving::Sent => return self.wait_for_proof(tx, claim, None).await,
            Proving::AskedAgain(staff) => return self.wait_for_proof(tx, claim, Some(staff)).await,
            Proving::Accepted(staff) => (staff, Action::VerifyAccept, Said::default()),
            Proving::Rejected(staff, reason) => {
                let reason = Some(reason.get(claim.locale()).to_owned());
                (staff, Action::VerifyReject, Said { reason, ..Said::default() })
            }
        };
        is_free_for(&claim, staff)?;
        let row = Self::row(&claim, action, Actor::Operator)?;
        self.advance(tx, claim, row, &Who::Staff(staff.clone()), &said).await?;
        Ok(None)
    }

    /// The claim waits for us now; or, asked again by a member of staff, for its customer.
    async fn wait_for_proof(&self, tx: &mut Tx, mut claim: Claim, asked_by: Option<&Staff>) -> Result<Option<Timestamp>> {
        let (now, before) = (self.platform.clock.now(), self.trace(&claim));
        // While we look, the customer's time does not run.
        claim.expires_at = asked_by.and_then(|_| ends_at(&claim, self.patience(), now));
        claim.due_at = due_at(&claim, self.patience(), now);
        claim.updated_at = now;
        claims::update(tx, &mut claim).await?;
        let (actor, action) = match asked_by {
            Some(_) => (Actor::Operator, "proof_again"),
            None => (Actor::Customer, "proof_sent"),
        };
        let event = NewEvent {
            claim: claim.public_id,
            at: now,
            actor,
            staff: asked_by.map(|staff| (staff.id, staff.name.as_str())),
            action,
            from: Some(claim.state),
            to: Some(claim.state),
            revision: claim.revision,
            reason: None,
            note: None,
            batch: None,
        };
        history::insert(tx, &event).await?;
        let by = asked_by.map_or_else(|| identity::Actor::house("verification"), identity::Actor::from);
        self.log(tx, &by, action, &before, &claim, now).await?;
        self.tell(tx, claim.id);
        Ok(claim.expires_at)
    }
}

impl AwaitsProof for Claims {
    fn hear<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, what: &'a Proving) -> BoxFuture<'a, Result<Option<Timestamp>>> {
        Box::pin(async move { self.hear_of_proof(tx, claim, what).await })
    }
}
