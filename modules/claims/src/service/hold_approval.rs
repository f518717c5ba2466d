//! Two-person approval of what ends a hold: its release after an AML check, and the rejection of a claim on hold.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::payment_approval::proposer;
use super::transition::{Initiator, TransitionInput, check_lengths};
use super::{Claims, digest};
use crate::CLAIMS_PROCESS;
use crate::model::{Action, Actor, ClaimState, Transition};
use crate::rules::Claim;
use crate::store::claims;

/// The kind of approval requests to end a hold.
pub(super) const HOLD: &str = "claim_hold";

/// The reason of a hold for an AML check, by the screening or by staff.
const AML_CHECK: &str = "aml_check";

/// What an approval request keeps of the step.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HoldDecision {
    ground: String,
    role: String,
    action: Action,
    reason: Option<String>,
    note: Option<String>,
}

impl Claims {
    /// Whether a transition ends a hold that one person may not end while two-person approval is on.
    pub(super) fn ends_guarded_hold(&self, claim: &Claim, row: &Transition) -> bool {
        let is_guarded = match row.action {
            Action::ReleaseHold => claim.progress.reason.as_deref() == Some(AML_CHECK),
            Action::Reject => claim.state == ClaimState::OnHold,
            _ => false,
        };
        is_guarded && self.approvals.is_enabled()
    }

    /// Creates the approval request to end a hold.
    ///
    /// # Errors
    /// 409 `approval_waits`; 422 for words that are too long.
    pub(super) async fn propose_end_of_hold(
        &self,
        tx: &mut Tx,
        claim: &Claim,
        row: &Transition,
        input: &TransitionInput,
        staff: &Staff,
    ) -> Result<ApprovalRow> {
        check_lengths(input)?;
        let worded = |reason: &String| match self.is_reason_code(reason) {
            true => ApprovalValue::Text { text: format!("claim_reason.{reason}") },
            false => reason.clone().into(),
        };
        let decision = ApprovalValue::Text { text: format!("approval_value.{}", row.action) };
        let mut shown = vec![
            ApprovalFact::new("claim", format!("№ {}", claim.public_id)),
            ApprovalFact::new("decision", decision),
            ApprovalFact::new("agreed", format!("{} {}", claim.give.amount, claim.give.code)),
            ApprovalFact::new("came", format!("{} {}", claim.balances.received, claim.give.code)),
        ];
        shown.extend(claim.progress.reason.as_ref().map(|reason| ApprovalFact::new("hold", worded(reason))));
        shown.extend(input.reason.as_ref().map(|reason| ApprovalFact::new("reason", worded(reason))));
        shown.extend(input.note.clone().map(|note| ApprovalFact::new("note", note)));
        let (role, reason, note) = (staff.role.to_string(), input.reason.clone(), input.note.clone());
        let decision = HoldDecision { ground: ground(claim), role, action: row.action, reason, note };
        let payload = serde_json::to_value(decision).map_err(Error::internal)?;
        let approval = ApprovalRequest { kind: HOLD, about: ("claim", claim.id.to_string()), shown, payload };
        let proposed = self.approvals.propose(tx, approval, staff).await?;
        self.publish_change(tx, claim.id);
        Ok(proposed)
    }

    /// Ends a hold after its approval.
    async fn approve_end_of_hold(self: &Arc<Self>, tx: &mut Tx, approval: &ApprovalRow, by: &Staff) -> Result<()> {
        let id = approval.about_id.parse().map_err(Error::internal)?;
        let HoldDecision { ground: decided_on, role, action, reason, note } = approval.read()?;
        let claim = claims::locked(tx, id).await?;
        if claim.state != ClaimState::OnHold || ground(&claim) != decided_on {
            return Err(outdated());
        }
        let row = Self::row(&claim, action, Actor::Operator)?;
        self.record_approval(tx, &claim, by).await?;
        let initiator = Initiator::Staff(proposer(approval, &role)?);
        let input = TransitionInput { reason, note, ..TransitionInput::default() };
        self.advance(tx, claim, row, &initiator, &input).await.map(drop)
    }
}

/// Identifies the hold that is decided on: why, since which step and with which money. A later one has another time of
/// the answer.
fn ground(claim: &Claim) -> String {
    let progress = &claim.progress;
    let answer_by = progress.answer_by.map(|moment| moment.0);
    digest(&json!([HOLD, progress.reason, answer_by, claim.stopped_in, claim.balances.received.units()]).to_string())
}

/// Applies approved ends of holds.
pub struct HoldApproval(pub Arc<Claims>);

impl ApprovalHandler for HoldApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (HOLD, CLAIMS_PROCESS)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, approver: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.approve_end_of_hold(tx, approval, approver).await })
    }
}
