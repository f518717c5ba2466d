//! Agreement on the terms of an exchange.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{
    AgreedQuote, AgreedTerms, AgreedTier, AgreedTolerance, Bonus, CashCity, CurrencyInfo, CurrencyLookup, CustomerTerms,
    QuoteProvider, QuoteRequest, RecalculatedTerms, VerificationSubject,
};
use agio_core::texts::{Bilingual, Locale, Texts};
use agio_core::{Error, Result, Timestamp};
use rust_decimal::Decimal;

use super::Calculator;
use super::approvals::exceeds_percent;
use crate::market::{Currency, MarketPair, MarketRates, PairStatus, Rate, Tolerance, rate_text};
use crate::model::engine::{Terms, TermsParts, Tier};
use crate::model::explanation::Explanation;
use crate::model::limits::{Breach, Limits};
use crate::model::quote::{Quote, QuoteError};

/// How far apart the clocks of two nodes may be.
const CLOCK_DIFFERENCE_MAX: Duration = Duration::from_secs(60);

impl QuoteProvider for Calculator {
    fn agree(&self, request: &QuoteRequest) -> Result<AgreedQuote> {
        let market = self.market();
        let pair = market.between(request.from, request.to).ok_or_else(unavailable)?;
        let quote = match &request.quote {
            Some(token) => self.live_quote(token, request)?,
            None => None,
        };
        let free = self.free_for(request);
        if pair.state(free) != PairStatus::Ok {
            return Err(unavailable());
        }
        if let Some(quote) = &quote {
            check_deviation(pair, &market.rates, request, &quote.terms, self.jump_percent(pair))?;
        }
        agree(pair, &market.rates, request, quote.as_ref(), free, &self.texts)
    }

    fn recalculate(&self, stored: &AgreedTerms, request: &QuoteRequest) -> Result<RecalculatedTerms> {
        let market = self.market();
        let pair = market.between(request.from, request.to).ok_or_else(unavailable)?;
        let terms = Terms::new(TermsParts {
            rate: stored.rate,
            tiers: stored.tiers.iter().map(|tier| Tier { min_give: tier.min, rate: tier.rate }).collect(),
            give_fee: stored.fees.give.fixed,
            receive_fee: stored.fees.receive.fixed,
            network_fee: stored.fees.network,
            give_digits: stored.give_digits,
            receive_digits: stored.receive_digits,
            // What has been paid need not be a multiple; what is paid out must.
            give_step: None,
            receive_step: stored.receive_step,
        });
        let terms = terms.map_err(Error::internal)?;
        let limits = pair.limits(&terms, self.free_for(request)).ok_or_else(unavailable)?;
        // Networks carry more digits than the pair; the rest is not exchanged.
        let give = request.give.trunc_with_scale(stored.give_digits);
        check_give(give, &terms, &limits, pair)?;
        let too_much = |_| above_max(&limits, pair);
        let receive = terms.receive(give).map_err(too_much)?;
        Ok(RecalculatedTerms { receive: pair.receive.facts.exact(receive)?, rate: terms.rate_for(give).map_err(too_much)? })
    }

    fn required_verification(&self, from: i64, to: i64) -> Option<VerificationSubject> {
        self.market().between(from, to)?.pair.verification
    }

    fn customer_terms(&self, from: i64, to: i64) -> Option<CustomerTerms> {
        self.market().between(from, to)?.pair.customer_terms()
    }

    fn cities(&self, from: i64, to: i64) -> Option<Vec<CashCity>> {
        Some(self.market().between(from, to)?.cities().into_iter().cloned().collect())
    }

    fn reported_minutes(&self, from: i64, to: i64) -> Option<i64> {
        self.market().between(from, to)?.pair.reported_minutes
    }
}

impl CurrencyLookup for Calculator {
    fn by_id(&self, id: i64) -> Option<Arc<CurrencyInfo>> {
        self.market().currency(id).map(|currency| currency.facts.clone())
    }

    fn is_archived(&self, id: i64) -> bool {
        self.market().currency(id).is_some_and(|currency| currency.archived)
    }

    fn by_code(&self, code: &str) -> Option<Arc<CurrencyInfo>> {
        let market = self.market();
        let found = market.currencies.iter().find(|currency| currency.facts.code.eq_ignore_ascii_case(code));
        found.map(|currency| currency.facts.clone())
    }

    fn receivable(&self, ticker: &str) -> Vec<Arc<CurrencyInfo>> {
        let market = self.market();
        let found = market.currencies.iter().filter(|currency| currency.is_receivable() && currency.facts.ticker == ticker);
        found.map(|currency| currency.facts.clone()).collect()
    }
}

impl Calculator {
    /// The available reserve plus the amount already held for this request.
    fn free_for(&self, request: &QuoteRequest) -> i64 {
        self.free(request.to).saturating_add(request.held_units)
    }

    /// The quote of a token. `None` if it expired, was issued by a clock that ran ahead, or belongs to another customer or
    /// promo code; current terms apply then.
    fn live_quote(&self, token: &str, request: &QuoteRequest) -> Result<Option<Quote>> {
        let invalid = || Error::unprocessable("validation_failed").at("quoteId", "quote_invalid");
        let now = self.platform.clock.now();
        match self.quote_keys().verify(token, now) {
            // It would hold until the clock gets there.
            Ok(quote) if Timestamp(quote.issued_at) > now.plus(CLOCK_DIFFERENCE_MAX) => Ok(None),
            Ok(quote) if (quote.from.id, quote.to.id) == (request.from, request.to) => {
                Ok(Some(quote).filter(|quote| quote.holds_for(request.customer, request.bonus.promo())))
            }
            Ok(_) | Err(QuoteError::Malformed | QuoteError::Signature) => Err(invalid()),
            Err(QuoteError::Expired) => Ok(None),
        }
    }
}

/// The terms of a request: the quote's, otherwise the current ones with the capped bonus. `free` is the available
/// reserve in units.
pub(super) fn agree(
    pair: &MarketPair,
    rates: &MarketRates,
    request: &QuoteRequest,
    quote: Option<&Quote>,
    free: i64,
    texts: &Texts,
) -> Result<AgreedQuote> {
    if pair.state(free) != PairStatus::Ok {
        return Err(unavailable());
    }
    let bonus = quote.map_or_else(|| request.bonus.clone(), |quote| quoted_bonus(quote, &request.bonus));
    let bonus_rate = match quote {
        Some(quote) if !bonus.parts.is_empty() => pair.with_percent(rates, quote.bonus_percent, &bonus.parts),
        _ => pair.bonus_rate(rates, &bonus),
    };
    let bonus_rate = bonus_rate.ok_or_else(unavailable)?;
    let terms = quote.map_or(&bonus_rate.rate.terms, |quote| &quote.terms);
    let limits = pair.limits(terms, free).ok_or_else(unavailable)?;
    if !request.is_paid {
        check_give(request.give, terms, &limits, pair)?;
    }

    let receive = terms.receive(request.give).map_err(|_| above_max(&limits, pair))?;
    let rate = terms.rate_for(request.give).map_err(|_| above_max(&limits, pair))?;
    let unit = Decimal::new(1, terms.parts().receive_digits);
    if request.receive.is_some_and(|shown| (shown - receive).abs() > unit) {
        return Err(rate_changed(pair, rate, request.give, receive));
    }
    if request.receive.is_some() {
        check_steps(request.give, terms, &limits, pair, quote.is_some())?;
    }
    let receive = pair.receive.facts.exact(receive)?;
    if request.is_paid && !(1..=free).contains(&receive.units()) {
        return Err(unavailable());
    }
    Ok(AgreedQuote {
        from: pair.give.facts.clone(),
        to: pair.receive.facts.clone(),
        give: pair.give.facts.exact(request.give)?,
        receive,
        market_value: pair.market_value(request.give).unwrap_or(receive),
        rate,
        bonus: bonus_rate.percent,
        promo: bonus_rate.useful_promo().map(str::to_owned),
        terms: terms_json(pair, &bonus_rate.rate, (terms, quote), &bonus, texts),
        hold_minutes: pair.pair.hold_minutes,
        quoted_at: quote.map(|quote| Timestamp(quote.issued_at)),
        floating: pair.pair.floating,
    })
}

/// Rejects a quote whose result differs from the current terms by more than the pair's price jump limit, even if its
/// signature is valid.
pub(super) fn check_deviation(
    pair: &MarketPair,
    rates: &MarketRates,
    request: &QuoteRequest,
    quoted: &Terms,
    jump_percent: Decimal,
) -> Result<()> {
    // Unavailable pairs and amounts are rejected elsewhere with their own reason.
    let Some(present) = pair.bonus_rate(rates, &request.bonus) else { return Ok(()) };
    let present = &present.rate.terms;
    let Ok(receive) = present.receive(request.give) else { return Ok(()) };
    let unit = Decimal::new(1, present.parts().receive_digits);
    let is_near = quoted
        .receive(request.give)
        .is_ok_and(|quoted| (quoted - receive).abs() <= unit || !exceeds_percent(receive, quoted, jump_percent));
    match present.rate_for(request.give) {
        Ok(rate) if !is_near => Err(rate_changed(pair, rate, request.give, receive)),
        _ => Ok(()),
    }
}

fn rate_changed(pair: &MarketPair, rate: Decimal, give: Decimal, receive: Decimal) -> Error {
    Error::conflict("rate_changed")
        .with("course", agio_core::money::plain(rate))
        .with("fromSumma", agio_core::money::plain(give))
        .with("toSumma", agio_core::money::plain(receive))
        .with("fromCurrency", &pair.give.facts.ticker)
        .with("toCurrency", &pair.receive.facts.ticker)
}

/// The bonus of a quote under the current limits.
fn quoted_bonus(quote: &Quote, now: &Bonus) -> Bonus {
    let (customer, parts) = quote.bonus_for.clone().map_or((None, Vec::new()), |bound| (bound.customer, bound.parts));
    Bonus { customer, parts, ..now.clone() }
}

pub(crate) fn check_give(give: Decimal, terms: &Terms, limits: &Limits, pair: &MarketPair) -> Result<()> {
    match limits.give.check(give) {
        Err(Breach::BelowMin(limit)) => Err(Error::unprocessable("amount_below_min")
            .with("min", agio_core::money::plain(limit.value))
            .with("currency", &pair.give.facts.ticker)
            .with("bound", limit.bound.name())
            .at("fromSumma", "amount_below_min")),
        Err(Breach::AboveMax(_)) => Err(above_max(limits, pair)),
        Ok(()) if give.normalize().scale() > terms.parts().give_digits => Err(Error::unprocessable("validation_failed")
            .with("digits", terms.parts().give_digits)
            .at("fromSumma", "too_many_digits")),
        Ok(()) => Ok(()),
    }
}

/// Checks the amount of a new exchange. With `is_quoted` it may pay for no part of a receive step; without a quote the
/// rate may have moved since the amount was computed.
pub(crate) fn check_steps(give: Decimal, terms: &Terms, limits: &Limits, pair: &MarketPair, is_quoted: bool) -> Result<()> {
    let nearest = limits.snap(terms, give).map_err(|_| above_max(limits, pair))?;
    let is_multiple = terms.give_step().is_none_or(|step| (give % step).is_zero());
    if nearest == give || (is_multiple && !is_quoted) {
        return Ok(());
    }
    let (step, currency) = match (terms.give_step(), terms.receive_step()) {
        (Some(step), _) if !is_multiple => (step, &pair.give),
        (_, Some(step)) => (step, &pair.receive),
        _ => return Ok(()),
    };
    Err(not_multiple("fromSumma", (step, currency), (nearest, &pair.give)))
}

/// 422 `amount_not_multiple` of a step, with the nearest amount below.
pub(super) fn not_multiple(field: &'static str, step: (Decimal, &Currency), nearest: (Decimal, &Currency)) -> Error {
    Error::unprocessable("amount_not_multiple")
        .with("step", agio_core::money::plain(step.0))
        .with("currency", &step.1.facts.ticker)
        .with("nearest", agio_core::money::plain(nearest.0))
        .with("nearestCurrency", &nearest.1.facts.ticker)
        .at(field, "amount_not_multiple")
}

pub(crate) fn above_max(limits: &Limits, pair: &MarketPair) -> Error {
    let limit = limits.give.max;
    Error::unprocessable("amount_above_max")
        .with("max", agio_core::money::plain(limit.value))
        .with("currency", &pair.give.facts.ticker)
        .with("bound", limit.bound.name())
        .at("fromSumma", "amount_above_max")
}

pub(super) fn unavailable() -> Error {
    Error::not_found("pair_unavailable")
}

/// The terms stored with a claim. Cached per rate, except with a bonus or an older quote.
fn terms_json(pair: &MarketPair, rate: &Rate, (terms, quote): (&Terms, Option<&Quote>), bonus: &Bonus, texts: &Texts) -> String {
    // An older quote keeps its own explanation.
    let promised = quote.and_then(|quote| quote.explanation.as_ref());
    let promised = promised.filter(|promised| **promised != rate.explanation.public_view());
    let steps = promised.unwrap_or(&rate.explanation);
    let serialized = || serialize_terms(pair, rate, (terms, steps), bonus, texts);
    if bonus.parts.is_empty() && promised.is_none() && rate.terms == *terms {
        pair.terms_json.get_or_init(serialized).clone()
    } else {
        serialized()
    }
}

fn serialize_terms(
    pair: &MarketPair,
    rate: &Rate,
    (terms, steps): (&Terms, &Explanation),
    bonus: &Bonus,
    texts: &Texts,
) -> String {
    let parts = terms.parts();
    let words = |say: &dyn Fn(Locale) -> String| Bilingual { ru: say(Locale::Ru), en: say(Locale::En) };
    let tolerance = pair.pair.tolerance;
    let stored = AgreedTerms {
        fees: pair.fees(parts),
        source: words(&|locale| rate_text::source(texts, locale, pair)),
        explanation: words(&|locale| rate_text::explanation(texts, locale, &steps.public_view())),
        rates_of: rate.rates_of.map(|day| day.to_string()),
        steps: serde_json::to_value(steps).expect("steps are plain data"),
        // Used again if the terms are recalculated.
        bonus: Some(bonus).filter(|bonus| !bonus.parts.is_empty()).cloned(),
        tolerance: (tolerance != Tolerance::default()).then_some(AgreedTolerance {
            late_percent: tolerance.late_percent,
            amount_fixed: tolerance.amount_fixed,
            amount_percent: tolerance.amount_percent,
        }),
        rate: parts.rate,
        tiers: parts.tiers.iter().map(|tier| AgreedTier { min: tier.min_give, rate: tier.rate }).collect(),
        give_digits: parts.give_digits,
        receive_digits: parts.receive_digits,
        receive_step: parts.receive_step,
    };
    serde_json::to_string(&stored).expect("terms are plain data")
}
