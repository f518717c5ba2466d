//! Terms are kept once for all claims agreed on them, before the first of these is written.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use agio_core::Result;

use super::Claims;
use crate::store::terms;

/// How many terms are known to be kept at most; then it is asked anew.
const KNOWN_MAX: usize = 1_024;

/// Where terms are kept, of those that were asked for lately.
#[derive(Default)]
pub(super) struct KeptTerms(Mutex<HashMap<String, i64>>);

impl KeptTerms {
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
    /// Where terms are kept. A claim at terms that are kept only writes, which is quicker than if it had to look for them.
    ///
    /// # Errors
    /// The database cannot be written.
    pub(super) async fn keep_terms_once(&self, text: &str) -> Result<i64> {
        if let Some(id) = self.kept_terms.known(text) {
            return Ok(id);
        }
        let asked = text.to_owned();
        let work = self.platform.db.write(move |tx| {
            let asked = asked.clone();
            Box::pin(async move { terms::id_of(tx, &asked).await })
        });
        let id = work.await?;
        self.kept_terms.learn(text, id);
        Ok(id)
    }
}
