//! Two-person approval of changes to the requisites customers pay to: such a change redirects payments.

use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, ApprovalValue, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Claims;
use super::requisite_pool::whole;
use crate::REQUISITES_CHANGE;
use crate::store::requisites::{self, RequisiteRow};

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
        let currency = self.require_currency(after.currency_id)?;
        let plain = |text: Option<&String>| text.map(|text| ApprovalValue::from(text.clone()));
        let limit = |row: &RequisiteRow| {
            row.daily_limit.map(|units| ApprovalValue::from(format!("{} {}", currency.amount(units), currency.code)))
        };
        let changes = [
            ApprovalFact::change("value", before.map(|row| row.value.clone().into()), Some(after.value.clone().into())),
            ApprovalFact::change("holder", plain(before.and_then(|row| row.holder.as_ref())), plain(after.holder.as_ref())),
            ApprovalFact::change("memo", plain(before.and_then(|row| row.memo.as_ref())), plain(after.memo.as_ref())),
            ApprovalFact::change(
                "enabled",
                before.map(|row| ApprovalValue::flag(row.enabled)),
                Some(ApprovalValue::flag(after.enabled)),
            ),
            ApprovalFact::change("daily_limit", before.and_then(limit), limit(after)),
        ];
        let mut shown = vec![ApprovalFact::new("currency", currency.code.clone())];
        // Show the value even if it does not change, to identify the requisite.
        if before.is_some_and(|row| row.value == after.value) {
            shown.push(ApprovalFact::new("value", after.value.clone()));
        }
        shown.extend(changes.into_iter().flatten());
        let kind = if before.is_some() { CHANGED } else { ADDED };
        let payload = json!(Change { before: before.cloned(), after: after.clone() });
        self.approvals
            .propose(tx, ApprovalRequest { kind, about: ("requisite", after.id.to_string()), shown, payload }, staff)
            .await
    }

    async fn carry_out_requisite(&self, tx: &mut Tx, approval: &ApprovalRow) -> Result<()> {
        let Change { before, after } = approval.read()?;
        let now = requisites::requisite(tx, after.id).await?;
        if now.as_ref().map(whole) != before.as_ref().map(whole) {
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
    fn kind(&self) -> &'static str {
        ADDED
    }

    fn permission(&self) -> Permission {
        REQUISITES_CHANGE
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_requisite(tx, approval).await })
    }
}

impl ApprovalHandler for RequisiteUpdateApproval {
    fn kind(&self) -> &'static str {
        CHANGED
    }

    fn permission(&self) -> Permission {
        REQUISITES_CHANGE
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_requisite(tx, approval).await })
    }
}
