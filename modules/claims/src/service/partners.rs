//! Claims created by partners for their customers.

use std::sync::Arc;

use agio_contracts::{
    CallingPartner, CustomerTerms, DirectionTurnover, PartnerAction, PartnerClaim, PartnerClaimQuery, PartnerClaimRequest,
    PartnerClaims, PartnerPayment, PartnerRefund, PartnerSurplus, PartnerTransaction, RecalculationOffer, SandboxProgress,
    SandboxStatus,
};
use agio_core::identity::Actor as AuditActor;
use agio_core::texts::{Bilingual, Locale};
use agio_core::{BoxFuture, Result, Timestamp, Tx, idempotency};
use agio_requisites::RequisiteKind;
use uuid::Uuid;

use super::surplus::Surplus;
use super::transition::{Initiator, not_allowed};
use super::{Claims, CreatedClaim, NewClaim, Requester};
use crate::model::{Action, Actor, ClaimState, LedgerState, TRANSITIONS, allowed, public_status};
use crate::rules::payment::{address_kind, explorer_link, shows_payment_details};
use crate::rules::queue::CustomerAction;
use crate::rules::terms::city;
use crate::rules::{Claim, OfferedAmount};
use crate::store::{accepted_terms, partners};

/// The payment address of sandbox claims. Nobody can pay to it.
const SANDBOX_ADDRESS: &str = "sandbox-do-not-pay";

impl Claims {
    /// Notifies the partner of a claim's new state.
    pub(super) async fn notify_partner(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<()> {
        let Some(partner) = claim.references.partner_id else { return Ok(()) };
        match self.partner_view(claim, partner) {
            Ok(view) => self.partner_listener.claim_changed(tx, &view, now).await,
            // An unreadable claim must still be put on hold.
            Err(refused) if refused.code() == "claim_unreadable" => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    fn partner_view(&self, claim: &Claim, partner: Uuid) -> Result<PartnerClaim> {
        let from = self.currency(claim.give.currency_id(), &claim.give.code);
        let to = self.currency(claim.receive.currency_id(), &claim.receive.code);
        let transaction = |currency, id: &Option<String>| {
            id.as_ref().map(|id| PartnerTransaction { id: id.clone(), url: explorer_link(currency, id) })
        };
        let payment = claim.payment.value.clone().filter(|_| shows_payment_details(claim.state)).map(|value| PartnerPayment {
            kind: address_kind(&from).unwrap_or(RequisiteKind::Text),
            uri: claim.payment_uri(&from, &value),
            value,
            holder: claim.payment.holder.clone(),
            memo: claim.payment.memo.clone(),
        });
        let offer_for = |amount| -> Result<_> {
            Ok(claim.open_offer(amount)?.map(|(offer, rate)| RecalculationOffer {
                give: claim.give.of(offer.give_units),
                receive: claim.receive.of(offer.receive_units),
                rate,
                expires_at: offer.expires_at,
            }))
        };
        let surplus_offer = offer_for(OfferedAmount::Agreed)?;
        let surplus = self.surplus(claim)?.map(|Surplus { amount, fee, is_too_small }| PartnerSurplus {
            amount,
            fee,
            is_too_small,
            offer: surplus_offer,
        });
        let actions = self.actions(claim, true)?.into_iter().filter(|action| *action != CustomerAction::Upload).collect();
        let tx_refund = transaction(&from, &claim.references.tx_refund);
        let refund = claim.shown_refund(&self.platform.vault)?.map(|refund| PartnerRefund {
            amount: refund.amount,
            fee: refund.fee,
            destination: refund.masked(),
            tx: tx_refund.clone().filter(|_| claim.state != ClaimState::RefundPending),
        });
        Ok(PartnerClaim {
            id: claim.id,
            number: claim.public_id,
            partner,
            reference: claim.references.partner_ref.clone(),
            callback: claim.references.partner_callback.clone(),
            locale: claim.locale(),
            revision: claim.revision,
            state: claim.state,
            public_status: claim.public_status(),
            is_final: claim.state.is_final(),
            give: claim.give.amount,
            received: (claim.balances.received.units() > 0).then_some(claim.balances.received),
            receive: claim.receive.amount,
            paid_out: claim.paid_out().map(|(paid, _)| paid),
            rate: claim.rate()?,
            floating: claim.terms.floating,
            payment,
            city: city(claim)?,
            meeting_code: self.meeting_code(claim),
            reason: claim.progress.reason.as_deref().map(|reason| self.partner_reason(reason)),
            answer_by: claim.progress.answer_by,
            verification: claim.references.verification_id.filter(|_| claim.state == ClaimState::Verification),
            offer: offer_for(OfferedAmount::Received)?,
            surplus,
            actions,
            tx_in: transaction(&from, &claim.references.tx_in),
            tx_out: transaction(&to, &claim.references.tx_out),
            tx_refund,
            refund,
            from,
            to,
            created_at: claim.created_at,
            updated_at: claim.updated_at,
            expires_at: claim.progress.expires_at,
        })
    }

    fn partner_reason(&self, reason: &str) -> (String, Bilingual) {
        let text = |locale| self.reason_text(reason, locale);
        let code = if self.is_reason_code(reason) { reason } else { "other" };
        (code.to_owned(), Bilingual { ru: text(Locale::Ru), en: text(Locale::En) })
    }

    /// The claim of a partner's request, validated and with terms.
    async fn prepare_for_partner(&self, order: &PartnerClaimRequest) -> Result<(Claim, Option<CustomerTerms>)> {
        let accepted = self.accepted_terms((order.from, order.to), order.accepted_terms.as_deref())?;
        let party = Requester {
            locale: order.locale,
            guest: None,
            address: order.partner.address,
            customer: None,
            partner: Some(order.partner.clone()),
        };
        let new = NewClaim {
            email: order.email.clone(),
            from: order.from,
            to: order.to,
            send: order.give,
            receive: order.receive,
            give_requisites: order.give_requisites.clone(),
            receive_requisites: order.receive_requisites.clone(),
            captcha: None,
            referral: None,
            quote: order.quote.clone(),
            city: order.city.clone(),
            terms_version: order.terms_version.clone(),
            aml_consent: order.aml_consent,
            keep_requisites: false,
            promo: None,
            time_zone: None,
        };
        // No browser has this secret, so only the partner owns the claim.
        let mut claim = self.prepare(&new, &party, &self.platform.random.uuid().to_string(), false).await?;
        claim.references.partner_ref.clone_from(&order.reference);
        claim.references.partner_callback.clone_from(&order.callback);
        Ok((claim, accepted))
    }

    async fn create_for_partner(self: Arc<Self>, order: PartnerClaimRequest) -> Result<PartnerClaim> {
        let (key, partner) = (order.key.clone(), order.partner.id);
        let created = match self.prepare_for_partner(&order).await {
            Ok((claim, accepted)) => self.store_confirmed(claim, accepted, key, audit_actor(&order.partner)).await?,
            Err(refused) => self.first_answer(key, refused).await?,
        };
        PartnerClaims::get(&*self, partner, created.id).await
    }

    /// Creates and confirms a claim in one transaction.
    async fn store_confirmed(
        self: &Arc<Self>,
        claim: Claim,
        accepted: Option<CustomerTerms>,
        key: idempotency::Key,
        by: AuditActor,
    ) -> Result<CreatedClaim> {
        let (this, now, claim) = (self.clone(), claim.created_at, Arc::new(claim));
        idempotency::once(&self.platform.db, Some(key), now, move |tx| {
            let (this, mut claim, accepted, by) = (this.clone(), Claim::clone(&claim), accepted.clone(), by.clone());
            Box::pin(async move {
                let created = this.clone().insert(tx, &mut claim, &by, false).await?;
                if let Some(terms) = &accepted {
                    accepted_terms::insert(tx, claim.id, terms, now).await?;
                }
                let confirmed = this.confirm_in(tx, claim, &Initiator::Customer(by)).await?;
                Ok(CreatedClaim { status: confirmed.state, ..created })
            })
        })
        .await
    }

    async fn perform_for_partner(self: Arc<Self>, party: CallingPartner, id: Uuid, act: PartnerAction) -> Result<PartnerClaim> {
        let claim = partners::one(&mut self.platform.db.read().await?, party.id, id).await?;
        let by = audit_actor(&party);
        let claim = match act {
            PartnerAction::ReportPaid => self.report_payment(id, &by).await?,
            PartnerAction::Cancel => self.cancel(id, &by).await?,
            PartnerAction::AcceptOffer(send, receive) => self.accept(id, send, receive, &by).await?,
            PartnerAction::RequestRefund(requisites) => self.refund_to(claim, requisites, &by).await?,
            PartnerAction::ReturnSurplus(send, receive, requisites) => {
                self.return_surplus_to(claim, (send, receive), requisites, &by).await?
            }
        };
        self.partner_view(&claim, party.id)
    }

    async fn create_sandbox_for_partner(self: Arc<Self>, order: PartnerClaimRequest) -> Result<(PartnerClaim, SandboxProgress)> {
        let (mut claim, _) = self.prepare_for_partner(&order).await?;
        claim.state = ClaimState::AwaitingPayment;
        claim.payment.value = Some(SANDBOX_ADDRESS.to_owned());
        let mut view = self.partner_view(&claim, order.partner.id)?;
        if let Some(payment) = &mut view.payment {
            SANDBOX_ADDRESS.clone_into(&mut payment.uri);
        }
        let books = [true, false, false, false];
        Ok((view, SandboxProgress { state: ClaimState::AwaitingPayment, stopped_in: None, books }))
    }
}

impl PartnerClaims for Claims {
    fn create(self: Arc<Self>, order: PartnerClaimRequest) -> BoxFuture<'static, Result<PartnerClaim>> {
        Box::pin(self.create_for_partner(order))
    }

    fn create_sandbox(
        self: Arc<Self>,
        order: PartnerClaimRequest,
    ) -> BoxFuture<'static, Result<(PartnerClaim, SandboxProgress)>> {
        Box::pin(self.create_sandbox_for_partner(order))
    }

    fn advance_sandbox(&self, at: &SandboxProgress, to: ClaimState) -> Result<SandboxProgress> {
        let (state, books) = (at.state, books_of(at.books));
        let leads =
            |row: &&crate::model::Transition| row.from == Some(state) && row.destination(at.stopped_in, books) == Some(to);
        let mut rows = TRANSITIONS.iter().filter(leads).filter(|row| row.is_allowed_by(books));
        let after = rows.find_map(|row| row.effect.apply(books));
        let after = after.ok_or_else(|| not_allowed(to, state))?;
        Ok(SandboxProgress {
            state: to,
            stopped_in: (to == ClaimState::OnHold).then_some(state),
            books: [after.reserve, after.money, after.payout, after.refund],
        })
    }

    fn sandbox_status(&self, at: &SandboxProgress) -> SandboxStatus {
        let action = |action| match action {
            Action::Paid => Some(CustomerAction::Paid),
            Action::Cancel => Some(CustomerAction::Cancel),
            Action::Accept => Some(CustomerAction::Accept),
            Action::ReturnSurplus => Some(CustomerAction::ReturnSurplus),
            Action::Refund => Some(CustomerAction::Refund),
            _ => None,
        };
        SandboxStatus {
            public_status: public_status(at.state),
            is_final: at.state.is_final(),
            actions: allowed(at.state, Actor::Customer).filter_map(|row| action(row.action)).collect(),
        }
    }

    fn get(&self, partner: Uuid, id: Uuid) -> BoxFuture<'_, Result<PartnerClaim>> {
        Box::pin(async move {
            let claim = partners::one(&mut self.platform.db.read().await?, partner, id).await?;
            self.partner_view(&claim, partner)
        })
    }

    fn list<'a>(&'a self, partner: Uuid, wanted: &'a PartnerClaimQuery) -> BoxFuture<'a, Result<(Vec<PartnerClaim>, i64)>> {
        Box::pin(async move {
            let (claims, total) = partners::list(&mut self.platform.db.read().await?, partner, wanted).await?;
            let views: Result<Vec<_>> = claims.iter().map(|claim| self.partner_view(claim, partner)).collect();
            Ok((views?, total))
        })
    }

    fn perform(self: Arc<Self>, party: CallingPartner, id: Uuid, act: PartnerAction) -> BoxFuture<'static, Result<PartnerClaim>> {
        Box::pin(self.perform_for_partner(party, id, act))
    }

    fn turnover(&self, partner: Uuid) -> BoxFuture<'_, Result<Vec<DirectionTurnover>>> {
        Box::pin(async move { partners::turnover(&mut self.platform.db.read().await?, partner).await })
    }
}

/// A partner, for the audit log.
fn audit_actor(party: &CallingPartner) -> AuditActor {
    AuditActor::partner(party.id, &party.name, party.address)
}

fn books_of([reserve, money, payout, refund]: [bool; 4]) -> LedgerState {
    LedgerState { reserve, money, payout, refund, surplus: false }
}
