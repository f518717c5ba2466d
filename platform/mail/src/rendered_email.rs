//! A rendered email, as stored in the outbox.

use agio_core::{Error, Result, Vault};
use serde::{Deserialize, Serialize};

use crate::layout::{EmailLogo, EmailText};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedEmail {
    /// Sender name.
    pub from_name: String,
    pub reply_to: String,
    /// Recipient's address.
    pub to: String,
    pub subject: String,
    content: StoredContent,
}

/// The body in both forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailContent {
    pub text: String,
    pub html: String,
    /// Where a mail program unsubscribes the recipient.
    pub one_click_unsubscribe: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredContent {
    Open(Box<EmailText>),
    /// Text of a private email.
    Sealed(String),
}

impl RenderedEmail {
    pub(crate) fn new(
        vault: &Vault,
        from_name: String,
        reply_to: String,
        to: &str,
        (subject, text): (String, EmailText),
        is_private: bool,
    ) -> Result<Self> {
        let content = if is_private {
            let bytes = serde_json::to_vec(&text).map_err(Error::internal)?;
            StoredContent::Sealed(vault.seal(&purpose(to), &bytes))
        } else {
            StoredContent::Open(Box::new(text))
        };
        Ok(Self { from_name, reply_to, to: to.to_owned(), subject, content })
    }

    /// Parses the payload of an outbox message.
    ///
    /// # Errors
    /// `internal`: the payload is malformed.
    pub fn read(payload: &str) -> Result<Self> {
        serde_json::from_str(payload).map_err(Error::internal)
    }

    pub(crate) fn payload(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// Whether it contains a secret.
    pub fn is_private(&self) -> bool {
        matches!(self.content, StoredContent::Sealed(_))
    }

    /// The content, unless it is private.
    pub fn public_content(&self, logo: Option<&EmailLogo>) -> Option<EmailContent> {
        match &self.content {
            StoredContent::Open(text) => Some(self.render(text, logo)),
            StoredContent::Sealed(_) => None,
        }
    }

    /// The content, including private content.
    ///
    /// # Errors
    /// `internal`: it was sealed with another key.
    pub fn content(&self, vault: &Vault, logo: Option<&EmailLogo>) -> Result<EmailContent> {
        match &self.content {
            StoredContent::Open(text) => Ok(self.render(text, logo)),
            StoredContent::Sealed(sealed) => {
                let text = serde_json::from_slice(&vault.open(&purpose(&self.to), sealed)?).map_err(Error::internal)?;
                Ok(self.render(&text, logo))
            }
        }
    }

    /// A payload whose private content is sealed anew.
    pub(crate) fn reseal(vault: &Vault, payload: &str) -> Result<String> {
        let mut email = Self::read(payload)?;
        if let StoredContent::Sealed(sealed) = &mut email.content {
            *sealed = vault.reseal(&purpose(&email.to), sealed)?;
        }
        email.payload()
    }

    fn render(&self, text: &EmailText, logo: Option<&EmailLogo>) -> EmailContent {
        EmailContent {
            text: text.plain(&self.subject),
            html: text.html(&self.from_name, logo, &self.subject),
            one_click_unsubscribe: text.unsubscribe.as_ref().map(|links| links.one_click.clone()),
        }
    }
}

fn purpose(to: &str) -> String {
    format!("mail to {to}")
}
