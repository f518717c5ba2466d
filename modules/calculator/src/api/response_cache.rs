//! Cached responses.
//!
//! A market is immutable. Each response that depends only on the market, a reserve and the time slot is serialized
//! once and shared. The cache is dropped when the market is replaced.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{Bonus, OfferedBonus};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::{ApiEnum, DateTime, Dec, Effort, Nullable, PreparedBody};
use arc_swap::{ArcSwap, ArcSwapOption};
use rust_decimal::Decimal;
use serde::Serialize;

use super::pair_details::{CurrencySummary, DirectionList, FloatingRateTerms, Offer, PairDetails, RateTier};
use super::responses::{RateSummary, ReserveView};
use crate::Calculator;
use crate::market::{Currency, Market, MarketPair, PairStatus};
use crate::service::{above_max, check_give, check_steps};

/// How long one quote is shared by all visitors. Much shorter than the lifetime of a quote.
const SLOT: Duration = Duration::from_secs(5);
const TABLE_ROWS: usize = 12;

/// Cached responses of the current market.
pub(super) struct ResponseCache {
    calculator: Arc<Calculator>,
    window: ArcSwap<CachedMarket>,
}

/// Cached responses of one market.
struct CachedMarket {
    market: Arc<Market>,
    directions: [Arc<PreparedBody>; 2],
    /// Per pair, in the market's order: the response in each language.
    pairs: Vec<[ArcSwapOption<CachedPair>; 2]>,
    table: ArcSwapOption<CachedRateTable>,
    reserves: ArcSwapOption<CachedReserves>,
}

struct CachedReserves {
    /// Of all reserves.
    version: u64,
    body: Arc<PreparedBody>,
}

struct CachedPair {
    slot: i64,
    /// The reserve it was built with, in units.
    free: i64,
    body: Arc<PreparedBody>,
}

struct CachedRateTable {
    slot: i64,
    body: Arc<PreparedBody>,
}

impl ResponseCache {
    pub(super) fn new(calculator: Arc<Calculator>) -> Self {
        let window = ArcSwap::from_pointee(CachedMarket::of(calculator.market()));
        Self { calculator, window }
    }

    pub(super) fn directions(&self, locale: Locale) -> Arc<PreparedBody> {
        self.window().directions[locale as usize].clone()
    }

    pub(super) fn pair(&self, from: i64, to: i64, locale: Locale) -> Result<Arc<PreparedBody>> {
        let window = self.window();
        let pair = self.calculator.find_pair(&window.market, from, to)?;
        let place = window.market.place_of(from, to).ok_or_else(unavailable)?;
        let cell = &window.pairs[place][locale as usize];
        let (slot, free) = (self.slot(), self.calculator.free(to));
        if let Some(ready) = &*cell.load()
            && (ready.slot, ready.free) == (slot, free)
        {
            return Ok(ready.body.clone());
        }
        let body = self.offer(&window.market, pair, free, &OfferedBonus::default(), locale)?;
        cell.store(Some(Arc::new(CachedPair { slot, free, body: body.clone() })));
        Ok(body)
    }

    /// The popular pairs.
    pub(super) fn table(&self) -> Arc<PreparedBody> {
        let window = self.window();
        let slot = self.slot();
        if let Some(ready) = &*window.table.load()
            && ready.slot == slot
        {
            return ready.body.clone();
        }
        let body = prepared(&self.make_table(&window.market));
        window.table.store(Some(Arc::new(CachedRateTable { slot, body: body.clone() })));
        body
    }

    /// The available reserves of the visible currencies.
    pub(super) fn reserves(&self) -> Arc<PreparedBody> {
        let window = self.window();
        let version = self.calculator.reserves_version();
        if let Some(ready) = &*window.reserves.load()
            && ready.version == version
        {
            return ready.body.clone();
        }
        let reserve = |currency: &Arc<Currency>| {
            let available = self.calculator.ledger.reserves().available(currency.id());
            ReserveView {
                id: currency.id(),
                amount: Dec(currency.free(available.units)),
                updated_at: DateTime(available.changed_at.unwrap_or(currency.updated_at)),
            }
        };
        let visible = window.market.currencies.iter().filter(|currency| currency.is_visible());
        let body = prepared(&visible.map(reserve).collect::<Vec<_>>());
        window.reserves.store(Some(Arc::new(CachedReserves { version, body: body.clone() })));
        body
    }

    /// A pair with one customer's bonus and a quote for that customer only. Not cached.
    pub(super) fn pair_for(&self, from: i64, to: i64, offered: &OfferedBonus, locale: Locale) -> Result<Arc<PreparedBody>> {
        let window = self.window();
        let pair = self.calculator.find_pair(&window.market, from, to)?;
        self.offer(&window.market, pair, self.calculator.free(to), offered, locale)
    }

    fn offer(
        &self,
        market: &Market,
        pair: &MarketPair,
        free: i64,
        offered: &OfferedBonus,
        locale: Locale,
    ) -> Result<Arc<PreparedBody>> {
        let closed = || match pair.opens_at() {
            Some(opens_at) => unavailable().with("opensAt", opens_at),
            None => unavailable(),
        };
        let offer = Offer::with_bonus(&self.calculator, market, pair, free, &offered.bonus).ok_or_else(closed)?;
        let now = self.calculator.platform.clock.now();
        let expires_at = now.plus(self.calculator.quote_lifetime_of(pair, Duration::ZERO));
        let quote = self.calculator.sign_quote(market, pair, &offer.bonus_rate, offered.bonus.customer, now, expires_at);
        let texts = &self.calculator.texts;
        let answer = PairDetails::of(&offer, &quote, DateTime(expires_at), texts, locale);
        Ok(prepared(&answer.with_promo(offered.promo.as_ref(), &offer, texts, locale)))
    }

    fn make_table(&self, market: &Market) -> Vec<RateSummary> {
        let mut rows: Vec<RateSummary> = Vec::new();
        for pair in market.popular(|currency| self.calculator.free(currency)).into_iter().take(TABLE_ROWS) {
            let Some(offer) = Offer::of(&self.calculator, market, pair, self.calculator.free(pair.pair.receive_id)) else {
                continue;
            };
            let parts = offer.bonus_rate.rate.terms.parts();
            rows.push(RateSummary {
                from: pair.pair.give_id,
                to: pair.pair.receive_id,
                course: Dec(parts.rate),
                min: Dec(offer.limits.give.min.value),
                max: Dec(offer.limits.give.max.value),
                reserve: Dec(pair.receive.free(offer.free)),
                fees: pair.fees(parts).into(),
                tiers: RateTier::all(parts),
                floating: Nullable(offer.floating.map(FloatingRateTerms::of)),
                verification: Nullable(pair.pair.verification.map(ApiEnum)),
            });
        }
        rows
    }

    fn window(&self) -> Arc<CachedMarket> {
        let market = self.calculator.market();
        let window = self.window.load_full();
        if Arc::ptr_eq(&window.market, &market) {
            return window;
        }
        let window = Arc::new(CachedMarket::of(market));
        let before = self.window.swap(window.clone());
        self.calculator.platform.background.dispose(before);
        window
    }

    fn slot(&self) -> i64 {
        self.calculator.platform.clock.now().0.div_euclid(SLOT.as_micros() as i64)
    }
}

impl CachedMarket {
    fn of(market: Arc<Market>) -> Self {
        let directions = |locale| {
            let visible = market.currencies.iter().filter(|currency| currency.is_visible());
            prepared(&DirectionList { directions: visible.map(|currency| CurrencySummary::of(currency, locale)).collect() })
        };
        Self {
            directions: [directions(Locale::Ru), directions(Locale::En)],
            pairs: market.pairs.iter().map(|_| [ArcSwapOption::empty(), ArcSwapOption::empty()]).collect(),
            table: ArcSwapOption::empty(),
            reserves: ArcSwapOption::empty(),
            market,
        }
    }
}

impl<'a> Offer<'a> {
    /// The rate for a give amount and the amount received.
    pub(super) fn at(&self, give: Decimal) -> Result<(Decimal, Decimal)> {
        let terms = &self.bonus_rate.rate.terms;
        check_give(give, terms, &self.limits, self.pair)?;
        check_steps(give, terms, &self.limits, self.pair, true)?;
        let too_much = |_| above_max(&self.limits, self.pair);
        Ok((terms.rate_for(give).map_err(too_much)?, terms.receive(give).map_err(too_much)?))
    }

    /// The offer without a bonus. `None` if the pair cannot be exchanged now.
    pub(super) fn of(calculator: &Calculator, market: &Market, pair: &'a MarketPair, free: i64) -> Option<Self> {
        Self::with_bonus(calculator, market, pair, free, &Bonus::default())
    }

    /// The offer with a bonus. `None` if the pair cannot be exchanged now.
    pub(super) fn with_bonus(
        calculator: &Calculator,
        market: &Market,
        pair: &'a MarketPair,
        free: i64,
        bonus: &Bonus,
    ) -> Option<Self> {
        let bonus_rate = pair.bonus_rate(&market.rates, bonus).filter(|_| pair.state(free) == PairStatus::Ok)?;
        let limits = pair.limits(&bonus_rate.rate.terms, free)?;
        let floating = calculator.floating(pair, &bonus_rate.rate);
        Some(Self { pair, bonus_rate, limits, free, floating })
    }
}

pub(super) fn unavailable() -> Error {
    Error::not_found("pair_unavailable")
}

pub(super) fn prepared(answer: &impl Serialize) -> Arc<PreparedBody> {
    let json = serde_json::to_vec(answer).expect("an answer is plain data");
    Arc::new(PreparedBody::new(json.into(), Effort::Good))
}
