//! Asking the sources that are due.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::{Ruling, SeenPrice};
use agio_core::{Error, Result, Timestamp};
use agio_plugin::protocol::{Answer, Call, Kind, Offer, Position, Prices};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use time::Date;
use time::macros::format_description;

use super::Rates;
use crate::model::position::Rival;
use crate::model::rules::Rules;
use crate::store::{self, AnswerRow, Digits, PositionRow};

/// How long a cycle waits for those it asks.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// The most prices of one answer that are looked at.
const PRICES_MAX: usize = 20_000;
/// The longest fault that is kept, in characters.
const FAULT_MAX: usize = 300;
/// What a plugin that reads a monitor says of itself.
pub(super) const READS_MONITOR: &str = "positions";

/// A rival, as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredRival {
    exchanger: String,
    course: String,
    reserve: String,
}

impl Rates {
    /// Asks every source that is due and waits for their answers, for a moment.
    pub(super) async fn ask_due(self: &Arc<Self>) -> Result<()> {
        let due = self.due().await?;
        let mut heard = Vec::new();
        {
            let mut asking = self.asking();
            while asking.try_join_next().is_some() {}
            for name in due {
                let (tell, told) = tokio::sync::oneshot::channel::<()>();
                let this = self.clone();
                asking.spawn(async move {
                    this.ask(&name).await;
                    // Nobody waits any more when the answer took too long.
                    let _ = tell.send(());
                });
                heard.push(told);
            }
        }
        let all = async {
            for told in heard {
                // A source whose task is gone will not answer; the others are heard.
                let _ = told.await;
            }
        };
        // Whoever takes longer is heard in the next cycle.
        let _ = tokio::time::timeout(PATIENCE, all).await;
        Ok(())
    }

    /// The sources that are due and that it is this node's turn to ask.
    async fn due(&self) -> Result<Vec<String>> {
        let now = self.platform.clock.now();
        let is_due = |row: &store::SourceRow| {
            let every = Duration::from_secs(row.every_seconds.unsigned_abs());
            row.enabled && row.asked_at.plus(every) <= now
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
                    if store::take_turn(tx, name, now).await? {
                        taken.push(name.clone());
                    }
                }
                Ok(taken)
            })
        });
        work.await
    }

    /// Asks a source and stores what came of it.
    async fn ask(self: &Arc<Self>, name: &str) {
        let Ok(_place) = self.places.acquire().await else { return };
        let asked = match self.call(name).await {
            Ok(Some(call)) => self.plugins.ask(name, call).await,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(source = name, %error, "what a source is to be asked for cannot be read");
                return;
            }
        };
        let now = self.platform.clock.now();
        let stored = match asked {
            Ok(Answer::Prices(prices)) => match self.rows(name, prices) {
                Ok(rows) => self.store_prices(name, rows, now).await,
                Err(fault) => self.store_fault(name, &fault, now).await,
            },
            Ok(Answer::Positions(positions)) => self.store_positions(name, positions, now).await,
            Ok(_) => self.store_fault(name, "the answer is to another question", now).await,
            Err(fault) => self.store_fault(name, &fault.to_string(), now).await,
        };
        if let Err(error) = stored {
            tracing::warn!(source = name, %error, "what a source said cannot be stored");
        }
    }

    /// What a source is asked for; nothing where nobody wants anything of it.
    async fn call(&self, name: &str) -> Result<Option<Call>> {
        let of_rates = self.plugins.of(Kind::Rates);
        let reads_monitor = |features: &[String]| features.iter().any(|feature| feature == READS_MONITOR);
        if !of_rates.iter().any(|manifest| manifest.name == name && reads_monitor(&manifest.features)) {
            return Ok(Some(Call::Prices { assets: self.book.assets().into_iter().collect() }));
        }
        let rows = store::rules(&mut self.platform.db.read().await?).await?;
        let mut wanted = BTreeSet::new();
        for row in rows {
            let rules: Rules = serde_json::from_str(&row.rules).map_err(Error::internal)?;
            if rules.position.is_some_and(|position| position.monitor == name) {
                wanted.insert(row.pair_id);
            }
        }
        let pairs = self.priced(Ruling::default()).await?;
        let directions: Vec<_> = pairs.into_iter().filter(|pair| wanted.contains(&pair.id)).map(|pair| pair.codes).collect();
        Ok((!directions.is_empty()).then_some(Call::Positions { directions }))
    }

    /// The prices of an answer that rates here go over. What is no price is kept as it was said: the judge says why it does not count.
    fn rows(&self, source: &str, prices: Prices) -> Result<Vec<AnswerRow>, String> {
        if prices.observations.len() > PRICES_MAX {
            return Err(format!("{} prices in one answer", prices.observations.len()));
        }
        let assets = self.book.assets();
        let needed = prices.observations.into_iter().filter(|seen| assets.contains(&seen.base) && assets.contains(&seen.quote));
        needed
            .map(|seen| {
                let observed_at =
                    moment(&seen.observed_at).ok_or_else(|| format!("{:?} is no moment", cut(&seen.observed_at)))?;
                let (bid, ask) = (Digits(seen.bid), Digits(seen.ask));
                Ok(AnswerRow { source: source.to_owned(), base: seen.base, quote: seen.quote, bid, ask, observed_at })
            })
            .collect()
    }

    async fn store_prices(&self, name: &str, rows: Vec<AnswerRow>, now: Timestamp) -> Result<()> {
        let is_price = |row: &&AnswerRow| row.bid.0 > Decimal::ZERO && row.bid.0 <= row.ask.0;
        let seen = |row: &AnswerRow| SeenPrice {
            source: row.source.clone(),
            base: row.base.clone(),
            quote: row.quote.clone(),
            bid: row.bid.0,
            ask: row.ask.0,
            observed_at: row.observed_at,
        };
        let seen: Arc<Vec<SeenPrice>> = Arc::new(rows.iter().filter(is_price).map(seen).collect());
        let (book, name, rows) = (self.book.clone(), name.to_owned(), Arc::new(rows));
        let work = self.platform.db.write(move |tx| {
            let (book, name, rows, seen) = (book.clone(), name.clone(), rows.clone(), seen.clone());
            Box::pin(async move {
                store::put_answers(tx, &rows).await?;
                store::answered(tx, &name, i64::try_from(rows.len()).unwrap_or(i64::MAX), now).await?;
                book.put(tx, &seen).await
            })
        });
        work.await
    }

    async fn store_positions(&self, name: &str, positions: Vec<Position>, now: Timestamp) -> Result<()> {
        let rival = |offer: Offer| StoredRival {
            exchanger: cut(&offer.exchanger),
            course: agio_core::money::plain(offer.course),
            reserve: agio_core::money::plain(offer.reserve),
        };
        let row = |position: Position| {
            let rivals: Vec<StoredRival> = position.offers.into_iter().take(PRICES_MAX).map(rival).collect();
            PositionRow {
                source: name.to_owned(),
                from_code: position.from,
                to_code: position.to,
                offers: serde_json::to_string(&rivals).expect("rivals are plain data"),
                read_at: now,
            }
        };
        let rows: Arc<Vec<PositionRow>> = Arc::new(positions.into_iter().map(row).collect());
        let name = name.to_owned();
        let work = self.platform.db.write(move |tx| {
            let (name, rows) = (name.clone(), rows.clone());
            Box::pin(async move {
                for row in rows.iter() {
                    store::put_position(tx, row).await?;
                }
                store::answered(tx, &name, i64::try_from(rows.len()).unwrap_or(i64::MAX), now).await
            })
        });
        work.await
    }

    async fn store_fault(&self, name: &str, fault: &str, now: Timestamp) -> Result<()> {
        tracing::warn!(source = name, fault, "a source of rates did not answer");
        let (name, fault) = (name.to_owned(), cut(fault));
        let work = self.platform.db.write(move |tx| {
            let (name, fault) = (name.clone(), fault.clone());
            Box::pin(async move { store::failed(tx, &name, &fault, now).await })
        });
        work.await
    }
}

/// Competitors, as they were stored.
///
/// # Errors
/// `internal` when they cannot be read: with some of them gone the own place among them would be another.
pub(super) fn rivals(stored: &str) -> Result<Vec<Rival>> {
    let read: Vec<StoredRival> = serde_json::from_str(stored).map_err(Error::internal)?;
    let number = |text: &str| text.parse().map_err(Error::internal);
    let rival = |rival: StoredRival| {
        Ok(Rival { course: number(&rival.course)?, reserve: number(&rival.reserve)?, exchanger: rival.exchanger })
    };
    read.into_iter().map(rival).collect()
}

/// A day, which is kept as its midnight, or a moment.
fn moment(text: &str) -> Option<Timestamp> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok().map(Timestamp::from_date);
    day.or_else(|| Timestamp::parse(text).ok())
}

/// The beginning of a text, without control characters: strangers wrote it.
fn cut(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(FAULT_MAX).collect()
}
