//! Mail: letters in two languages, written in the transaction of what they tell of.
//!
//! A room says what kind of letter it is and what values it names; the [`Mailroom`] finds the words, puts them into the
//! house's one form and leaves the finished mail in the outbox. Nothing is looked up or rendered when it is delivered, so
//! a mail says what was true when it was written.

mod letter;

use std::sync::Arc;

use agio_core::outbox::Message;
use agio_core::texts::{Dictionary, Texts};
use agio_core::{Platform, Result, Timestamp, Tx};
use serde_json::json;

pub use letter::{Addressee, Letter};

/// The channel mails leave by.
pub const CHANNEL: &str = "mail";

/// This crate's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Writes letters. Clones share everything.
#[derive(Clone)]
pub struct Mailroom {
    platform: Platform,
    texts: Arc<Texts>,
    site: String,
}

impl Mailroom {
    /// A mailroom that writes with all texts of the house, for the site at this address.
    #[must_use]
    pub fn new(platform: &Platform, texts: Arc<Texts>, site: &str) -> Self {
        Self { platform: platform.clone(), texts, site: site.trim_end_matches('/').to_owned() }
    }

    /// Writes a letter, in the caller's transaction. It leaves after the commit, and nobody waits for that.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn send(&self, tx: &mut Tx, to: &Addressee, letter: &Letter, now: Timestamp) -> Result<()> {
        let params = letter.params.iter().cloned().collect();
        let text = |part: &str| self.texts.get(to.locale, &format!("mail.{}.{part}", letter.kind), &params);
        let message = Message {
            channel: CHANNEL,
            recipient: to.email.to_lowercase(),
            kind: letter.kind,
            about: letter.about.clone(),
            payload: json!({ "to": to.email, "subject": text("subject"), "text": text("body") }),
        };
        self.platform.outbox.post(tx, message, now).await.map(drop)
    }
}
