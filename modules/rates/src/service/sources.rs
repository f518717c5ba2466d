//! Setting sources up, and how they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use agio_core::audit::{self, Entry};
use agio_core::error::Params;
use agio_core::identity::{Actor, Staff};
use agio_core::texts::Bilingual;
use agio_core::{Error, FieldError, Result, Timestamp};
use agio_plugin::protocol::{Kind, Manifest};
use serde_json::{Value, json};

use super::Rates;
use super::asking::READS_MONITOR;
use crate::store::{self, SourceRow};

/// What a plugin says of itself that is not to be priced with.
const CHECKS_ONLY: &str = "cross_check";
/// How often a source may be asked, in seconds.
const EVERY: std::ops::RangeInclusive<i64> = 2..=86_400;
/// How old its prices may be at most, in seconds.
const MAX_AGE: std::ops::RangeInclusive<i64> = 5..=864_000;
/// Places in the order of trust.
const PRIORITY: std::ops::RangeInclusive<i64> = 0..=1_000;

/// How a source is set up.
#[derive(Clone, Debug)]
pub struct SourceChange {
    /// The revision that was seen; zero for one that was never set up.
    pub revision: i64,
    /// Whether it is asked.
    pub enabled: bool,
    /// How often, in seconds.
    pub every_seconds: i64,
    /// How old what it says may be, in seconds.
    pub max_age_seconds: i64,
    /// Less is more trusted.
    pub priority: i64,
    /// Whether it is never priced with.
    pub cross_check: bool,
}

/// A source as staff see it.
#[derive(Clone, Debug)]
pub struct SourceSeen {
    /// What it is called; its name where the plugin is not there.
    pub title: Bilingual,
    /// What it is for.
    pub about: Bilingual,
    /// Whether the plugin is there and may be asked.
    pub is_there: bool,
    /// Whether it reads a monitor rather than prices.
    pub reads_monitor: bool,
    /// How it is set up, or would be.
    pub set: SourceRow,
    /// The oldest and the newest of what it says hold since then.
    pub observed: Option<(Timestamp, Timestamp)>,
    /// Whether it is on and its newest word is recent enough.
    pub is_live: bool,
}

impl Rates {
    /// Every source: those that can be asked, and those that were set up.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn sources(&self) -> Result<Vec<SourceSeen>> {
        let mut tx = self.platform.db.read().await?;
        let rows = store::sources(&mut tx).await?;
        let mut observed: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
        for row in store::answers(&mut tx).await? {
            let seen = observed.entry(row.source).or_insert((row.observed_at, row.observed_at));
            *seen = (seen.0.min(row.observed_at), seen.1.max(row.observed_at));
        }
        drop(tx);
        let there: BTreeMap<String, Arc<Manifest>> =
            self.plugins.of(Kind::Rates).into_iter().map(|manifest| (manifest.name.clone(), manifest)).collect();
        let set: BTreeMap<String, SourceRow> = rows.into_iter().map(|row| (row.name.clone(), row)).collect();
        let names: BTreeSet<&String> = there.keys().chain(set.keys()).collect();
        let now = self.platform.clock.now();
        let seen = names.into_iter().map(|name| {
            let manifest = there.get(name).map(AsRef::as_ref);
            let row = set.get(name).cloned().unwrap_or_else(|| as_it_comes(name, manifest));
            seen(manifest, row, observed.get(name).copied(), now)
        });
        let mut seen: Vec<_> = seen.collect();
        seen.sort_by_key(|seen| (!seen.set.enabled, seen.set.priority, seen.set.name.clone()));
        Ok(seen)
    }

    /// Sets a source up. It is asked in the next cycle if it is on.
    ///
    /// # Errors
    /// 404 `rate_source_unknown`; 409 `rate_source_changed`; 422 `validation_failed`.
    pub async fn set_source(&self, name: &str, change: SourceChange, staff: Staff) -> Result<()> {
        let is_there = self.plugins.of(Kind::Rates).iter().any(|manifest| manifest.name == name);
        check(&change)?;
        let (by, now, name) = (Arc::new(Actor::from(&staff)), self.platform.clock.now(), name.to_owned());
        let work = self.platform.db.write(move |tx| {
            let (by, change, name) = (by.clone(), change.clone(), name.clone());
            Box::pin(async move {
                let before = store::source(tx, &name).await?;
                if before.is_none() && !is_there {
                    return Err(Error::not_found("rate_source_unknown"));
                }
                if before.as_ref().map_or(0, |before| before.revision) != change.revision {
                    return Err(Error::conflict("rate_source_changed"));
                }
                let after = SourceRow {
                    enabled: change.enabled,
                    every_seconds: change.every_seconds,
                    max_age_seconds: change.max_age_seconds,
                    priority: change.priority,
                    cross_check: change.cross_check,
                    updated_at: now,
                    ..as_it_comes(&name, None)
                };
                store::put_source(tx, &after).await?;
                let (before, after) = (before.as_ref().map(told), Some(told(&after)));
                let entry = Entry { by: &by, action: "rate_source.changed", about: "rate_source", id: name, before, after };
                audit::record(tx, entry, now).await
            })
        });
        work.await
    }
}

fn seen(manifest: Option<&Manifest>, set: SourceRow, observed: Option<(Timestamp, Timestamp)>, now: Timestamp) -> SourceSeen {
    let words = |words: &agio_plugin::protocol::Words| Bilingual { ru: words.ru.clone(), en: words.en.clone() };
    let max_age = Duration::from_secs(set.max_age_seconds.unsigned_abs());
    let reads_monitor = manifest.is_some_and(|manifest| has(manifest, READS_MONITOR));
    let heard = if reads_monitor { set.answered_at } else { observed.map(|(_, newest)| newest) };
    SourceSeen {
        title: manifest
            .map_or_else(|| Bilingual { ru: set.name.clone(), en: set.name.clone() }, |manifest| words(&manifest.title)),
        about: manifest.map_or_else(Bilingual::default, |manifest| words(&manifest.about)),
        is_there: manifest.is_some(),
        reads_monitor,
        observed,
        is_live: set.enabled && set.fault.is_none() && heard.is_some_and(|heard| heard.plus(max_age) >= now),
        set,
    }
}

/// A source that nobody set up.
fn as_it_comes(name: &str, manifest: Option<&Manifest>) -> SourceRow {
    SourceRow {
        name: name.to_owned(),
        enabled: false,
        every_seconds: 60,
        max_age_seconds: 300,
        priority: 100,
        cross_check: manifest.is_some_and(|manifest| has(manifest, CHECKS_ONLY)),
        revision: 0,
        updated_at: Timestamp(0),
        asked_at: Timestamp(0),
        answered_at: None,
        prices: 0,
        fault: None,
        fault_at: None,
    }
}

fn has(manifest: &Manifest, feature: &str) -> bool {
    manifest.features.iter().any(|known| known == feature)
}

fn check(change: &SourceChange) -> Result<()> {
    let mut wrong = Vec::new();
    for (field, value, range) in [
        ("everySeconds", change.every_seconds, EVERY),
        ("maxAgeSeconds", change.max_age_seconds, MAX_AGE),
        ("priority", change.priority, PRIORITY),
    ] {
        if !range.contains(&value) {
            let params = Params::from([("min", range.start().to_string()), ("max", range.end().to_string())]);
            wrong.push(FieldError { field: field.to_owned(), code: "value_out_of_range", params });
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
}

fn told(row: &SourceRow) -> Value {
    json!({
        "enabled": row.enabled,
        "everySeconds": row.every_seconds,
        "maxAgeSeconds": row.max_age_seconds,
        "priority": row.priority,
        "crossCheck": row.cross_check,
    })
}
