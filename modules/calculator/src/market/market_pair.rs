//! A pair with its rate.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use agio_contracts::{
    AgreedFee, AgreedFees, Bonus, BonusKind, BonusPart, CashCity, FormulaDecision, NetworkFee, OPENS_AT, PairRateDecision,
    SuspensionCause, direction_cities,
};
use agio_core::money::SCALE_MAX;
use agio_core::ratio::Ratio;
use agio_core::{Amount, Timestamp};
use rust_decimal::{Decimal, RoundingStrategy};
use time::Date;

use super::suspension::{Suspension, SuspensionCandidate};
use super::{Currency, MarketRates, Pair, RateSourceKind};
use crate::model::engine::{Terms, TermsParts};
use crate::model::explanation::Explanation;
use crate::model::limits::Limits;
use crate::model::pricing::{MarketRate, Pricing};

/// Significant digits that are always exact in a decimal.
const EXACT_DIGITS: u32 = 28;

agio_core::named! {
    /// Whether a pair can be exchanged, and why not.
    PairStatus {
        /// Available.
        Ok = "ok",
        /// The pair or one of its currencies is disabled.
        Off = "off",
        /// Suspended; `rates/pairs/{id}` gives the reason.
        Stopped = "stopped",
        /// The source rate is too old.
        Stale = "stale",
        /// No rate can be calculated.
        NoRate = "no_rate",
        /// The reserve is below the minimum that can be received.
        NoReserve = "no_reserve",
    }
}

/// The rate of a pair with the terms that follow from it.
#[derive(Clone, Debug)]
pub struct Rate {
    /// The market rate: units received for one unit given, before spread, rules and fees.
    pub market: Decimal,
    pub terms: Terms,
    pub explanation: Explanation,
    /// The fixed day of the rates, if any.
    pub rates_of: Option<Date>,
    /// Whether all observations used are recent enough.
    pub is_fresh: bool,
    /// Minimum receive amount in units. `None` if the limits allow no amount.
    min_receive: Option<i64>,
    /// Maximum give amount, regardless of the reserve. `None` if the limits allow no amount.
    pub(super) max_give: Option<Decimal>,
}

#[derive(Clone, Debug)]
pub struct MarketPair {
    pub pair: Pair,
    pub give: Arc<Currency>,
    pub receive: Arc<Currency>,
    /// The rate decision, if any.
    pub decision: Option<Arc<PairRateDecision>>,
    /// The arbitrage round trip that suspends the pair.
    pub suspension: Option<Arc<Suspension>>,
    /// The rate, if one can be calculated. Also set for disabled pairs.
    pub rate: Option<Rate>,
    /// Serialized terms for claims at this rate, cached on first use.
    pub(crate) terms_json: OnceLock<String>,
}

impl MarketPair {
    pub fn price(
        pair: Pair,
        from: &Arc<Currency>,
        to: &Arc<Currency>,
        rates: &MarketRates,
        decision: Option<Arc<PairRateDecision>>,
    ) -> Self {
        let mut priced = Self {
            pair,
            give: from.clone(),
            receive: to.clone(),
            decision,
            suspension: None,
            rate: None,
            terms_json: OnceLock::new(),
        };
        priced.rate = priced.pricing_input(rates).and_then(|what| Rate::priced(what, &priced.pair, to));
        priced
    }

    /// The state for an available reserve of the receive currency, in units.
    pub fn state(&self, free: i64) -> PairStatus {
        if self.suspension.is_some() {
            return PairStatus::Stopped;
        }
        self.state_unsuspended(free)
    }

    /// Whether staff offer the pair: it is enabled, so are its currencies, and cash has a city to change hands in.
    pub fn is_offered(&self) -> bool {
        let has_cash = self.give.facts.is_cash() || self.receive.facts.is_cash();
        let has_place = !has_cash || !self.cities().is_empty();
        self.pair.enabled && self.give.is_giveable() && self.receive.is_receivable() && has_place
    }

    /// The network fee of a payout as customers are charged for it. `None` where payouts cost nothing.
    pub fn network_fee(&self) -> Option<NetworkFee> {
        NetworkFee::of(self.pair.network_fee_payer, self.receive.amount(self.receive.network_fee).value())
    }

    /// Where cash changes hands; empty without cash.
    pub fn cities(&self) -> Vec<&CashCity> {
        let own = &self.pair.cities;
        let mut cities = direction_cities(&self.give.facts, &self.receive.facts);
        cities.retain(|city| own.is_empty() || own.contains(&city.code));
        cities
    }

    pub(crate) fn city_codes(&self) -> Vec<String> {
        self.cities().into_iter().map(|city| city.code.clone()).collect()
    }

    /// When the schedule of the pair opens it again, if nothing else closes it.
    pub fn opens_at(&self) -> Option<Timestamp> {
        let suspension = self.decision.as_ref()?.suspension.as_ref()?;
        let is_scheduled = suspension.cause == SuspensionCause::Schedule && self.is_offered() && self.suspension.is_none();
        let (_, opens_at) = suspension.numbers.iter().find(|(name, _)| name == OPENS_AT && is_scheduled)?;
        Timestamp::parse(opens_at).ok()
    }

    /// Whether the pair could be exchanged without an arbitrage suspension and with enough reserve.
    pub(super) fn is_otherwise_available(&self) -> bool {
        self.state_unsuspended(i64::MAX) == PairStatus::Ok
    }

    pub(super) fn suspension_candidate(&self, rates: &MarketRates) -> SuspensionCandidate<'_> {
        SuspensionCandidate { pair: self, market: self.market_rate(rates) }
    }

    /// The formula that gives the rate, if any.
    fn formula(&self) -> Option<&FormulaDecision> {
        let formula = self.decision.as_ref().and_then(|decision| decision.formula.as_ref());
        formula.filter(|_| self.pair.source == RateSourceKind::Market)
    }

    /// Whether staff set the rate, as a number or by a formula, so that it may differ from the market's.
    pub fn has_own_rate(&self) -> bool {
        self.pair.source == RateSourceKind::Manual || self.formula().is_some()
    }

    /// What sources say the pair is worth, also if its rate is its own. `None` if they are silent or too old to compare a
    /// manual rate with.
    pub fn market_rate(&self, rates: &MarketRates) -> Option<Decimal> {
        let (sell, buy) = (&self.give.facts.ticker, &self.receive.facts.ticker);
        let market = if self.has_own_rate() {
            rates.crossing(sell, buy).filter(|crossing| crossing.is_fresh).map(|crossing| crossing.cross.rate)
        } else {
            self.rate.as_ref().map(|rate| rate.market)
        };
        market.filter(|rate| *rate > Decimal::ZERO)
    }

    fn state_unsuspended(&self, free: i64) -> PairStatus {
        if !self.is_offered() {
            return PairStatus::Off;
        }
        if self.decision.as_ref().is_some_and(|decision| decision.suspension.is_some()) {
            return PairStatus::Stopped;
        }
        match &self.rate {
            None => PairStatus::NoRate,
            Some(rate) if !rate.is_fresh => PairStatus::Stale,
            Some(rate) => match rate.min_receive {
                None => PairStatus::NoRate,
                Some(least) if free < least => PairStatus::NoReserve,
                Some(_) => PairStatus::Ok,
            },
        }
    }

    /// The limits for terms of this pair and an available reserve in units. `None` if no amount can be exchanged.
    pub fn limits(&self, terms: &Terms, free: i64) -> Option<Limits> {
        // Configured limits are validated when they are set, so they are valid amounts.
        Limits::effective(terms, &self.pair.limits, Some(self.receive.free(free))).ok().flatten()
    }

    /// The value of a give amount in the receive currency at the market rate, rounded down.
    pub fn market_value(&self, give: Decimal) -> Option<Amount> {
        let market = Ratio::of(self.rate.as_ref()?.market)?;
        let value =
            Ratio::of(give)?.times(&market).round_down(EXACT_DIGITS, self.receive.facts.scale.min(SCALE_MAX)).unwrap_or_default();
        self.receive.facts.exact(value).ok()
    }
}

impl Rate {
    fn priced(what: PricingInput, pair: &Pair, to: &Currency) -> Option<Self> {
        let priced = what.pricing.price().ok()?;
        let limits = Limits::effective(&priced.terms, &pair.limits, None).ok().flatten();
        let max_give = limits.as_ref().map(|limits| limits.give.max.value);
        let min_receive = limits.and_then(|limits| to.facts.exact(limits.receive.min.value).ok()).map(Amount::units);
        Some(Self {
            market: what.pricing.market.rate(),
            terms: priced.terms,
            explanation: priced.explanation,
            rates_of: what.rates_of,
            is_fresh: what.is_fresh,
            min_receive,
            max_give,
        })
    }
}

impl Rate {
    /// Deviation of the customer rate from the market rate in percent, two decimals, rounded down. Negative if below.
    pub fn deviation_percent(&self) -> Decimal {
        let share = self.terms.parts().rate.checked_div(self.market).unwrap_or(Decimal::ONE);
        let percent = (share - Decimal::ONE).saturating_mul(Decimal::ONE_HUNDRED);
        percent.round_dp_with_strategy(2, RoundingStrategy::ToNegativeInfinity).normalize()
    }
}

/// Inputs for pricing a pair without a bonus.
struct PricingInput {
    pricing: Pricing,
    is_fresh: bool,
    rates_of: Option<Date>,
}

impl MarketPair {
    fn pricing_input(&self, rates: &MarketRates) -> Option<PricingInput> {
        let Self { pair, give: from, receive: to, .. } = self;
        let (market, is_fresh, rates_of) = match (pair.source, self.formula()) {
            (RateSourceKind::Manual, _) => (MarketRate::Manual(pair.manual_rate?), true, None),
            (RateSourceKind::Market, Some(FormulaDecision { formula, price })) => {
                (MarketRate::Formula(formula.clone(), price.clone()?), true, rates.fixed_day)
            }
            (RateSourceKind::Market, None) => {
                let (sell, buy) = (&from.facts.ticker, &to.facts.ticker);
                let crossing = rates.crossing(sell, buy)?;
                let day = rates.day_of(&crossing);
                (MarketRate::Crossed(crossing.cross), crossing.is_fresh, day)
            }
        };
        let pricing = Pricing {
            market,
            spread_percent: pair.spread_percent,
            adjustments: self.decision.as_ref().map(|decision| decision.adjustments.clone()).unwrap_or_default(),
            give_fee: pair.give_fee,
            receive_fee: pair.receive_fee,
            network_fee: self.network_fee(),
            bonus_percent: Decimal::ZERO,
            tiers: pair.tiers.clone(),
            give_digits: from.round_digits,
            receive_digits: to.round_digits,
            give_step: pair.limits.give.step,
            receive_step: pair.limits.receive.step,
        };
        Some(PricingInput { pricing, is_fresh, rates_of })
    }
}

agio_core::named! {
    /// What limits a bonus.
    BonusLimit {
        /// The maximum total bonus.
        Most = "most",
        /// The market rate: no customer rate exceeds it.
        Market = "market",
    }
}

/// The rate of a pair with a customer's bonus.
#[derive(Clone, Debug)]
pub struct BonusRate<'a> {
    pub rate: Cow<'a, Rate>,
    /// The bonus applied, in percent.
    pub percent: Decimal,
    pub parts: Vec<BonusPart>,
    /// Why the bonus is smaller than the sum of its parts, if it is.
    pub cap: Option<BonusLimit>,
}

impl BonusRate<'_> {
    /// The promo code, if it increases the bonus.
    pub fn useful_promo(&self) -> Option<&str> {
        let without: Decimal = self.parts.iter().filter(|part| part.kind != BonusKind::Promo).map(|part| part.percent).sum();
        let promo = self.parts.iter().find_map(|part| part.code.as_deref());
        promo.filter(|_| self.percent > without)
    }
}

impl MarketPair {
    /// The fees of an exchange on terms of this pair.
    pub fn fees(&self, terms: &TermsParts) -> AgreedFees {
        AgreedFees {
            give: AgreedFee { fixed: terms.give_fee, percent: self.pair.give_fee.percent },
            receive: AgreedFee { fixed: terms.receive_fee, percent: self.pair.receive_fee.percent },
            network: terms.network_fee,
        }
    }

    /// The rate with a bonus, capped by the market rate. `None` without a rate.
    pub fn bonus_rate(&self, rates: &MarketRates, bonus: &Bonus) -> Option<BonusRate<'_>> {
        let plain = self.rate.as_ref()?;
        if bonus.parts.is_empty() {
            return Some(BonusRate { rate: Cow::Borrowed(plain), percent: Decimal::ZERO, parts: Vec::new(), cap: None });
        }
        let max_bonus_percent = self.pricing_input(rates)?.pricing.max_bonus_percent();
        let (uncapped, capped) = (bonus.uncapped_percent(), bonus.percent().max(Decimal::ZERO));
        let (percent, cap) = match (bonus.above_market || capped <= max_bonus_percent, capped < uncapped) {
            (false, _) => (max_bonus_percent, Some(BonusLimit::Market)),
            (true, true) => (capped, Some(BonusLimit::Most)),
            (true, false) => (capped, None),
        };
        self.with_percent(rates, percent, &bonus.parts).map(|bonus_rate| BonusRate { cap, ..bonus_rate })
    }

    /// The rate with a fixed bonus percentage, not capped.
    pub fn with_percent(&self, rates: &MarketRates, percent: Decimal, parts: &[BonusPart]) -> Option<BonusRate<'_>> {
        let mut what = self.pricing_input(rates)?;
        what.pricing.bonus_percent = percent;
        let mut rate = Rate::priced(what, &self.pair, &self.receive)?;
        rate.explanation.set_bonus_parts(parts);
        Some(BonusRate { rate: Cow::Owned(rate), percent, parts: parts.to_vec(), cap: None })
    }
}
