//! Large rate changes, applied after a second person approves.

use std::sync::Arc;

use agio_approvals::{ApprovalHandler, ApprovalRow, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};

use super::pairs::{PAIR_CHANGED, UpdatePairRequest};
use crate::{Calculator, MARKET_EDIT};

/// Applies an approved pair update.
pub struct ApprovedPairUpdate(pub Arc<Calculator>);

impl ApprovalHandler for ApprovedPairUpdate {
    fn handles(&self) -> (&'static str, Permission) {
        (PAIR_CHANGED, MARKET_EDIT)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let change: UpdatePairRequest = approval.read()?;
            let id = approval.about_id.parse().map_err(Error::internal)?;
            let revision = change.revision.unwrap_or_default();
            let changed = self.0.update_pair_in(tx, id, revision, change.into(), approval.proposer()).await;
            changed.map_err(|error| if error.code() == "market_changed" { outdated() } else { error })
        })
    }

    fn after_commit(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.reload())
    }
}
