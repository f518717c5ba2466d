//! Claims with the same terms share one stored copy of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use agio_core::Result;

use super::Claims;
use crate::store::terms;

/// The size of the cache; it is cleared when full.
const KNOWN_MAX: usize = 1_024;

/// The ids of recently used terms.
#[derive(Default)]
pub(super) struct TermsCache(Mutex<HashMap<String, i64>>);

impl TermsCache {
    fn known(&self, terms: &str) -> Option<i64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(terms).copied()
    }

    fn learn(&self, terms: &str, id: i64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(terms.to_owned(), id);
    }
}

impl Claims {
    /// The id of the stored terms. A cached id saves the query.
    pub(super) async fn cache_terms(&self, text: &str) -> Result<i64> {
        if let Some(id) = self.kept_terms.known(text) {
            return Ok(id);
        }
        let text_copy = text.to_owned();
        let work = self.platform.db.write(move |tx| {
            let text_copy = text_copy.clone();
            Box::pin(async move { terms::id_of(tx, &text_copy).await })
        });
        let id = work.await?;
        self.kept_terms.learn(text, id);
        Ok(id)
    }
}
