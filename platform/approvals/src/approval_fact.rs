//! What an approver sees: labelled values before and after the change.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ApprovalValue {
    Plain(String),
    /// A text from the dictionaries, in the reader's language.
    Text {
        /// Text key.
        text: String,
    },
}

impl ApprovalValue {
    /// The text for yes or no.
    pub fn flag(flag: bool) -> Self {
        Self::Text { text: format!("approval_value.{}", if flag { "yes" } else { "no" }) }
    }
}

impl From<String> for ApprovalValue {
    fn from(text: String) -> Self {
        Self::Plain(text)
    }
}

/// A labelled value, before and after the requested change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalFact {
    /// Text key of the label.
    pub label: String,
    pub before: Option<ApprovalValue>,
    pub after: Option<ApprovalValue>,
}

impl ApprovalFact {
    /// A fact labelled with the text `approval_fact.NAME`.
    pub fn new(name: &str, after: impl Into<ApprovalValue>) -> Self {
        Self { label: format!("approval_fact.{name}"), before: None, after: Some(after.into()) }
    }

    /// A changed value labelled with the text `approval_fact.NAME`; `None` if it does not change.
    pub fn change(name: &str, before: Option<ApprovalValue>, after: Option<ApprovalValue>) -> Option<Self> {
        (before != after).then(|| Self { label: format!("approval_fact.{name}"), before, after })
    }
}
