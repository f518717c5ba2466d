//! The content of an email and its recipient.

use agio_core::texts::Locale;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    pub email: String,
    /// The language of the email.
    pub locale: Locale,
}

/// A row of the details table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailDetail {
    pub label: String,
    pub value: String,
    /// Absolute URL.
    pub link: Option<String>,
}

/// How a recipient stops emails: targets as for [`Email::button`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsubscribeLinks {
    pub label: String,
    /// A page for people.
    pub page: String,
    /// Unsubscribes when a mail program posts to it.
    pub one_click: String,
}

/// What an email says in short, for another channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailHeadline {
    pub subject: String,
    /// The button: its text, and the path on the site with the prefix of the language.
    pub button: Option<(String, String)>,
}

/// An email before rendering. The texts `mail.KIND.subject`, `.body` and, if there is a button, `.button` are in the dictionaries of
/// the module that sends it. An empty line in a body separates paragraphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// Template name: `claim_created`.
    pub kind: &'static str,
    /// Kind and identifier of the object the email is about. The console links to it.
    pub about: (&'static str, String),
    /// Values for the placeholders in the texts. They are shown as they are and never read as markup.
    pub params: Vec<(&'static str, String)>,
    /// Table after the body.
    pub details: Vec<EmailDetail>,
    /// Target of the button: a path of the public site, such as `/claim/ID`, which gets the language prefix, or an absolute URL.
    pub button: Option<String>,
    /// Further links after the body: label and target, as for `button`.
    pub links: Vec<(String, String)>,
    /// Text somebody else wrote, shown after the body as plain text with its paragraphs.
    pub quote: Option<String>,
    /// Reply address; support if absent.
    pub reply_to: Option<String>,
    /// How the recipient stops such emails.
    pub unsubscribe: Option<UnsubscribeLinks>,
    /// Whether the text or the link contains a secret, such as a token that restores an account. Such an email is stored sealed,
    /// and staff see only that it was sent.
    pub is_private: bool,
}

impl Email {
    pub fn new(kind: &'static str, about: (&'static str, String)) -> Self {
        Self {
            kind,
            about,
            params: Vec::new(),
            details: Vec::new(),
            button: None,
            links: Vec::new(),
            quote: None,
            reply_to: None,
            unsubscribe: None,
            is_private: false,
        }
    }

    /// Adds a value for a placeholder in the texts.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    #[must_use]
    pub fn with_detail(mut self, label: impl Into<String>, value: impl Into<String>, link: Option<String>) -> Self {
        self.details.push(EmailDetail { label: label.into(), value: value.into(), link });
        self
    }

    #[must_use]
    pub fn with_button(mut self, target: impl Into<String>) -> Self {
        self.button = Some(target.into());
        self
    }

    #[must_use]
    pub fn with_link(mut self, label: impl Into<String>, target: impl Into<String>) -> Self {
        self.links.push((label.into(), target.into()));
        self
    }

    #[must_use]
    pub fn with_quote(mut self, text: impl Into<String>) -> Self {
        self.quote = Some(text.into());
        self
    }

    #[must_use]
    pub fn with_reply_to(mut self, email: impl Into<String>) -> Self {
        self.reply_to = Some(email.into());
        self
    }

    /// Adds a link of this label to a page that unsubscribes, and the address of a POST that does it at once (RFC 8058).
    #[must_use]
    pub fn with_unsubscribe(mut self, label: impl Into<String>, page: impl Into<String>, one_click: impl Into<String>) -> Self {
        let (label, page, one_click) = (label.into(), page.into(), one_click.into());
        self.unsubscribe = Some(UnsubscribeLinks { label, page, one_click });
        self
    }

    /// Marks the email as containing a secret.
    #[must_use]
    pub fn private(mut self) -> Self {
        self.is_private = true;
        self
    }
}
