//! Answers that are ready before they are asked for.
//!
//! A market is immutable, so an answer that follows from it, from a reserve and from the time is made once and its bytes are
//! given to everybody. When the market is swapped, all of it goes.

use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::{Bonus, Offered};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::{Dec, Moment, Null};
use arc_swap::{ArcSwap, ArcSwapOption};
use bytes::Bytes;
use rust_decimal::Decimal;
use serde::Serialize;

use super::answers::{
    CalculatorDirection, CalculatorDirections, CalculatorFees, CalculatorFloatingTerms, CalculatorPair, CalculatorProof,
    CalculatorTier, Offer,
};
use super::small::CalculatorRate;
use crate::Calculator;
use crate::market::{Market, MarketPair, PairState};
use crate::service::{above_max, check_send};

/// For how long a quote is given to everybody who asks; much shorter than a quote holds.
const SLOT: Duration = Duration::from_secs(5);
/// The most rows of the table of rates.
const TABLE_ROWS: usize = 12;

/// The answers that are ready, and what they are made from.
pub(super) struct Shelf {
    calculator: Arc<Calculator>,
    window: ArcSwap<Window>,
}

/// The answers that follow from one market.
struct Window {
    market: Arc<Market>,
    directions: [Bytes; 2],
    /// For each pair of the market, in its order, the answer in each language.
    pairs: Vec<[ArcSwapOption<ReadyPair>; 2]>,
    table: ArcSwapOption<ReadyTable>,
}

struct ReadyPair {
    slot: i64,
    /// The reserve it was made with, in units.
    free: i64,
    bytes: Bytes,
}

struct ReadyTable {
    slot: i64,
    bytes: Bytes,
}

impl Shelf {
    pub(super) fn new(calculator: Arc<Calculator>) -> Self {
        let window = ArcSwap::from_pointee(Window::of(calculator.market()));
        Self { calculator, window }
    }

    /// The currencies.
    pub(super) fn directions(&self, locale: Locale) -> Bytes {
        self.window().directions[locale as usize].clone()
    }

    /// A pair with its quote.
    pub(super) fn pair(&self, from: i64, to: i64, locale: Locale) -> Result<Bytes> {
        let window = self.window();
        let pair = self.calculator.offered(&window.market, from, to)?;
        let place = window.market.place_of(from, to).ok_or_else(unavailable)?;
        let cell = &window.pairs[place][locale as usize];
        let (slot, free) = (self.slot(), self.calculator.free(to));
        if let Some(ready) = &*cell.load()
            && (ready.slot, ready.free) == (slot, free)
        {
            return Ok(ready.bytes.clone());
        }
        let bytes = self.make_pair(&window.market, pair, free, locale)?;
        cell.store(Some(Arc::new(ReadyPair { slot, free, bytes: bytes.clone() })));
        Ok(bytes)
    }

    /// The table of rates: of each currency that can be sent the first pair into another kind of money.
    pub(super) fn table(&self) -> Bytes {
        let window = self.window();
        let slot = self.slot();
        if let Some(ready) = &*window.table.load()
            && ready.slot == slot
        {
            return ready.bytes.clone();
        }
        let bytes = json(&self.make_table(&window.market));
        window.table.store(Some(Arc::new(ReadyTable { slot, bytes: bytes.clone() })));
        bytes
    }

    fn make_pair(&self, market: &Market, pair: &MarketPair, free: i64, locale: Locale) -> Result<Bytes> {
        self.offer(market, pair, free, &Offered::default(), locale)
    }

    /// A pair with the bonus of one customer, and a quote for them alone.
    pub(super) fn pair_for(&self, from: i64, to: i64, offered: &Offered, locale: Locale) -> Result<Bytes> {
        let window = self.window();
        let pair = self.calculator.offered(&window.market, from, to)?;
        self.offer(&window.market, pair, self.calculator.free(to), offered, locale)
    }

    fn offer(&self, market: &Market, pair: &MarketPair, free: i64, offered: &Offered, locale: Locale) -> Result<Bytes> {
        let offer = Offer::with_bonus(&self.calculator, market, pair, free, &offered.bonus).ok_or_else(unavailable)?;
        let now = self.calculator.platform.clock.now();
        let expires_at = now.plus(self.calculator.quote_lifetime_of(pair, Duration::ZERO));
        let quote = self.calculator.promise(market, pair, &offer.lifted, offered.bonus.customer, now, expires_at);
        let texts = &self.calculator.texts;
        let answer = CalculatorPair::of(&offer, &quote, Moment(expires_at), texts, locale);
        Ok(json(&answer.with_promo(offered.promo.as_ref(), &offer, texts, locale)))
    }

    fn make_table(&self, market: &Market) -> Vec<CalculatorRate> {
        let mut rows: Vec<CalculatorRate> = Vec::new();
        for pair in &market.pairs {
            let has_row = rows.last().is_some_and(|row| row.from == pair.pair.from);
            if rows.len() == TABLE_ROWS || has_row || pair.from.facts.kind == pair.to.facts.kind {
                continue;
            }
            let Some(offer) = Offer::of(&self.calculator, market, pair, self.calculator.free(pair.pair.to)) else { continue };
            rows.push(CalculatorRate {
                from: pair.pair.from,
                to: pair.pair.to,
                course: Dec(offer.lifted.rate.terms.parts().course),
                min: Dec(offer.limits.from.min.value),
                max: Dec(offer.limits.from.max.value),
                reserve: Dec(pair.to.free(offer.free)),
                fees: CalculatorFees::of(pair),
                tiers: CalculatorTier::all(offer.lifted.rate.terms.parts()),
                floating: Null(offer.floating.map(CalculatorFloatingTerms::of)),
                verification: Null(pair.pair.verification.map(CalculatorProof::of)),
            });
        }
        rows
    }

    fn window(&self) -> Arc<Window> {
        let market = self.calculator.market();
        let window = self.window.load_full();
        if Arc::ptr_eq(&window.market, &market) {
            return window;
        }
        let window = Arc::new(Window::of(market));
        let before = self.window.swap(window.clone());
        self.calculator.platform.aside.forget(before);
        window
    }

    fn slot(&self) -> i64 {
        self.calculator.platform.clock.now().0.div_euclid(SLOT.as_micros() as i64)
    }
}

impl Window {
    fn of(market: Arc<Market>) -> Self {
        let directions = |locale| {
            let visible = market.currencies.iter().filter(|currency| currency.is_visible());
            json(&CalculatorDirections {
                directions: visible.map(|currency| CalculatorDirection::of(currency, locale)).collect(),
            })
        };
        Self {
            directions: [directions(Locale::Ru), directions(Locale::En)],
            pairs: market.pairs.iter().map(|_| [ArcSwapOption::empty(), ArcSwapOption::empty()]).collect(),
            table: ArcSwapOption::empty(),
            market,
        }
    }
}

impl<'a> Offer<'a> {
    /// The course at a sent amount, and what is received for it.
    pub(super) fn at(&self, send: Decimal) -> Result<(Decimal, Decimal)> {
        let terms = &self.lifted.rate.terms;
        check_send(send, terms, &self.limits, self.pair)?;
        let too_much = |_| above_max(&self.limits, self.pair);
        Ok((terms.course_for(send).map_err(too_much)?, terms.receive(send).map_err(too_much)?))
    }

    /// The offer of a pair to anybody, if it can be exchanged now.
    pub(super) fn of(calculator: &Calculator, market: &Market, pair: &'a MarketPair, free: i64) -> Option<Self> {
        Self::with_bonus(calculator, market, pair, free, &Bonus::default())
    }

    /// The offer of a pair to a customer with this bonus, if it can be exchanged now.
    pub(super) fn with_bonus(
        calculator: &Calculator,
        market: &Market,
        pair: &'a MarketPair,
        free: i64,
        bonus: &Bonus,
    ) -> Option<Self> {
        let lifted = pair.lifted(&market.rates, bonus).filter(|_| pair.state(free) == PairState::Ok)?;
        let limits = pair.limits(&lifted.rate.terms, free)?;
        let floating = calculator.floating(pair, &lifted.rate);
        Some(Self { pair, lifted, limits, free, floating })
    }
}

pub(super) fn unavailable() -> Error {
    Error::not_found("pair_unavailable")
}

pub(super) fn json(answer: &impl Serialize) -> Bytes {
    serde_json::to_vec(answer).expect("an answer is plain data").into()
}
