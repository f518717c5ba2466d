//! What staff change of monitors.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::audit::{self, Entry};
use agio_core::error::{Constraint, Params};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Monitors;
use crate::model::lint::is_code;
use crate::model::marks::{self, is_settable};
use crate::store::{self, DirectionRow, Row};

/// The longest name of a monitor.
const NAME_MAX: usize = 80;
/// Letters of a feed's part of the address.
const SLUG_LENGTH: std::ops::RangeInclusive<usize> = 3..=40;
/// The longest code of a city.
const CITY_MAX: usize = 12;
/// The most monitors there are.
const MONITORS_MAX: usize = 50;

/// A monitor to be made.
#[derive(Clone, Debug)]
pub struct NewMonitor {
    /// Its part of the feed's address.
    pub slug: String,
    /// Everything else.
    pub change: MonitorChange,
}

/// What is changed of a monitor; what is nothing stays as it is.
#[derive(Clone, Debug, Default)]
pub struct MonitorChange {
    /// Another name.
    pub name: Option<String>,
    /// Whether it gets entries.
    pub enabled: Option<bool>,
    /// Another city of cash; empty for none.
    pub city: Option<String>,
    /// Other marks of all entries.
    pub marks: Option<Vec<String>>,
    /// Other codes, by the identifiers of currencies.
    pub codes: Option<BTreeMap<i64, String>>,
}

/// How a direction is set up for monitors.
#[derive(Clone, Debug)]
pub struct DirectionSetup {
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// Whether monitors get it.
    pub listed: bool,
    /// Its marks.
    pub marks: Vec<String>,
}

impl Monitors {
    /// Every monitor, the oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn all(&self) -> Result<Vec<Row>> {
        store::all(&mut self.platform.db.read().await?).await
    }

    /// Makes a monitor.
    ///
    /// # Errors
    /// 422 `validation_failed` with what is wrong; 409 `monitor_slug_taken`, `monitors_full`.
    pub async fn add(self: &Arc<Self>, new: NewMonitor, staff: Staff, key: Option<Key>) -> Result<Uuid> {
        let now = self.platform.clock.now();
        let blank = Row {
            id: self.platform.random.uuid(),
            slug: new.slug.trim().to_owned(),
            name: String::new(),
            enabled: true,
            city: None,
            marks: String::new(),
            codes: "{}".to_owned(),
            revision: 1,
            created_at: now,
            updated_at: now,
        };
        let row = Arc::new(self.changed(&blank, new.change, now)?);
        let by = Arc::new(Actor::from(&staff));
        let id = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (row, by) = (row.clone(), by.clone());
            Box::pin(async move {
                tx.lock("monitor", "all").await?;
                if store::all(tx).await?.len() >= MONITORS_MAX {
                    return Err(Error::conflict("monitors_full").with("max", MONITORS_MAX));
                }
                store::insert(tx, &row).await.map_err(taken)?;
                write_down(tx, &by, "monitor.added", row.id.to_string(), (None, Some(told(&row))), now).await?;
                Ok(row.id)
            })
        });
        let id = id.await?;
        self.load().await?;
        Ok(id)
    }

    /// Changes a monitor that is of this revision.
    ///
    /// # Errors
    /// 404 `monitor_not_found`; 409 `monitor_changed`; 422 `validation_failed` with what is wrong.
    pub async fn change(self: &Arc<Self>, id: Uuid, revision: i64, change: MonitorChange, staff: Staff) -> Result<()> {
        let (this, by, now) = (self.clone(), Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let (this, by, change) = (this.clone(), by.clone(), change.clone());
            Box::pin(async move {
                let before = store::one(tx, id).await?.ok_or_else(not_found)?;
                if before.revision != revision {
                    return Err(Error::conflict("monitor_changed"));
                }
                let after = this.changed(&before, change, now)?;
                if !store::update(tx, &after).await? {
                    return Err(Error::conflict("monitor_changed"));
                }
                let change = (Some(told(&before)), Some(told(&after)));
                write_down(tx, &by, "monitor.changed", id.to_string(), change, now).await
            })
        });
        work.await?;
        self.load().await
    }

    /// Forgets a monitor; its feed is not there any more.
    ///
    /// # Errors
    /// 404 `monitor_not_found`.
    pub async fn remove(self: &Arc<Self>, id: Uuid, staff: Staff) -> Result<()> {
        let (by, now) = (Arc::new(Actor::from(&staff)), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let by = by.clone();
            Box::pin(async move {
                let before = store::one(tx, id).await?.ok_or_else(not_found)?;
                store::delete(tx, id).await?;
                write_down(tx, &by, "monitor.removed", id.to_string(), (Some(told(&before)), None), now).await
            })
        });
        work.await?;
        self.load().await
    }

    /// Sets a direction up for monitors.
    ///
    /// # Errors
    /// 404 `pair_unavailable` where there is no such pair of currencies; 422 `mark_unknown`.
    pub async fn set_direction(self: &Arc<Self>, setup: DirectionSetup, staff: Staff) -> Result<()> {
        let known: Vec<_> = self.offers.currencies().iter().map(|currency| currency.id).collect();
        if setup.from == setup.to || ![setup.from, setup.to].iter().all(|id| known.contains(id)) {
            return Err(Error::not_found("pair_unavailable"));
        }
        let row = DirectionRow { from_id: setup.from, to_id: setup.to, listed: setup.listed, marks: marks_of(&setup.marks)? };
        let (by, row, now) = (Arc::new(Actor::from(&staff)), Arc::new(row), self.platform.clock.now());
        let work = self.platform.db.write(move |tx| {
            let (by, row) = (by.clone(), row.clone());
            Box::pin(async move {
                let said = |row: &DirectionRow| json!({ "listed": row.listed, "marks": row.marks });
                let before = store::direction(tx, (row.from_id, row.to_id)).await?;
                store::put_direction(tx, &row, now).await?;
                let change = (before.as_ref().map(said), Some(said(&row)));
                write_down(tx, &by, "monitor.direction", format!("{}-{}", row.from_id, row.to_id), change, now).await
            })
        });
        work.await?;
        self.load().await
    }

    fn changed(&self, before: &Row, change: MonitorChange, now: Timestamp) -> Result<Row> {
        let mut after = Row { updated_at: now, ..before.clone() };
        let mut wrong = Vec::new();
        if let Some(name) = change.name {
            after.name = name.trim().to_owned();
        }
        if let Some(city) = change.city {
            after.city = Some(city.trim().to_owned()).filter(|city| !city.is_empty());
        }
        after.enabled = change.enabled.unwrap_or(before.enabled);
        if let Some(marks) = change.marks {
            match marks_of(&marks) {
                Ok(marks) => after.marks = marks,
                Err(error) => wrong.extend(error.fields().to_vec()),
            }
        }
        if let Some(codes) = change.codes {
            after.codes = serde_json::to_string(&codes).map_err(Error::internal)?;
            let known: Vec<_> = self.offers.currencies().iter().map(|currency| currency.id).collect();
            let unread = codes.iter().filter(|(id, code)| !known.contains(id) || !is_code(code));
            wrong.extend(unread.map(|(id, _)| fault(format!("codes.{id}"), "code_malformed")));
        }
        wrong.extend(faults(&after));
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
    }
}

/// What is wrong with the texts of a monitor.
fn faults(row: &Row) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let in_slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !SLUG_LENGTH.contains(&row.slug.len()) || !row.slug.bytes().all(in_slug) {
        wrong.push(fault("slug", "monitor_slug_malformed"));
    }
    if row.name.is_empty() {
        wrong.push(fault("name", "required"));
    }
    if row.name.chars().count() > NAME_MAX || row.name.chars().any(char::is_control) {
        wrong.push(FieldError { params: [("max", NAME_MAX.to_string())].into(), ..fault("name", "text_too_long") });
    }
    let is_city = |city: &String| (2..=CITY_MAX).contains(&city.len()) && city.bytes().all(|byte| byte.is_ascii_uppercase());
    if !row.city.as_ref().is_none_or(is_city) {
        wrong.push(fault("city", "city_malformed"));
    }
    wrong
}

/// Marks an operator gave, as they are stored.
fn marks_of(given: &[String]) -> Result<String> {
    if let Some(place) = given.iter().position(|mark| !is_settable(mark)) {
        return Err(Error::invalid(vec![fault(format!("marks[{place}]"), "mark_unknown")]));
    }
    Ok(marks::ordered(&given.iter().cloned().collect()).join(","))
}

fn fault(field: impl Into<String>, code: &'static str) -> FieldError {
    FieldError { field: field.into(), code, params: Params::new() }
}

fn told(row: &Row) -> Value {
    json!({ "slug": row.slug, "name": row.name, "enabled": row.enabled, "city": row.city, "marks": row.marks, "codes": row.codes })
}

fn not_found() -> Error {
    Error::not_found("monitor_not_found")
}

fn taken(error: Error) -> Error {
    match error.constraint() {
        Some(Constraint::Unique) => Error::conflict("monitor_slug_taken"),
        _ => error,
    }
}

async fn write_down(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    id: String,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    audit::record(tx, Entry { by, action, about: "monitor", id, before, after }, now).await
}
