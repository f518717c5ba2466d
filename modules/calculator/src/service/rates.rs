//! Taking in what the sources of rates publish.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use agio_core::audit::{self, Entry};
use agio_core::identity::Actor;
use agio_core::needs::{FilePrice, RateFile};
use agio_core::{Error, Result, Timestamp};
use serde_json::json;

use super::Calculator;
use crate::market::observations::{HUBS, to_row};
use crate::market::{Market, Sighting};
use crate::model::observation::Observation;
use crate::store;

/// What came of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Whose file it is.
    pub source: String,
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
        let unreadable = |cause: &str| Error::unprocessable("rates_unreadable").with("cause", cause);
        let RateFile { source, prices, skipped } = self.files.read(bytes, now).map_err(|cause| unreadable(&cause))?;
        let assets = self.assets_of_rates().await?;
        let is_needed = |ticker: &String| assets.contains(ticker);
        let mut rows = Vec::new();
        for price in prices.iter().filter(|price| is_needed(&price.base) && is_needed(&price.quote)) {
            let seen = observation(&source, price).ok_or_else(|| unreadable(&format!("no time: {:?}", price.observed_at)))?;
            rows.push(to_row(&seen, now));
        }
        let left_out = prices.len() - rows.len() + skipped.len();
        let imported = Imported { source, stored: rows.len(), left_out };
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
                    let entry =
                        Entry { by: &by, action: "rates.imported", about: "rates", id: done.source.clone(), before: None, after };
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

/// A price of a file as the market keeps it; none when its time is none.
pub(super) fn observation(source: &str, price: &FilePrice) -> Option<Observation> {
    Some(Observation {
        source: source.to_owned(),
        base: price.base.clone(),
        quote: price.quote.clone(),
        bid: price.bid,
        ask: price.ask,
        observed_at: price.observed_at.parse().ok()?,
    })
}

impl Market {
    /// The sources behind its prices, by name.
    #[must_use]
    pub fn sources(&self) -> Vec<SourceSeen> {
        SourceSeen::all(self.sightings())
    }
}
