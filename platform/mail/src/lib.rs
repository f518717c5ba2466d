//! Emails in two languages, written to the outbox in the transaction that causes them.
//!
//! A module builds an [`Email`]; the [`Mailer`] renders its texts and stores a [`RenderedEmail`] in the outbox. Delivery looks nothing
//! up, so an email says what was true when it was written; only the layout is applied on delivery. An SMTP server ([`SmtpChannel`])
//! delivers it; without one it stays in the [`Mailbox`].

mod email;
mod formatting;
mod hourly_limit;
mod layout;
mod mailbox;
mod rendered_email;
mod smtp;

use std::sync::Arc;

use agio_brand::Brands;
use agio_core::outbox::NewOutboxMessage;
use agio_core::resealing::SealedColumn;
use agio_core::texts::{Dictionary, Locale, Texts};
use agio_core::{Platform, Result, Timestamp, Tx};

pub use email::{Email, EmailDetail, EmailHeadline, Recipient, UnsubscribeLinks};
pub use formatting::{format_money, format_rate, is_time_zone};
pub use hourly_limit::{CLAIM_MAILS_PER_HOUR, HeldEmails, RETENTION, STATEMENTS};
pub use layout::EmailLogo;
pub use mailbox::{Mailbox, MailboxEmail};
pub use rendered_email::{EmailContent, RenderedEmail};
pub use smtp::{SmtpChannel, SmtpSecurity, SmtpServer, TIMEOUT_MAX};

/// Where private emails are stored.
pub const SEALED_COLUMNS: &[SealedColumn] =
    &[agio_core::sealed_column!("outbox", "id": Number, "payload", |vault, _, payload| RenderedEmail::reseal(vault, payload))];

/// Name of the outbox channel.
pub const CHANNEL: &str = "mail";

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// What becomes of emails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailDelivery {
    /// An SMTP server delivers them.
    Smtp,
    /// There is none: they stay in the [`Mailbox`], and no customer gets one.
    Mailbox,
    /// The same in the demo, whose visitors read the emails of its customers in the console.
    Demo,
}

/// Writes emails to the outbox. Clones share state.
#[derive(Clone)]
pub struct Mailer {
    platform: Platform,
    brands: Brands,
    texts: Arc<Texts>,
    site: String,
    delivery: EmailDelivery,
    recent: Arc<hourly_limit::RecentCounts>,
}

impl Mailer {
    /// `site` is the URL of the public site.
    pub fn new(platform: &Platform, brands: Brands, texts: Arc<Texts>, site: &str, delivery: EmailDelivery) -> Self {
        Self {
            platform: platform.clone(),
            brands,
            texts,
            site: site.trim_end_matches('/').to_owned(),
            delivery,
            recent: Arc::default(),
        }
    }

    /// Whether customers get the emails that are written to them.
    pub fn reaches_customers(&self) -> bool {
        self.delivery != EmailDelivery::Mailbox
    }

    /// A time in the reader's zone, or in the exchange's where that is unknown: `28.03.2024 15:30 (UTC+3)`,
    /// `28 March 2024, 12:30 (UTC)`. `zone` is an IANA name.
    pub fn format_time(&self, at: Timestamp, locale: Locale, zone: Option<&str>) -> String {
        let brand = self.brands.current();
        formatting::format_timestamp(at, locale, zone.unwrap_or(&brand.brand.work_week.time_zone))
    }

    /// The subject and the button of an email, for a channel that says the same as the email.
    pub fn headline(&self, email: &Email, locale: Locale) -> EmailHeadline {
        layout::headline(&self.texts, email, locale)
    }

    /// Writes an email, in the caller's transaction. It is delivered in the background after the commit. Write it after the change
    /// it reports, so that emails about one object are sent in the order of its changes.
    /// An address of a deleted account is never written to: `.invalid` resolves nowhere.
    pub async fn send(&self, tx: &mut Tx, to: &Recipient, email: &Email, now: Timestamp) -> Result<()> {
        if to.email.ends_with(".invalid") {
            return Ok(());
        }
        let brand = &self.brands.current().brand;
        let layout = layout::EmailLayout {
            brand: self.brands.site_name(),
            site: self.site.clone(),
            support: self.brands.support_email(),
            contacts: brand.contact_lines(&self.texts, to.locale, now).collect(),
            accent: brand.accents().map(|(light, _)| light),
        };
        let text = layout::render(&self.texts, &layout, email, to.locale);
        let reply_to = email.reply_to.clone().unwrap_or(layout.support);
        let rendered = RenderedEmail::new(&self.platform.vault, layout.brand, reply_to, &to.email, text, email.is_private)?;
        let message = NewOutboxMessage {
            channel: CHANNEL,
            recipient: to.email.to_lowercase(),
            kind: email.kind,
            about: email.about.clone(),
            payload: rendered.payload()?,
        };
        let outbox = &self.platform.outbox;
        match self.delivery {
            EmailDelivery::Smtp => outbox.enqueue(tx, message, now).await,
            EmailDelivery::Mailbox | EmailDelivery::Demo => outbox.store_delivered(tx, message, now).await,
        }
    }
}
