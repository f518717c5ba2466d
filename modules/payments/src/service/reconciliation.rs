//! Comparing the money that left with the books.

use std::sync::{Arc, PoisonError};

use agio_core::Result;

use super::Payments;
use crate::store::reconciliation::{self, SentDifference};

impl Payments {
    /// Compares what drivers sent with the books and remembers where they differ.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn reconcile(&self) -> Result<Arc<[SentDifference]>> {
        let found: Arc<[_]> = reconciliation::differences(&mut self.platform.db.read().await?).await?.into();
        for difference in found.iter() {
            tracing::error!(%difference, "the money that left is not what the books say");
        }
        *self.differences.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        Ok(found)
    }

    /// What the last comparison found.
    #[must_use]
    pub fn differences(&self) -> Arc<[SentDifference]> {
        self.differences.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
