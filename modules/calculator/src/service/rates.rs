//! Taking in what the sources of rates publish.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use agio_core::audit::{self, Entry};
use agio_core::identity::Actor;
use agio_core::{Error, Result, Timestamp};
use serde_json::json;

use super::Calculator;
use crate::feeds;
use crate::market::observations::{HUBS, to_row};
use crate::market::{Market, Sighting};
use crate::store;

/// What came of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Whose file it is.
    pub source: &'static str,
    /// How many prices were stored.
    pub stored: usize,
    /// How many were left out: dead markets, and assets that no rate here goes over.
    pub left_out: usize,
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} prices stored, {} not needed here", self.source, self.stored, self.left_out)
    }
}

/// A source as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSeen {
    /// Its name.
    pub source: String,
    /// When the newest of its prices held.
    pub observed_at: Timestamp,
    /// When the newest of its prices came in.
    pub imported_at: Timestamp,
    /// How many prices of it there are.
    pub count: usize,
    /// Whether all of them are recent enough to price with.
    pub is_fresh: bool,
}

impl SourceSeen {
    /// The sources behind the prices of a market, by name.
    #[must_use]
    pub fn all(sightings: &[Sighting]) -> Vec<Self> {
        let mut sources: BTreeMap<&str, Self> = BTreeMap::new();
        for Sighting { row, is_fresh } in sightings {
            let seen = sources.entry(&row.source).or_insert_with(|| Self {
                source: row.source.clone(),
                observed_at: row.observed_at,
                imported_at: row.imported_at,
                count: 0,
                is_fresh: true,
            });
            seen.observed_at = seen.observed_at.max(row.observed_at);
            seen.imported_at = seen.imported_at.max(row.imported_at);
            seen.count += 1;
            seen.is_fresh &= is_fresh;
        }
        sources.into_values().collect()
    }
}

impl Calculator {
    /// Stores the prices of a published file of any known format and prices the market with them.
    ///
    /// Only prices of two assets that rates here go over are kept: those of the currencies, and the hubs between them.
    ///
    /// # Errors
    /// 422 `rates_unreadable` when the file is in no known format or not whole; nothing of it is stored then.
    pub async fn import_rates(&self, bytes: &[u8], by: &Actor) -> Result<Imported> {
        let now = self.platform.clock.now();
        let feed = feeds::parse(bytes, now.0)
            .map_err(|error| Error::unprocessable("rates_unreadable").with("cause", &error).caused_by(error))?;
        let assets = self.assets_of_rates().await?;
        let is_needed = |ticker: &String| assets.contains(ticker);
        let rows: Vec<_> = feed
            .observations
            .iter()
            .filter(|seen| is_needed(&seen.base) && is_needed(&seen.quote))
            .map(|seen| to_row(seen, now))
            .collect();
        let imported = Imported {
            source: feed.format.source(),
            stored: rows.len(),
            left_out: feed.observations.len() - rows.len() + feed.skipped.len(),
        };
        let (by, done) = (by.clone(), imported.clone());
        self.platform
            .db
            .write(move |tx| {
                let (rows, by, done) = (rows.clone(), by.clone(), done.clone());
                Box::pin(async move {
                    for row in &rows {
                        store::put_observation(tx, row).await?;
                    }
                    let after = Some(json!({ "stored": done.stored, "leftOut": done.left_out }));
                    let entry = Entry {
                        by: &by,
                        action: "rates.imported",
                        about: "rates",
                        id: done.source.to_owned(),
                        before: None,
                        after,
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await?;
        self.reload().await?;
        Ok(imported)
    }

    /// The assets that rates go over. Read from the tables: the market in memory may be of before the last change.
    async fn assets_of_rates(&self) -> Result<HashSet<String>> {
        let mut tx = self.platform.db.read().await?;
        let tickers = store::currencies(&mut tx).await?.into_iter().map(|currency| currency.ticker);
        Ok(tickers.chain(HUBS.map(str::to_owned)).collect())
    }
}

impl Market {
    /// The sources behind its prices, by name.
    #[must_use]
    pub fn sources(&self) -> Vec<SourceSeen> {
        SourceSeen::all(self.sightings())
    }
}
