//! Actions of customers.

use std::sync::Arc;

use agio_contracts::CurrencyKind;
use agio_core::identity::{self, Customer};
use agio_core::{Error, Result, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::transition::{Initiator, TransitionInput};
use super::{ClaimViewer, Claims};
use crate::model::{Action, Actor, ClaimState, allowed};
use crate::rules::fields::RequisiteValues;
use crate::rules::queue::{CustomerAction, takes_receipts};
use crate::rules::{Claim, Offer};
use crate::store::{claims, receipts};

/// The customer's input to a claim, set before a transition.
#[derive(Clone, Default)]
struct CustomerInput {
    terms_version: Option<String>,
    aml_consent: bool,
    /// New terms, and the revision of the claim they are for.
    terms: Option<(Offer, i64)>,
    refund_requisites: Option<String>,
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
        let input = CustomerInput { terms_version, aml_consent, terms, ..CustomerInput::default() };
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
        if claim.state == ClaimState::Paid {
            return Ok(claim);
        }
        Self::row(&claim, Action::Accept, Actor::Customer)?;
        let terms = Some((self.accepted_offer(&claim, send, receive).await?, claim.revision));
        self.step(id, (Action::Accept, ClaimState::Paid), CustomerInput { terms, ..CustomerInput::default() }, None, by).await
    }

    /// Requests a refund to these requisites. Only for the browser or account that created the claim.
    ///
    /// # Errors
    /// 403 `claim_owner_only`; 422 with the fields; 409 `transition_not_allowed`.
    pub async fn refund(
        self: &Arc<Self>,
        id: Uuid,
        viewer: &ClaimViewer,
        given: RequisiteValues,
        by: &identity::Actor,
    ) -> Result<Claim> {
        let claim = self.claim(id).await?;
        if !viewer.owns(&claim) {
            return Err(Error::new(agio_core::ErrorKind::Forbidden, "claim_owner_only"));
        }
        self.refund_to(claim, given, by).await
    }

    /// Requests a refund to these requisites, for the claim's owner.
    pub(super) async fn refund_to(self: &Arc<Self>, claim: Claim, given: RequisiteValues, by: &identity::Actor) -> Result<Claim> {
        if claim.lacks_destination(&self.platform.vault)? {
            let destination = self.checked_destination(&claim, &given).await?;
            return self.complete_refund(claim.id, destination, by).await;
        }
        if claim.state == ClaimState::RefundPending {
            return Ok(claim);
        }
        Self::row(&claim, Action::Refund, Actor::Customer)?;
        let refund_requisites = Some(self.checked_destination(&claim, &given).await?);
        let input = CustomerInput { refund_requisites, ..CustomerInput::default() };
        self.step(claim.id, (Action::Refund, ClaimState::RefundPending), input, Some("customer_choice"), by).await
    }

    /// Whether the claim's direction asks for a receipt before a payment is looked for.
    #[must_use]
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
    async fn step(
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
                    let was_made =
                        claim.state == leads_to || (action, claim.state) == (Action::Confirm, ClaimState::Verification);
                    if was_made {
                        return Ok(claim);
                    }
                    let row = Self::row(&claim, action, Actor::Customer)?;
                    if input.terms.as_ref().is_some_and(|(_, revision)| *revision != claim.revision) {
                        return Err(Error::conflict("claim_changed"));
                    }
                    this.apply_input(&mut claim, input);
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

    fn apply_input(&self, claim: &mut Claim, input: CustomerInput) {
        if input.terms_version.is_some() {
            claim.customer.terms_version = input.terms_version;
        }
        claim.customer.aml_consent |= input.aml_consent;
        if let Some((terms, _)) = input.terms {
            claim.take_terms(terms, self.platform.clock.now());
        }
        if input.refund_requisites.is_some() {
            claim.refund_requisites = input.refund_requisites;
        }
    }
}
