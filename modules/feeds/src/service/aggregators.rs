//! Aggregator administration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::error::Constraint;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Feeds;
use crate::model::marks::{FeedMark, FeedMarks};
use crate::model::validation::is_code;
use crate::store::{self, AggregatorDirectionRow, AggregatorRow};

const NAME_MAX: usize = 80;
const SLUG_LENGTH: std::ops::RangeInclusive<usize> = 3..=40;
pub(super) const AGGREGATORS_MAX: usize = 50;

#[derive(Clone, Debug)]
pub struct NewAggregator {
    pub slug: String,
    pub change: AggregatorChange,
}

/// `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct AggregatorChange {
    pub name: Option<String>,
    pub enabled: Option<bool>,
    pub marks: Option<Vec<FeedMark>>,
    pub codes: Option<BTreeMap<i64, String>>,
}

/// Feed settings of a direction.
#[derive(Clone, Debug)]
pub struct DirectionSetup {
    pub from: i64,
    pub to: i64,
    pub listed: bool,
    pub marks: Vec<FeedMark>,
}

impl Feeds {
    pub async fn all(&self) -> Result<Vec<AggregatorRow>> {
        store::all(&mut self.platform.db.read().await?).await
    }

    /// # Errors
    /// 422 `validation_failed`; 409 `aggregator_slug_taken`, `aggregators_full`.
    pub async fn add(self: &Arc<Self>, new: NewAggregator, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let now = self.platform.clock.now();
        let row = Arc::new(self.apply_change(&self.blank(new.slug.trim().to_owned()), new.change, &self.known_currencies())?);
        let (this, by) = (self.clone(), Arc::new(Actor::from(&staff)));
        let id = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, row, by) = (this.clone(), row.clone(), by.clone());
            Box::pin(async move {
                tx.lock("aggregator", "all").await?;
                if store::all(tx).await?.len() >= AGGREGATORS_MAX {
                    return Err(Error::conflict("aggregators_full").with("max", AGGREGATORS_MAX));
                }
                this.put(tx, false, &row, &by).await?;
                Ok(row.id)
            })
        });
        let id = id.await?;
        self.load().await?;
        Ok(id)
    }

    /// # Errors
    /// 404 `aggregator_not_found`; 409 `aggregator_changed` if the revision is stale; 422 `validation_failed`.
    pub async fn change(self: &Arc<Self>, id: Uuid, revision: i64, change: AggregatorChange, staff: Staff) -> Result<()> {
        let (this, by) = (self.clone(), Arc::new(Actor::from(&staff)));
        let work = self.platform.db.write(move |tx| {
            let (this, by, change) = (this.clone(), by.clone(), change.clone());
            Box::pin(async move {
                let before = store::one(tx, id).await?.ok_or_else(not_found)?;
                if before.revision != revision {
                    return Err(Error::conflict("aggregator_changed"));
                }
                let after = this.apply_change(&before, change, &this.known_currencies())?;
                this.put(tx, true, &after, &by).await
            })
        });
        work.await?;
        self.load().await
    }

    /// # Errors
    /// 404 `aggregator_not_found`.
    pub async fn remove(self: &Arc<Self>, id: Uuid, staff: Staff) -> Result<()> {
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let by = by.clone();
            Box::pin(async move {
                let before = store::one(tx, id).await?.ok_or_else(not_found)?;
                store::delete(tx, id).await?;
                record_audit(tx, &by, "aggregator.removed", id.to_string(), (Some(audit_snapshot(&before)), None), now).await
            })
        });
        work.await?;
        self.load().await
    }

    /// # Errors
    /// 404 `pair_unavailable` for unknown currencies; 422 `mark_unknown`.
    pub async fn update_direction(self: &Arc<Self>, setup: DirectionSetup, staff: Staff) -> Result<()> {
        let known = self.known_currencies();
        if setup.from == setup.to || ![setup.from, setup.to].iter().all(|id| known.contains(id)) {
            return Err(Error::not_found("pair_unavailable"));
        }
        let row = AggregatorDirectionRow {
            give_id: setup.from,
            receive_id: setup.to,
            listed: setup.listed,
            marks: settable(&setup.marks)?,
        };
        let (this, by, row) = (self.clone(), Arc::new(Actor::from(&staff)), Arc::new(row));
        let work = self.platform.db.write(move |tx| {
            let (this, by, row) = (this.clone(), by.clone(), row.clone());
            Box::pin(async move { this.put_direction(tx, &row, &by).await })
        });
        work.await?;
        self.load().await
    }

    /// Stores the feed settings of a direction with an audit entry.
    pub(super) async fn put_direction(&self, tx: &mut Tx, row: &AggregatorDirectionRow, by: &Actor) -> Result<()> {
        let now = self.platform.clock.now();
        let snapshot = |row: &AggregatorDirectionRow| json!({ "listed": row.listed, "marks": row.marks.to_string() });
        let before = store::direction(tx, (row.give_id, row.receive_id)).await?;
        store::put_direction(tx, row, now).await?;
        let change = (before.as_ref().map(snapshot), Some(snapshot(row)));
        record_audit(tx, by, "aggregator.direction", format!("{}-{}", row.give_id, row.receive_id), change, now).await
    }

    /// A new aggregator without a name.
    pub(super) fn blank(&self, slug: String) -> AggregatorRow {
        let now = self.platform.clock.now();
        AggregatorRow {
            id: self.platform.random.uuid(),
            slug,
            name: String::new(),
            enabled: true,
            marks: FeedMarks::default(),
            codes: "{}".to_owned(),
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Stores an aggregator with an audit entry.
    ///
    /// # Errors
    /// 409 `aggregator_slug_taken`, `aggregator_changed`.
    pub(super) async fn put(&self, tx: &mut Tx, is_known: bool, after: &AggregatorRow, by: &Actor) -> Result<()> {
        let now = self.platform.clock.now();
        let before = if is_known { store::one(tx, after.id).await? } else { None };
        let action = if is_known {
            if !store::update(tx, after).await? {
                return Err(Error::conflict("aggregator_changed"));
            }
            "aggregator.changed"
        } else {
            store::insert(tx, after).await.map_err(taken)?;
            "aggregator.added"
        };
        let change = (before.as_ref().map(audit_snapshot), Some(audit_snapshot(after)));
        record_audit(tx, by, action, after.id.to_string(), change, now).await
    }

    fn known_currencies(&self) -> BTreeSet<i64> {
        self.offers.currencies().iter().map(|currency| currency.id).collect()
    }

    pub(super) fn apply_change(
        &self,
        before: &AggregatorRow,
        change: AggregatorChange,
        known: &BTreeSet<i64>,
    ) -> Result<AggregatorRow> {
        let mut after = AggregatorRow { updated_at: self.platform.clock.now(), ..before.clone() };
        let mut wrong = Vec::new();
        if let Some(name) = change.name {
            after.name = name.trim().to_owned();
        }
        after.enabled = change.enabled.unwrap_or(before.enabled);
        if let Some(marks) = change.marks {
            match settable(&marks) {
                Ok(marks) => after.marks = marks,
                Err(error) => wrong.extend(error.fields().to_vec()),
            }
        }
        if let Some(codes) = change.codes {
            after.codes = serde_json::to_string(&codes).map_err(Error::internal)?;
            let unread = codes.iter().filter(|(id, code)| !known.contains(id) || !is_code(code));
            wrong.extend(unread.map(|(id, _)| FieldError::new(format!("codes.{id}"), "code_malformed")));
        }
        wrong.extend(faults(&after));
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
    }
}

fn faults(row: &AggregatorRow) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let in_slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !SLUG_LENGTH.contains(&row.slug.len()) || !row.slug.bytes().all(in_slug) {
        wrong.push(FieldError::new("slug", "aggregator_slug_malformed"));
    }
    if row.name.is_empty() {
        wrong.push(FieldError::new("name", "required"));
    }
    if row.name.chars().count() > NAME_MAX || row.name.chars().any(char::is_control) {
        wrong.push(FieldError::new("name", "text_too_long").with("max", NAME_MAX));
    }
    wrong
}

/// Only marks that can be set.
pub(super) fn settable(marks: &[FeedMark]) -> Result<FeedMarks> {
    match marks.iter().position(|mark| !mark.is_settable()) {
        Some(place) => Err(Error::invalid(vec![FieldError::new(format!("marks[{place}]"), "mark_unknown")])),
        None => Ok(FeedMarks(marks.iter().copied().collect())),
    }
}

fn audit_snapshot(row: &AggregatorRow) -> Value {
    json!({ "slug": row.slug, "name": row.name, "enabled": row.enabled, "marks": row.marks.to_string(), "codes": row.codes })
}

fn not_found() -> Error {
    Error::not_found("aggregator_not_found")
}

fn taken(error: Error) -> Error {
    match error.constraint() {
        Some(Constraint::Unique) => Error::conflict("aggregator_slug_taken"),
        _ => error,
    }
}

async fn record_audit(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    id: String,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, NewAuditEntry { by, action, about: "aggregator", id, before, after }, now).await
}
