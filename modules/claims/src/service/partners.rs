//! Claims that partners make in the names of their customers.

use std::sync::Arc;

use agio_core::identity::Actor as By;
use agio_core::needs::{
    PartnerAct, PartnerClaim, PartnerClaims, PartnerOffer, PartnerOrder, PartnerParty, PartnerPayment, PartnerRefund,
    PartnerTransaction, Rehearsed, Standing, Turnover, WantedClaims,
};
use agio_core::texts::{Bilingual, Locale};
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, idempotency};
use agio_requisites::Kind;
use uuid::Uuid;

use super::moving::Who;
use super::{Claims, Made, NewClaim, Party};
use crate::model::{Action, Actor, Books, State, TRANSITIONS, allowed, public_status};
use crate::rules::Claim;
use crate::rules::payment::{address_kind, explorer_link, is_payable, payment_uri};
use crate::store::partners;

/// What stands in place of a requisite in a rehearsal; nobody can pay to it.
const NOWHERE: &str = "sandbox-do-not-pay";

impl Claims {
    /// Tells the partner of a claim that it has come to another state.
    pub(super) async fn tell_partner(&self, tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<()> {
        let Some(partner) = claim.partner_id else { return Ok(()) };
        match self.told(claim, partner) {
            Ok(told) => self.partners.moved(tx, &told, now).await,
            // A claim that cannot be read has to be stopped all the same.
            Err(refused) if refused.code() == "claim_unreadable" => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// A claim as its partner is told of it.
    fn told(&self, claim: &Claim, partner: Uuid) -> Result<PartnerClaim> {
        let from = self.currency(claim.from_id, &claim.from_code);
        let to = self.currency(claim.to_id, &claim.to_code);
        let transaction = |currency, id: &Option<String>| {
            id.as_ref().map(|id| PartnerTransaction { id: id.clone(), url: explorer_link(currency, id) })
        };
        let payment = claim.payment_value.clone().filter(|_| is_payable(claim.state)).map(|value| PartnerPayment {
            kind: address_kind(&from).unwrap_or(Kind::Text).name().to_owned(),
            uri: payment_uri(&from, &value, claim.payment_memo.as_deref(), claim.send()),
            value,
            holder: claim.payment_holder.clone(),
            memo: claim.payment_memo.clone(),
        });
        let offer = claim.open_offer()?.map(|(offer, course)| PartnerOffer {
            send: claim.sent(offer.send_units),
            receive: claim.received(offer.receive_units),
            course,
            expires_at: offer.expires_at,
        });
        let actions = self.actions(claim, true)?.into_iter().filter(|action| *action != "upload").collect();
        let tx_refund = transaction(&from, &claim.tx_refund);
        let refund = claim.shown_refund(&self.platform.vault)?.map(|refund| PartnerRefund {
            amount: refund.amount,
            fee: refund.fee,
            destination: refund.masked(),
            tx: tx_refund.clone().filter(|_| claim.state != State::RefundPending),
        });
        Ok(PartnerClaim {
            id: claim.id,
            number: claim.public_id,
            partner,
            reference: claim.partner_ref.clone(),
            callback: claim.partner_callback.clone(),
            locale: claim.locale(),
            revision: claim.revision,
            state: claim.state.name(),
            public_status: public_status(claim.state).name(),
            is_final: claim.state.is_final(),
            send: claim.send(),
            received: (claim.received_units > 0).then(|| claim.sent(claim.received_units)),
            receive: claim.receive(),
            paid_out: claim.paid_out().map(|(paid, _)| paid),
            course: claim.course()?,
            floating: claim.floating,
            payment,
            reason: claim.reason.as_deref().map(|reason| self.reason_told(reason)),
            answer_by: claim.answer_by,
            verification: claim.verification_id.filter(|_| claim.state == State::Verification),
            offer,
            actions,
            tx_in: transaction(&from, &claim.tx_in),
            tx_out: transaction(&to, &claim.tx_out),
            tx_refund,
            refund,
            from,
            to,
            created_at: claim.created_at,
            updated_at: claim.updated_at,
            expires_at: claim.expires_at,
        })
    }

    fn reason_told(&self, reason: &str) -> (String, Bilingual) {
        let said = |locale| self.reason_text(reason, locale);
        let code = if self.is_reason_code(reason) { reason } else { "other" };
        (code.to_owned(), Bilingual { ru: said(Locale::Ru), en: said(Locale::En) })
    }

    /// The claim an order makes, checked and at its terms.
    async fn ordered(&self, order: &PartnerOrder) -> Result<Claim> {
        let party = Party {
            locale: order.locale,
            guest: None,
            address: order.party.address,
            customer: None,
            partner: Some(order.party.clone()),
        };
        let new = NewClaim {
            email: order.email.clone(),
            from: order.from,
            to: order.to,
            send: order.send,
            receive: order.receive,
            from_requisites: order.from_requisites.clone(),
            to_requisites: order.to_requisites.clone(),
            captcha: None,
            referral: None,
            quote: order.quote.clone(),
            terms_version: order.terms_version.clone(),
            aml_consent: order.aml_consent,
            keep_requisites: false,
            promo: None,
        };
        // No browser has this secret, so the partner alone owns the claim.
        let mut claim = self.prepare(&new, &party, &self.platform.random.uuid().to_string(), false).await?;
        claim.partner_ref.clone_from(&order.reference);
        claim.partner_callback.clone_from(&order.callback);
        Ok(claim)
    }

    async fn make_for_partner(self: Arc<Self>, order: PartnerOrder) -> Result<PartnerClaim> {
        let (key, partner) = (order.key.clone(), order.party.id);
        let made = match self.ordered(&order).await {
            Ok(claim) => self.store_confirmed(claim, key, by(&order.party)).await?,
            Err(refused) => self.first_answer(key, refused).await?,
        };
        PartnerClaims::one(&*self, partner, made.id).await
    }

    /// Makes a claim and confirms it, in one transaction.
    async fn store_confirmed(self: &Arc<Self>, claim: Claim, key: idempotency::Key, by: By) -> Result<Made> {
        let (this, now, claim) = (self.clone(), claim.created_at, Arc::new(claim));
        idempotency::once(&self.platform.db, Some(key), now, move |tx| {
            let (this, mut claim, by) = (this.clone(), Claim::clone(&claim), by.clone());
            Box::pin(async move {
                let made = this.clone().insert(tx, &mut claim, &by, false).await?;
                let confirmed = this.confirm_in(tx, claim, &Who::Customer(by)).await?;
                Ok(Made { status: confirmed.state, ..made })
            })
        })
        .await
    }

    async fn act_for_partner(self: Arc<Self>, party: PartnerParty, id: Uuid, act: PartnerAct) -> Result<PartnerClaim> {
        let claim = partners::one(&mut self.platform.db.read().await?, party.id, id).await?;
        let by = by(&party);
        let claim = match act {
            PartnerAct::Paid => self.paid(id, &by).await?,
            PartnerAct::Cancel => self.cancel(id, &by).await?,
            PartnerAct::Accept(send, receive) => self.accept(id, send, receive, &by).await?,
            PartnerAct::Refund(requisites) => self.refund_to(claim, requisites, &by).await?,
        };
        self.told(&claim, party.id)
    }

    async fn rehearse_for_partner(self: Arc<Self>, order: PartnerOrder) -> Result<(PartnerClaim, Rehearsed)> {
        let mut claim = self.ordered(&order).await?;
        claim.state = State::AwaitingPayment;
        claim.payment_value = Some(NOWHERE.to_owned());
        let mut told = self.told(&claim, order.party.id)?;
        if let Some(payment) = &mut told.payment {
            NOWHERE.clone_into(&mut payment.uri);
        }
        let books = [true, false, false, false];
        Ok((told, Rehearsed { state: State::AwaitingPayment.name().to_owned(), stopped_in: None, books }))
    }
}

impl PartnerClaims for Claims {
    fn make(self: Arc<Self>, order: PartnerOrder) -> BoxFuture<'static, Result<PartnerClaim>> {
        Box::pin(self.make_for_partner(order))
    }

    fn rehearse(self: Arc<Self>, order: PartnerOrder) -> BoxFuture<'static, Result<(PartnerClaim, Rehearsed)>> {
        Box::pin(self.rehearse_for_partner(order))
    }

    fn advance(&self, at: &Rehearsed, to: &str) -> Result<Rehearsed> {
        let unknown = || Error::unprocessable("validation_failed").at("to", "wrong_type");
        let (state, to) = (state_of(&at.state)?, to.parse::<State>().map_err(|_| unknown())?);
        let stopped_in = at.stopped_in.as_deref().map(state_of).transpose()?;
        let books = books_of(at.books);
        let leads = |row: &&crate::model::Transition| row.from == Some(state) && row.destination(stopped_in) == Some(to);
        let mut rows = TRANSITIONS.iter().filter(leads).filter(|row| row.is_allowed_by(books));
        let after = rows.find_map(|row| row.money.apply(books));
        let after = after.ok_or_else(|| Error::conflict("transition_not_allowed").with("action", to).with("state", state))?;
        Ok(Rehearsed {
            state: to.name().to_owned(),
            stopped_in: (to == State::OnHold).then(|| state.name().to_owned()),
            books: [after.reserve, after.money, after.payout, after.refund],
        })
    }

    fn standing(&self, at: &Rehearsed) -> Result<Standing> {
        let state = state_of(&at.state)?;
        let actions = allowed(state, Actor::Customer).map(|row| row.action).filter(|action| *action != Action::Confirm);
        Ok(Standing {
            public_status: public_status(state).name(),
            is_final: state.is_final(),
            actions: actions.map(Action::name).collect(),
        })
    }

    fn one(&self, partner: Uuid, id: Uuid) -> BoxFuture<'_, Result<PartnerClaim>> {
        Box::pin(async move {
            let claim = partners::one(&mut self.platform.db.read().await?, partner, id).await?;
            self.told(&claim, partner)
        })
    }

    fn list<'a>(&'a self, partner: Uuid, wanted: &'a WantedClaims) -> BoxFuture<'a, Result<(Vec<PartnerClaim>, i64)>> {
        Box::pin(async move {
            let (claims, total) = partners::list(&mut self.platform.db.read().await?, partner, wanted).await?;
            let told: Result<Vec<_>> = claims.iter().map(|claim| self.told(claim, partner)).collect();
            Ok((told?, total))
        })
    }

    fn act(self: Arc<Self>, party: PartnerParty, id: Uuid, act: PartnerAct) -> BoxFuture<'static, Result<PartnerClaim>> {
        Box::pin(self.act_for_partner(party, id, act))
    }

    fn turnover(&self, partner: Uuid) -> BoxFuture<'_, Result<Vec<Turnover>>> {
        Box::pin(async move { partners::turnover(&mut self.platform.db.read().await?, partner).await })
    }
}

/// A partner, for the audit log.
fn by(party: &PartnerParty) -> By {
    By::partner(party.id, &party.name, party.address)
}

fn state_of(name: &str) -> Result<State> {
    name.parse().map_err(Error::internal)
}

fn books_of([reserve, money, payout, refund]: [bool; 4]) -> Books {
    Books { reserve, money, payout, refund }
}
