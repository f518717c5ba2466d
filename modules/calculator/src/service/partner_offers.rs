//! What is offered to those who exchange for others, and quotes for an amount on either side.

use std::sync::Arc;
use std::time::Duration;

use agio_core::needs::{AmountQuote, Bonus, CurrencyFacts, OfferedCurrency, OfferedPair, PartnerOffers, QuotedSide};
use agio_core::{Error, Result};
use rust_decimal::Decimal;

use super::Calculator;
use super::agree::{above_max, check_send, unavailable};
use crate::market::{MarketPair, PairState, Rate};
use crate::model::engine::Terms;
use crate::model::limits::{Breach, Limits};

impl PartnerOffers for Calculator {
    fn currencies(&self) -> Vec<OfferedCurrency> {
        let market = self.market();
        let visible = market.currencies.iter().filter(|currency| currency.is_visible());
        let offered = visible.map(|currency| OfferedCurrency {
            facts: currency.facts.clone(),
            digits: currency.round_digits,
            send: currency.send,
            receive: currency.receive,
            reserve: currency.free(self.free(currency.id())),
        });
        offered.collect()
    }

    fn pairs(&self) -> Vec<OfferedPair> {
        let market = self.market();
        market.pairs.iter().filter_map(|pair| self.offer_of(pair).map(|(_, _, offered)| offered)).collect()
    }

    fn named(&self, code: &str) -> Option<Arc<CurrencyFacts>> {
        let market = self.market();
        let named = market.currencies.iter().find(|currency| currency.facts.code.eq_ignore_ascii_case(code));
        named.map(|currency| currency.facts.clone())
    }

    fn quote(&self, from: i64, to: i64, side: QuotedSide, at_least: Duration) -> Result<AmountQuote> {
        let market = self.market();
        let pair = market.between(from, to).ok_or_else(unavailable)?;
        let (rate, limits, offered) = self.offer_of(pair).ok_or_else(unavailable)?;
        let terms = &rate.terms;
        let send = match side {
            QuotedSide::Send(send) => send,
            QuotedSide::Receive(wanted) => send_for(wanted, terms, &limits, pair)?,
        };
        check_send(send, terms, &limits, pair)?;
        let receive = terms.receive(send).map_err(|_| above_max(&limits, pair))?;
        let now = self.platform.clock.now();
        let expires_at = now.plus(self.quote_lifetime_of(pair, at_least));
        let plain = pair.lifted(&market.rates, &Bonus::default()).ok_or_else(unavailable)?;
        let token = self.promise(&market, pair, &plain, None, now, expires_at).token();
        let course = terms.course_for(send).map_err(|_| above_max(&limits, pair))?;
        Ok(AmountQuote { token, send, receive, pair: OfferedPair { course, ..offered }, expires_at })
    }
}

impl Calculator {
    /// What is offered of a pair at this moment; nothing when it cannot be exchanged.
    fn offer_of<'m>(&self, pair: &'m MarketPair) -> Option<(&'m Rate, Limits, OfferedPair)> {
        let free = self.free(pair.pair.to);
        let rate = pair.rate.as_ref().filter(|_| pair.state(free) == PairState::Ok)?;
        let limits = pair.limits(&rate.terms, free)?;
        let offered = OfferedPair {
            from: pair.from.facts.clone(),
            to: pair.to.facts.clone(),
            course: rate.terms.parts().course,
            send: (limits.from.min.value, limits.from.max.value),
            receive: (limits.to.min.value, limits.to.max.value),
            reserve: pair.to.free(free),
            fees: (pair.pair.fee_from.fixed, pair.pair.fee_to.fixed),
            floating: self.floating(pair, rate),
            hold_minutes: pair.pair.hold_minutes,
            proof: pair.pair.verification,
        };
        Some((rate, limits, offered))
    }
}

/// The least that must be sent for an amount to be received.
fn send_for(wanted: Decimal, terms: &Terms, limits: &Limits, pair: &MarketPair) -> Result<Decimal> {
    let refused = |code: &'static str, name: &'static str, bound: crate::model::limits::Limit| {
        Error::unprocessable(code)
            .with(name, agio_core::money::plain(bound.value))
            .with("currency", &pair.to.facts.ticker)
            .with("bound", bound.bound.name())
            .at("toSumma", code)
    };
    match limits.to.check(wanted) {
        Err(Breach::BelowMin(bound)) => return Err(refused("amount_below_min", "min", bound)),
        Err(Breach::AboveMax(bound)) => return Err(refused("amount_above_max", "max", bound)),
        Ok(()) => {}
    }
    if wanted.normalize().scale() > terms.parts().digits_to {
        return Err(Error::unprocessable("validation_failed")
            .with("digits", terms.parts().digits_to)
            .at("toSumma", "too_many_digits"));
    }
    terms.send_for(wanted).ok().flatten().ok_or_else(|| refused("amount_above_max", "max", limits.to.max))
}
