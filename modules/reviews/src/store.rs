//! SQL of reviews.

use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

use crate::model::{PublishedReview, ReviewState, ReviewText};

agio_core::statements! {
    /// A reversed exchange that is completed again gets its review back.
    OPEN = "INSERT INTO review (id, claim_id, claim_number, state, revision, give, receive, exchanged_at, rating, body, name,
            locale, reply, reason, moderated_by)
        VALUES ($1, $2, $3, 'unwritten', 1, $4, $5, $6, 0, '', '', $7, '', '', '')
        ON CONFLICT (claim_id) DO UPDATE SET reversed_at = NULL, revision = review.revision + 1";
    REVERSE = "UPDATE review SET reversed_at = $2, revision = revision + 1 WHERE claim_id = $1";
    BY_CLAIM = "SELECT * FROM review WHERE claim_id = $1 AND reversed_at IS NULL";
    BY_ID = "SELECT * FROM review WHERE id = $1 AND state <> 'unwritten' AND reversed_at IS NULL";
    WRITE = "UPDATE review SET state = 'pending', revision = revision + 1, rating = $3, body = $4, name = $5, locale = $6, written_at = $7
        WHERE id = $1 AND revision = $2";
    MODERATE = "UPDATE review SET state = $3, revision = revision + 1, reason = $4, reply = $5, moderated_by = $6, moderated_at = $7
        WHERE id = $1 AND revision = $2";
    LIST = "SELECT * FROM review WHERE state = $1 AND reversed_at IS NULL AND (written_at, id) < ($2, $3)
        ORDER BY written_at DESC, id DESC LIMIT $4";
    COUNTS = "SELECT state, COUNT(*), CAST(SUM(rating) AS BIGINT) FROM review
        WHERE reversed_at IS NULL AND state <> 'unwritten' GROUP BY state";
    WRITTEN = "SELECT * FROM review WHERE claim_id = $1 AND state <> 'unwritten'";
    ERASE_UNSHOWN = "DELETE FROM review WHERE claim_id = $1 AND (state <> 'published' OR reversed_at IS NOT NULL)";
    LATEST = "SELECT * FROM review WHERE state = 'published' AND reversed_at IS NULL
        ORDER BY written_at DESC, id DESC LIMIT $1";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ReviewRow {
    pub id: Uuid,
    pub claim_id: Uuid,
    pub claim_number: i64,
    pub state: ReviewState,
    /// Incremented by every change.
    pub revision: i64,
    /// Tickers of the exchange.
    pub give: String,
    pub receive: String,
    pub exchanged_at: Timestamp,
    /// 0 while unwritten.
    pub rating: i64,
    pub body: String,
    pub name: String,
    pub locale: Locale,
    pub written_at: Option<Timestamp>,
    /// The public answer; may be empty.
    pub reply: String,
    /// Why it was rejected; may be empty.
    pub reason: String,
    /// Name of the staff member.
    pub moderated_by: String,
    pub moderated_at: Option<Timestamp>,
}

/// Number of reviews and sum of their ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReviewTotal {
    pub count: i64,
    pub sum: i64,
}

impl ReviewRow {
    pub fn text(&self) -> ReviewText {
        ReviewText { rating: self.rating, text: self.body.clone(), name: self.name.clone() }
    }
}

impl From<ReviewRow> for PublishedReview {
    fn from(row: ReviewRow) -> Self {
        Self {
            id: row.id,
            rating: row.rating,
            text: row.body,
            name: row.name,
            locale: row.locale,
            give: row.give,
            receive: row.receive,
            exchanged_at: row.exchanged_at,
            reply: row.reply,
        }
    }
}

/// An exchange whose customer may write a review.
pub struct ReviewableExchange {
    pub claim: Uuid,
    pub number: i64,
    pub give: String,
    pub receive: String,
    pub locale: Locale,
    pub at: Timestamp,
}

pub async fn open(tx: &mut Tx, id: Uuid, exchange: &ReviewableExchange) -> Result<()> {
    let ReviewableExchange { claim, number, give, receive, locale, at } = exchange;
    execute!(tx, OPEN, id, claim, number, give, receive, at, locale).map(drop)
}

pub async fn reverse(tx: &mut Tx, claim: Uuid, now: Timestamp) -> Result<()> {
    execute!(tx, REVERSE, claim, now).map(drop)
}

pub async fn by_claim(tx: &mut Tx, claim: Uuid) -> Result<Option<ReviewRow>> {
    fetch_optional!(tx, ReviewRow, BY_CLAIM, claim)
}

/// The written review of a claim, also while its exchange is reversed.
pub async fn written(tx: &mut Tx, claim: Uuid) -> Result<Option<ReviewRow>> {
    fetch_optional!(tx, ReviewRow, WRITTEN, claim)
}

/// Erases a review that the site does not show.
pub async fn erase_unshown(tx: &mut Tx, claim: Uuid) -> Result<()> {
    execute!(tx, ERASE_UNSHOWN, claim).map(drop)
}

/// A written review.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<ReviewRow>> {
    fetch_optional!(tx, ReviewRow, BY_ID, id)
}

/// False if somebody else changed it.
pub async fn write(tx: &mut Tx, row: &ReviewRow, review: &ReviewText, locale: Locale, now: Timestamp) -> Result<bool> {
    let ReviewText { rating, text, name } = review;
    Ok(execute!(tx, WRITE, row.id, row.revision, rating, text, name, locale, now)? == 1)
}

/// Stores the decision and the answer of a changed row over the revision `row.revision`. False if somebody else changed
/// it.
pub async fn moderate(tx: &mut Tx, row: &ReviewRow) -> Result<bool> {
    let ReviewRow { id, revision, state, reason, reply, moderated_by, moderated_at, .. } = row;
    Ok(execute!(tx, MODERATE, id, revision, state, reason, reply, moderated_by, moderated_at)? == 1)
}

/// Newest first.
pub async fn list(tx: &mut Tx, state: ReviewState, before: (Timestamp, Uuid), size: i64) -> Result<Vec<ReviewRow>> {
    fetch_all!(tx, ReviewRow, LIST, state, before.0, before.1, size)
}

pub async fn totals(tx: &mut Tx) -> Result<Vec<(ReviewState, ReviewTotal)>> {
    let rows = fetch_all!(tx, (ReviewState, i64, i64), COUNTS)?;
    Ok(rows.into_iter().map(|(state, count, sum)| (state, ReviewTotal { count, sum })).collect())
}

/// The newest published reviews.
pub async fn latest(tx: &mut Tx, size: i64) -> Result<Vec<ReviewRow>> {
    fetch_all!(tx, ReviewRow, LATEST, size)
}
