//! What a customer does with a claim.

use std::sync::Arc;

use agio_core::identity::{self, Customer};
use agio_core::{Error, Result, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::moving::{Said, Who};
use super::{Claims, Viewer};
use crate::model::{Action, Actor, State, allowed};
use crate::rules::desk::takes_receipts;
use crate::rules::fields::Given;
use crate::rules::{Claim, Offer};
use crate::store::{claims, receipts};

/// What a customer's step brings into the claim before it moves.
#[derive(Clone, Default)]
struct Brought {
    terms_version: Option<String>,
    aml_consent: bool,
    /// New terms, and the revision of the claim they are for.
    terms: Option<(Offer, i64)>,
    refund_requisites: Option<String>,
}

impl Claims {
    /// The claims of a customer with an account, the newest first, from a place on, and how many there are in all: those made in the
    /// account, and those made with its address once that is confirmed. Before, it may be somebody else's.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn of_customer(&self, customer: &Customer, from: i64, size: i64) -> Result<(Vec<Claim>, i64)> {
        let email = customer.activated.then_some(customer.email.as_str());
        claims::of_customer(&mut self.platform.db.read().await?, customer.id, email, from, size).await
    }

    /// Agrees to the data and the terms: payment requisites are given and the deadline starts; or something is verified first, and
    /// that happens once it is.
    ///
    /// # Errors
    /// 409 `rate_changed` when the terms ran out and others hold now, `requisites_unavailable`, `transition_not_allowed`.
    pub async fn confirm(
        self: &Arc<Self>,
        id: Uuid,
        terms_version: Option<String>,
        aml_consent: bool,
        by: &identity::Actor,
    ) -> Result<Claim> {
        let claim = self.claim(id).await?;
        let terms = self.renew_terms(&claim, by).await?.map(|terms| (terms, claim.revision));
        let brought = Brought { terms_version, aml_consent, terms, ..Brought::default() };
        self.step(id, (Action::Confirm, State::AwaitingPayment), brought, None, by).await
    }

    /// Says that the payment is made.
    ///
    /// # Errors
    /// 409 `receipt_required`, `transition_not_allowed`.
    pub async fn paid(self: &Arc<Self>, id: Uuid, by: &identity::Actor) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if self.needs_receipt(&claim) && receipts::count(&mut self.platform.db.read().await?, id).await? == 0 {
            return Err(Error::conflict("receipt_required"));
        }
        self.step(id, (Action::Paid, State::PaymentClaimed), Brought::default(), None, by).await
    }

    /// Gives the claim up before paying.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`.
    pub async fn cancel(self: &Arc<Self>, id: Uuid, by: &identity::Actor) -> Result<Claim> {
        self.step(id, (Action::Cancel, State::Cancelled), Brought::default(), None, by).await
    }

    /// Agrees to the new terms that were offered.
    ///
    /// # Errors
    /// 409 `no_offer`, `rate_changed` when others are offered now, `balance_too_low`, `transition_not_allowed`.
    pub async fn accept(self: &Arc<Self>, id: Uuid, send: Decimal, receive: Decimal, by: &identity::Actor) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if claim.state == State::Paid {
            return Ok(claim);
        }
        Self::row(&claim, Action::Accept, Actor::Customer)?;
        let terms = Some((self.accepted_offer(&claim, send, receive).await?, claim.revision));
        self.step(id, (Action::Accept, State::Paid), Brought { terms, ..Brought::default() }, None, by).await
    }

    /// Wants the payment back, to these requisites. Only the browser or account that made the claim may say where money goes.
    ///
    /// # Errors
    /// 403 `claim_owner_only`; 422 with the fields; 409 `transition_not_allowed`.
    pub async fn refund(self: &Arc<Self>, id: Uuid, viewer: &Viewer, given: Given, by: &identity::Actor) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if !viewer.owns(&claim) {
            return Err(Error::new(agio_core::Kind::Forbidden, "claim_owner_only"));
        }
        self.refund_to(claim, given, by).await
    }

    /// Returns the payment of a claim to these requisites, by the word of whoever made the claim.
    pub(super) async fn refund_to(self: &Arc<Self>, claim: Claim, given: Given, by: &identity::Actor) -> Result<Claim> {
        if claim.lacks_destination(&self.platform.vault)? {
            let destination = self.checked_destination(&claim, &given).await?;
            return self.complete_refund(claim.id, destination, by).await;
        }
        if claim.state == State::RefundPending {
            return Ok(claim);
        }
        Self::row(&claim, Action::Refund, Actor::Customer)?;
        let refund_requisites = Some(self.checked_destination(&claim, &given).await?);
        let brought = Brought { refund_requisites, ..Brought::default() };
        self.step(claim.id, (Action::Refund, State::RefundPending), brought, Some("customer_choice"), by).await
    }

    /// Whether the claim's direction asks for a receipt before a payment is looked for.
    #[must_use]
    pub fn needs_receipt(&self, claim: &Claim) -> bool {
        self.platform.settings.is_on("claims.receipt_required") && self.currency(claim.from_id, &claim.from_code).kind != "crypto"
    }

    /// What the customer may do now, by the names of the calls.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn actions(&self, claim: &Claim, is_owner: bool) -> Result<Vec<&'static str>> {
        let mut actions: Vec<&str> = allowed(claim.state, Actor::Customer)
            .map(|row| row.action)
            .filter(|action| match action {
                Action::Accept => claim.offer.is_some(),
                Action::Refund => is_owner,
                _ => true,
            })
            .map(Action::name)
            .collect();
        if is_owner && claim.lacks_destination(&self.platform.vault)? {
            actions.push("refund_to");
        }
        if takes_receipts(claim.state) {
            actions.push("upload");
        }
        Ok(actions)
    }

    /// One step of a customer, and the state it leads to. A step that has been made is not made again: the claim is returned as it is.
    async fn step(
        self: &Arc<Self>,
        id: Uuid,
        step: (Action, State),
        brought: Brought,
        reason: Option<&'static str>,
        by: &identity::Actor,
    ) -> Result<Claim> {
        let (this, (action, leads_to), who) = (self.clone(), step, Who::Customer(by.clone()));
        self.platform
            .db
            .write(move |tx| {
                let (this, brought, who) = (this.clone(), brought.clone(), who.clone());
                Box::pin(async move {
                    let mut claim = claims::locked(tx, id).await?;
                    let was_made = claim.state == leads_to || (action, claim.state) == (Action::Confirm, State::Verification);
                    if was_made {
                        return Ok(claim);
                    }
                    let row = Self::row(&claim, action, Actor::Customer)?;
                    if brought.terms.as_ref().is_some_and(|(_, revision)| *revision != claim.revision) {
                        return Err(Error::conflict("claim_changed"));
                    }
                    this.bring(&mut claim, brought);
                    if action == Action::Confirm {
                        return this.confirm_in(tx, claim, &who).await;
                    }
                    let said = Said { reason: reason.map(str::to_owned), ..Said::default() };
                    this.advance(tx, claim, row, &who, &said).await
                })
            })
            .await
    }

    /// Confirms a claim in the caller's transaction, or asks for what is to be verified first.
    pub(super) async fn confirm_in(self: &Arc<Self>, tx: &mut Tx, mut claim: Claim, who: &Who) -> Result<Claim> {
        if let Some(verification) = self.ask_proof(tx, &claim).await? {
            claim.verification_id = Some(verification);
            let row = Self::row(&claim, Action::AskVerification, Actor::System)?;
            return self.advance(tx, claim, row, &Who::House, &Said::default()).await;
        }
        let row = Self::row(&claim, Action::Confirm, Actor::Customer)?;
        self.advance(tx, claim, row, who, &Said::default()).await
    }

    fn bring(&self, claim: &mut Claim, brought: Brought) {
        if brought.terms_version.is_some() {
            claim.terms_version = brought.terms_version;
        }
        claim.aml_consent |= brought.aml_consent;
        if let Some((terms, _)) = brought.terms {
            claim.take_terms(terms, self.platform.clock.now());
        }
        if brought.refund_requisites.is_some() {
            claim.refund_requisites = brought.refund_requisites;
        }
    }
}
