//! What is written, and to whom.

use agio_core::texts::Locale;
use serde::{Deserialize, Serialize};

/// Who gets a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// The e-mail address.
    pub email: String,
    /// The language they read.
    pub locale: Locale,
}

/// A row of what a letter tells in numbers: what it is, its value, and where that can be looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// What it is.
    pub label: String,
    /// Its value.
    pub value: String,
    /// A whole address where it can be looked up.
    pub link: Option<String>,
}

/// A letter, before it has words. The texts `mail.KIND.subject`, `.body` and, where there is a link, `.button` are in the
/// dictionaries of the room that sends it. An empty line in a body parts two paragraphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// What it is, as in `claim_created`; names its texts.
    pub kind: &'static str,
    /// The kind of thing it tells of, and which one: the console links to it.
    pub about: (&'static str, String),
    /// Values the texts name in braces. Whatever they hold is shown as it is and never read as markup.
    pub params: Vec<(&'static str, String)>,
    /// What it tells in numbers, row by row. It stands after the body.
    pub details: Vec<Detail>,
    /// Where the button leads: a path of the public site from its root, as in `/claim/ID`, which gets the prefix of the
    /// language; or a whole address, which is taken as it is.
    pub link: Option<String>,
    /// Further things the letter leads to, each with what it is called and where it is, as for `link`. They stand after the body.
    pub listed: Vec<(String, String)>,
    /// What somebody else said, shown as they said it, paragraphs and all. It stands after the body.
    pub quoted: Option<String>,
    /// Where an answer goes, if not to support.
    pub reply_to: Option<String>,
    /// Whether the words or the link hold a secret, such as a token that restores an account. Such a letter is sealed while it is kept,
    /// and staff see of it that it was sent and no more.
    pub is_private: bool,
}

impl Letter {
    /// A letter without values and link.
    #[must_use]
    pub fn new(kind: &'static str, about: (&'static str, String)) -> Self {
        Self {
            kind,
            about,
            params: Vec::new(),
            details: Vec::new(),
            link: None,
            listed: Vec::new(),
            quoted: None,
            reply_to: None,
            is_private: false,
        }
    }

    /// The same letter with a value for its texts.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    /// The same letter with one more row of what it tells in numbers.
    #[must_use]
    pub fn detailing(mut self, label: impl Into<String>, value: impl Into<String>, link: Option<String>) -> Self {
        self.details.push(Detail { label: label.into(), value: value.into(), link });
        self
    }

    /// The same letter with a button that leads there.
    #[must_use]
    pub fn linking(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into());
        self
    }

    /// The same letter with one more thing it leads to.
    #[must_use]
    pub fn listing(mut self, label: impl Into<String>, link: impl Into<String>) -> Self {
        self.listed.push((label.into(), link.into()));
        self
    }

    /// The same letter with what somebody else said.
    #[must_use]
    pub fn quoting(mut self, words: impl Into<String>) -> Self {
        self.quoted = Some(words.into());
        self
    }

    /// The same letter, whose answer goes to this address.
    #[must_use]
    pub fn answered_to(mut self, email: impl Into<String>) -> Self {
        self.reply_to = Some(email.into());
        self
    }

    /// The same letter, known to hold a secret.
    #[must_use]
    pub fn private(mut self) -> Self {
        self.is_private = true;
        self
    }
}
