//! Monitors in SQL.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    MONITORS = "SELECT * FROM monitor ORDER BY created_at, id";
    MONITOR = "SELECT * FROM monitor WHERE id = $1";
    INSERT_MONITOR = "INSERT INTO monitor (id, slug, name, enabled, city, marks, codes, revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)";
    /// Stores a monitor, if nobody else changed it since it was read.
    UPDATE_MONITOR = "UPDATE monitor SET name = $3, enabled = $4, city = $5, marks = $6, codes = $7, updated_at = $8, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    DELETE_MONITOR = "DELETE FROM monitor WHERE id = $1";
    MONITOR_DIRECTIONS = "SELECT from_id, to_id, listed, marks FROM monitor_direction ORDER BY from_id, to_id";
    MONITOR_DIRECTION = "SELECT from_id, to_id, listed, marks FROM monitor_direction WHERE from_id = $1 AND to_id = $2";
    PUT_MONITOR_DIRECTION = "INSERT INTO monitor_direction (from_id, to_id, listed, marks, updated_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (from_id, to_id) DO UPDATE SET listed = excluded.listed, marks = excluded.marks, updated_at = excluded.updated_at";
}

/// A monitor.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Row {
    /// Identifier.
    pub id: Uuid,
    /// Its part of the feed's address.
    pub slug: String,
    /// What staff call it.
    pub name: String,
    /// Whether it gets entries; otherwise its feed is empty.
    pub enabled: bool,
    /// The city of cash.
    pub city: Option<String>,
    /// Marks of all entries, parted by commas.
    pub marks: String,
    /// Codes by the identifiers of currencies, as JSON.
    pub codes: String,
    /// Counts its changes.
    pub revision: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// What is set of a direction.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct DirectionRow {
    /// The currency sent.
    pub from_id: i64,
    /// The currency received.
    pub to_id: i64,
    /// Whether monitors get it.
    pub listed: bool,
    /// Its marks, parted by commas.
    pub marks: String,
}

/// Every monitor, the oldest first.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>> {
    fetch_all!(tx, Row, MONITORS)
}

/// A monitor by its identifier.
pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Row>> {
    fetch_optional!(tx, Row, MONITOR, id)
}

/// Stores a new monitor.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<()> {
    let Row { id, slug, name, enabled, city, marks, codes, created_at, .. } = row;
    execute!(tx, INSERT_MONITOR, id, slug, name, enabled, city.as_deref(), marks, codes, created_at).map(drop)
}

/// Stores a changed monitor; false when somebody else changed it since it was read.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<bool> {
    let Row { id, revision, name, enabled, city, marks, codes, updated_at, .. } = row;
    let stored = execute!(tx, UPDATE_MONITOR, id, revision, name, enabled, city.as_deref(), marks, codes, updated_at)?;
    Ok(stored == 1)
}

/// Forgets a monitor.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, DELETE_MONITOR, id)? == 1)
}

/// What is set of directions.
pub async fn directions(tx: &mut Tx) -> Result<Vec<DirectionRow>> {
    fetch_all!(tx, DirectionRow, MONITOR_DIRECTIONS)
}

/// What is set of one direction.
pub async fn direction(tx: &mut Tx, ends: (i64, i64)) -> Result<Option<DirectionRow>> {
    fetch_optional!(tx, DirectionRow, MONITOR_DIRECTION, ends.0, ends.1)
}

/// Sets a direction.
pub async fn put_direction(tx: &mut Tx, row: &DirectionRow, now: Timestamp) -> Result<()> {
    execute!(tx, PUT_MONITOR_DIRECTION, row.from_id, row.to_id, row.listed, &row.marks, now).map(drop)
}
