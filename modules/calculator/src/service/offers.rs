//! What is offered, for feeds.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use agio_core::Amount;
use agio_core::needs::{CurrencyFacts, Direction, DirectionSide, OfferStamp, Offers};
use rust_decimal::Decimal;

use super::Calculator;
use crate::market::{Currency, Market, MarketPair, PairState, RateSource};
use crate::model::limits::Range;
use crate::settings::technical_mode;

/// Digits of a reserve that a feed tells.
const RESERVE_DIGITS: u32 = 3;

impl Offers for Calculator {
    fn stamp(&self) -> OfferStamp {
        // The count before the market: a picture that comes between them makes the feed be built once more, never too seldom.
        let pictures = self.pictures.load(Ordering::Acquire);
        let market = self.market();
        let reserves = market.currencies.iter().map(|currency| (currency.id(), coarse(self.free(currency.id())))).collect();
        let automatic = market.currencies.iter().filter_map(|currency| {
            let most = self.payments.handling(currency.id()).automatic_payout?;
            Some((currency.id(), most))
        });
        let closed = technical_mode(&self.platform.settings).0;
        OfferStamp { market: pictures, reserves, automatic: automatic.collect(), closed }
    }

    fn directions(&self, stamp: &OfferStamp) -> Vec<Direction> {
        if stamp.closed {
            return Vec::new();
        }
        let market = self.market();
        let free: HashMap<i64, i64> = stamp.reserves.iter().copied().collect();
        let free = |currency: i64| free.get(&currency).copied().unwrap_or_default();
        let automatic: HashMap<i64, i64> = stamp.automatic.iter().copied().collect();
        let most = |currency: i64| automatic.get(&currency).copied();
        market.pairs.iter().filter_map(|pair| direction(&market, pair, free(pair.pair.to), most(pair.pair.to))).collect()
    }

    fn currencies(&self) -> Vec<CurrencyFacts> {
        self.market().currencies.iter().map(|currency| CurrencyFacts::clone(&currency.facts)).collect()
    }
}

/// An amount with its first digits alone, rounded down.
fn coarse(units: i64) -> i64 {
    let digits = units.max(0).checked_ilog10().map_or(0, |exponent| exponent + 1);
    let grid = 10_i64.pow(digits.saturating_sub(RESERVE_DIGITS));
    units.max(0) / grid * grid
}

/// `automatic` is the greatest payout that leaves without staff, in units.
fn direction(market: &Market, pair: &MarketPair, free: i64, automatic: Option<i64>) -> Option<Direction> {
    if pair.state(free) != PairState::Ok {
        return None;
    }
    let rate = pair.rate.as_ref()?;
    let limits = pair.limits(&rate.terms, free)?;
    let (sell, buy) = (&pair.from.facts.ticker, &pair.to.facts.ticker);
    let sources_say = match pair.pair.source {
        RateSource::Market => Some(rate.market),
        RateSource::Manual => market.rates.fresh(sell, buy).map(|cross| cross.rate),
    };
    let courses = rate.terms.parts().tiers_from_zero().into_iter().map(|tier| (tier.min_send, tier.course)).collect();
    let least = Amount::exact(limits.to.min.value, pair.to.facts.scale).ok()?.units();
    Some(Direction {
        from: side(&pair.from, &limits.from),
        to: side(&pair.to, &limits.to),
        courses,
        fee_from: pair.pair.fee_from.fixed,
        fee_to: pair.pair.fee_to.fixed,
        reserve: pair.to.free(free),
        floating: pair.pair.floating.then_some(pair.pair.hold_minutes),
        manual: automatic.is_none_or(|most| most < least),
        proof: pair.pair.verification,
        market: sources_say.filter(|rate| *rate > Decimal::ZERO),
    })
}

fn side(currency: &Currency, range: &Range) -> DirectionSide {
    let facts = &currency.facts;
    DirectionSide {
        id: facts.id,
        code: facts.code.clone(),
        ticker: facts.ticker.clone(),
        kind: facts.kind.clone(),
        min: range.min.value,
        max: range.max.value,
    }
}

#[cfg(test)]
mod tests {
    use super::coarse;

    #[test]
    fn a_reserve_is_told_in_three_digits_and_never_more_than_there_is() {
        for (units, told) in
            [(0, 0), (-5, 0), (7, 7), (999, 999), (1_234, 1_230), (98_765_432, 98_700_000), (i64::MAX, 9_220_000_000_000_000_000)]
        {
            assert_eq!(coarse(units), told, "{units}");
        }
    }
}
