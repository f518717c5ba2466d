//! What the calculator does: keeps the market in memory, quotes, agrees on terms, and lets staff change what is set.

mod agree;
mod book;
mod change;
mod consent;
mod offers;
mod partner_offers;
mod quote_keys;
mod rates;
mod reserves;
mod seed;
#[cfg(test)]
mod tests;
mod worth;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use agio_approvals::Approvals;
use agio_core::live::Notice;
use agio_core::needs::{FloatingTerms, JUMP_PERCENT, PaymentHandlings, RateFiles, TermsVersion};
use agio_core::texts::Texts;
use agio_core::{Error, Platform, Result, Timestamp};
use agio_ledger::Ledger;
use arc_swap::ArcSwap;
use rust_decimal::Decimal;
use time::Date;
use time::format_description::well_known::Iso8601;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::market::{Freshness, Lifted, Market, MarketPair, MarketRows, Rate, Sighting};
use crate::model::quote::{Quote, QuoteBonus, QuoteCurrency, SignedQuote};
use crate::{settings, store};

pub(crate) use agree::{above_max, check_send};
pub use change::BulkChange;
pub use consent::SettingsChange;
pub use quote_keys::{QuoteKey, QuoteKeys};
pub use rates::{Imported, SourceSeen};
pub use reserves::{Moved, MovementReason, ReserveSeen};

/// Whom the calculator asks.
pub struct Needs {
    /// Which version of the terms a claim accepts.
    pub terms: Arc<dyn TermsVersion>,
    /// Reading files of rates.
    pub files: Arc<dyn RateFiles>,
    /// How payments are handled.
    pub payments: Arc<dyn PaymentHandlings>,
}

/// The calculator: the market in memory, and everything that changes it.
pub struct Calculator {
    pub(crate) platform: Platform,
    pub(crate) ledger: Ledger,
    pub(crate) approvals: Approvals,
    pub(crate) terms: Arc<dyn TermsVersion>,
    files: Arc<dyn RateFiles>,
    payments: Arc<dyn PaymentHandlings>,
    /// This room's own texts, for the lines that are made here.
    pub(crate) texts: Texts,
    market: ArcSwap<Market>,
    /// Counts the pictures of the market.
    pictures: AtomicU64,
    /// Only one reload reads the tables at a time, so that an older picture never replaces a newer one.
    reloading: Mutex<()>,
    /// Pictures that were swapped for others, while anybody may still look at them.
    former: std::sync::Mutex<Vec<Arc<Market>>>,
    keys: ArcSwap<QuoteKeys>,
}

impl Calculator {
    /// A calculator with an empty market. Call [`Calculator::load`] before serving.
    ///
    /// # Panics
    /// The dictionaries of this crate do not fit each other: a fault of the program, found by its tests.
    #[must_use]
    pub fn new(platform: &Platform, ledger: Ledger, approvals: Approvals, Needs { terms, files, payments }: Needs) -> Arc<Self> {
        let empty = Market::build(MarketRows::default(), Timestamp(0)).expect("no rows, no bad row");
        Arc::new(Self {
            platform: platform.clone(),
            ledger,
            approvals,
            terms,
            files,
            payments,
            texts: Texts::merge(&[crate::DICTIONARY]).expect("the dictionaries of this crate fit each other"),
            market: ArcSwap::from_pointee(empty),
            pictures: AtomicU64::new(0),
            reloading: Mutex::new(()),
            former: std::sync::Mutex::default(),
            keys: ArcSwap::default(),
        })
    }

    /// Reads the keys of quotes (making one where there is none) and the market. Settings must be declared before.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn load(&self) -> Result<()> {
        self.load_keys().await?;
        self.reload().await
    }

    /// The market as it is now.
    #[must_use]
    pub fn market(&self) -> Arc<Market> {
        self.market.load_full()
    }

    /// Reads the market from the tables anew and, if it differs, swaps it and tells whoever listens.
    ///
    /// # Errors
    /// The database cannot be read; the market stays as it was.
    pub async fn reload(&self) -> Result<()> {
        let _turn = self.reloading.lock().await;
        let freshness = self.freshness();
        let mut tx = self.platform.db.read().await?;
        let rows = MarketRows {
            currencies: store::currencies(&mut tx).await?,
            pairs: store::pairs(&mut tx).await?,
            sightings: store::latest_observations(&mut tx, freshness.looks_before())
                .await?
                .into_iter()
                .map(|row| Sighting::judge(row, &freshness))
                .collect(),
            legs: store::legs(&mut tx).await?.into_iter().map(|row| row.judged(freshness.now)).collect::<Result<_>>()?,
            rulings: store::rulings(&mut tx).await?.into_iter().map(store::RulingRow::ruling).collect::<Result<_>>()?,
            fixed_day: freshness.fixed_day,
            allows_arbitrage: self.platform.settings.is_on(settings::ALLOW_ARBITRAGE),
        };
        drop(tx);
        // Thousands of pairs are compared, priced and forgotten where they hold up nobody who asks for a quote.
        let before = self.market();
        let build = move || if before.is_of(&rows) { Ok(None) } else { before.next(rows, freshness.now).map(Some) };
        let Some(market) = self.platform.aside.run(build).await?? else {
            self.clear_away(None);
            return Ok(());
        };
        let before = self.market.swap(Arc::new(market));
        // After the picture itself: whoever reads the count and then the market never takes an older one for it.
        self.pictures.fetch_add(1, Ordering::AcqRel);
        self.platform.live.tell(Notice::Market);
        self.clear_away(Some(before));
        Ok(())
    }

    /// Gives back the memory of pictures that nobody looks at any more, and never in the middle of somebody's quote: whoever lets go of a
    /// picture last has all of it to clear away.
    fn clear_away(&self, before: Option<Arc<Market>>) {
        let mut former = self.former.lock().unwrap_or_else(PoisonError::into_inner);
        let all = former.drain(..).chain(before);
        let (held, gone): (Vec<_>, Vec<_>) = all.partition(|picture| Arc::strong_count(picture) > 1);
        *former = held;
        if !gone.is_empty() {
            self.platform.aside.forget(gone);
        }
    }

    /// What is free of a currency now, in units.
    #[must_use]
    pub fn free(&self, currency: i64) -> i64 {
        self.ledger.reserves().available(currency).units
    }

    /// A pair that can be exchanged now.
    ///
    /// # Errors
    /// 404 `currency_unknown` when there is no such currency, 404 `pair_unavailable` otherwise.
    pub fn offered<'m>(&self, market: &'m Market, from: i64, to: i64) -> Result<&'m MarketPair> {
        if market.currency(from).is_none() || market.currency(to).is_none() {
            return Err(Error::not_found("currency_unknown"));
        }
        market.between(from, to).ok_or_else(|| Error::not_found("pair_unavailable"))
    }

    /// The present terms of a pair with a customer's bonus, promised until `expires_at`. A bonus binds the promise to `customer`, where
    /// a part of it is an account's, and to its promo code.
    #[must_use]
    pub fn promise(
        &self,
        market: &Market,
        pair: &MarketPair,
        lifted: &Lifted<'_>,
        customer: Option<Uuid>,
        issued_at: Timestamp,
        expires_at: Timestamp,
    ) -> SignedQuote {
        let bound = || QuoteBonus { customer, parts: lifted.parts.clone() };
        let side = |facts: &agio_core::needs::CurrencyFacts| QuoteCurrency { id: facts.id, code: facts.code.clone() };
        let quote = Quote {
            from: side(&pair.from.facts),
            to: side(&pair.to.facts),
            terms: lifted.rate.terms.clone(),
            bonus_percent: lifted.percent,
            issued_at: issued_at.0,
            expires_at: expires_at.0,
            rates_version: market.built_at.0,
            explanation: Some(lifted.rate.explanation.for_everybody()),
            bonus_for: (!lifted.parts.is_empty()).then(bound),
        };
        self.keys.load().sign(&quote, issued_at)
    }

    /// For how long a quote holds.
    #[must_use]
    pub fn quote_lifetime(&self) -> Duration {
        Duration::from_secs(self.platform.settings.int(settings::QUOTE_SECONDS).unsigned_abs())
    }

    /// The same of a pair, or `at_least` so long, but never longer than the pair promises its rate at all.
    pub(crate) fn quote_lifetime_of(&self, pair: &MarketPair, at_least: Duration) -> Duration {
        let promised = Duration::from_secs(pair.pair.hold_minutes.unsigned_abs() * 60);
        self.quote_lifetime().max(at_least).min(promised)
    }

    /// How the rate of a pair is fixed by its payment; nothing where it is fixed with the claim.
    pub(crate) fn floating(&self, pair: &MarketPair, rate: &Rate) -> Option<FloatingTerms> {
        let terms = FloatingTerms {
            confirmations: self.payments.handling(pair.pair.from).confirmations,
            minutes: pair.pair.hold_minutes,
            deviation_percent: rate.deviation_percent(),
        };
        pair.pair.floating.then_some(terms)
    }

    /// By how many percent the rate of a pair may jump.
    fn jump_percent(&self, pair: &MarketPair) -> Decimal {
        let own = pair.ruling.as_ref().and_then(|ruling| ruling.jump_percent);
        own.unwrap_or_else(|| self.platform.settings.int(JUMP_PERCENT).into())
    }

    fn freshness(&self) -> Freshness {
        let settings = &self.platform.settings;
        let hours = settings.int(settings::MAX_AGE_HOURS).unsigned_abs();
        Freshness {
            now: self.platform.clock.now(),
            max_age: Duration::from_secs(hours * 60 * 60),
            fixed_day: Date::parse(&settings.text(settings::FIXED_DAY), &Iso8601::DATE).ok(),
        }
    }
}
