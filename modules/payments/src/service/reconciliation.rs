//! Reconciliation of sent money with the ledger.

use std::sync::{Arc, PoisonError};

use agio_core::Result;

use super::Payments;
use crate::store::reconciliation::{self, SentDifference};

impl Payments {
    /// Compares sent money with the ledger and stores the differences.
    pub async fn reconcile(&self) -> Result<Arc<[SentDifference]>> {
        let found: Arc<[_]> = reconciliation::differences(&mut self.platform.db.read().await?).await?.into();
        for difference in found.iter() {
            tracing::error!(%difference, "the money sent differs from the ledger");
        }
        *self.differences.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        Ok(found)
    }

    pub fn differences(&self) -> Arc<[SentDifference]> {
        self.differences.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
