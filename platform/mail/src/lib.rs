//! Mail: letters in two languages, written in the transaction of what they tell of.
//!
//! A room says what kind of letter it is and what values it names ([`Letter`]); the [`Mailroom`] finds the words and leaves the
//! finished [`Mail`] in the outbox. Nothing is looked up or worded when it is delivered, so a mail says what was true when it was
//! written; only its form, as plain text and as a page, is put around the words then. It leaves by a mail server ([`Smtp`]), or stays in the [`Mailbox`] where none
//! is configured.

mod cap;
mod letter;
mod mail;
mod mailbox;
mod render;
mod smtp;
mod words;

use std::sync::Arc;

use agio_core::outbox::Message;
use agio_core::texts::{Dictionary, Texts};
use agio_core::{Platform, Result, Timestamp, Tx};

pub use cap::{CLAIM_MAILS_PER_HOUR, Held, STATEMENTS};
pub use letter::{Addressee, Detail, Letter};
pub use mail::{Content, Mail};
pub use mailbox::{Kept, Mailbox};
pub use smtp::{Security, Server, Smtp, TIMEOUT_MAX};
pub use words::{amount_in_words, moment_in_words};

/// The channel mails leave by.
pub const CHANNEL: &str = "mail";

/// This crate's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// The setting that names the site.
const SITE_NAME: &str = "site.name";

/// The setting that says where customers write to.
const SUPPORT_EMAIL: &str = "site.support_email";

/// Writes letters. Clones share everything.
#[derive(Clone)]
pub struct Mailroom {
    platform: Platform,
    texts: Arc<Texts>,
    site: String,
    stays: bool,
    recent: Arc<cap::Recent>,
}

impl Mailroom {
    /// A mailroom that writes with all texts of the house, for the site at this address. Its mails leave by a mail server, or stay
    /// in the [`Mailbox`].
    #[must_use]
    pub fn new(platform: &Platform, texts: Arc<Texts>, site: &str, stays: bool) -> Self {
        Self { platform: platform.clone(), texts, site: site.trim_end_matches('/').to_owned(), stays, recent: Arc::default() }
    }

    /// Writes a letter, in the caller's transaction. It leaves after the commit, and nobody waits for that. Write it after what it
    /// tells of, so that letters about one thing leave in the order of what happened to it.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn send(&self, tx: &mut Tx, to: &Addressee, letter: &Letter, now: Timestamp) -> Result<()> {
        let settings = &self.platform.settings;
        let head = render::Letterhead {
            brand: settings.text(SITE_NAME),
            site: self.site.clone(),
            support: settings.text(SUPPORT_EMAIL),
        };
        let words = render::words(&self.texts, &head, letter, to.locale);
        let reply_to = letter.reply_to.clone().unwrap_or(head.support);
        let mail = Mail::write(&self.platform.vault, head.brand, reply_to, &to.email, words, letter.is_private)?;
        let message = Message {
            channel: CHANNEL,
            recipient: to.email.to_lowercase(),
            kind: letter.kind,
            about: letter.about.clone(),
            payload: mail.payload()?,
        };
        let outbox = &self.platform.outbox;
        if self.stays { outbox.keep(tx, message, now).await } else { outbox.post(tx, message, now).await }
    }
}
