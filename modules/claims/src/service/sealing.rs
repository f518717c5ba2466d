//! Sealing the requisites of claims that former versions stored in the open.

use std::sync::Arc;

use agio_core::sealing::{self, AT_A_TIME};
use agio_core::{Result, Tx};

use super::Claims;
use crate::rules::claim::{FROM, REFUND, TO, found_by, purpose};
use crate::store::sealing::{Details, open, seal};

impl Claims {
    /// Seals what stands in the open.
    ///
    /// # Errors
    /// The database cannot be used.
    pub(crate) async fn seal_open_rows(self: &Arc<Self>) -> Result<()> {
        let this = self.clone();
        sealing::seal_rows(&self.platform.db, "claim", 0, move |tx, after| {
            let this = this.clone();
            Box::pin(async move { this.seal_some(tx, after).await })
        })
        .await
    }

    /// Seals some rows and gives the number of the last one, if there was one. What cannot be read is sealed as it is.
    async fn seal_some(&self, tx: &mut Tx, after: i64) -> Result<Option<i64>> {
        let vault = &self.platform.vault;
        let mut last = None;
        for row in open(tx, after, AT_A_TIME).await? {
            let sealed = |what, text: &str| vault.seal(&purpose(row.id, what), text.as_bytes());
            let digest = |value: &Option<String>| found_by(vault, value.as_ref()?).into_iter().next();
            let sealed = Details {
                from_requisites: sealed(FROM, &row.from_requisites),
                to_requisites: sealed(TO, &row.to_requisites),
                refund_requisites: row.refund_requisites.as_deref().map(|text| sealed(REFUND, text)),
                from_digest: digest(&row.from_digest),
                to_digest: digest(&row.to_digest),
                ..row
            };
            seal(tx, &sealed).await?;
            last = Some(sealed.public_id);
        }
        Ok(last)
    }
}
