//! SQL of the waitlist.

use agio_core::money::plain;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::model::{WaitlistCondition, WaitlistState};

agio_core::statements! {
    INSERT = "INSERT INTO waitlist_entry (id, state, give_id, receive_id, amount, rate, email, mailbox, network, locale, created_at, expires_at)
        VALUES ($1, 'pending', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    OF_NETWORK_SINCE = "SELECT COUNT(*), MIN(created_at) FROM waitlist_entry WHERE network = $1 AND created_at > $2";
    OF_MAILBOX_SINCE = "SELECT COUNT(*) FROM waitlist_entry WHERE mailbox = $1 AND created_at > $2";
    BY_ID = "SELECT * FROM waitlist_entry WHERE id = $1 AND expires_at > $2";
    CONFIRM = "UPDATE waitlist_entry SET state = 'confirmed', expires_at = $2 WHERE id = $1 AND state = 'pending' AND expires_at > $3";
    UNSUBSCRIBE = "DELETE FROM waitlist_entry WHERE mailbox = (SELECT mailbox FROM waitlist_entry WHERE id = $1)";
    OF_MAILBOX = "SELECT * FROM waitlist_entry WHERE mailbox = $1 ORDER BY created_at DESC, id";
    DELETE_OF_MAILBOX = "DELETE FROM waitlist_entry WHERE mailbox = $1";
    DIRECTIONS = "SELECT give_id, receive_id, COUNT(*), CAST(SUM(CASE WHEN rate IS NULL THEN 0 ELSE 1 END) AS BIGINT)
        FROM waitlist_entry WHERE state = 'confirmed' AND expires_at > $1 GROUP BY give_id, receive_id
        ORDER BY COUNT(*) DESC, give_id, receive_id";
    OF_DIRECTION = "SELECT * FROM waitlist_entry WHERE state = 'confirmed' AND give_id = $1 AND receive_id = $2 AND id > $3
        AND expires_at > $4 ORDER BY id LIMIT $5";
    NOTIFIED = "UPDATE waitlist_entry SET state = 'notified', email = NULL, expires_at = $2 WHERE id = $1 AND state = 'confirmed'";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct WaitlistRow {
    pub id: Uuid,
    pub state: WaitlistState,
    pub give_id: i64,
    pub receive_id: i64,
    amount: Option<String>,
    rate: Option<String>,
    /// Sealed; `None` after the notification.
    pub email: Option<String>,
    pub mailbox: String,
    pub network: String,
    pub locale: Locale,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

impl WaitlistRow {
    pub fn condition(&self) -> Result<WaitlistCondition> {
        let parse = |text: &Option<String>| text.as_deref().map(str::parse::<Decimal>).transpose().map_err(Error::internal);
        Ok(WaitlistCondition { amount: parse(&self.amount)?, rate: parse(&self.rate)? })
    }

    #[must_use]
    pub fn with_condition(mut self, condition: WaitlistCondition) -> Self {
        (self.amount, self.rate) = (condition.amount.map(plain), condition.rate.map(plain));
        self
    }

    /// A new entry without a condition.
    pub fn new(
        id: Uuid,
        (give_id, receive_id): (i64, i64),
        locale: Locale,
        created_at: Timestamp,
        expires_at: Timestamp,
    ) -> Self {
        Self {
            id,
            state: WaitlistState::Pending,
            give_id,
            receive_id,
            amount: None,
            rate: None,
            email: None,
            mailbox: String::new(),
            network: String::new(),
            locale,
            created_at,
            expires_at,
        }
    }
}

/// A direction with confirmed entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitlistDirectionCount {
    pub give_id: i64,
    pub receive_id: i64,
    /// All confirmed entries.
    pub waiting: i64,
    /// Those that wait for a rate.
    pub for_rate: i64,
}

pub async fn insert(tx: &mut Tx, row: &WaitlistRow) -> Result<()> {
    let WaitlistRow { id, give_id, receive_id, amount, rate, email, mailbox, network, locale, created_at, expires_at, .. } = row;
    execute!(tx, INSERT, id, give_id, receive_id, amount, rate, email, mailbox, network, locale, created_at, expires_at).map(drop)
}

/// Number of entries from a network since then, and the time of the first.
pub async fn of_network_since(tx: &mut Tx, network: &str, since: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    fetch_one!(tx, (i64, Option<Timestamp>), OF_NETWORK_SINCE, network, since)
}

pub async fn of_mailbox_since(tx: &mut Tx, mailbox: &str, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), OF_MAILBOX_SINCE, mailbox, since)?.0)
}

pub async fn by_id(tx: &mut Tx, id: Uuid, now: Timestamp) -> Result<Option<WaitlistRow>> {
    fetch_optional!(tx, WaitlistRow, BY_ID, id, now)
}

/// A pending entry; another one stays as it is.
pub async fn confirm(tx: &mut Tx, id: Uuid, expires_at: Timestamp, now: Timestamp) -> Result<()> {
    execute!(tx, CONFIRM, id, expires_at, now).map(drop)
}

/// Deletes every entry of the mailbox that the entry belongs to.
pub async fn unsubscribe(tx: &mut Tx, id: Uuid) -> Result<()> {
    execute!(tx, UNSUBSCRIBE, id).map(drop)
}

/// Directions with confirmed entries, the most wanted first.
pub async fn directions(tx: &mut Tx, now: Timestamp) -> Result<Vec<WaitlistDirectionCount>> {
    let rows = fetch_all!(tx, (i64, i64, i64, i64), DIRECTIONS, now)?;
    let direction = |(give_id, receive_id, waiting, for_rate)| WaitlistDirectionCount { give_id, receive_id, waiting, for_rate };
    Ok(rows.into_iter().map(direction).collect())
}

/// Confirmed entries of a direction with an id above `after`.
pub async fn of_direction(
    tx: &mut Tx,
    direction: &WaitlistDirectionCount,
    after: Uuid,
    now: Timestamp,
    size: i64,
) -> Result<Vec<WaitlistRow>> {
    fetch_all!(tx, WaitlistRow, OF_DIRECTION, direction.give_id, direction.receive_id, after, now, size)
}

/// False if another node was first or the visitor has unsubscribed.
pub async fn mark_notified(tx: &mut Tx, id: Uuid, expires_at: Timestamp) -> Result<bool> {
    Ok(execute!(tx, NOTIFIED, id, expires_at)? == 1)
}

/// Newest first.
pub async fn of_mailbox(tx: &mut Tx, mailbox: &str) -> Result<Vec<WaitlistRow>> {
    fetch_all!(tx, WaitlistRow, OF_MAILBOX, mailbox)
}

pub async fn delete_of_mailbox(tx: &mut Tx, mailbox: &str) -> Result<()> {
    execute!(tx, DELETE_OF_MAILBOX, mailbox).map(drop)
}
