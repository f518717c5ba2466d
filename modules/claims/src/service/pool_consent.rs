//! Requisites customers pay to, by two people's word: whoever could change them alone could send every payment elsewhere.

use std::sync::Arc;

use agio_approvals::{Approvable, Fact, Proposal, Said, Stored, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{Amount, BoxFuture, Result, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Claims;
use super::pool::whole;
use crate::REQUISITES_CHANGE;
use crate::store::requisites::{self, PoolRow};

const ADDED: &str = "requisite_added";
const CHANGED: &str = "requisite_changed";

/// What a proposal keeps.
#[derive(Serialize, Deserialize)]
struct Change {
    before: Option<PoolRow>,
    after: PoolRow,
}

impl Claims {
    /// Proposes to add or to change a requisite of the pool.
    ///
    /// # Errors
    /// 409 `approval_waits`.
    pub(super) async fn propose_requisite(
        &self,
        tx: &mut Tx,
        before: Option<&PoolRow>,
        after: &PoolRow,
        staff: &Staff,
    ) -> Result<Stored> {
        let currency = self.known_currency(after.currency_id)?;
        let plain = |text: Option<&String>| text.map(|text| Said::from(text.clone()));
        let limit = |row: &PoolRow| {
            row.daily_limit.map(|units| Said::from(format!("{} {}", Amount::of_units(units, currency.scale), currency.code)))
        };
        let changes = [
            Fact::change("value", before.map(|row| row.value.clone().into()), Some(after.value.clone().into())),
            Fact::change("holder", plain(before.and_then(|row| row.holder.as_ref())), plain(after.holder.as_ref())),
            Fact::change("memo", plain(before.and_then(|row| row.memo.as_ref())), plain(after.memo.as_ref())),
            Fact::change("enabled", before.map(|row| Said::flag(row.enabled)), Some(Said::flag(after.enabled))),
            Fact::change("daily_limit", before.and_then(limit), limit(after)),
        ];
        let mut shown = vec![Fact::new("currency", currency.code.clone())];
        // Which requisite is meant is seen by its value, also where that stays.
        if before.is_some_and(|row| row.value == after.value) {
            shown.push(Fact::new("value", after.value.clone()));
        }
        shown.extend(changes.into_iter().flatten());
        let kind = if before.is_some() { CHANGED } else { ADDED };
        let payload = json!(Change { before: before.cloned(), after: after.clone() });
        self.approvals.propose(tx, Proposal { kind, about: ("requisite", after.id.to_string()), shown, payload }, staff).await
    }

    async fn carry_out_requisite(&self, tx: &mut Tx, proposal: &Stored) -> Result<()> {
        let Change { before, after } = proposal.read()?;
        let now = requisites::requisite(tx, after.id).await?;
        if now.as_ref().map(whole) != before.as_ref().map(whole) {
            return Err(outdated());
        }
        self.put_requisite(tx, before.as_ref(), &after, &proposal.proposer()).await
    }
}

/// Requisites a colleague agreed to add.
pub struct AddedRequisite(pub Arc<Claims>);

/// Changes of requisites a colleague agreed to.
pub struct ChangedRequisite(pub Arc<Claims>);

impl Approvable for AddedRequisite {
    fn kind(&self) -> &'static str {
        ADDED
    }

    fn permission(&self) -> Permission {
        REQUISITES_CHANGE
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_requisite(tx, proposal).await })
    }
}

impl Approvable for ChangedRequisite {
    fn kind(&self) -> &'static str {
        CHANGED
    }

    fn permission(&self) -> Permission {
        REQUISITES_CHANGE
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_requisite(tx, proposal).await })
    }
}
