//! Actions of customers.

use std::sync::Arc;

use agio_contracts::{CurrencyKind, CustomerTerms};
use agio_core::identity::{self, Customer};
use agio_core::{Error, ErrorKind, Result, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::transition::{Initiator, TransitionInput};
use super::{ClaimViewer, Claims};
use crate::model::{Action, Actor, ClaimState, allowed};
use crate::rules::fields::RequisiteValues;
use crate::rules::queue::{CustomerAction, takes_receipts};
use crate::rules::{Claim, Offer, OfferedAmount};
use crate::store::{accepted_terms, claims, receipts};

/// What a customer consents to with the confirmation.
#[derive(Clone, Debug, Default)]
pub struct CustomerConsents {
    /// The version of the terms of service.
    pub terms_version: Option<String>,
    /// Whether they consent to an AML check.
    pub aml_consent: bool,
    /// The identifier of the direction's terms.
    pub accepted_terms: Option<String>,
}

/// The customer's input to a claim, set before a transition.
#[derive(Clone, Default)]
pub(super) struct CustomerInput {
    pub terms_version: Option<String>,
    pub aml_consent: bool,
    /// The direction's terms they accept.
    pub accepted: Option<CustomerTerms>,
    /// New terms, and the revision of the claim they are for.
    pub terms: Option<(Offer, i64)>,
    pub refund_requisites: Option<String>,
}

impl Claims {
    /// A page of a customer's claims, the newest first, and their total: those of the account and, once its address is
    /// confirmed, those with the address.
    pub async fn list_customer_claims(&self, customer: &Customer, from: i64, size: i64) -> Result<(Vec<Claim>, i64)> {
        let email = customer.activated.then_some(customer.email.as_str());
        claims::of_customer(&mut self.platform.db.read().await?, customer.id, email, from, size).await
    }

    /// Confirms the data and the terms: payment details are assigned and the deadline starts. If a verification is
    /// required, that happens after it.
    ///
    /// # Errors
    /// 409 `rate_changed` when the terms ran out and others hold now, `requisites_unavailable`, `transition_not_allowed`,
    /// `customer_terms_changed`; 422 at `acceptedTerms` where the direction has terms.
    pub async fn confirm(self: &Arc<Self>, id: Uuid, consents: CustomerConsents, by: &identity::Actor) -> Result<Claim> {
        let claim = self.claim(id).await?;
        let CustomerConsents { terms_version, aml_consent, accepted_terms } = consents;
        let accepted = if claim.state == ClaimState::Created {
            self.accepted_terms((claim.give.currency_id(), claim.receive.currency_id()), accepted_terms.as_deref())?
        } else {
            None
        };
        let terms = self.renew_terms(&claim, by).await?.map(|terms| (terms, claim.revision));
        let input = CustomerInput { terms_version, aml_consent, accepted, terms, ..CustomerInput::default() };
        self.step(id, (Action::Confirm, ClaimState::AwaitingPayment), input, None, by).await
    }

    /// Reports the payment as sent.
    ///
    /// # Errors
    /// 409 `receipt_required`, `transition_not_allowed`.
    pub async fn report_payment(self: &Arc<Self>, id: Uuid, by: &identity::Actor) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if self.needs_receipt(&claim) && receipts::count(&mut self.platform.db.read().await?, id).await? == 0 {
            return Err(Error::conflict("receipt_required"));
        }
        self.step(id, (Action::Paid, ClaimState::PaymentClaimed), CustomerInput::default(), None, by).await
    }

    /// Cancels the claim before paying.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`.
    pub async fn cancel(self: &Arc<Self>, id: Uuid, by: &identity::Actor) -> Result<Claim> {
        self.step(id, (Action::Cancel, ClaimState::Cancelled), CustomerInput::default(), None, by).await
    }

    /// Accepts the new terms offered.
    ///
    /// # Errors
    /// 409 `no_offer`, `rate_changed` when others are offered now, `balance_too_low`, `transition_not_allowed`.
    pub async fn accept(self: &Arc<Self>, id: Uuid, send: Decimal, receive: Decimal, by: &identity::Actor) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if was_made(&claim, (Action::Accept, ClaimState::Paid)) {
            return Ok(claim);
        }
        Self::row(&claim, Action::Accept, Actor::Customer)?;
        let terms = Some((self.accepted_offer(&claim, OfferedAmount::Received, (send, receive)).await?, claim.revision));
        self.step(id, (Action::Accept, ClaimState::Paid), CustomerInput { terms, ..CustomerInput::default() }, None, by).await
    }

    /// Requests a refund to these requisites. Only for the browser or account that created the claim.
    ///
    /// # Errors
    /// 403 `claim_owner_only`; 422 with the fields; 409 `transition_not_allowed`, also when the refund goes elsewhere.
    pub async fn refund(
        self: &Arc<Self>,
        id: Uuid,
        viewer: &ClaimViewer,
        given: RequisiteValues,
        by: &identity::Actor,
    ) -> Result<Claim> {
        self.refund_to(self.own_claim(id, viewer).await?, given, by).await
    }

    /// Requests a refund to these requisites, for the claim's owner.
    pub(super) async fn refund_to(self: &Arc<Self>, claim: Claim, given: RequisiteValues, by: &identity::Actor) -> Result<Claim> {
        if claim.state != ClaimState::RefundPending {
            Self::row(&claim, Action::Refund, Actor::Customer)?;
        }
        let destination = self.checked_destination(&claim, &given).await?;
        let claim = if claim.lacks_destination(&self.platform.vault)? {
            self.complete_refund(claim.id, destination.clone(), by).await?
        } else {
            let input = CustomerInput { refund_requisites: Some(destination.clone()), ..CustomerInput::default() };
            self.step(claim.id, (Action::Refund, ClaimState::RefundPending), input, Some("customer_choice"), by).await?
        };
        self.require_destination(claim, Action::Refund, &destination)
    }

    /// A claim for its owner.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 403 `claim_owner_only`.
    pub(super) async fn own_claim(&self, id: Uuid, viewer: &ClaimViewer) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if viewer.owns(&claim) { Ok(claim) } else { Err(Error::new(ErrorKind::Forbidden, "claim_owner_only")) }
    }

    /// Whether the claim's direction asks for a receipt before a payment is looked for.
    pub fn needs_receipt(&self, claim: &Claim) -> bool {
        self.platform.settings.is_on("claims.receipt_required")
            && self.currency(claim.give.currency_id(), &claim.give.code).kind != CurrencyKind::Crypto
    }

    /// What the customer can do now.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn actions(&self, claim: &Claim, is_owner: bool) -> Result<Vec<CustomerAction>> {
        let mut actions: Vec<_> = allowed(claim.state, Actor::Customer)
            .filter_map(|row| match row.action {
                Action::Confirm => Some(CustomerAction::Confirm),
                Action::Paid => Some(CustomerAction::Paid),
                Action::Cancel => Some(CustomerAction::Cancel),
                Action::Accept => claim.progress.offer.is_some().then_some(CustomerAction::Accept),
                Action::ReturnSurplus => {
                    (is_owner && claim.progress.surplus_offer.is_some()).then_some(CustomerAction::ReturnSurplus)
                }
                Action::Refund => is_owner.then_some(CustomerAction::Refund),
                _ => None,
            })
            .collect();
        if is_owner && claim.lacks_destination(&self.platform.vault)? {
            actions.push(CustomerAction::RefundTo);
        }
        if takes_receipts(claim.state) {
            actions.push(CustomerAction::Upload);
        }
        Ok(actions)
    }

    /// One action of a customer, and the state it leads to. Idempotent: a repeated action returns the claim unchanged.
    pub(super) async fn step(
        self: &Arc<Self>,
        id: Uuid,
        step: (Action, ClaimState),
        input: CustomerInput,
        reason: Option<&'static str>,
        by: &identity::Actor,
    ) -> Result<Claim> {
        let (this, (action, leads_to), initiator) = (self.clone(), step, Initiator::Customer(by.clone()));
        self.platform
            .db
            .write(move |tx| {
                let (this, input, initiator) = (this.clone(), input.clone(), initiator.clone());
                Box::pin(async move {
                    let mut claim = claims::locked(tx, id).await?;
                    if was_made(&claim, (action, leads_to)) {
                        return Ok(claim);
                    }
                    let row = Self::row(&claim, action, Actor::Customer)?;
                    if input.terms.as_ref().is_some_and(|(_, revision)| *revision != claim.revision) {
                        return Err(Error::conflict("claim_changed"));
                    }
                    if let Some(terms) = &input.accepted {
                        accepted_terms::insert(tx, id, terms, this.platform.clock.now()).await?;
                    }
                    this.apply_input(tx, &mut claim, input).await?;
                    if action == Action::Confirm {
                        return this.confirm_in(tx, claim, &initiator).await;
                    }
                    let input = TransitionInput { reason: reason.map(str::to_owned), ..TransitionInput::default() };
                    this.advance(tx, claim, row, &initiator, &input).await
                })
            })
            .await
    }

    /// Confirms a claim in the caller's transaction, or requests the verification it needs first.
    pub(super) async fn confirm_in(self: &Arc<Self>, tx: &mut Tx, mut claim: Claim, initiator: &Initiator) -> Result<Claim> {
        if let Some(verification) = self.request_verification(tx, &claim).await? {
            claim.references.verification_id = Some(verification);
            let row = Self::row(&claim, Action::AskVerification, Actor::System)?;
            return self.advance(tx, claim, row, &Initiator::System, &TransitionInput::default()).await;
        }
        let row = Self::row(&claim, Action::Confirm, Actor::Customer)?;
        self.advance(tx, claim, row, initiator, &TransitionInput::default()).await
    }

    async fn apply_input(&self, tx: &mut Tx, claim: &mut Claim, input: CustomerInput) -> Result<()> {
        if input.terms_version.is_some() {
            claim.customer.terms_version = input.terms_version;
        }
        claim.customer.aml_consent |= input.aml_consent;
        if let Some((terms, _)) = input.terms {
            let now = self.platform.clock.now();
            claim.take_terms(terms, now);
            self.release_lost_promo(tx, claim, now).await?;
        }
        if input.refund_requisites.is_some() {
            claim.refund_requisites = input.refund_requisites;
        }
        Ok(())
    }
}

/// Whether an action was made before. A claim that is paid owes a surplus only if that was the customer's choice.
fn was_made(claim: &Claim, (action, leads_to): (Action, ClaimState)) -> bool {
    let owes_surplus = claim.balances.surplus.units() > 0;
    (claim.state == leads_to && owes_surplus == (action == Action::ReturnSurplus))
        || (action, claim.state) == (Action::Confirm, ClaimState::Verification)
}
