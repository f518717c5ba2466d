//! Rate sources and their configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::texts::Bilingual;
use agio_core::{Error, FieldError, Result, Timestamp, Tx};
use agio_plugin_sdk::protocol::{Manifest, PluginKind};
use serde_json::{Value, json};

use super::Rates;
use super::source_polling::COMPETITOR_OFFERS;
use crate::model::formula::MARKET;
use crate::store::{self, SourceRow};

/// Feature of plugins that never set the price.
const CROSS_CHECK: &str = "cross_check";
/// Polling interval in seconds.
const EVERY: std::ops::RangeInclusive<i64> = 2..=86_400;
/// Maximum age of prices in seconds.
const MAX_AGE: std::ops::RangeInclusive<i64> = 5..=864_000;
const PRIORITY: std::ops::RangeInclusive<i64> = 0..=1_000;

/// A change of a source. `None` keeps the value, or that of a new source.
#[derive(Clone, Debug)]
pub struct RateSourceUpdate {
    /// Zero for a source that has not been configured yet.
    pub revision: i64,
    pub enabled: bool,
    /// Polling interval in seconds.
    pub every_seconds: Option<i64>,
    /// Maximum age of its data, in seconds.
    pub max_age_seconds: Option<i64>,
    pub priority: Option<i64>,
    pub cross_check: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct RateSourceDetails {
    /// The plugin name if the plugin is not installed.
    pub title: Bilingual,
    pub about: Bilingual,
    pub is_installed: bool,
    /// Whether it reads competitors' offers instead of prices.
    pub reads_aggregator: bool,
    /// Its configuration, or the default.
    pub set: SourceRow,
    /// Times of its oldest and latest price.
    pub observed: Option<(Timestamp, Timestamp)>,
    /// Whether it is enabled and its latest data is recent enough.
    pub is_live: bool,
}

impl Rates {
    /// Names of the sources that a formula may use, with the market first.
    pub async fn formula_sources(&self) -> Result<Vec<String>> {
        let configured = store::sources(&mut self.platform.db.read().await?).await?.into_iter().map(|row| row.name);
        let installed = self.plugins.list(PluginKind::Rates);
        let reads_aggregator =
            |name: &String| installed.iter().any(|manifest| manifest.name == *name && has(manifest, COMPETITOR_OFFERS));
        let imported = self.pair_pricing.imported_prices().into_iter().map(|imported| imported.price.source);
        let known = configured.chain(imported).chain(installed.iter().map(|manifest| manifest.name.clone()));
        let known: BTreeSet<String> = known.filter(|name| !reads_aggregator(name)).collect();
        Ok(std::iter::once(MARKET.to_owned()).chain(known).collect())
    }

    /// Installed and configured sources.
    pub async fn sources(&self) -> Result<Vec<RateSourceDetails>> {
        let mut tx = self.platform.db.read().await?;
        let rows = store::sources(&mut tx).await?;
        let mut observed: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
        for row in store::source_prices(&mut tx).await? {
            let range = observed.entry(row.source).or_insert((row.observed_at, row.observed_at));
            *range = (range.0.min(row.observed_at), range.1.max(row.observed_at));
        }
        drop(tx);
        let there: BTreeMap<String, Arc<Manifest>> =
            self.plugins.list(PluginKind::Rates).into_iter().map(|manifest| (manifest.name.clone(), manifest)).collect();
        let set: BTreeMap<String, SourceRow> = rows.into_iter().map(|row| (row.name.clone(), row)).collect();
        let names: BTreeSet<&String> = there.keys().chain(set.keys()).collect();
        let now = self.platform.clock.now();
        let sources = names.into_iter().map(|name| {
            let manifest = there.get(name).map(AsRef::as_ref);
            let row = set.get(name).cloned().unwrap_or_else(|| default_source(name, manifest));
            details(manifest, row, observed.get(name).copied(), now)
        });
        let mut sources: Vec<_> = sources.collect();
        sources.sort_by_key(|source| (!source.set.enabled, source.set.priority, source.set.name.clone()));
        Ok(sources)
    }

    /// Whether an enabled source has a price that is not too old.
    pub async fn has_fresh_price(&self) -> Result<bool> {
        store::has_fresh_price(&mut self.platform.db.read().await?, self.platform.clock.now()).await
    }

    /// Configures a source. An enabled source is polled in the next cycle after its plugin is enabled, which other nodes
    /// may know before this one.
    ///
    /// # Errors
    /// 404 `rate_source_unknown`; 409 `rate_source_changed`; 422 `validation_failed`.
    pub async fn set_source(self: &Arc<Self>, name: &str, change: RateSourceUpdate, staff: Staff) -> Result<()> {
        let installed = self.plugins.installed(name).filter(|manifest| manifest.kind == PluginKind::Rates);
        let (this, by) = (self.clone(), Arc::new(Actor::from(&staff)));
        let (new, is_installed) = (default_source(name, installed.as_deref()), installed.is_some());
        let work = self.platform.db.write(move |tx| {
            let (this, by, change, new) = (this.clone(), by.clone(), change.clone(), new.clone());
            Box::pin(async move {
                let before = store::source(tx, &new.name).await?;
                if before.is_none() && !is_installed {
                    return Err(Error::not_found("rate_source_unknown"));
                }
                if before.as_ref().map_or(0, |before| before.revision) != change.revision {
                    return Err(Error::conflict("rate_source_changed"));
                }
                let kept = before.clone().unwrap_or_else(|| new.clone());
                let after = SourceRow {
                    enabled: change.enabled,
                    every_seconds: change.every_seconds.unwrap_or(kept.every_seconds),
                    max_age_seconds: change.max_age_seconds.unwrap_or(kept.max_age_seconds),
                    priority: change.priority.unwrap_or(kept.priority),
                    cross_check: change.cross_check.unwrap_or(kept.cross_check),
                    ..new
                };
                check(&after)?;
                this.put_source(tx, before.as_ref(), after, &by).await
            })
        });
        work.await
    }

    /// Stores a configuration with an audit entry.
    pub(super) async fn put_source(&self, tx: &mut Tx, before: Option<&SourceRow>, after: SourceRow, by: &Actor) -> Result<()> {
        let now = self.platform.clock.now();
        store::put_source(tx, &SourceRow { updated_at: now, ..after.clone() }).await?;
        let (before, shown) = (before.map(audit_values), Some(audit_values(&after)));
        let entry =
            NewAuditEntry { by, action: "rate_source.changed", about: "rate_source", id: after.name, before, after: shown };
        audit::record(tx, entry, now).await
    }
}

fn details(
    manifest: Option<&Manifest>,
    set: SourceRow,
    observed: Option<(Timestamp, Timestamp)>,
    now: Timestamp,
) -> RateSourceDetails {
    let words = |words: &agio_plugin_sdk::protocol::LocalizedText| Bilingual { ru: words.ru.clone(), en: words.en.clone() };
    let max_age = Duration::from_secs(set.max_age_seconds.unsigned_abs());
    let reads_aggregator = manifest.is_some_and(|manifest| has(manifest, COMPETITOR_OFFERS));
    let last_response = if reads_aggregator { set.responded_at } else { observed.map(|(_, newest)| newest) };
    RateSourceDetails {
        title: manifest
            .map_or_else(|| Bilingual { ru: set.name.clone(), en: set.name.clone() }, |manifest| words(&manifest.title)),
        about: manifest.map_or_else(Bilingual::default, |manifest| words(&manifest.about)),
        is_installed: manifest.is_some(),
        reads_aggregator,
        observed,
        is_live: set.enabled
            && set.fault.is_none()
            && last_response.is_some_and(|last_response| last_response.plus(max_age) >= now),
        set,
    }
}

pub(super) fn default_source(name: &str, manifest: Option<&Manifest>) -> SourceRow {
    SourceRow {
        name: name.to_owned(),
        enabled: false,
        every_seconds: 60,
        max_age_seconds: 300,
        priority: 100,
        cross_check: manifest.is_some_and(|manifest| has(manifest, CROSS_CHECK)),
        revision: 0,
        updated_at: Timestamp(0),
        polled_at: Timestamp(0),
        responded_at: None,
        prices: 0,
        fault: None,
        fault_at: None,
    }
}

fn has(manifest: &Manifest, feature: &str) -> bool {
    manifest.features.iter().any(|known| known == feature)
}

pub(super) fn check(source: &SourceRow) -> Result<()> {
    let mut wrong = Vec::new();
    for (field, value, range) in [
        ("everySeconds", source.every_seconds, EVERY),
        ("maxAgeSeconds", source.max_age_seconds, MAX_AGE),
        ("priority", source.priority, PRIORITY),
    ] {
        if !range.contains(&value) {
            wrong.push(FieldError::new(field, "value_out_of_range").with("min", range.start()).with("max", range.end()));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::invalid(wrong)) }
}

fn audit_values(row: &SourceRow) -> Value {
    json!({
        "enabled": row.enabled,
        "everySeconds": row.every_seconds,
        "maxAgeSeconds": row.max_age_seconds,
        "priority": row.priority,
        "crossCheck": row.cross_check,
    })
}
