//! Sealing what proposals show that former versions stored in the open.

use agio_core::sealing::{self, AT_A_TIME};
use agio_core::{Result, Tx};
use uuid::Uuid;

use crate::{Approvals, purpose, store};

impl Approvals {
    /// Seals what stands in the open.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn seal_open_rows(&self) -> Result<()> {
        let this = self.clone();
        sealing::seal_rows(&self.platform.db, "approval", Uuid::nil(), move |tx, after| {
            let this = this.clone();
            Box::pin(async move { this.seal_some(tx, after).await })
        })
        .await
    }

    async fn seal_some(&self, tx: &mut Tx, after: Uuid) -> Result<Option<Uuid>> {
        let mut last = None;
        for (id, shown) in store::open(tx, after, AT_A_TIME).await? {
            store::seal(tx, id, self.platform.vault.seal(&purpose(id), shown.as_bytes())).await?;
            last = Some(id);
        }
        Ok(last)
    }
}
