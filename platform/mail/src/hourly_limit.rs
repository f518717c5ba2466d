//! Limits the emails of one kind that a mailbox gets in an hour. Anyone can cause emails to any address, so emails over the limit are
//! held back, and one email summarises them.
//!
//! Each email is counted with one write. The count is read only once this node alone has sent a quarter of the limit, so most emails
//! cost no read.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agio_core::retention::RetentionRule;
use agio_core::{Result, Timestamp, Tx, delete_rows, execute, fetch_all, fetch_one, write_one};

use crate::{Mailer, Recipient};

agio_core::statements! {
    /// An hour has 3,600,000,000 microseconds.
    COUNT_MAIL = "INSERT INTO mail_count (mailbox, since, sent, held) VALUES ($1, $2, 1, 0) ON CONFLICT (mailbox) DO UPDATE SET
        sent = CASE WHEN mail_count.since <= excluded.since - 3600000000 THEN 1 ELSE mail_count.sent + 1 END,
        since = CASE WHEN mail_count.since <= excluded.since - 3600000000 THEN excluded.since ELSE mail_count.since END";
    MAILS_COUNTED = "SELECT sent FROM mail_count WHERE mailbox = $1";
    HOLD_MAIL = "UPDATE mail_count SET held = held + 1, held_since = COALESCE(held_since, $2), email = $3, locale = $4 WHERE mailbox = $1";
    HELD_MAILS = "SELECT mailbox, held, email, locale FROM mail_count WHERE held_since <= $1 ORDER BY held_since, mailbox LIMIT 100";
    TAKE_HELD_MAILS = "UPDATE mail_count SET held = 0, held_since = NULL, email = NULL, locale = NULL WHERE mailbox = $1 AND held = $2";
}

/// Setting: emails about claims that a mailbox gets in an hour.
pub const CLAIM_MAILS_PER_HOUR: &str = "claims.mails_per_hour";

/// Period of the limit, and how long emails are held back.
const HOUR: Duration = Duration::from_secs(60 * 60);

pub const RETENTION: RetentionRule = RetentionRule {
    name: "mail_count",
    delete: delete_rows!("mail_count", "mailbox", "since < $1 AND held_since IS NULL"),
    before: |_, now| now.minus(HOUR).0,
};

/// The shared count is read once this node has sent this fraction of the limit: a quarter.
const READ_FRACTION: i64 = 4;

/// Mailboxes this node counts. With more, every count is read.
const MAILBOXES_MAX: usize = 100_000;

/// Emails to one mailbox that were held back.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct HeldEmails {
    mailbox: String,
    /// Number of emails.
    pub held: i64,
    /// Address of the last one.
    pub email: String,
    locale: String,
}

impl HeldEmails {
    pub fn recipient(&self) -> Recipient {
        Recipient { email: self.email.clone(), locale: self.locale.parse().unwrap_or_default() }
    }
}

/// Emails this node sent to each mailbox in the current hour.
#[derive(Default)]
pub(crate) struct RecentCounts(Mutex<HashMap<String, (Timestamp, i64)>>);

impl RecentCounts {
    /// Counts an email. Returns whether the shared count must be read.
    fn count(&self, mailbox: &str, limit: i64, now: Timestamp) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAILBOXES_MAX && !known.contains_key(mailbox) {
            known.retain(|_, (since, _)| since.plus(HOUR) > now);
            if known.len() >= MAILBOXES_MAX {
                return true;
            }
        }
        let (since, count) = known.entry(mailbox.to_owned()).or_insert((now, 0));
        if since.plus(HOUR) <= now {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        *count * READ_FRACTION > limit
    }
}

impl Mailer {
    /// Counts an email and returns whether it is within the hourly limit. `mailbox` is the name it is counted under.
    pub async fn count_email(&self, tx: &mut Tx, mailbox: &str, limit: i64, now: Timestamp) -> Result<bool> {
        tx.exclude("mail_count", mailbox);
        write_one!(tx, COUNT_MAIL, mailbox, now)?;
        if !self.recent.count(mailbox, limit, now) {
            return Ok(true);
        }
        Ok(fetch_one!(tx, (i64,), MAILS_COUNTED, mailbox)?.0 <= limit)
    }

    /// Holds back an email that was counted under this name.
    pub async fn hold_back(&self, tx: &mut Tx, mailbox: &str, to: &Recipient, now: Timestamp) -> Result<()> {
        execute!(tx, HOLD_MAIL, mailbox, now, to.email.to_lowercase(), to.locale.to_string()).map(drop)
    }

    /// Emails that were held back for an hour and are due for a summary.
    pub async fn list_held_emails(&self, now: Timestamp) -> Result<Vec<HeldEmails>> {
        fetch_all!(&mut self.platform.db.read().await?, HeldEmails, HELD_MAILS, now.minus(HOUR))
    }

    /// Takes held emails for a summary; false if another node took them or one more was held back meanwhile.
    pub async fn claim_held_emails(&self, tx: &mut Tx, held: &HeldEmails) -> Result<bool> {
        Ok(execute!(tx, TAKE_HELD_MAILS, &held.mailbox, held.held)? == 1)
    }
}
