//! When all of the ledger or of the audit log was last checked, and with what result. What was checked is not read again
//! at a start: only what has come since. So a fault that a full check finds has to be remembered by all nodes.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::db::Db;
use crate::error::Result;
use crate::{execute, fetch_optional};

crate::statements! {
    LAST_FULL_CHECK = "SELECT at, faults FROM full_check WHERE subject = $1";
    RECORD_FULL_CHECK = "INSERT INTO full_check (subject, at, faults) VALUES ($1, $2, $3)
        ON CONFLICT (subject) DO UPDATE SET at = excluded.at, faults = excluded.faults";
}

/// How often everything is checked: by a job of each day, which is not always as punctual.
const INTERVAL: Duration = Duration::from_secs(23 * 60 * 60);

crate::named! {
    /// What is checked.
    CheckedSubject {
        Ledger = "ledger",
        Audit = "audit",
    }
}

/// Whether everything is to be checked now: the last time was long ago, or found faults.
pub async fn is_due(db: &Db, subject: CheckedSubject, now: Timestamp) -> Result<bool> {
    let last = fetch_optional!(&mut db.read().await?, (Timestamp, i64), LAST_FULL_CHECK, subject)?;
    Ok(last.is_none_or(|(at, faults)| faults > 0 || at <= now.minus(INTERVAL)))
}

/// Records a check of everything.
pub async fn record(db: &Db, subject: CheckedSubject, now: Timestamp, faults: usize) -> Result<()> {
    db.write(move |tx| Box::pin(async move { execute!(tx, RECORD_FULL_CHECK, subject, now, faults as i64).map(drop) })).await
}
