//! What visitors write to support.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use agio_captcha::Offer;
use agio_core::error::Params;
use agio_core::idempotency::{self, Key};
use agio_core::networks::limit_key;
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Kind, Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter};
use agio_requisites::{Kind as RequisiteKind, check};
use uuid::Uuid;

use super::{Content, SUPPORT_EMAIL};
use crate::MESSAGE_DAYS;
use crate::store::{self, Message};

/// What an answer to the captcha is good for.
const ACTION: &str = "contact";
/// What digests of households are for.
const HOUSEHOLD: &str = "contact household";
/// The longest name, in characters.
const NAME_MAX: usize = 80;
/// The longest message, in characters.
const MESSAGE_MAX: usize = 4_000;
/// How many messages one household may send in an hour.
const MESSAGES_AN_HOUR: i64 = 5;
const HOUR: Duration = Duration::from_secs(3_600);

/// A message to support.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// How the visitor wants to be called; may be empty.
    pub name: String,
    /// Where the answer goes.
    pub email: String,
    /// What it says.
    pub message: String,
    /// The answer to the captcha.
    pub captcha: Option<String>,
    /// The language of the page.
    pub locale: Locale,
    /// The account they are signed in to.
    pub customer: Option<Uuid>,
    /// Where the call comes from.
    pub address: IpAddr,
}

/// A page of messages.
#[derive(Clone, Debug)]
pub struct MessagePage {
    /// The messages, the newest first.
    pub rows: Vec<Message>,
    /// Where the next page begins.
    pub next: Option<(Timestamp, Uuid)>,
}

impl Content {
    /// What a page has to do before it sends a message.
    ///
    /// # Errors
    /// 500 when no challenge can be made.
    pub fn captcha(&self) -> Result<Offer> {
        self.captcha.offer(ACTION, true)
    }

    /// Keeps a message and writes the letter to support, which is answered to whoever wrote.
    ///
    /// # Errors
    /// 422 with the fields; 422 for the captcha; 429 `too_many_messages`.
    pub async fn take_message(self: &Arc<Self>, new: NewMessage, key: Option<Key>) -> Result<Uuid> {
        let row = self.checked(&new)?;
        let id = row.id;
        let answer = new.captcha.as_deref().filter(|answer| !answer.is_empty()).ok_or_else(agio_captcha::required)?;
        let household = self.platform.vault.digest(HOUSEHOLD, &limit_key(new.address).to_string());
        // Whoever repeats a call with its key brings an answer that was taken with the first.
        let is_repeated = key.is_some() && self.is_kept(&key).await?;
        if !is_repeated {
            self.captcha.take(ACTION, answer, new.address).await?;
        }
        let (this, work) = (self.clone(), Arc::new((row, household)));
        let kept: String = idempotency::once(&self.platform.db, key, self.platform.clock.now(), move |tx| {
            let (this, work) = (this.clone(), work.clone());
            Box::pin(async move {
                this.keep(tx, &work.0, &work.1).await?;
                Ok(work.0.id.to_string())
            })
        })
        .await?;
        Ok(kept.parse().unwrap_or(id))
    }

    /// Whether a call with this key was answered.
    async fn is_kept(&self, key: &Option<Key>) -> Result<bool> {
        match key {
            Some(key) => idempotency::is_answered(&self.platform.db, key).await,
            None => Ok(false),
        }
    }

    async fn keep(&self, tx: &mut Tx, row: &Message, household: &str) -> Result<()> {
        // One after the other, so that they can be counted.
        tx.lock("contact_message", household).await?;
        let (count, first) = store::messages_since(tx, household, row.created_at.minus(HOUR)).await?;
        if count >= MESSAGES_AN_HOUR {
            let free_at = first.map_or(row.created_at, |first| first.plus(HOUR));
            let wait = free_at.0.saturating_sub(row.created_at.0).max(1).unsigned_abs().div_ceil(1_000_000);
            return Err(Error::new(Kind::TooManyRequests, "too_many_messages").with("seconds", wait).retry_after(wait));
        }
        store::insert_message(tx, row, household).await?;
        let support = self.platform.settings.text(SUPPORT_EMAIL);
        let to = Addressee { email: support, locale: row.locale.parse().unwrap_or_default() };
        let name = if row.name.is_empty() { row.email.clone() } else { row.name.clone() };
        let letter = Letter::new("contact_message", ("contact_message", row.id.to_string()))
            .with("name", name)
            .with("email", &row.email)
            .quoting(&row.message)
            .answered_to(&row.email);
        self.mailroom.send(tx, &to, &letter, row.created_at).await
    }

    fn checked(&self, new: &NewMessage) -> Result<Message> {
        let mut wrong = Vec::new();
        let mut refuse = |field: &str, code, max: usize| {
            let params = Params::from([("max", max.to_string())]);
            wrong.push(FieldError { field: field.to_owned(), code, params });
        };
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
        } else if message.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')) {
            refuse("message", "text_not_plain", MESSAGE_MAX);
        }
        if !wrong.is_empty() {
            return Err(Error::invalid(wrong));
        }
        let now = self.platform.clock.now();
        Ok(Message {
            id: self.platform.random.uuid_at(now),
            name: name.to_owned(),
            email,
            message,
            locale: new.locale.to_string(),
            customer_id: new.customer,
            created_at: now,
        })
    }

    /// A page of messages before a place, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn messages(&self, before: Option<(Timestamp, Uuid)>, size: i64) -> Result<MessagePage> {
        let before = before.unwrap_or((Timestamp(i64::MAX), Uuid::max()));
        let mut rows = store::messages(&mut self.platform.db.read().await?, before, size + 1).await?;
        let has_more = rows.len() > usize::try_from(size).unwrap_or(usize::MAX);
        if has_more {
            rows.pop();
        }
        let next = rows.last().filter(|_| has_more).map(|row| (row.created_at, row.id));
        Ok(MessagePage { rows, next })
    }

    /// Deletes messages whose time is over.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn delete_old_messages(&self) -> Result<()> {
        let days = self.platform.settings.int(MESSAGE_DAYS).unsigned_abs();
        let moment = self.platform.clock.now().minus(Duration::from_secs(days * 24 * 3_600));
        self.platform.db.write(move |tx| Box::pin(store::delete_messages_before(tx, moment))).await
    }
}
