//! Retention: what is deleted when. A job of the server carries out the rules of all modules, in batches, so that nobody
//! waits for a backlog.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::db::Db;
use crate::error::Result;
use crate::platform::Platform;
use crate::settings::Settings;
use crate::{execute, fetch_optional};

/// How many rows a transaction deletes at most: some milliseconds' work.
pub const BATCH: i64 = 200;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Rows that are deleted when they are old.
#[derive(Clone, Copy)]
pub struct RetentionRule {
    /// The table; which of its rows, if it has several rules.
    pub name: &'static str,
    /// Deletes at most `$2` rows from before `$1`: made by [`delete_rows!`](crate::delete_rows). An index leads to them.
    pub delete: &'static str,
    /// What is from before is deleted: a time, or a day or minute where a table counts by them.
    pub before: fn(&Settings, Timestamp) -> i64,
}

/// The statement of a [`RetentionRule`]: a table, its key and which rows are deleted.
#[macro_export]
macro_rules! delete_rows {
    ($table:literal, $key:literal, $condition:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE (",
            $key,
            ") IN (SELECT ",
            $key,
            " FROM ",
            $table,
            " WHERE ",
            $condition,
            " LIMIT $2)"
        )
    };
}

/// Deletes all rows of a rule that are due, and returns their number.
pub async fn delete_due(platform: &Platform, rule: &RetentionRule) -> Result<u64> {
    let (before, delete) = ((rule.before)(&platform.settings, platform.clock.now()), rule.delete);
    let mut deleted = 0;
    loop {
        let batch = platform.db.write(move |tx| Box::pin(async move { execute!(tx, delete, before, BATCH) })).await?;
        deleted += batch;
        if batch < BATCH.unsigned_abs() {
            return Ok(deleted);
        }
    }
}

/// The statements that thin out a history.
#[derive(Clone, Copy)]
pub struct ThinningRule {
    /// The time of the first row from `$1` on and before `$2` that is not the last of its hour.
    pub first: &'static str,
    /// Deletes at most `$3` such rows between these times.
    pub delete: &'static str,
}

/// Leaves the last row of each hour before this time. Rows that stay are skipped by reading, so that nobody who writes
/// waits for it.
pub async fn thin_out(db: &Db, rule: ThinningRule, before: Timestamp) -> Result<()> {
    let mut from = Timestamp(i64::MIN);
    while let Some((first,)) = fetch_optional!(&mut db.read().await?, (Timestamp,), rule.first, from, before)? {
        let end = before.min(first.plus(HOUR));
        db.write(move |tx| Box::pin(async move { execute!(tx, rule.delete, first, end, BATCH) })).await?;
        from = first;
    }
    Ok(())
}
