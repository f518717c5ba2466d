//! A finished mail, as it is kept until it leaves and shown afterwards.

use agio_core::{Error, Result, Vault};
use serde::{Deserialize, Serialize};

use crate::render::Words;

/// A mail without the words inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The name it comes from.
    pub from_name: String,
    /// Where an answer goes.
    pub reply_to: String,
    /// The address it goes to, as it was given.
    pub to: String,
    /// The subject.
    pub subject: String,
    content: Kept,
}

/// What stands inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// As plain text.
    pub text: String,
    /// As a page.
    pub html: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kept {
    Open(Words),
    /// The words of a private mail.
    Sealed(String),
}

impl Mail {
    /// The mail that says this.
    pub(crate) fn write(
        vault: &Vault,
        from_name: String,
        reply_to: String,
        to: &str,
        (subject, words): (String, Words),
        is_private: bool,
    ) -> Result<Self> {
        let content = if is_private {
            let bytes = serde_json::to_vec(&words).map_err(Error::internal)?;
            Kept::Sealed(vault.seal(&purpose(to), &bytes))
        } else {
            Kept::Open(words)
        };
        Ok(Self { from_name, reply_to, to: to.to_owned(), subject, content })
    }

    /// The mail in a message of the outbox.
    ///
    /// # Errors
    /// `internal`: there is no mail in it.
    pub fn read(payload: &str) -> Result<Self> {
        serde_json::from_str(payload).map_err(Error::internal)
    }

    pub(crate) fn payload(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// Whether it holds a secret.
    #[must_use]
    pub fn is_private(&self) -> bool {
        matches!(self.content, Kept::Sealed(_))
    }

    /// What stands inside, if it is nobody's secret.
    #[must_use]
    pub fn shown(&self) -> Option<Content> {
        match &self.content {
            Kept::Open(words) => Some(self.form(words)),
            Kept::Sealed(_) => None,
        }
    }

    /// What stands inside, secrets included.
    ///
    /// # Errors
    /// `internal`: it was sealed with a key that is not here.
    pub fn content(&self, vault: &Vault) -> Result<Content> {
        match &self.content {
            Kept::Open(words) => Ok(self.form(words)),
            Kept::Sealed(sealed) => {
                let words = serde_json::from_slice(&vault.open(&purpose(&self.to), sealed)?).map_err(Error::internal)?;
                Ok(self.form(&words))
            }
        }
    }

    fn form(&self, words: &Words) -> Content {
        Content { text: words.text(&self.subject), html: words.html(&self.from_name, &self.subject) }
    }
}

fn purpose(to: &str) -> String {
    format!("mail to {to}")
}
