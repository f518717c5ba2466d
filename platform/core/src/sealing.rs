//! Sealing what former versions stored in the open.
//!
//! A migration changes the shape of the database and has no keys. It notes which tables have rows in the open, and their rooms seal them after it,
//! before anything is read: a part at a time, so that an interruption loses nothing and the next start goes on.

use std::sync::Arc;

use crate::BoxFuture;
use crate::db::{Db, Tx};
use crate::error::Result;
use crate::{execute, fetch_one};

crate::statements! {
    HAS_OPEN_ROWS = "SELECT COUNT(*) FROM open_rows WHERE name = $1";
    ALL_ARE_SEALED = "DELETE FROM open_rows WHERE name = $1";
}

/// How many rows are sealed in one transaction.
pub const AT_A_TIME: i64 = 500;

/// Seals the rows of a table if it has any in the open. `some` seals some of those behind a place in the table and gives the place of the last
/// one, or nothing when there were none.
///
/// # Errors
/// The database cannot be used.
pub async fn seal_rows<P, F>(db: &Db, name: &'static str, first: P, some: F) -> Result<()>
where
    P: Clone + Send + Sync + 'static,
    F: for<'t> Fn(&'t mut Tx, P) -> BoxFuture<'t, Result<Option<P>>> + Send + Sync + 'static,
{
    if fetch_one!(&mut db.read().await?, (i64,), HAS_OPEN_ROWS, name)?.0 == 0 {
        return Ok(());
    }
    tracing::info!(name, "what former versions stored in the open is being sealed");
    let some = Arc::new(some);
    let mut after = Some(first);
    while let Some(place) = after {
        let some = some.clone();
        after = db
            .write(move |tx| {
                let (some, place) = (some.clone(), place.clone());
                Box::pin(async move { some(tx, place).await })
            })
            .await?;
    }
    db.write(move |tx| Box::pin(async move { execute!(tx, ALL_ARE_SEALED, name).map(drop) })).await
}
