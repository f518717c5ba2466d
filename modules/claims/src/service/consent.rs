//! Money that leaves by two people's word: a payout or refund above the limit is let go by a colleague first.
//!
//! What is agreed on is the payment itself: so much, to these requisites. Whatever else happens to the claim meanwhile leaves the agreement
//! as it is; a payment of another amount, to somewhere else, or once more, is another payment.

use std::sync::Arc;

use agio_approvals::{
    Approvable, Fact, PAYOUT_LIMIT, Proposal, REFUND_LIMIT, Said as Shown, State as Decision, Stored, outdated,
};
use agio_core::identity::{Permission, Staff};
use agio_core::needs::Worth;
use agio_core::{Amount, BoxFuture, Error, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::moving::{Said, Who};
use super::recalculating::OVERRIDE;
use super::trail::log_plain;
use super::{Claims, digest};
use crate::model::{Action, Actor, Effect, Transition};
use crate::rules::Claim;
use crate::rules::claim::Requisite;
use crate::store::claims;
use crate::store::history::{self, NewEvent};
use crate::{CLAIMS_PROCESS, CLAIMS_REFUND};

/// A way money leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// The exchanged money, to the customer.
    Payout,
    /// The payment, back to the customer.
    Refund,
}

impl Outgoing {
    /// How a step lets money go, if it does.
    fn of(row: &Transition) -> Option<Self> {
        match row.money {
            Effect::PostHold => Some(Self::Payout),
            Effect::SendRefund => Some(Self::Refund),
            _ => None,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Payout => "claim_payout",
            Self::Refund => "claim_refund",
        }
    }

    fn limit(self) -> &'static str {
        match self {
            Self::Payout => PAYOUT_LIMIT,
            Self::Refund => REFUND_LIMIT,
        }
    }
}

/// A payment that would leave.
struct Payment {
    way: Outgoing,
    currency: i64,
    code: String,
    amount: Amount,
    to: Vec<Requisite>,
    /// Stands for this very payment.
    ground: String,
}

/// What a second person's word on a claim's next payment is.
#[derive(Clone, Debug)]
pub struct Consent {
    /// The action that lets the payment go.
    pub action: Action,
    /// Whether somebody has to agree before it does.
    pub is_due: bool,
    /// The newest proposal of it.
    pub newest: Option<Stored>,
}

/// What a proposal keeps of the step.
#[derive(Serialize, Deserialize)]
struct Step {
    ground: String,
    role: String,
    tx: Option<String>,
    note: Option<String>,
}

impl Claims {
    fn payment(&self, claim: &Claim, way: Outgoing) -> Result<Payment> {
        let (currency, code, amount, to, kept, earlier) = match way {
            Outgoing::Payout => (
                claim.to_id,
                &claim.to_code,
                claim.receive(),
                claim.to_requisites(&self.platform.vault)?,
                Some(&claim.to_requisites),
                None,
            ),
            // A refund that came back leaves its transaction with the claim, so that the next one is another payment.
            Outgoing::Refund => (
                claim.from_id,
                &claim.from_code,
                claim.sent(claim.in_units),
                claim.returns_to(&self.platform.vault)?,
                // What was given with the claim is kept with all else that was; it never changes.
                Some(claim.refund_requisites.as_ref().unwrap_or(&claim.from_requisites)),
                claim.tx_refund.as_ref(),
            ),
        };
        let ground = json!([way.kind(), currency, amount.units(), kept, earlier]).to_string();
        Ok(Payment { way, currency, code: code.clone(), amount, to, ground: digest(&ground) })
    }

    /// Whether one person may not let a payment go alone, and what it is worth.
    fn is_above_limit(&self, payment: &Payment) -> (bool, Option<Worth>) {
        let limit = Decimal::from(self.platform.settings.int(payment.way.limit()));
        let worth = self.worths.worth(payment.currency, payment.amount);
        (worth.as_ref().is_none_or(|worth| worth.amount > limit), worth)
    }

    /// What a second person's word on this step of a claim is; nothing where the step needs none.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) async fn consent(&self, tx: &mut Tx, claim: &Claim, row: &Transition) -> Result<Option<Consent>> {
        if Self::is_override(claim, row)? {
            let newest = self.approvals.newest(tx, OVERRIDE, ("claim", &claim.id.to_string())).await?;
            return Ok(Some(Consent { action: row.action, is_due: true, newest }));
        }
        let Some(way) = Outgoing::of(row).filter(|_| self.approvals.are_on()) else {
            return Ok(None);
        };
        let payment = self.payment(claim, way)?;
        if !self.is_above_limit(&payment).0 {
            return Ok(None);
        }
        let newest = self.approvals.newest(tx, way.kind(), ("claim", &claim.id.to_string())).await?;
        let is_given = match newest.as_ref().filter(|newest| newest.state == Decision::Approved) {
            Some(approved) => approved.read::<Step>()?.ground == payment.ground,
            None => false,
        };
        Ok(Some(Consent { action: row.action, is_due: !is_given, newest }))
    }

    /// Proposes the payment a step lets go.
    ///
    /// # Errors
    /// 409 `approval_waits`; 422 for words that are too long.
    pub(super) async fn propose_payment(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        row: &Transition,
        said: &Said,
        staff: &Staff,
    ) -> Result<Stored> {
        let way = Outgoing::of(row).ok_or_else(|| Error::internal("a step that lets no money go needs no consent"))?;
        super::moving::are_short(said)?;
        let payment = self.payment(claim, way)?;
        let (_, worth) = self.is_above_limit(&payment);
        let unknown = || Shown::Text { text: "approval_value.unknown".into() };
        let rounded = |worth: &Worth| format!("{} {}", agio_core::money::plain(worth.amount.round_dp(2)), worth.ticker);
        let limit = self.platform.settings.int(way.limit());
        let ticker = worth.as_ref().map(|worth| format!(" {}", worth.ticker)).unwrap_or_default();
        let to: Vec<_> = payment.to.iter().map(|requisite| requisite.value.clone()).collect();
        let mut shown = vec![
            Fact::new("claim", format!("№ {}", claim.public_id)),
            Fact::new("amount", format!("{} {}", payment.amount, payment.code)),
            Fact::new("worth", worth.as_ref().map_or_else(unknown, |worth| rounded(worth).into())),
            Fact::new("limit", format!("{limit}{ticker}")),
            Fact::new("to", if to.is_empty() { unknown() } else { to.join(", ").into() }),
        ];
        if way == Outgoing::Refund {
            // Nothing is kept for sending it back.
            shown.insert(2, Fact::new("fee", format!("0 {}", payment.code)));
        }
        shown.extend(said.tx_id.clone().map(|id| Fact::new("tx", id)));
        shown.extend(said.note.clone().map(|note| Fact::new("note", note)));
        let step = Step { ground: payment.ground, role: staff.role.to_string(), tx: said.tx_id.clone(), note: said.note.clone() };
        let payload = serde_json::to_value(step).map_err(Error::internal)?;
        let proposal = Proposal { kind: way.kind(), about: ("claim", claim.id.to_string()), shown, payload };
        let proposed = self.approvals.propose(tx, proposal, staff).await?;
        self.tell(tx, claim.id);
        Ok(proposed)
    }

    /// Writes down that a colleague agreed to what was proposed for a claim.
    pub(super) async fn note_agreement(&self, tx: &mut Tx, claim: &Claim, by: &Staff) -> Result<()> {
        let event = NewEvent {
            claim: claim.public_id,
            at: self.platform.clock.now(),
            actor: Actor::Operator,
            staff: Some((by.id, &by.name)),
            action: "agreed",
            from: Some(claim.state),
            to: Some(claim.state),
            revision: claim.revision,
            reason: None,
            note: None,
            batch: None,
        };
        history::insert(tx, &event).await?;
        log_plain(tx, &by.into(), "agreed", claim.public_id, (None, None), event.at).await?;
        self.tell(tx, claim.id);
        Ok(())
    }

    /// Takes a colleague's agreement to a payment down. Where the proposal named its transaction the payment is noted as sent in the same
    /// breath, else whoever proposed it sends it now.
    async fn agree_to_payment(self: &Arc<Self>, tx: &mut Tx, way: Outgoing, proposal: &Stored, by: &Staff) -> Result<()> {
        let id = proposal.about_id.parse().map_err(Error::internal)?;
        let step: Step = proposal.read()?;
        let claim = claims::locked(tx, id).await?;
        let row = crate::model::allowed(claim.state, Actor::Operator)
            .find(|row| Outgoing::of(row) == Some(way) && row.is_allowed_by(claim.books()))
            .ok_or_else(outdated)?;
        if self.payment(&claim, way)?.ground != step.ground {
            return Err(outdated());
        }
        self.note_agreement(tx, &claim, by).await?;
        if step.tx.is_some() {
            let role = step.role.parse().map_err(Error::internal)?;
            let proposer = Staff { id: proposal.proposed_by, name: proposal.proposed_name.clone(), role, address: None };
            let said = Said { tx_id: step.tx, note: step.note, ..Said::default() };
            self.advance(tx, claim, row, &Who::Staff(proposer), &said).await?;
        }
        Ok(())
    }
}

/// Payments that a colleague agreed to.
pub struct AgreedPayment {
    /// The office.
    pub claims: Arc<Claims>,
    /// Which payments.
    pub way: Outgoing,
}

impl Approvable for AgreedPayment {
    fn kind(&self) -> &'static str {
        self.way.kind()
    }

    fn permission(&self) -> Permission {
        match self.way {
            Outgoing::Payout => CLAIMS_PROCESS,
            Outgoing::Refund => CLAIMS_REFUND,
        }
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.claims.agree_to_payment(tx, self.way, proposal, approver).await })
    }
}
