//! Letters with links to claims that were asked for.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all};
use uuid::Uuid;

agio_core::statements! {
    INSERT_SEARCH = "INSERT INTO claim_search (id, email, locale, address, created_at) VALUES ($1, $2, $3, $4, $5)";
    SEARCHES = "SELECT id, email, locale, address FROM claim_search ORDER BY created_at, id LIMIT 100";
    TAKE_SEARCH = "DELETE FROM claim_search WHERE id = $1";
}

/// A letter that was asked for.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Search {
    /// Identifier.
    pub id: Uuid,
    /// The address whose claims are looked for, in lower case.
    pub email: String,
    /// The language of the page it was asked on.
    pub locale: String,
    /// Where the call came from.
    pub address: String,
}

/// Notes that a letter was asked for.
pub async fn insert(tx: &mut Tx, search: &Search, now: Timestamp) -> Result<()> {
    execute!(tx, INSERT_SEARCH, search.id, &search.email, &search.locale, &search.address, now).map(drop)
}

/// Letters that are not written yet, in the order they were asked for.
pub async fn all(tx: &mut Tx) -> Result<Vec<Search>> {
    fetch_all!(tx, Search, SEARCHES)
}

/// Takes one to be answered; false when somebody else has.
pub async fn take(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, TAKE_SEARCH, id)? == 1)
}
