//! Two-person approval of changes to the requisites customers pay to: such a change redirects payments.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Claims;
use super::requisite_pool::{is_duplicate, whole};
use crate::REQUISITES_CHANGE;
use crate::rules::requisite_pool::{RequisiteIdentification, RequisiteRow};
use crate::store::requisites;

const ADDED: &str = "requisite_added";
const CHANGED: &str = "requisite_changed";

/// The payload of an approval request.
#[derive(Serialize, Deserialize)]
struct Change {
    before: Option<RequisiteRow>,
    after: RequisiteRow,
}

impl Claims {
    /// Creates the approval request for a new or changed requisite.
    ///
    /// # Errors
    /// 409 `approval_waits`.
    pub(super) async fn propose_requisite(
        &self,
        tx: &mut Tx,
        before: Option<&RequisiteRow>,
        after: &RequisiteRow,
        staff: &Staff,
    ) -> Result<ApprovalRow> {
        let shown = self.requisite_facts(before, after)?;
        let kind = if before.is_some() { CHANGED } else { ADDED };
        let payload = json!(Change { before: before.cloned(), after: after.clone() });
        self.approvals
            .propose(tx, ApprovalRequest { kind, about: ("requisite", after.id.to_string()), shown, payload }, staff)
            .await
    }

    /// What an approver sees of a new or changed requisite.
    pub(super) fn requisite_facts(&self, before: Option<&RequisiteRow>, after: &RequisiteRow) -> Result<Vec<ApprovalFact>> {
        let currency = self.require_currency(after.currency_id)?;
        let change = |name: &str, value: &dyn Fn(&RequisiteRow) -> Option<ApprovalValue>| {
            ApprovalFact::change(name, before.and_then(value), value(after))
        };
        let amount =
            |units: Option<i64>| units.map(|units| ApprovalValue::from(format!("{} {}", currency.amount(units), currency.code)));
        let number = |number: i64| (number > 0).then(|| ApprovalValue::from(number.to_string()));
        let changes = [
            change("value", &|row| Some(row.value.clone().into())),
            change("holder", &|row| row.holder.clone().map(Into::into)),
            change("memo", &|row| row.memo.clone().map(Into::into)),
            change("enabled", &|row| Some(ApprovalValue::flag(row.enabled))),
            change("memo_per_claim", &|row| Some(ApprovalValue::flag(row.identification == RequisiteIdentification::Memo))),
            change("amount_per_claim", &|row| Some(ApprovalValue::flag(row.identification == RequisiteIdentification::Amount))),
            change("min_amount", &|row| amount(row.limits.operation_min)),
            change("max_amount", &|row| amount(row.limits.operation_max)),
            change("daily_limit", &|row| amount(row.limits.daily_limit)),
            change("monthly_limit", &|row| amount(row.limits.monthly_limit)),
            change("daily_count", &|row| row.limits.daily_count.and_then(number)),
            change("turnover_limit", &|row| amount(row.limits.turnover_limit)),
            change("one_time", &|row| Some(ApprovalValue::flag(row.limits.one_time))),
            change("cooling_minutes", &|row| number(row.limits.cooling_minutes)),
        ];
        let mut shown = vec![ApprovalFact::new("currency", currency.code.clone())];
        // Show the value even if it does not change, to identify the requisite.
        if before.is_some_and(|row| row.value == after.value) {
            shown.push(ApprovalFact::new("value", after.value.clone()));
        }
        shown.extend(changes.into_iter().flatten());
        Ok(shown)
    }

    async fn carry_out_requisite(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let Change { before, after } = approval.read()?;
        requisites::lock_pool(tx, after.currency_id).await?;
        let now = requisites::locked(tx, after.id).await?;
        let is_other = now.as_ref().map(whole) != before.as_ref().map(whole);
        // Another request for the same account may have been approved meanwhile.
        if is_other || is_duplicate(tx, before.as_ref(), &after).await? {
            return Err(outdated());
        }
        self.store_requisite(tx, before.as_ref(), &after, &approval.proposer()).await
    }
}

/// Applies approved new requisites.
pub struct RequisiteCreationApproval(pub Arc<Claims>);

/// Applies approved changes of requisites.
pub struct RequisiteUpdateApproval(pub Arc<Claims>);

impl ApprovalHandler for RequisiteCreationApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (ADDED, REQUISITES_CHANGE)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_requisite(tx, approval).await })
    }
}

impl ApprovalHandler for RequisiteUpdateApproval {
    fn handles(&self) -> (&'static str, Permission) {
        (CHANGED, REQUISITES_CHANGE)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_requisite(tx, approval).await })
    }
}
