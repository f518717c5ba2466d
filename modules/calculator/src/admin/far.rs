//! Changes of rates that move far, once a second person has agreed.

use std::sync::Arc;

use agio_approvals::{Approvable, Stored, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::{BoxFuture, Error, Result, Tx};

use super::pairs::{MarketPairChange, PAIR_CHANGED};
use crate::{Calculator, MARKET_EDIT};

/// Makes a change of a rate that was agreed on.
pub struct FarPairChange(pub Arc<Calculator>);

impl Approvable for FarPairChange {
    fn kind(&self) -> &'static str {
        PAIR_CHANGED
    }

    fn permission(&self) -> Permission {
        MARKET_EDIT
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let change: MarketPairChange = proposal.read()?;
            let id = proposal.about_id.parse().map_err(Error::internal)?;
            let revision = change.revision.unwrap_or_default();
            let changed = self.0.change_pair_in(tx, id, revision, change.into(), proposal.proposer()).await;
            changed.map_err(|error| if error.code() == "market_changed" { outdated() } else { error })
        })
    }

    fn settled(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.0.reload())
    }
}
