//! Requested e-mails with links to claims.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all};
use uuid::Uuid;

agio_core::statements! {
    INSERT_SEARCH = "INSERT INTO claim_search (id, email, locale, address, created_at, number) VALUES ($1, $2, $3, $4, $5, $6)";
    SEARCHES = "SELECT id, email, locale, address, number FROM claim_search ORDER BY created_at, id LIMIT 100";
    TAKE_SEARCH = "DELETE FROM claim_search WHERE id = $1";
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ClaimSearchRow {
    pub id: Uuid,
    /// The address whose claims are looked for, in lower case.
    pub email: String,
    /// The language of the request.
    pub locale: String,
    /// The IP address of the request.
    pub address: String,
    /// The number of a claim to include, however old.
    pub number: Option<i64>,
}

pub async fn insert(tx: &mut Tx, search: &ClaimSearchRow, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_SEARCH, search.id, &search.email, &search.locale, &search.address, now, search.number).map(drop)
}

/// Requested e-mails that are not sent yet, in order.
pub async fn all(tx: &mut Tx) -> Result<Vec<ClaimSearchRow>> {
    fetch_all!(tx, ClaimSearchRow, SEARCHES)
}

/// Takes one to process; false when another node has.
pub async fn take(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, TAKE_SEARCH, id)? == 1)
}
