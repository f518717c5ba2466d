//! Offered directions for feeds.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use agio_contracts::{CurrencyInfo, OfferProvider, OfferedDirection, OfferedSide, OffersVersion};

use super::Calculator;
use crate::market::{Currency, Market, MarketPair, PairStatus};
use crate::model::limits::Range;
use crate::settings::technical_mode;

/// Significant digits of a reserve in a feed.
const RESERVE_DIGITS: u32 = 3;

impl OfferProvider for Calculator {
    fn stamp(&self) -> OffersVersion {
        // Version before market: a change in between rebuilds the feed once too often, never too rarely.
        let market_version = self.market_version.load(Ordering::Acquire);
        let market = self.market();
        let reserves = market.currencies.iter().map(|currency| (currency.id(), coarse(self.free(currency.id())))).collect();
        let automatic = market.currencies.iter().filter_map(|currency| {
            let most = self.payments.handling(currency.id()).automatic_payout?;
            Some((currency.id(), most))
        });
        let closed = technical_mode(&self.platform.settings).0;
        OffersVersion { market: market_version, reserves, automatic: automatic.collect(), closed }
    }

    fn directions(&self, stamp: &OffersVersion) -> Vec<OfferedDirection> {
        if stamp.closed {
            return Vec::new();
        }
        let market = self.market();
        let free: HashMap<i64, i64> = stamp.reserves.iter().copied().collect();
        let free = |currency: i64| free.get(&currency).copied().unwrap_or_default();
        let automatic: HashMap<i64, i64> = stamp.automatic.iter().copied().collect();
        let most = |currency: i64| automatic.get(&currency).copied();
        market
            .pairs
            .iter()
            .filter_map(|pair| direction(&market, pair, free(pair.pair.receive_id), most(pair.pair.receive_id)))
            .collect()
    }

    fn direction(&self, give: i64, receive: i64) -> Option<OfferedDirection> {
        if technical_mode(&self.platform.settings).0 {
            return None;
        }
        let market = self.market();
        let automatic = self.payments.handling(receive).automatic_payout;
        direction(&market, market.between(give, receive)?, coarse(self.free(receive)), automatic)
    }

    fn is_listed(&self, give: i64, receive: i64) -> bool {
        self.market().between(give, receive).is_some_and(MarketPair::is_offered)
    }

    fn currencies(&self) -> Vec<CurrencyInfo> {
        self.market().currencies.iter().map(|currency| CurrencyInfo::clone(&currency.facts)).collect()
    }
}

/// Rounds down to the first significant digits.
fn coarse(units: i64) -> i64 {
    let digits = units.max(0).checked_ilog10().map_or(0, |exponent| exponent + 1);
    let grid = 10_i64.pow(digits.saturating_sub(RESERVE_DIGITS));
    units.max(0) / grid * grid
}

/// `automatic` is the largest automatic payout, in units.
fn direction(market: &Market, pair: &MarketPair, free: i64, automatic: Option<i64>) -> Option<OfferedDirection> {
    if pair.state(free) != PairStatus::Ok {
        return None;
    }
    let rate = pair.rate.as_ref()?;
    let limits = pair.limits(&rate.terms, free)?;
    let parts = rate.terms.parts();
    let rates = parts.tiers_from_zero().into_iter().map(|tier| (tier.min_give, tier.rate)).collect();
    let least = pair.receive.facts.exact(limits.receive.min.value).ok()?.units();
    Some(OfferedDirection {
        from: side(&pair.give, &limits.give),
        to: side(&pair.receive, &limits.receive),
        rates,
        give_fee: parts.give_fee,
        receive_fee: parts.receive_fee,
        reserve: pair.receive.free(free),
        floating: pair.pair.floating.then_some(pair.pair.hold_minutes),
        manual: automatic.is_none_or(|most| most < least),
        verification: pair.pair.verification,
        has_terms: pair.pair.customer_terms.is_some(),
        market: pair.market_rate(&market.rates),
        cities: pair.city_codes(),
    })
}

fn side(currency: &Currency, range: &Range) -> OfferedSide {
    let facts = &currency.facts;
    OfferedSide {
        id: facts.id,
        code: facts.code.clone(),
        ticker: facts.ticker.clone(),
        kind: facts.kind,
        min: range.min.value,
        max: range.max.value,
    }
}

#[cfg(test)]
mod tests {
    use super::coarse;

    #[test]
    fn a_reserve_is_rounded_down_to_three_digits() {
        for (units, rounded) in
            [(0, 0), (-5, 0), (7, 7), (999, 999), (1_234, 1_230), (98_765_432, 98_700_000), (i64::MAX, 9_220_000_000_000_000_000)]
        {
            assert_eq!(coarse(units), rounded, "{units}");
        }
    }
}
