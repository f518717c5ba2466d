//! Rate sources in the market file.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_contracts::{MarketOutline, MarketPart, MarketPartChange, PartEntries, PlannedEntry, plan_entries};
use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use agio_plugin_sdk::protocol::PluginKind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Rates;
use super::sources::{check, default_source};
use crate::store::{self, SourceRow};

/// A complete configuration: what is left out is as for a new source, which is enabled.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RateSourceEntry {
    name: String,
    enabled: Option<bool>,
    every_seconds: Option<i64>,
    max_age_seconds: Option<i64>,
    priority: Option<i64>,
    cross_check: Option<bool>,
}

impl RateSourceEntry {
    fn of(row: &SourceRow) -> Self {
        Self {
            name: row.name.clone(),
            enabled: Some(row.enabled),
            every_seconds: Some(row.every_seconds),
            max_age_seconds: Some(row.max_age_seconds),
            priority: Some(row.priority),
            cross_check: Some(row.cross_check),
        }
    }

    fn row(&self, new: SourceRow, revision: i64) -> SourceRow {
        SourceRow {
            enabled: self.enabled.unwrap_or(true),
            every_seconds: self.every_seconds.unwrap_or(new.every_seconds),
            max_age_seconds: self.max_age_seconds.unwrap_or(new.max_age_seconds),
            priority: self.priority.unwrap_or(new.priority),
            cross_check: self.cross_check.unwrap_or(new.cross_check),
            revision,
            ..new
        }
    }
}

pub struct RateSourcesPart(pub Arc<Rates>);

impl MarketPart for RateSourcesPart {
    fn key(&self) -> &'static str {
        "rateSources"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, _market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let mut rows = store::sources(tx).await?;
            rows.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(rows.iter().map(|row| json!(RateSourceEntry::of(row))).collect())
        })
    }

    /// Sources that no entry lists stay as they are.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let stored: BTreeMap<String, SourceRow> =
                store::sources(tx).await?.into_iter().map(|row| (row.name.clone(), row)).collect();
            let enabled = self.0.plugins.list(PluginKind::Rates);
            plan_entries(file.entries, |entry: RateSourceEntry| {
                let before = stored.get(&entry.name);
                let manifest = enabled.iter().find(|manifest| manifest.name == entry.name);
                if before.is_none() && manifest.is_none() {
                    return Err(vec![FieldError::new("name", "rate_source_unknown")]);
                }
                let new = default_source(&entry.name, manifest.map(AsRef::as_ref));
                let after = entry.row(new, before.map_or(0, |before| before.revision));
                check(&after).map_err(|error| error.fields().to_vec())?;
                let after = json!(RateSourceEntry::of(&after));
                Ok(vec![PlannedEntry {
                    subject: format!("rate source {}", entry.name),
                    before: before.map(|row| json!(RateSourceEntry::of(row))),
                    stored: after.clone(),
                    after,
                }])
            })
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let entry = RateSourceEntry::deserialize(&change.stored).map_err(Error::internal)?;
                let before = store::source(tx, &entry.name).await?;
                let after = entry.row(default_source(&entry.name, None), before.as_ref().map_or(0, |before| before.revision));
                self.0.put_source(tx, before.as_ref(), after, by).await?;
            }
            Ok(())
        })
    }
}
