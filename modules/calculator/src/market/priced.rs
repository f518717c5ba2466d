//! A pair with its rate: the three layers joined, from what sources said to what a customer gets.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use agio_core::Amount;
use agio_core::money::SCALE_MAX;
use agio_core::needs::{Bonus, BonusKind, BonusPart, PairRuling};
use agio_core::ratio::Ratio;
use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

use super::suspension::{Sellable, Suspension};
use super::{Currency, Pair, RateSource, Rates};
use crate::model::engine::Terms;
use crate::model::explanation::Explanation;
use crate::model::limits::Limits;
use crate::model::pricing::{MarketRate, Pricing};

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;

/// Whether a pair can be exchanged, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairState {
    /// It can.
    Ok,
    /// An operator switched the pair, or one of its sides, off.
    Off,
    /// What is ruled about its rate stopped it, or a round trip over it would gain.
    Stopped,
    /// The rate it would be made from is too old.
    Stale,
    /// No rate can be made.
    NoRate,
    /// The reserve is below the least amount that may be received.
    NoReserve,
}

impl PairState {
    /// The name it is sent under.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Off => "off",
            Self::Stopped => "stopped",
            Self::Stale => "stale",
            Self::NoRate => "no_rate",
            Self::NoReserve => "no_reserve",
        }
    }
}

/// The rate of a pair and what follows from it.
#[derive(Clone, Debug)]
pub struct Rate {
    /// Units received for one unit sent before the house adds its own.
    pub market: Decimal,
    /// What receive and send amounts are computed with.
    pub terms: Terms,
    /// How the course came about.
    pub explanation: Explanation,
    /// The day whose rates it is made from, where that is not the present.
    pub rates_of: Option<Date>,
    /// Whether every observation it is made from is recent enough.
    pub is_fresh: bool,
    /// The least that may be received, in units of the received currency; nothing where the limits leave no amount.
    least_receive: Option<i64>,
    /// The most that may be sent whatever the reserve is; nothing where the limits leave no amount.
    pub(super) most_send: Option<Decimal>,
}

/// A pair as customers and operators see it.
#[derive(Clone, Debug)]
pub struct MarketPair {
    /// What is set.
    pub pair: Pair,
    /// The currency sent.
    pub from: Arc<Currency>,
    /// The currency received.
    pub to: Arc<Currency>,
    /// What is ruled about its rate, if anything is.
    pub ruling: Option<Arc<PairRuling>>,
    /// The round trip for which it is not sold, if there is one.
    pub suspension: Option<Arc<Suspension>>,
    /// Its rate, where one can be made; also for pairs that are off, for the operator.
    pub rate: Option<Rate>,
    /// What is kept of the rate with claims, once it was asked for: all claims at this rate keep the same.
    pub(crate) kept: OnceLock<String>,
}

impl MarketPair {
    /// Prices a pair.
    #[must_use]
    pub fn price(pair: Pair, from: &Arc<Currency>, to: &Arc<Currency>, rates: &Rates, ruling: Option<Arc<PairRuling>>) -> Self {
        let mut priced =
            Self { pair, from: from.clone(), to: to.clone(), ruling, suspension: None, rate: None, kept: OnceLock::new() };
        priced.rate = priced.priceable(rates).and_then(|what| Rate::priced(what, &priced.pair, to));
        priced
    }

    /// Whether it can be exchanged with that much of the received currency free, in units.
    #[must_use]
    pub fn state(&self, free: i64) -> PairState {
        if self.suspension.is_some() {
            return PairState::Stopped;
        }
        self.state_unsuspended(free)
    }

    /// Whether it could be exchanged if no round trip spoke against it and the reserve were great enough.
    pub(super) fn is_sellable(&self) -> bool {
        self.state_unsuspended(i64::MAX) == PairState::Ok
    }

    /// The pair with its rate by what sources say.
    pub(super) fn sellable(&self, rates: &Rates) -> Sellable<'_> {
        let (sell, buy) = (&self.from.facts.ticker, &self.to.facts.ticker);
        let market = match self.pair.source {
            RateSource::Market => self.rate.as_ref().map(|rate| rate.market),
            RateSource::Manual => {
                rates.crossing(sell, buy).filter(|crossing| crossing.is_fresh).map(|crossing| crossing.cross.rate)
            }
        };
        Sellable { pair: self, market: market.filter(|rate| *rate > Decimal::ZERO) }
    }

    fn state_unsuspended(&self, free: i64) -> PairState {
        if !(self.pair.enabled && self.from.send && self.to.receive) {
            return PairState::Off;
        }
        if self.ruling.as_ref().is_some_and(|ruling| ruling.stop.is_some()) {
            return PairState::Stopped;
        }
        match &self.rate {
            None => PairState::NoRate,
            Some(rate) if !rate.is_fresh => PairState::Stale,
            Some(rate) => match rate.least_receive {
                None => PairState::NoRate,
                Some(least) if free < least => PairState::NoReserve,
                Some(_) => PairState::Ok,
            },
        }
    }

    /// The limits of terms of this pair with that much of the received currency free, in units; nothing when no amount
    /// can be exchanged.
    #[must_use]
    pub fn limits(&self, terms: &Terms, free: i64) -> Option<Limits> {
        // Set limits are checked when an operator gives them, so they are amounts.
        Limits::effective(terms, &self.pair.limits, Some(self.to.free(free))).ok().flatten()
    }

    /// What a sent amount is worth in the received currency at the market's rate, rounded down.
    #[must_use]
    pub fn worth(&self, send: Decimal) -> Option<Amount> {
        let scale = self.to.facts.scale;
        let market = Ratio::of(self.rate.as_ref()?.market)?;
        let worth = Ratio::of(send)?.times(&market).round_down(EXACT_DIGITS, scale.min(SCALE_MAX)).unwrap_or_default();
        Amount::exact(worth, scale).ok()
    }
}

impl Rate {
    fn priced(what: Priceable, pair: &Pair, to: &Currency) -> Option<Self> {
        let priced = what.pricing.price().ok()?;
        let limits = Limits::effective(&priced.terms, &pair.limits, None).ok().flatten();
        let most_send = limits.as_ref().map(|limits| limits.from.max.value);
        let least_receive = limits.and_then(|limits| Amount::exact(limits.to.min.value, to.facts.scale).ok()).map(Amount::units);
        Some(Self {
            market: what.pricing.market.rate(),
            terms: priced.terms,
            explanation: priced.explanation,
            rates_of: what.rates_of,
            is_fresh: what.is_fresh,
            least_receive,
            most_send,
        })
    }
}

impl Rate {
    /// By how many percent the course is above, or if less than nothing below, the rate before the house adds its own: hundredths, rounded
    /// so that it never looks better than it is.
    #[must_use]
    pub fn deviation_percent(&self) -> Decimal {
        let share = self.terms.parts().course.checked_div(self.market).unwrap_or(Decimal::ONE);
        let percent = (share - Decimal::ONE).saturating_mul(Decimal::ONE_HUNDRED);
        percent.round_dp_with_strategy(2, RoundingStrategy::ToNegativeInfinity).normalize()
    }
}

/// A pair's pricing without a bonus, and what its rates are.
struct Priceable {
    pricing: Pricing,
    is_fresh: bool,
    rates_of: Option<Date>,
}

impl MarketPair {
    fn priceable(&self, rates: &Rates) -> Option<Priceable> {
        let Self { pair, from, to, .. } = self;
        let (market, is_fresh, rates_of) = match pair.source {
            RateSource::Manual => (MarketRate::Manual(pair.manual_rate?), true, None),
            RateSource::Market => {
                let (sell, buy) = (&from.facts.ticker, &to.facts.ticker);
                let crossing = rates.crossing(sell, buy)?;
                let day = rates.day_of(&crossing);
                (MarketRate::Crossed(crossing.cross), crossing.is_fresh, day)
            }
        };
        let pricing = Pricing {
            market,
            spread_percent: pair.spread_percent,
            adjustments: self.ruling.as_ref().map(|ruling| ruling.adjustments.clone()).unwrap_or_default(),
            fee_from: pair.fee_from,
            fee_to: pair.fee_to,
            bonus_percent: Decimal::ZERO,
            tiers: pair.tiers.clone(),
            digits_from: from.round_digits,
            digits_to: to.round_digits,
        };
        Some(Priceable { pricing, is_fresh, rates_of })
    }
}

/// What made a bonus smaller than its parts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The most that bonuses may add.
    Most,
    /// What the pair leaves between its course and the market's rate.
    Market,
}

/// The rate of a pair for one customer.
#[derive(Clone, Debug)]
pub struct Lifted<'a> {
    /// The rate with the bonus inside.
    pub rate: Cow<'a, Rate>,
    /// Percent of bonus inside.
    pub percent: Decimal,
    /// What it is given for.
    pub parts: Vec<BonusPart>,
    /// What made it smaller than its parts, if anything did.
    pub cut: Option<Cut>,
}

impl Lifted<'_> {
    /// The promo code among its parts, if the bonus is greater for it.
    #[must_use]
    pub fn useful_promo(&self) -> Option<&str> {
        let without: Decimal = self.parts.iter().filter(|part| part.kind != BonusKind::Promo).map(|part| part.percent).sum();
        let promo = self.parts.iter().find_map(|part| part.code.as_deref());
        promo.filter(|_| self.percent > without)
    }
}

impl MarketPair {
    /// The rate with a customer's bonus, as far as the pair has room for it; nothing when there is no rate.
    #[must_use]
    pub fn lifted(&self, rates: &Rates, bonus: &Bonus) -> Option<Lifted<'_>> {
        let plain = self.rate.as_ref()?;
        if bonus.parts.is_empty() {
            return Some(Lifted { rate: Cow::Borrowed(plain), percent: Decimal::ZERO, parts: Vec::new(), cut: None });
        }
        let room = self.priceable(rates)?.pricing.room();
        let (asked, capped) = (bonus.asked(), bonus.percent().max(Decimal::ZERO));
        let (percent, cut) = match (bonus.above_market || capped <= room, capped < asked) {
            (false, _) => (room, Some(Cut::Market)),
            (true, true) => (capped, Some(Cut::Most)),
            (true, false) => (capped, None),
        };
        self.with_percent(rates, percent, &bonus.parts).map(|lifted| Lifted { cut, ..lifted })
    }

    /// The rate with so much percent of bonus, whatever room the pair has for it.
    #[must_use]
    pub fn with_percent(&self, rates: &Rates, percent: Decimal, parts: &[BonusPart]) -> Option<Lifted<'_>> {
        let mut what = self.priceable(rates)?;
        what.pricing.bonus_percent = percent;
        let mut rate = Rate::priced(what, &self.pair, &self.to)?;
        rate.explanation.say_why(parts);
        Some(Lifted { rate: Cow::Owned(rate), percent, parts: parts.to_vec(), cut: None })
    }
}
