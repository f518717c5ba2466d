//! SQL.

use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::marks::FeedMarks;

agio_core::statements! {
    AGGREGATORS = "SELECT * FROM aggregator ORDER BY created_at, id";
    AGGREGATOR = "SELECT * FROM aggregator WHERE id = $1";
    INSERT_AGGREGATOR = "INSERT INTO aggregator (id, slug, name, enabled, marks, codes, revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7)";
    /// Fails on a stale revision.
    UPDATE_AGGREGATOR = "UPDATE aggregator SET name = $3, enabled = $4, marks = $5, codes = $6, updated_at = $7, revision = $2 + 1
        WHERE id = $1 AND revision = $2";
    DELETE_AGGREGATOR = "DELETE FROM aggregator WHERE id = $1";
    AGGREGATOR_DIRECTIONS = "SELECT give_id, receive_id, listed, marks FROM feed_direction ORDER BY give_id, receive_id";
    AGGREGATOR_DIRECTION = "SELECT give_id, receive_id, listed, marks FROM feed_direction WHERE give_id = $1 AND receive_id = $2";
    PUT_AGGREGATOR_DIRECTION = "INSERT INTO feed_direction (give_id, receive_id, listed, marks, updated_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (give_id, receive_id) DO UPDATE SET listed = excluded.listed, marks = excluded.marks, updated_at = excluded.updated_at";
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct AggregatorRow {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    /// Whether its feed has entries; otherwise it is empty.
    pub enabled: bool,
    pub marks: FeedMarks,
    pub codes: String,
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct AggregatorDirectionRow {
    pub give_id: i64,
    pub receive_id: i64,
    pub listed: bool,
    pub marks: FeedMarks,
}

pub async fn all(tx: &mut Tx) -> Result<Vec<AggregatorRow>> {
    fetch_all!(tx, AggregatorRow, AGGREGATORS)
}

pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<AggregatorRow>> {
    fetch_optional!(tx, AggregatorRow, AGGREGATOR, id)
}

pub async fn insert(tx: &mut Tx, row: &AggregatorRow) -> Result<()> {
    let AggregatorRow { id, slug, name, enabled, marks, codes, created_at, .. } = row;
    execute!(tx, INSERT_AGGREGATOR, id, slug, name, enabled, marks, codes, created_at).map(drop)
}

/// False if the revision is stale.
pub async fn update(tx: &mut Tx, row: &AggregatorRow) -> Result<bool> {
    let AggregatorRow { id, revision, name, enabled, marks, codes, updated_at, .. } = row;
    let stored = execute!(tx, UPDATE_AGGREGATOR, id, revision, name, enabled, marks, codes, updated_at)?;
    Ok(stored == 1)
}

pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<bool> {
    Ok(execute!(tx, DELETE_AGGREGATOR, id)? == 1)
}

pub async fn directions(tx: &mut Tx) -> Result<Vec<AggregatorDirectionRow>> {
    fetch_all!(tx, AggregatorDirectionRow, AGGREGATOR_DIRECTIONS)
}

pub async fn direction(tx: &mut Tx, ends: (i64, i64)) -> Result<Option<AggregatorDirectionRow>> {
    fetch_optional!(tx, AggregatorDirectionRow, AGGREGATOR_DIRECTION, ends.0, ends.1)
}

pub async fn put_direction(tx: &mut Tx, row: &AggregatorDirectionRow, now: Timestamp) -> Result<()> {
    execute!(tx, PUT_AGGREGATOR_DIRECTION, row.give_id, row.receive_id, row.listed, &row.marks, now).map(drop)
}
