//! Sealing where tries go that former versions stored in the open.

use std::sync::Arc;

use agio_core::needs::PayTo;
use agio_core::sealing::{self, AT_A_TIME};
use agio_core::{Result, Tx};

use super::Payments;
use crate::store::attempts;

impl Payments {
    /// Seals what stands in the open.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn seal_open_rows(self: &Arc<Self>) -> Result<()> {
        let this = self.clone();
        sealing::seal_rows(&self.platform.db, "payment_attempt", String::new(), move |tx, after| {
            let this = this.clone();
            Box::pin(async move { this.seal_some(tx, &after).await })
        })
        .await
    }

    async fn seal_some(&self, tx: &mut Tx, after: &str) -> Result<Option<String>> {
        let mut last = None;
        for (id, address, memo) in attempts::open(tx, after, AT_A_TIME).await? {
            let sealed = attempts::sealed(&self.platform.vault, &id, &PayTo { address, memo });
            attempts::seal(tx, &id, sealed).await?;
            last = Some(id);
        }
        Ok(last)
    }
}
