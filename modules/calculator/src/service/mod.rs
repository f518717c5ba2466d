//! The calculator: the market in memory, quotes, terms and updates by staff.

mod agreement;
mod approvals;
mod currencies;
mod demo_market;
mod market_file;
mod market_plan;
mod market_table;
mod offers;
mod pair_pricing;
mod pairs;
mod partner_offers;
pub(crate) mod quote_keys;
mod rates;
mod reference_value;
mod reserves;
#[cfg(test)]
mod tests;
mod xlsx;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use agio_approvals::Approvals;
use agio_contracts::{
    FloatingTerms, JUMP_PERCENT, PaymentHandling, PaymentHandlingProvider, RateFileReader, TermsVersionProvider,
};
use agio_core::events::ChangeEvent;
use agio_core::texts::Texts;
use agio_core::{Error, Platform, Result, Timestamp};
use agio_ledger::Ledger;
use arc_swap::ArcSwap;
use rust_decimal::Decimal;
use time::Date;
use time::format_description::well_known::Iso8601;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::market::{BonusRate, DatedObservation, Freshness, Market, MarketPair, MarketRows, Rate};
use crate::model::quote::{Quote, QuoteBonus, QuoteCurrency, SignedQuote};
use crate::{settings, store};

pub(crate) use agreement::{above_max, check_give, check_steps};
pub use approvals::ApprovedSettingsUpdate;
pub use market_file::{MARKET_FILE_MAX, MarketFile};
pub use market_plan::{MarketParts, MarketPlan, PlannedLine};
pub use market_table::{MarketTable, MarketTableFormat, TABLE_BYTES_MAX};
pub use pairs::PairsPlan;
pub use quote_keys::{QuoteKey, QuoteKeys};
pub use rates::{ImportedRates, SourceRates};
pub use reserves::{ReserveBalance, ReserveMovementOrder, ReserveMovementReason};

pub struct CalculatorDependencies {
    /// Version of the terms of service that a claim accepts.
    pub terms: Arc<dyn TermsVersionProvider>,
    pub files: Arc<dyn RateFileReader>,
    pub payments: Arc<dyn PaymentHandlingProvider>,
}

pub struct Calculator {
    pub(crate) platform: Platform,
    pub(crate) ledger: Ledger,
    pub(crate) approvals: Approvals,
    pub(crate) terms: Arc<dyn TermsVersionProvider>,
    files: Arc<dyn RateFileReader>,
    payments: Arc<dyn PaymentHandlingProvider>,
    /// This module's texts.
    pub(crate) texts: Texts,
    market: ArcSwap<Market>,
    market_version: AtomicU64,
    /// When the tables were last read.
    market_read_at: AtomicI64,
    /// Reloads run one at a time, so that an older snapshot never replaces a newer one.
    reloading: Mutex<()>,
    /// Replaced snapshots that may still be in use.
    retired: std::sync::Mutex<Vec<Arc<Market>>>,
    keys: ArcSwap<QuoteKeys>,
}

impl Calculator {
    /// Starts with an empty market. Call [`Calculator::load`] before serving.
    ///
    /// # Panics
    /// The dictionaries of this crate do not match.
    pub fn new(
        platform: &Platform,
        ledger: Ledger,
        approvals: Approvals,
        CalculatorDependencies { terms, files, payments }: CalculatorDependencies,
    ) -> Arc<Self> {
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
            market_version: AtomicU64::new(0),
            market_read_at: AtomicI64::new(platform.clock.now().0),
            reloading: Mutex::new(()),
            retired: std::sync::Mutex::default(),
            keys: ArcSwap::default(),
        })
    }

    /// Loads the quote keys, creating the first one, and the market. Settings must be declared before.
    pub async fn load(&self) -> Result<()> {
        self.load_keys().await?;
        self.reload().await
    }

    pub fn market(&self) -> Arc<Market> {
        self.market.load_full()
    }

    /// Changes with the market. Read it before the market, which is then never older.
    pub fn market_version(&self) -> u64 {
        self.market_version.load(Ordering::Acquire)
    }

    /// When the market was last read from the tables, whether it had changed or not; at first when the process started.
    pub fn market_read_at(&self) -> Timestamp {
        Timestamp(self.market_read_at.load(Ordering::Relaxed))
    }

    /// Changes with any reserve. Read it before the reserves.
    pub fn reserves_version(&self) -> u64 {
        self.ledger.reserves().version()
    }

    /// Reloads the market from the tables and, if it changed, replaces it and publishes an event.
    ///
    /// # Errors
    /// The database cannot be read; the market stays unchanged.
    pub async fn reload(&self) -> Result<()> {
        let _turn = self.reloading.lock().await;
        let freshness = self.freshness();
        let mut tx = self.platform.db.read().await?;
        let rows = MarketRows {
            currencies: store::currencies(&mut tx).await?,
            pairs: store::pairs(&mut tx).await?,
            observations: store::latest_observations(&mut tx, freshness.observed_before())
                .await?
                .into_iter()
                .map(|row| DatedObservation::with_freshness(row, &freshness))
                .collect(),
            prices: store::prices(&mut tx).await?.into_iter().map(|row| row.price_at(freshness.now)).collect::<Result<_>>()?,
            decisions: store::decisions(&mut tx)
                .await?
                .into_iter()
                .map(|row| row.decision_at(freshness.now))
                .collect::<Result<_>>()?,
            fixed_day: freshness.fixed_day,
            allows_arbitrage: self.platform.settings.is_on(settings::ALLOW_ARBITRAGE),
        };
        drop(tx);
        // Comparing and pricing thousands of pairs must not block requests for quotes.
        let before = self.market();
        let build = move || if before.is_built_from(&rows) { Ok(None) } else { before.next(rows, freshness.now).map(Some) };
        let built = self.platform.background.run(build).await??;
        self.market_read_at.store(freshness.now.0, Ordering::Relaxed);
        let Some(market) = built else {
            self.dispose_retired(None);
            return Ok(());
        };
        let before = self.market.swap(Arc::new(market));
        // After the snapshot: a reader of the version and then the market never sees an older market.
        self.market_version.fetch_add(1, Ordering::AcqRel);
        self.platform.events.publish(ChangeEvent::Market);
        self.dispose_retired(Some(before));
        Ok(())
    }

    /// Frees unused snapshots in the background. Dropping the last reference inside a request would free a whole
    /// market there.
    fn dispose_retired(&self, before: Option<Arc<Market>>) {
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let all = retired.drain(..).chain(before);
        let (held, gone): (Vec<_>, Vec<_>) = all.partition(|picture| Arc::strong_count(picture) > 1);
        *retired = held;
        if !gone.is_empty() {
            self.platform.background.dispose(gone);
        }
    }

    /// How payments in a currency are handled now.
    pub fn payment_handling(&self, currency: i64) -> PaymentHandling {
        self.payments.handling(currency)
    }

    /// The available reserve of a currency, in units.
    pub fn free(&self, currency: i64) -> i64 {
        self.ledger.reserves().available(currency).units
    }

    /// # Errors
    /// 404 `currency_unknown` or `pair_unavailable`.
    pub fn find_pair<'m>(&self, market: &'m Market, from: i64, to: i64) -> Result<&'m MarketPair> {
        if market.currency(from).is_none() || market.currency(to).is_none() {
            return Err(Error::not_found("currency_unknown"));
        }
        market.between(from, to).ok_or_else(|| Error::not_found("pair_unavailable"))
    }

    /// Signs a quote of the current terms. A bonus binds the quote to its promo code and, if a part belongs to an
    /// account, to `customer`.
    pub fn sign_quote(
        &self,
        market: &Market,
        pair: &MarketPair,
        bonus_rate: &BonusRate<'_>,
        customer: Option<Uuid>,
        issued_at: Timestamp,
        expires_at: Timestamp,
    ) -> SignedQuote {
        let bound = || QuoteBonus { customer, parts: bonus_rate.parts.clone() };
        let side = |facts: &agio_contracts::CurrencyInfo| QuoteCurrency { id: facts.id, code: facts.code.clone() };
        let quote = Quote {
            from: side(&pair.give.facts),
            to: side(&pair.receive.facts),
            terms: bonus_rate.rate.terms.clone(),
            bonus_percent: bonus_rate.percent,
            issued_at: issued_at.0,
            expires_at: expires_at.0,
            rates_version: market.built_at.0,
            explanation: Some(bonus_rate.rate.explanation.public_view()),
            bonus_for: (!bonus_rate.parts.is_empty()).then(bound),
        };
        self.keys.load().sign(&quote, issued_at)
    }

    pub fn quote_lifetime(&self) -> Duration {
        Duration::from_secs(self.platform.settings.int(settings::QUOTE_SECONDS).unsigned_abs())
    }

    /// The quote lifetime for a pair: at least `at_least`, at most the pair's hold time.
    pub(crate) fn quote_lifetime_of(&self, pair: &MarketPair, at_least: Duration) -> Duration {
        let hold = Duration::from_secs(pair.pair.hold_minutes.unsigned_abs() * 60);
        self.quote_lifetime().max(at_least).min(hold)
    }

    /// `None` if the rate is fixed with the claim.
    pub(crate) fn floating(&self, pair: &MarketPair, rate: &Rate) -> Option<FloatingTerms> {
        let terms = FloatingTerms {
            confirmations: self.payments.handling(pair.pair.give_id).confirmations,
            minutes: pair.pair.hold_minutes,
            deviation_percent: rate.deviation_percent(),
        };
        pair.pair.floating.then_some(terms)
    }

    /// The price jump limit of a pair, in percent.
    fn jump_percent(&self, pair: &MarketPair) -> Decimal {
        let own = pair.decision.as_ref().and_then(|decision| decision.jump_percent);
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
