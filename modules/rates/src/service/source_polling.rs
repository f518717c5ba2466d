//! Polling of rate sources.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{ObservedPrice, RateDecision};
use agio_core::{Error, Result, Timestamp};
use agio_plugin_sdk::protocol::{Call, CallResult, CompetitorOffer, DirectionOffers, PluginKind, Prices};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use time::Date;
use time::macros::format_description;

use super::Rates;
use crate::model::rank::Competitor;
use crate::model::rules::RateRules;
use crate::store::{self, OrderBookRow, SourcePriceRow};
use agio_core::decimal::StoredDecimal;

/// How long a cycle waits for responses.
const POLL_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Maximum prices per response.
const PRICES_MAX: usize = 20_000;
/// Maximum length of a stored error, in characters.
const FAULT_MAX: usize = 300;
/// Feature of plugins that read competitors' offers from an exchange aggregator.
pub(super) const COMPETITOR_OFFERS: &str = "positions";

#[derive(Serialize, Deserialize)]
struct StoredCompetitor {
    exchanger: String,
    rate: String,
    reserve: String,
}

impl Rates {
    /// Polls all due sources and waits briefly for them.
    pub(super) async fn poll_due_sources(self: &Arc<Self>) -> Result<()> {
        let due = self.due_sources().await?;
        let mut pending = Vec::new();
        {
            let mut polls = self.polls();
            while polls.try_join_next().is_some() {}
            for name in due {
                let (done, finished) = tokio::sync::oneshot::channel::<()>();
                let this = self.clone();
                polls.spawn(async move {
                    this.poll_source(&name).await;
                    // The receiver is gone if the poll took too long.
                    let _ = done.send(());
                });
                pending.push(finished);
            }
        }
        let all = async {
            for finished in pending {
                // Ignore polls whose task is gone.
                let _ = finished.await;
            }
        };
        // Slower sources count in the next cycle.
        let _ = tokio::time::timeout(POLL_TIMEOUT, all).await;
        Ok(())
    }

    /// Due sources that this node has claimed.
    async fn due_sources(&self) -> Result<Vec<String>> {
        let now = self.platform.clock.now();
        let is_due = |row: &store::SourceRow| {
            let every = Duration::from_secs(row.every_seconds.unsigned_abs());
            row.enabled && row.polled_at.plus(every) <= now
        };
        let rows = store::sources(&mut self.platform.db.read().await?).await?;
        let due: Arc<Vec<String>> = Arc::new(rows.into_iter().filter(is_due).map(|row| row.name).collect());
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let work = self.platform.db.write(move |tx| {
            let due = due.clone();
            Box::pin(async move {
                let mut taken = Vec::new();
                for name in due.iter() {
                    if store::claim_poll(tx, name, now).await? {
                        taken.push(name.clone());
                    }
                }
                Ok(taken)
            })
        });
        work.await
    }

    /// Polls a source and stores the result.
    async fn poll_source(self: &Arc<Self>, name: &str) {
        let Ok(_place) = self.poll_slots.acquire().await else { return };
        let call = match self.source_call(name).await {
            Ok(Some(call)) => self.plugins.call(name, call).await,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(source = name, %error, "the request to a rate source cannot be built");
                return;
            }
        };
        let now = self.platform.clock.now();
        let stored = match call {
            Ok(CallResult::Prices(prices)) => match self.rows(name, prices) {
                Ok(rows) => self.store_prices(name, rows, now).await,
                Err(fault) => self.store_fault(name, &fault, now).await,
            },
            Ok(CallResult::CompetitorOffers(direction_offers)) => self.store_direction_offers(name, direction_offers, now).await,
            Ok(_) => self.store_fault(name, "the answer is to another question", now).await,
            Err(fault) => self.store_fault(name, &fault.to_string(), now).await,
        };
        if let Err(error) = stored {
            tracing::warn!(source = name, %error, "the response of a rate source cannot be stored");
        }
    }

    /// The call for a source. `None` if nothing is needed from it.
    async fn source_call(&self, name: &str) -> Result<Option<Call>> {
        let of_rates = self.plugins.list(PluginKind::Rates);
        let reads_aggregator = |features: &[String]| features.iter().any(|feature| feature == COMPETITOR_OFFERS);
        if !of_rates.iter().any(|manifest| manifest.name == name && reads_aggregator(&manifest.features)) {
            return Ok(Some(Call::Prices { assets: self.pair_pricing.assets().into_iter().collect() }));
        }
        let rows = store::rules(&mut self.platform.db.read().await?).await?;
        let mut wanted = BTreeSet::new();
        for row in rows {
            let rules: RateRules = serde_json::from_str(&row.rules).map_err(Error::internal)?;
            if rules.rank.is_some_and(|rank| rank.aggregator == name) {
                wanted.insert(row.pair_id);
            }
        }
        let pairs = self.priced(RateDecision::default()).await?;
        let directions: Vec<_> = pairs.into_iter().filter(|pair| wanted.contains(&pair.id)).map(|pair| pair.codes).collect();
        Ok((!directions.is_empty()).then_some(Call::CompetitorOffers { directions }))
    }

    /// Prices of used assets. Invalid prices are stored, so that aggregation can report why they are excluded.
    fn rows(&self, source: &str, prices: Prices) -> Result<Vec<SourcePriceRow>, String> {
        if prices.observations.len() > PRICES_MAX {
            return Err(format!("{} prices in one answer", prices.observations.len()));
        }
        let assets = self.pair_pricing.assets();
        let needed =
            prices.observations.into_iter().filter(|quote| assets.contains(&quote.base) && assets.contains(&quote.quote));
        needed
            .map(|quote| {
                let observed_at =
                    moment(&quote.observed_at).ok_or_else(|| format!("{:?} is no moment", truncate(&quote.observed_at)))?;
                let (bid, ask) = (StoredDecimal(quote.bid), StoredDecimal(quote.ask));
                Ok(SourcePriceRow { source: source.to_owned(), base: quote.base, quote: quote.quote, bid, ask, observed_at })
            })
            .collect()
    }

    async fn store_prices(&self, name: &str, rows: Vec<SourcePriceRow>, now: Timestamp) -> Result<()> {
        let is_price = |row: &&SourcePriceRow| row.bid.0 > Decimal::ZERO && row.bid.0 <= row.ask.0;
        let quote = |row: &SourcePriceRow| ObservedPrice {
            source: row.source.clone(),
            base: row.base.clone(),
            quote: row.quote.clone(),
            bid: row.bid.0,
            ask: row.ask.0,
            observed_at: row.observed_at,
        };
        let quote: Arc<Vec<ObservedPrice>> = Arc::new(rows.iter().filter(is_price).map(quote).collect());
        let (pair_pricing, name, rows) = (self.pair_pricing.clone(), name.to_owned(), Arc::new(rows));
        let work = self.platform.db.write(move |tx| {
            let (pair_pricing, name, rows, quote) = (pair_pricing.clone(), name.clone(), rows.clone(), quote.clone());
            Box::pin(async move {
                store::put_source_prices(tx, &rows).await?;
                store::responded(tx, &name, i64::try_from(rows.len()).unwrap_or(i64::MAX), now).await?;
                pair_pricing.store_source_quotes(tx, &quote).await
            })
        });
        work.await
    }

    async fn store_direction_offers(&self, name: &str, direction_offers: Vec<DirectionOffers>, now: Timestamp) -> Result<()> {
        let competitor = |offer: CompetitorOffer| StoredCompetitor {
            exchanger: truncate(&offer.exchanger),
            rate: agio_core::money::plain(offer.rate),
            reserve: agio_core::money::plain(offer.reserve),
        };
        let row = |direction: DirectionOffers| {
            let competitors: Vec<StoredCompetitor> = direction.offers.into_iter().take(PRICES_MAX).map(competitor).collect();
            OrderBookRow {
                source: name.to_owned(),
                give_code: direction.from,
                receive_code: direction.to,
                offers: serde_json::to_string(&competitors).expect("rivals are plain data"),
                read_at: now,
            }
        };
        let rows: Arc<Vec<OrderBookRow>> = Arc::new(direction_offers.into_iter().map(row).collect());
        let name = name.to_owned();
        let work = self.platform.db.write(move |tx| {
            let (name, rows) = (name.clone(), rows.clone());
            Box::pin(async move {
                for row in rows.iter() {
                    store::put_order_book(tx, row).await?;
                }
                store::responded(tx, &name, i64::try_from(rows.len()).unwrap_or(i64::MAX), now).await
            })
        });
        work.await
    }

    async fn store_fault(&self, name: &str, fault: &str, now: Timestamp) -> Result<()> {
        tracing::warn!(source = name, fault, "a source of rates did not answer");
        let (name, fault) = (name.to_owned(), truncate(fault));
        let work = self.platform.db.write(move |tx| {
            let (name, fault) = (name.clone(), fault.clone());
            Box::pin(async move { store::failed(tx, &name, &fault, now).await })
        });
        work.await
    }
}

/// # Errors
/// `internal` if they cannot be read: a partial list would give a wrong rank.
pub(super) fn competitors(stored: &str) -> Result<Vec<Competitor>> {
    let read: Vec<StoredCompetitor> = serde_json::from_str(stored).map_err(Error::internal)?;
    let number = |text: &str| text.parse().map_err(Error::internal);
    let competitor = |competitor: StoredCompetitor| {
        Ok(Competitor { rate: number(&competitor.rate)?, reserve: number(&competitor.reserve)?, exchanger: competitor.exchanger })
    };
    read.into_iter().map(competitor).collect()
}

/// A timestamp, or a day as its midnight.
fn moment(text: &str) -> Option<Timestamp> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok().map(Timestamp::from_date);
    day.or_else(|| Timestamp::parse(text).ok())
}

/// Truncates untrusted text and removes control characters.
fn truncate(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(FAULT_MAX).collect()
}
