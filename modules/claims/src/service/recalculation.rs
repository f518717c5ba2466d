//! A different amount outside the tolerance: recalculated, or exchanged as agreed after a two-person approval.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::payment_approval::proposer;
use super::transition::{Initiator, TransitionInput};
use super::{Claims, digest};
use crate::CLAIMS_PROCESS;
use crate::model::{Action, Actor, ClaimState, Transition};
use crate::rules::ledger_entries::Income;
use crate::rules::terms::passes_for_agreed;
use crate::rules::{Claim, Offer};
use crate::store::claims;

/// The kind of approval requests to exchange a different amount as agreed.
pub(super) const OVERRIDE: &str = "claim_override";

/// The result of exchanging the amount that arrived.
#[derive(Clone, Debug)]
pub struct Recalculation {
    /// The claim as it is.
    pub claim: Claim,
    /// The terms for the amount that arrived.
    pub offer: Offer,
    /// Whether these are the agreed terms, and not those of this moment.
    pub at_agreed: bool,
    /// Whether the amount is within the tolerance of the agreed one.
    pub passes: bool,
    /// The claim after the exchange.
    pub exchanged: Claim,
    /// What is earned by it.
    pub income: Income,
}

/// What an approval request keeps of the step.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Override {
    ground: String,
    role: String,
    note: Option<String>,
}

impl Claims {
    /// The result of exchanging the received amount now.
    ///
    /// # Errors
    /// 404 `claim_not_found`, `pair_unavailable`; 409 `transition_not_allowed`, `claim_unreadable`; 422 `amount_below_min`,
    /// `amount_above_max`.
    pub async fn recalculation(&self, id: Uuid) -> Result<Recalculation> {
        let claim = self.claim(id).await?;
        Self::row(&claim, Action::Recalculate, Actor::Operator)?;
        let now = self.platform.clock.now();
        let (offer, at_agreed) = self.recalculation_terms(&claim, now)?;
        let mut exchanged = claim.clone();
        exchanged.take_terms(offer.clone(), now);
        Ok(Recalculation {
            passes: passes_for_agreed(&claim, claim.balances.received)?,
            income: Income::of(&exchanged, exchanged.give.amount, exchanged.receive.amount)?,
            exchanged,
            claim,
            offer,
            at_agreed,
        })
    }

    /// Exchanges the amount that arrived, if the result is what the operator saw.
    ///
    /// # Errors
    /// 409 `rate_changed` with the present numbers; as for any step.
    pub(super) async fn recalculate(
        self: &Arc<Self>,
        tx: &mut Tx,
        claim: Claim,
        row: &'static Transition,
        initiator: &Initiator,
        input: TransitionInput,
    ) -> Result<Claim> {
        let now = self.platform.clock.now();
        let (offer, at_agreed) = self.recalculation_terms(&claim, now)?;
        let result = (claim.give.of(offer.give_units).value(), claim.receive.of(offer.receive_units).value());
        if input.shown != Some(result) {
            return Err(self.rate_changed(&claim, &offer));
        }
        let at = if at_agreed { claim.terms.agreed_at } else { now };
        self.advance(tx, claim, row, initiator, &TransitionInput { terms: Some((offer, at)), ..input }).await
    }

    /// Whether a transition accepts a different amount as the agreed one, which needs approval.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub(super) fn is_override(claim: &Claim, row: &Transition) -> Result<bool> {
        let takes_other = row.action == Action::PaymentReceived && claim.state == ClaimState::AmountMismatch;
        Ok(takes_other && !passes_for_agreed(claim, claim.balances.received)?)
    }

    /// Creates the approval request to exchange a different amount as agreed.
    ///
    /// # Errors
    /// 409 `approval_waits`; 422 for words that are too long, or another amount than came.
    pub(super) async fn propose_override(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        input: &TransitionInput,
        staff: &Staff,
    ) -> Result<ApprovalRow> {
        super::transition::check_lengths(input)?;
        let received = claim.balances.received;
        if input.amount.is_some_and(|named| named.normalize() != received.value().normalize()) {
            return Err(Error::unprocessable("validation_failed").at("amount", "amount_differs"));
        }
        let unknown = || ApprovalValue::Text { text: "approval_value.unknown".into() };
        let result = self.recalculation_terms(claim, self.platform.clock.now());
        let result = match result {
            Ok((offer, _)) => format!("{} {}", claim.receive.of(offer.receive_units), claim.receive.code).into(),
            Err(refused) if refused.code() == "claim_unreadable" => return Err(refused),
            Err(_) => unknown(),
        };
        let mut shown = vec![
            ApprovalFact::new("claim", format!("№ {}", claim.public_id)),
            ApprovalFact::new("agreed", format!("{} {}", claim.give.amount, claim.give.code)),
            ApprovalFact::new("came", format!("{received} {}", claim.give.code)),
            ApprovalFact::new("payout", format!("{} {}", claim.receive.amount, claim.receive.code)),
            ApprovalFact::new("recalculated", result),
        ];
        shown.extend(input.note.clone().map(|note| ApprovalFact::new("note", note)));
        let step = Override { ground: ground(claim), role: staff.role.to_string(), note: input.note.clone() };
        let payload = serde_json::to_value(step).map_err(Error::internal)?;
        let approval = ApprovalRequest { kind: OVERRIDE, about: ("claim", claim.id.to_string()), shown, payload };
        let proposed = self.approvals.propose(tx, approval, staff).await?;
        self.publish_change(tx, claim.id);
        Ok(proposed)
    }

    /// Accepts a different amount as the agreed one, after its approval.
    async fn approve_override(self: &Arc<Self>, tx: &mut Tx, approval: &ApprovalRow, by: &Staff) -> Result<()> {
        let id = approval.about_id.parse().map_err(Error::internal)?;
        let step: Override = approval.read()?;
        let claim = claims::locked(tx, id).await?;
        if claim.state != ClaimState::AmountMismatch || ground(&claim) != step.ground {
            return Err(outdated());
        }
        let row = Self::row(&claim, Action::PaymentReceived, Actor::Operator)?;
        self.record_approval(tx, &claim, by).await?;
        let initiator = Initiator::Staff(proposer(approval, &step.role)?);
        let input = TransitionInput { note: step.note, overridden: true, ..TransitionInput::default() };
        self.advance(tx, claim, row, &initiator, &input).await.map(drop)
    }
}

/// Identifies the exchange that is approved: this amount at these terms.
fn ground(claim: &Claim) -> String {
    let parts = json!([
        OVERRIDE,
        claim.balances.received.units(),
        claim.give.amount.units(),
        claim.receive.amount.units(),
        claim.terms.market_value.units(),
        claim.terms.json,
    ]);
    digest(&parts.to_string())
}

/// Applies approved overrides of the amount.
pub struct AmountOverrideApproval(pub Arc<Claims>);

impl ApprovalHandler for AmountOverrideApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (OVERRIDE, CLAIMS_PROCESS)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.approve_override(tx, approval, approver).await })
    }
}
