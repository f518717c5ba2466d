//! How many letters of one kind a mailbox gets in an hour. Anybody can have letters sent to anybody, so those over the cap are held back, and one
//! letter sums them up.
//!
//! Every letter is counted by a statement that only writes. What was counted is read where this node alone has sent a good part of the cap, so that
//! nearly all letters cost no question.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, write_one};

use crate::{Addressee, Mailroom};

agio_core::statements! {
    COUNT_MAIL = "INSERT INTO mail_count (mailbox, since, sent, held) VALUES ($1, $2, 1, 0) ON CONFLICT (mailbox) DO UPDATE SET
        sent = CASE WHEN mail_count.since <= $3 THEN 1 ELSE mail_count.sent + 1 END,
        since = CASE WHEN mail_count.since <= $3 THEN $2 ELSE mail_count.since END";
    MAILS_COUNTED = "SELECT sent FROM mail_count WHERE mailbox = $1";
    HOLD_MAIL = "UPDATE mail_count SET held = held + 1, held_since = COALESCE(held_since, $2), email = $3, locale = $4 WHERE mailbox = $1";
    HELD_MAILS = "SELECT mailbox, held, email, locale FROM mail_count WHERE held_since <= $1 ORDER BY held_since, mailbox LIMIT 100";
    TAKE_HELD_MAILS = "UPDATE mail_count SET held = 0, held_since = NULL, email = NULL, locale = NULL WHERE mailbox = $1 AND held = $2";
    FORGET_MAIL_COUNTS = "DELETE FROM mail_count WHERE since < $1 AND held_since IS NULL";
}

/// The setting that says how many letters about claims a mailbox gets in an hour.
pub const CLAIM_MAILS_PER_HOUR: &str = "claims.mails_per_hour";

/// The time a cap is for, and how long letters are held back.
const HOUR: Duration = Duration::from_secs(60 * 60);

/// With how much of the cap sent from this node the common count is read: a quarter.
const READ_FROM: i64 = 4;

/// How many mailboxes this node remembers. With more, every count is read.
const REMEMBERED_MAX: usize = 100_000;

/// Letters that were held back.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Held {
    mailbox: String,
    /// How many.
    pub held: i64,
    /// To which address the last one was.
    pub email: String,
    locale: String,
}

impl Held {
    /// To whom.
    #[must_use]
    pub fn to(&self) -> Addressee {
        Addressee { email: self.email.clone(), locale: self.locale.parse().unwrap_or_default() }
    }
}

/// What this node has sent in the hour.
#[derive(Default)]
pub(crate) struct Recent(Mutex<HashMap<String, (Timestamp, i64)>>);

impl Recent {
    /// Counts a letter; whether the cap may be near.
    fn count(&self, mailbox: &str, cap: i64, now: Timestamp) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED_MAX && !known.contains_key(mailbox) {
            known.retain(|_, (since, _)| since.plus(HOUR) > now);
            if known.len() >= REMEMBERED_MAX {
                return true;
            }
        }
        let (since, count) = known.entry(mailbox.to_owned()).or_insert((now, 0));
        if since.plus(HOUR) <= now {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        *count * READ_FROM > cap
    }
}

impl Mailroom {
    /// Counts a letter to a mailbox, and says whether it is within so many an hour. `mailbox` is the name it is counted under.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn is_within(&self, tx: &mut Tx, mailbox: &str, cap: i64, now: Timestamp) -> Result<bool> {
        write_one!(tx, COUNT_MAIL, mailbox, now, now.minus(HOUR))?;
        if !self.recent.count(mailbox, cap, now) {
            return Ok(true);
        }
        Ok(fetch_one!(tx, (i64,), MAILS_COUNTED, mailbox)?.0 <= cap)
    }

    /// Holds a letter back that was counted under this name.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn hold_back(&self, tx: &mut Tx, mailbox: &str, to: &Addressee, now: Timestamp) -> Result<()> {
        execute!(tx, HOLD_MAIL, mailbox, now, to.email.to_lowercase(), to.locale.to_string()).map(drop)
    }

    /// Letters that were held back for an hour and are to be summed up.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn held(&self, now: Timestamp) -> Result<Vec<Held>> {
        fetch_all!(&mut self.platform.db.read().await?, Held, HELD_MAILS, now.minus(HOUR))
    }

    /// Takes them to be summed up; false when another node has, or one more was held back meanwhile.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn take_held(&self, tx: &mut Tx, held: &Held) -> Result<bool> {
        Ok(execute!(tx, TAKE_HELD_MAILS, &held.mailbox, held.held)? == 1)
    }

    /// Forgets counts that say nothing any more.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget_counts(&self, tx: &mut Tx, now: Timestamp) -> Result<()> {
        execute!(tx, FORGET_MAIL_COUNTS, now.minus(HOUR)).map(drop)
    }
}
