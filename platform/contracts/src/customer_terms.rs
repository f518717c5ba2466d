//! Terms of a direction that its customers accept before they pay.

use agio_core::texts::{Bilingual, Locale};
use serde::{Deserialize, Serialize};

/// Terms in both languages. Customers accept them by their identifier, so that it is known which text they read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerTerms {
    /// The digest of the texts, in hexadecimal.
    pub id: String,
    pub title: Bilingual,
    /// HTML with paragraphs, emphasis, lists and links only.
    pub message: Bilingual,
}

impl CustomerTerms {
    /// Title and message in a language.
    pub fn get(&self, locale: Locale) -> (&str, &str) {
        (self.title.get(locale), self.message.get(locale))
    }
}
