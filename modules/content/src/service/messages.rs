//! Messages to support.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use agio_captcha::CaptchaRequirement;
use agio_core::idempotency::{self, Key};
use agio_core::keyset::KeysetPage;
use agio_core::networks::limit_key;
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, FieldError, Result, Timestamp, Tx};
use agio_mail::{Email, Recipient};
use agio_requisites::{RequisiteKind, check};
use uuid::Uuid;

use super::{Content, SUPPORT_EMAIL};
use crate::store::{self, ContactMessageRow};

const ACTION: &str = "contact";
const NETWORK_DIGEST: &str = "contact network";
/// Longest name, in characters.
const NAME_MAX: usize = 80;
/// Longest message, in characters.
const MESSAGE_MAX: usize = 4_000;
const MESSAGES_PER_HOUR: i64 = 5;
const HOUR: Duration = Duration::from_secs(3_600);

#[derive(Clone, Debug)]
pub struct NewContactMessage {
    /// May be empty.
    pub name: String,
    /// Address for the reply.
    pub email: String,
    pub message: String,
    /// Captcha solution.
    pub captcha: Option<String>,
    pub locale: Locale,
    pub customer: Option<Uuid>,
    pub address: IpAddr,
}

impl Content {
    /// The captcha of the contact form.
    ///
    /// # Errors
    /// 500 if no challenge can be created.
    pub fn captcha(&self) -> Result<CaptchaRequirement> {
        self.captcha.requirement(ACTION, true)
    }

    /// Stores a message and e-mails it to support with the sender as reply address.
    ///
    /// # Errors
    /// 422 with the fields; 422 for the captcha; 429 `too_many_messages`.
    pub async fn send_message(self: &Arc<Self>, new: NewContactMessage, key: Option<Key>) -> Result<Uuid> {
        let row = self.checked(&new)?;
        let id = row.id;
        let answer = new.captcha.as_deref().filter(|answer| !answer.is_empty()).ok_or_else(agio_captcha::required)?;
        let network = self.platform.vault.digest(NETWORK_DIGEST, &limit_key(new.address).to_string());
        // A repeated request has a solution that was used by the first.
        let is_repeated = key.is_some() && self.is_answered(&key).await?;
        if !is_repeated {
            self.captcha.verify(ACTION, answer, new.address).await?;
        }
        let (this, work) = (self.clone(), Arc::new((row, network)));
        let stored: String = idempotency::once(&self.platform.db, key, self.platform.clock.now(), move |tx| {
            let (this, work) = (this.clone(), work.clone());
            Box::pin(async move {
                this.store_message(tx, &work.0, &work.1).await?;
                Ok(work.0.id.to_string())
            })
        })
        .await?;
        Ok(stored.parse().unwrap_or(id))
    }

    /// Whether a request with this key was answered.
    async fn is_answered(&self, key: &Option<Key>) -> Result<bool> {
        match key {
            Some(key) => idempotency::has_response(&self.platform.db, key).await,
            None => Ok(false),
        }
    }

    async fn store_message(&self, tx: &mut Tx, row: &ContactMessageRow, network: &str) -> Result<()> {
        // Serialized, so that the count is correct.
        tx.lock("contact_message", network).await?;
        let (count, first) = store::messages_since(tx, network, row.created_at.minus(HOUR)).await?;
        if count >= MESSAGES_PER_HOUR {
            let free_at = first.map_or(row.created_at, |first| first.plus(HOUR));
            let wait = free_at.0.saturating_sub(row.created_at.0).max(1).unsigned_abs().div_ceil(1_000_000);
            return Err(Error::new(ErrorKind::TooManyRequests, "too_many_messages").with("seconds", wait).retry_after(wait));
        }
        store::insert_message(tx, row, network).await?;
        let support = self.platform.settings.text(SUPPORT_EMAIL);
        let to = Recipient { email: support, locale: row.locale };
        let name = if row.name.is_empty() { row.email.clone() } else { row.name.clone() };
        let email = Email::new("contact_message", ("contact_message", row.id.to_string()))
            .with("name", name)
            .with("email", &row.email)
            .with_quote(&row.message)
            .with_reply_to(&row.email);
        self.mailer.send(tx, &to, &email, row.created_at).await
    }

    fn checked(&self, new: &NewContactMessage) -> Result<ContactMessageRow> {
        let mut wrong = Vec::new();
        let mut refuse = |field: &str, code, max: usize| wrong.push(FieldError::new(field, code).with("max", max));
        let (name, message) = (new.name.trim(), new.message.replace("\r\n", "\n").trim().to_owned());
        if name.chars().count() > NAME_MAX {
            refuse("name", "text_too_long", NAME_MAX);
        } else if name.chars().any(char::is_control) {
            refuse("name", "text_not_plain", NAME_MAX);
        }
        let email = match check(RequisiteKind::Email, new.email.trim()) {
            Ok(accepted) => accepted.value,
            Err(_) => {
                refuse("email", if new.email.trim().is_empty() { "required" } else { "bad_email" }, 0);
                String::new()
            }
        };
        if message.is_empty() {
            refuse("message", "required", MESSAGE_MAX);
        } else if message.chars().count() > MESSAGE_MAX {
            refuse("message", "text_too_long", MESSAGE_MAX);
        } else if message.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            refuse("message", "text_not_plain", MESSAGE_MAX);
        }
        if !wrong.is_empty() {
            return Err(Error::invalid(wrong));
        }
        let now = self.platform.clock.now();
        Ok(ContactMessageRow {
            id: self.platform.random.uuid_at(now),
            name: name.to_owned(),
            email,
            message,
            locale: new.locale,
            customer_id: new.customer,
            created_at: now,
        })
    }

    /// Newest first.
    pub async fn messages(
        &self,
        before: Option<(Timestamp, Uuid)>,
        size: u32,
    ) -> Result<KeysetPage<ContactMessageRow, (Timestamp, Uuid)>> {
        let before = before.unwrap_or((Timestamp(i64::MAX), Uuid::max()));
        let rows = store::messages(&mut self.platform.db.read().await?, before, i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |row| (row.created_at, row.id)))
    }
}
