//! Sealing where withdrawals go that former versions stored in the open.

use std::sync::Arc;

use agio_core::sealing::{self, AT_A_TIME};
use agio_core::{Result, Tx};
use uuid::Uuid;

use super::Referral;
use super::withdrawing::purpose;
use crate::store::withdrawals;

impl Referral {
    /// Seals what stands in the open.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn seal_open_rows(self: &Arc<Self>) -> Result<()> {
        let this = self.clone();
        sealing::seal_rows(&self.platform.db, "referral_withdrawal", Uuid::nil(), move |tx, after| {
            let this = this.clone();
            Box::pin(async move { this.seal_some(tx, after).await })
        })
        .await
    }

    async fn seal_some(&self, tx: &mut Tx, after: Uuid) -> Result<Option<Uuid>> {
        let mut last = None;
        for (id, requisites) in withdrawals::in_the_open(tx, after, AT_A_TIME).await? {
            withdrawals::seal(tx, id, self.platform.vault.seal(&purpose(id), requisites.as_bytes())).await?;
            last = Some(id);
        }
        Ok(last)
    }
}
