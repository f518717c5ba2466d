//! What an approver has to see.

use serde::{Deserialize, Serialize};

/// A value that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Said {
    /// As it is.
    Plain(String),
    /// As the dictionaries say it, in the reader's language.
    Text {
        /// The key of the text.
        text: String,
    },
}

impl Said {
    /// Yes or no.
    #[must_use]
    pub fn flag(flag: bool) -> Self {
        Self::Text { text: format!("approval_value.{}", if flag { "yes" } else { "no" }) }
    }
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Self::Plain(text)
    }
}

/// A name and a value, as it is and as it would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The key of the text that names it.
    pub label: String,
    /// What it is now.
    pub before: Option<Said>,
    /// What it would be.
    pub after: Option<Said>,
}

impl Fact {
    /// The text `approval_fact.NAME` with a value.
    #[must_use]
    pub fn new(name: &str, after: impl Into<Said>) -> Self {
        Self { label: format!("approval_fact.{name}"), before: None, after: Some(after.into()) }
    }

    /// The text `approval_fact.NAME` with a value that changes; nothing where it does not.
    #[must_use]
    pub fn change(name: &str, before: Option<Said>, after: Option<Said>) -> Option<Self> {
        (before != after).then(|| Self { label: format!("approval_fact.{name}"), before, after })
    }
}
