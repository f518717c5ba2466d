//! Two-person approval of payouts and refunds above the limit, and of those that rest on what staff alone say.
//!
//! An approval covers one payment: this amount, to these requisites. Other changes of the claim do not invalidate it;
//! a different amount, a different destination, a repetition, or the rest of a payout is a different payment.

use std::sync::Arc;

use agio_approvals::{
    ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRequestState, ApprovalRow, ApprovalValue, PAYOUT_LIMIT, REFUND_LIMIT,
    outdated,
};
use agio_contracts::ReferenceValue;
use agio_core::identity::{Permission, Staff};
use agio_core::{Amount, BoxFuture, Error, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::audit_log::record_audit_entry;
use super::hold_approval::HOLD;
use super::recalculation::OVERRIDE;
use super::transition::{Initiator, TransitionInput};
use super::{Claims, digest};
use crate::model::{Action, Actor, ClaimState, Transition};
use crate::rules::Claim;
use crate::rules::claim::Requisite;
use crate::store::claims;
use crate::store::history::{self, NewClaimEvent};
use crate::{CLAIMS_PROCESS, CLAIMS_REFUND};

/// A kind of outgoing payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutgoingKind {
    /// The payout of an exchange.
    Payout,
    /// The refund of a payment.
    Refund,
}

impl OutgoingKind {
    /// The outgoing payment of a transition, if any.
    fn of(row: &Transition) -> Option<Self> {
        // The rest of a payout is sent without an effect on the ledger, where the whole has left already.
        match row.action {
            Action::PayoutSent => Some(Self::Payout),
            Action::RefundSent => Some(Self::Refund),
            _ => None,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Payout => "claim_payout",
            Self::Refund => "claim_refund",
        }
    }

    /// The state that each such payment of a claim leads to.
    fn sent(self) -> ClaimState {
        match self {
            Self::Payout => ClaimState::PayoutSent,
            Self::Refund => ClaimState::RefundSent,
        }
    }

    fn limit(self) -> &'static str {
        match self {
            Self::Payout => PAYOUT_LIMIT,
            Self::Refund => REFUND_LIMIT,
        }
    }
}

struct Payment {
    way: OutgoingKind,
    code: String,
    amount: Amount,
    /// All of the payout, of which this may be the rest; of a refund the same as the amount.
    whole: Amount,
    /// How many such payments of the claim were sent before.
    earlier: usize,
    /// Whether only staff say that it is owed again, or where it goes. Below the limit, claim by claim, one person could
    /// invent debts of the exchange to themselves without end.
    is_on_staff_word: bool,
    to: Vec<Requisite>,
    /// Identifies this payment.
    ground: String,
}

/// The approval that a transition of a claim needs.
#[derive(Clone, Debug)]
pub struct ApprovalRequirement {
    pub action: Action,
    /// Whether the approval is missing.
    pub is_due: bool,
    /// Its newest approval request.
    pub newest: Option<ApprovalRow>,
}

/// What an approval request keeps of the step.
#[derive(Serialize, Deserialize)]
struct Step {
    ground: String,
    role: String,
    tx: Option<String>,
    note: Option<String>,
}

impl Claims {
    async fn payment(&self, tx: &mut Tx, claim: &Claim, way: OutgoingKind) -> Result<Payment> {
        let (currency, code, amount, whole, to, kept) = match way {
            OutgoingKind::Payout => (
                claim.receive.currency_id(),
                &claim.receive.code,
                claim.paid_out().map_or(claim.receive.amount, |(_, rest)| rest),
                claim.receive.amount,
                claim.receive_requisites(&self.platform.vault)?,
                Some(&claim.receive.requisites),
            ),
            OutgoingKind::Refund => (
                claim.give.currency_id(),
                &claim.give.code,
                claim.balances.held,
                claim.balances.held,
                claim.returns_to(&self.platform.vault)?,
                // The requisites given with the claim never change.
                Some(claim.refund_requisites.as_ref().unwrap_or(&claim.give.requisites)),
            ),
        };
        let entered = history::states_of_claim(tx, claim.public_id).await?;
        let earlier = entered.iter().filter(|entry| entry.state == way.sent()).count();
        let ground = digest(&json!([way.kind(), currency, amount.units(), kept, earlier]).to_string());
        let is_on_staff_word = history::rests_on_staff(tx, claim.public_id).await?;
        Ok(Payment { way, code: code.clone(), amount, whole, earlier, is_on_staff_word, to, ground })
    }

    /// Whether one person may not send a payment: it is above the limit, or rests on their own word.
    fn needs_second_person(&self, payment: &Payment) -> bool {
        let limit = Decimal::from(self.platform.settings.int(payment.way.limit()));
        let value = self.reference_values.reference_value(payment.amount);
        payment.is_on_staff_word || value.is_none_or(|value| value.amount > limit)
    }

    /// The approval that a transition needs; `None` when it needs none.
    pub(super) async fn approval_requirement(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        row: &Transition,
    ) -> Result<Option<ApprovalRequirement>> {
        // Of these the approval makes the transition itself.
        let made_by_approval =
            if Self::is_override(claim, row)? { Some(OVERRIDE) } else { self.ends_guarded_hold(claim, row).then_some(HOLD) };
        if let Some(kind) = made_by_approval {
            let newest = self.approvals.newest(tx, kind, ("claim", &claim.id.to_string())).await?;
            return Ok(Some(ApprovalRequirement { action: row.action, is_due: true, newest }));
        }
        let Some(way) = OutgoingKind::of(row).filter(|_| self.approvals.is_enabled()) else {
            return Ok(None);
        };
        let payment = self.payment(tx, claim, way).await?;
        if !self.needs_second_person(&payment) {
            return Ok(None);
        }
        let newest = self.approvals.newest(tx, way.kind(), ("claim", &claim.id.to_string())).await?;
        let is_given = match newest.as_ref().filter(|newest| newest.state == ApprovalRequestState::Approved) {
            Some(approved) => approved.read::<Step>()?.ground == payment.ground,
            None => false,
        };
        Ok(Some(ApprovalRequirement { action: row.action, is_due: !is_given, newest }))
    }

    /// Creates the approval request for an outgoing payment.
    ///
    /// # Errors
    /// 409 `approval_waits`; 422 for words that are too long.
    pub(super) async fn propose_payment(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        row: &Transition,
        input: &TransitionInput,
        staff: &Staff,
    ) -> Result<ApprovalRow> {
        let way = OutgoingKind::of(row).ok_or_else(|| Error::internal("a step that lets no money go needs no consent"))?;
        super::transition::check_lengths(input)?;
        let payment = self.payment(tx, claim, way).await?;
        let value = self.reference_values.reference_value(payment.amount);
        let unknown = || ApprovalValue::Text { text: "approval_value.unknown".into() };
        let rounded = |value: &ReferenceValue| format!("{} {}", agio_core::money::plain(value.amount.round_dp(2)), value.ticker);
        let limit = self.platform.settings.int(way.limit());
        let ticker = value.as_ref().map(|value| format!(" {}", value.ticker)).unwrap_or_default();
        let to: Vec<_> = payment.to.iter().map(|requisite| requisite.value.clone()).collect();
        let mut shown = vec![
            ApprovalFact::new("claim", format!("№ {}", claim.public_id)),
            ApprovalFact::new("amount", format!("{} {}", payment.amount, payment.code)),
            ApprovalFact::new("worth", value.as_ref().map_or_else(unknown, |value| rounded(value).into())),
            ApprovalFact::new("limit", format!("{limit}{ticker}")),
            ApprovalFact::new("to", if to.is_empty() { unknown() } else { to.join(", ").into() }),
        ];
        if way == OutgoingKind::Refund {
            // There is no refund fee.
            shown.insert(2, ApprovalFact::new("fee", format!("0 {}", payment.code)));
        }
        if payment.whole != payment.amount {
            shown.insert(1, ApprovalFact::new("payout", format!("{} {}", payment.whole, payment.code)));
        }
        if payment.is_on_staff_word {
            shown.push(ApprovalFact::new("basis", ApprovalValue::Text { text: "approval_value.staff_word".into() }));
        }
        if payment.earlier > 0 {
            shown.push(ApprovalFact::new("sent_before", payment.earlier.to_string()));
        }
        shown.extend(input.tx_id.clone().map(|id| ApprovalFact::new("tx", id)));
        shown.extend(input.note.clone().map(|note| ApprovalFact::new("note", note)));
        // Cash is handed out after the approval, for the customer's code.
        let tx_id = input.tx_id.clone().filter(|_| !self.hands_out_cash(claim, row));
        let step = Step { ground: payment.ground, role: staff.role.to_string(), tx: tx_id, note: input.note.clone() };
        let payload = serde_json::to_value(step).map_err(Error::internal)?;
        let approval = ApprovalRequest { kind: way.kind(), about: ("claim", claim.id.to_string()), shown, payload };
        let proposed = self.approvals.propose(tx, approval, staff).await?;
        self.publish_change(tx, claim.id);
        Ok(proposed)
    }

    /// Records the approval of a request for a claim.
    pub(super) async fn record_approval(&self, tx: &mut Tx, claim: &Claim, by: &Staff) -> Result<()> {
        let event = NewClaimEvent {
            staff: Some((by.id, &by.name)),
            ..NewClaimEvent::of(claim, self.platform.clock.now(), Actor::Operator, "agreed")
        };
        history::insert(tx, &event).await?;
        record_audit_entry(tx, &by.into(), "agreed", claim.public_id, (None, None), event.at).await?;
        self.publish_change(tx, claim.id);
        Ok(())
    }

    /// Approves a payment. If the request named its transaction, the payment is recorded as sent; otherwise the
    /// requester sends it next.
    async fn approve_payment(self: &Arc<Self>, tx: &mut Tx, way: OutgoingKind, approval: &ApprovalRow, by: &Staff) -> Result<()> {
        let id = approval.about_id.parse().map_err(Error::internal)?;
        let step: Step = approval.read()?;
        let claim = claims::locked(tx, id).await?;
        let row = crate::model::allowed(claim.state, Actor::Operator)
            .find(|row| OutgoingKind::of(row) == Some(way) && row.is_allowed_by(claim.ledger_state()))
            .ok_or_else(outdated)?;
        if self.payment(tx, &claim, way).await?.ground != step.ground {
            return Err(outdated());
        }
        self.record_approval(tx, &claim, by).await?;
        if step.tx.is_some() {
            let initiator = Initiator::Staff(proposer(approval, &step.role)?);
            let input = TransitionInput { tx_id: step.tx, note: step.note, ..TransitionInput::default() };
            self.advance(tx, claim, row, &initiator, &input).await?;
        }
        Ok(())
    }
}

/// The author of a request, who makes the transition once it is approved.
pub(super) fn proposer(approval: &ApprovalRow, role: &str) -> Result<Staff> {
    let role = role.parse().map_err(Error::internal)?;
    Ok(Staff { id: approval.proposed_by, name: approval.proposed_name.clone(), role, address: None })
}

/// Applies approved payments.
pub struct OutgoingPaymentApproval {
    pub claims: Arc<Claims>,
    pub way: OutgoingKind,
}

impl ApprovalHandler for OutgoingPaymentApproval {
    fn handles(&self) -> (&'static str, Permission) {
        let permission = match self.way {
            OutgoingKind::Payout => CLAIMS_PROCESS,
            OutgoingKind::Refund => CLAIMS_REFUND,
        };
        (self.way.kind(), permission)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.claims.approve_payment(tx, self.way, approval, approver).await })
    }
}
