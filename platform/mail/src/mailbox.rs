//! The mailbox on the spot: where mail goes while no mail server is configured.

use agio_core::outbox::{Channel, Delivery, Stored};
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, execute, fetch_all, fetch_optional};

use crate::{CHANNEL, Mail};

agio_core::statements! {
    /// A mail that is delivered twice is kept once.
    KEEP_MAIL = "INSERT INTO mailbox (message_id, recipient, kind, payload, delivered_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (message_id) DO NOTHING";
    KEPT_MAILS = "SELECT id, kind, payload, delivered_at FROM mailbox ORDER BY id DESC LIMIT $1";
    KEPT_MAIL = "SELECT id, kind, payload, delivered_at FROM mailbox WHERE id = $1";
    FORGET_KEPT = "DELETE FROM mailbox WHERE delivered_at < $1";
}

/// A mail in the mailbox.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its number in the mailbox.
    pub id: i64,
    /// What it is.
    pub kind: String,
    /// The mail.
    pub mail: Mail,
    /// When it came.
    pub delivered_at: Timestamp,
}

type Row = (i64, String, String, Timestamp);

impl Kept {
    fn of((id, kind, payload, delivered_at): Row) -> Result<Self> {
        Ok(Self { id, kind, mail: Mail::read(&payload)?, delivered_at })
    }
}

/// The mailbox.
#[derive(Clone)]
pub struct Mailbox(Platform);

impl Mailbox {
    /// The mailbox of this database.
    #[must_use]
    pub fn new(platform: &Platform) -> Self {
        Self(platform.clone())
    }

    /// The newest mails, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn newest(&self, size: i64) -> Result<Vec<Kept>> {
        let rows = fetch_all!(&mut self.0.db.read().await?, Row, KEPT_MAILS, size)?;
        rows.into_iter().map(Kept::of).collect()
    }

    /// A mail by its number.
    ///
    /// # Errors
    /// 404 `message_not_found`.
    pub async fn mail(&self, id: i64) -> Result<Kept> {
        let row = fetch_optional!(&mut self.0.db.read().await?, Row, KEPT_MAIL, id)?;
        row.ok_or_else(|| Error::not_found("message_not_found")).and_then(Kept::of)
    }

    /// Forgets mails that came before `moment`.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_before(&self, moment: Timestamp) -> Result<u64> {
        self.0.db.write(move |tx| Box::pin(async move { execute!(tx, FORGET_KEPT, moment) })).await
    }

    async fn keep(&self, message: &Stored) -> Result<()> {
        let (id, now) = (message.id, self.0.clock.now());
        let (recipient, kind, payload) = (message.recipient.clone(), message.kind.clone(), message.payload.clone());
        self.0
            .db
            .write(move |tx| {
                let (recipient, kind, payload) = (recipient.clone(), kind.clone(), payload.clone());
                Box::pin(async move { execute!(tx, KEEP_MAIL, id, recipient, kind, payload, now).map(drop) })
            })
            .await
    }
}

impl Channel for Mailbox {
    fn name(&self) -> &'static str {
        CHANNEL
    }

    fn deliver<'a>(&'a self, message: &'a Stored) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            match self.keep(message).await {
                Ok(()) => Delivery::Done,
                Err(error) => Delivery::Later(error.to_string()),
            }
        })
    }
}
