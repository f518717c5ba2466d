//! Import of published rate files.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use agio_contracts::{FilePrice, RateFile};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::Actor;
use agio_core::{Error, Result, Timestamp};
use serde_json::json;

use super::Calculator;
use crate::market::observations::{HUBS, to_row};
use crate::market::{DatedObservation, Market};
use crate::model::observation::Observation;
use crate::store;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRates {
    pub source: String,
    pub stored: usize,
    /// Skipped prices: closed markets and unused assets.
    pub skipped_count: usize,
}

impl fmt::Display for ImportedRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} prices stored, {} not needed here", self.source, self.stored, self.skipped_count)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRates {
    pub source: String,
    pub observed_at: Timestamp,
    /// When its latest price was imported.
    pub imported_at: Timestamp,
    pub count: usize,
    /// Whether all of its prices are recent enough.
    pub is_fresh: bool,
}

impl SourceRates {
    pub fn all(observations: &[DatedObservation]) -> Vec<Self> {
        let mut sources: BTreeMap<&str, Self> = BTreeMap::new();
        for DatedObservation { row, is_fresh } in observations {
            let rates = sources.entry(&row.source).or_insert_with(|| Self {
                source: row.source.clone(),
                observed_at: row.observed_at,
                imported_at: row.imported_at,
                count: 0,
                is_fresh: true,
            });
            rates.observed_at = rates.observed_at.max(row.observed_at);
            rates.imported_at = rates.imported_at.max(row.imported_at);
            rates.count += 1;
            rates.is_fresh &= is_fresh;
        }
        sources.into_values().collect()
    }
}

impl Calculator {
    /// Imports a rate file of any known format and reprices the market.
    ///
    /// Keeps only prices between used assets: those of the currencies, and the hubs.
    ///
    /// # Errors
    /// 422 `rates_unreadable` if the format is unknown or the file is incomplete; nothing is stored then.
    pub async fn import_rates(&self, bytes: &[u8], by: &Actor) -> Result<ImportedRates> {
        let now = self.platform.clock.now();
        let unreadable = |cause: &str| Error::unprocessable("rates_unreadable").with("cause", cause);
        let RateFile { source, prices, skipped } = self.files.read(bytes, now).map_err(|cause| unreadable(&cause))?;
        let assets = self.assets_of_rates().await?;
        let is_needed = |ticker: &String| assets.contains(ticker);
        let mut rows = Vec::new();
        for price in prices.iter().filter(|price| is_needed(&price.base) && is_needed(&price.quote)) {
            let observed = observation(&source, price).ok_or_else(|| unreadable(&format!("no time: {:?}", price.observed_at)))?;
            rows.push(to_row(&observed, now));
        }
        let skipped_count = prices.len() - rows.len() + skipped.len();
        let imported = ImportedRates { source, stored: rows.len(), skipped_count };
        let (by, done) = (by.clone(), imported.clone());
        self.platform
            .db
            .write(move |tx| {
                let (rows, by, done) = (rows.clone(), by.clone(), done.clone());
                Box::pin(async move {
                    for row in &rows {
                        store::put_observation(tx, row).await?;
                    }
                    let after = Some(json!({ "stored": done.stored, "leftOut": done.skipped_count }));
                    let entry = NewAuditEntry {
                        by: &by,
                        action: "rates.imported",
                        about: "rates",
                        id: done.source.clone(),
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

    /// Assets used by rates. Read from the tables because the market in memory may be older.
    async fn assets_of_rates(&self) -> Result<HashSet<String>> {
        let mut tx = self.platform.db.read().await?;
        let tickers = store::currencies(&mut tx).await?.into_iter().map(|currency| currency.ticker);
        Ok(tickers.chain(HUBS.map(str::to_owned)).collect())
    }
}

/// `None` if the time is invalid.
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
    pub fn sources(&self) -> Vec<SourceRates> {
        SourceRates::all(self.observations())
    }
}
