//! Offers for partners, and quotes for an amount on either side.

use std::time::Duration;

use agio_contracts::{AmountQuote, Bonus, OfferedCurrency, OfferedPair, PartnerOffers, QuotedSide};
use agio_core::{Error, Result};
use rust_decimal::Decimal;

use super::Calculator;
use super::agreement::{above_max, check_give, check_steps, not_multiple, unavailable};
use crate::market::{MarketPair, PairStatus, Rate};
use crate::model::engine::Terms;
use crate::model::limits::{Breach, Limits};

impl PartnerOffers for Calculator {
    fn currencies(&self) -> Vec<OfferedCurrency> {
        let market = self.market();
        let visible = market.currencies.iter().filter(|currency| currency.is_visible());
        let offered = visible.map(|currency| OfferedCurrency {
            facts: currency.facts.clone(),
            digits: currency.round_digits,
            can_give: currency.is_giveable(),
            can_receive: currency.is_receivable(),
            reserve: currency.free(self.free(currency.id())),
        });
        offered.collect()
    }

    fn pairs(&self) -> Vec<OfferedPair> {
        let market = self.market();
        market.pairs.iter().filter_map(|pair| self.offer_of(pair).map(|(_, _, offered)| offered)).collect()
    }

    fn quote(&self, from: i64, to: i64, side: QuotedSide, at_least: Duration) -> Result<AmountQuote> {
        let market = self.market();
        let pair = market.between(from, to).ok_or_else(unavailable)?;
        let (rate, limits, offered) = self.offer_of(pair).ok_or_else(unavailable)?;
        let terms = &rate.terms;
        let give = match side {
            QuotedSide::Give(give) => give,
            QuotedSide::Receive(wanted) => give_for(wanted, terms, &limits, pair)?,
        };
        check_give(give, terms, &limits, pair)?;
        check_steps(give, terms, &limits, pair, true)?;
        let receive = terms.receive(give).map_err(|_| above_max(&limits, pair))?;
        let now = self.platform.clock.now();
        let expires_at = now.plus(self.quote_lifetime_of(pair, at_least));
        let plain = pair.bonus_rate(&market.rates, &Bonus::default()).ok_or_else(unavailable)?;
        let token = self.sign_quote(&market, pair, &plain, None, now, expires_at).token();
        let rate = terms.rate_for(give).map_err(|_| above_max(&limits, pair))?;
        Ok(AmountQuote { token, give, receive, pair: OfferedPair { rate, ..offered }, expires_at })
    }
}

impl Calculator {
    /// `None` if the pair cannot be exchanged now.
    fn offer_of<'m>(&self, pair: &'m MarketPair) -> Option<(&'m Rate, Limits, OfferedPair)> {
        let free = self.free(pair.pair.receive_id);
        let rate = pair.rate.as_ref().filter(|_| pair.state(free) == PairStatus::Ok)?;
        let limits = pair.limits(&rate.terms, free)?;
        let parts = rate.terms.parts();
        let offered = OfferedPair {
            from: pair.give.facts.clone(),
            to: pair.receive.facts.clone(),
            rate: parts.rate,
            give: (limits.give.min.value, limits.give.max.value),
            receive: (limits.receive.min.value, limits.receive.max.value),
            steps: (rate.terms.give_step(), rate.terms.receive_step()),
            reserve: pair.receive.free(free),
            fees: (parts.give_fee, parts.receive_fee),
            network_fee: parts.network_fee,
            floating: self.floating(pair, rate),
            hold_minutes: pair.pair.hold_minutes,
            verification: pair.pair.verification,
            customer_terms: pair.pair.customer_terms(),
            cities: pair.city_codes(),
        };
        Some((rate, limits, offered))
    }
}

/// The smallest give amount for a receive amount.
fn give_for(wanted: Decimal, terms: &Terms, limits: &Limits, pair: &MarketPair) -> Result<Decimal> {
    let refused = |code: &'static str, name: &'static str, bound: crate::model::limits::Limit| {
        Error::unprocessable(code)
            .with(name, agio_core::money::plain(bound.value))
            .with("currency", &pair.receive.facts.ticker)
            .with("bound", bound.bound.name())
            .at("toSumma", code)
    };
    match limits.receive.check(wanted) {
        Err(Breach::BelowMin(bound)) => return Err(refused("amount_below_min", "min", bound)),
        Err(Breach::AboveMax(bound)) => return Err(refused("amount_above_max", "max", bound)),
        Ok(()) => {}
    }
    if wanted.normalize().scale() > terms.parts().receive_digits {
        return Err(Error::unprocessable("validation_failed")
            .with("digits", terms.parts().receive_digits)
            .at("toSumma", "too_many_digits"));
    }
    let nearest = limits.snap_receive(terms, wanted).map_err(|_| refused("amount_above_max", "max", limits.receive.max))?;
    if let Some(step) = terms.receive_step().filter(|_| nearest != wanted) {
        return Err(not_multiple("toSumma", (step, &pair.receive), (nearest, &pair.receive)));
    }
    terms.give_for(wanted).ok().flatten().ok_or_else(|| refused("amount_above_max", "max", limits.receive.max))
}
