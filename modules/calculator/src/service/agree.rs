//! Agreeing on the terms of an exchange.

use std::sync::Arc;

use agio_core::needs::{
    Agreed, AgreedFee, AgreedFees, AgreedTerms, AgreedTier, AgreedTolerance, Asked, Bonus, CurrencyFacts, CurrencyList, Proof,
    Quotes, Recalculated,
};
use agio_core::texts::{Bilingual, Locale, Texts};
use agio_core::{Amount, Error, Result, Timestamp};
use rust_decimal::Decimal;

use super::Calculator;
use super::consent::is_further;
use crate::market::{MarketPair, PairState, Rate, Rates, Tolerance, wording};
use crate::model::engine::{Terms, TermsParts, Tier};
use crate::model::explanation::Explanation;
use crate::model::limits::{Breach, Limits};
use crate::model::quote::{Quote, QuoteError};

impl Quotes for Calculator {
    fn agree(&self, asked: &Asked) -> Result<Agreed> {
        let market = self.market();
        let pair = market.between(asked.from, asked.to).ok_or_else(unavailable)?;
        let quote = match &asked.quote {
            Some(token) => self.live_quote(token, asked)?,
            None => None,
        };
        let free = self.free_for(asked);
        if pair.state(free) != PairState::Ok {
            return Err(unavailable());
        }
        if let Some(quote) = &quote {
            check_deviation(pair, &market.rates, asked, &quote.terms, self.jump_percent(pair))?;
        }
        agree(pair, &market.rates, asked, quote.as_ref(), free, &self.texts)
    }

    fn recalculate(&self, kept: &AgreedTerms, asked: &Asked) -> Result<Recalculated> {
        let market = self.market();
        let pair = market.between(asked.from, asked.to).ok_or_else(unavailable)?;
        let terms = Terms::new(TermsParts {
            course: kept.course,
            tiers: kept.tiers.iter().map(|tier| Tier { min_send: tier.min, course: tier.course }).collect(),
            fee_from: kept.fees.from.fixed,
            fee_to: kept.fees.to.fixed,
            digits_from: kept.digits_from,
            digits_to: kept.digits_to,
        });
        let terms = terms.map_err(Error::internal)?;
        let limits = pair.limits(&terms, self.free_for(asked)).ok_or_else(unavailable)?;
        // Networks carry more digits than a pair may deal in; what is behind these is not exchanged.
        let send = asked.send.trunc_with_scale(kept.digits_from);
        check_send(send, &terms, &limits, pair)?;
        let too_much = |_| above_max(&limits, pair);
        let receive = terms.receive(send).map_err(too_much)?;
        Ok(Recalculated {
            receive: Amount::exact(receive, pair.to.facts.scale)?,
            course: terms.course_for(send).map_err(too_much)?,
        })
    }

    fn currency(&self, id: i64) -> Option<Arc<CurrencyFacts>> {
        self.market().currency(id).map(|currency| currency.facts.clone())
    }

    fn proof(&self, from: i64, to: i64) -> Option<Proof> {
        self.market().between(from, to)?.pair.verification
    }

    fn reported_minutes(&self, from: i64, to: i64) -> Option<i64> {
        self.market().between(from, to)?.pair.reported_minutes
    }
}

impl CurrencyList for Calculator {
    fn by_id(&self, id: i64) -> Option<Arc<CurrencyFacts>> {
        self.currency(id)
    }

    fn by_code(&self, code: &str) -> Option<Arc<CurrencyFacts>> {
        let market = self.market();
        let found = market.currencies.iter().find(|currency| currency.facts.code.eq_ignore_ascii_case(code));
        found.map(|currency| currency.facts.clone())
    }

    fn receivable(&self, ticker: &str) -> Vec<Arc<CurrencyFacts>> {
        let market = self.market();
        let found = market.currencies.iter().filter(|currency| currency.receive && currency.facts.ticker == ticker);
        found.map(|currency| currency.facts.clone()).collect()
    }
}

impl Calculator {
    /// What may be paid out to whoever asks: what is free, and what is set aside for them.
    fn free_for(&self, asked: &Asked) -> i64 {
        self.free(asked.to).saturating_add(asked.set_aside)
    }

    /// The quote of a token, or nothing when it holds no longer, or for somebody else or with another promo code: then the terms of this
    /// moment are agreed on, and a customer who was shown others is told.
    fn live_quote(&self, token: &str, asked: &Asked) -> Result<Option<Quote>> {
        let invalid = || Error::unprocessable("validation_failed").at("quoteId", "quote_invalid");
        match self.quote_keys().verify(token, self.platform.clock.now()) {
            Ok(quote) if (quote.from.id, quote.to.id) == (asked.from, asked.to) => {
                Ok(Some(quote).filter(|quote| quote.holds_for(asked.customer, asked.bonus.promo())))
            }
            Ok(_) | Err(QuoteError::Malformed | QuoteError::Signature) => Err(invalid()),
            Err(QuoteError::Expired) => Ok(None),
        }
    }
}

/// The terms of what is asked: the quote's, or else the present ones with the bonus that is asked for, as far as the pair has room
/// for it. `free` is the free reserve in units.
pub(super) fn agree(
    pair: &MarketPair,
    rates: &Rates,
    asked: &Asked,
    quote: Option<&Quote>,
    free: i64,
    texts: &Texts,
) -> Result<Agreed> {
    if pair.state(free) != PairState::Ok {
        return Err(unavailable());
    }
    let bonus = quote.map_or_else(|| asked.bonus.clone(), |quote| promised(quote, &asked.bonus));
    let lifted = match quote {
        Some(quote) if !bonus.parts.is_empty() => pair.with_percent(rates, quote.bonus_percent, &bonus.parts),
        _ => pair.lifted(rates, &bonus),
    };
    let lifted = lifted.ok_or_else(unavailable)?;
    let terms = quote.map_or(&lifted.rate.terms, |quote| &quote.terms);
    let limits = pair.limits(terms, free).ok_or_else(unavailable)?;
    check_send(asked.send, terms, &limits, pair)?;

    let receive = terms.receive(asked.send).map_err(|_| above_max(&limits, pair))?;
    let course = terms.course_for(asked.send).map_err(|_| above_max(&limits, pair))?;
    let unit = Decimal::new(1, terms.parts().digits_to);
    if asked.receive.is_some_and(|shown| (shown - receive).abs() > unit) {
        return Err(rate_changed(course, asked.send, receive));
    }
    let receive = Amount::exact(receive, pair.to.facts.scale)?;
    Ok(Agreed {
        from: pair.from.facts.clone(),
        to: pair.to.facts.clone(),
        send: Amount::exact(asked.send, pair.from.facts.scale)?,
        receive,
        worth: pair.worth(asked.send).unwrap_or(receive),
        course,
        bonus: lifted.percent,
        promo: lifted.useful_promo().map(str::to_owned),
        terms: kept_terms(pair, &lifted.rate, (terms, quote), &bonus, texts),
        hold_minutes: pair.pair.hold_minutes,
        quoted_at: quote.map(|quote| Timestamp(quote.issued_at)),
        floating: pair.pair.floating,
    })
}

/// Holds the terms of a quote against those of this moment: what would be paid for the amount may differ by as much as the rate of the pair
/// may jump, and by no more, whoever signed it.
pub(super) fn check_deviation(
    pair: &MarketPair,
    rates: &Rates,
    asked: &Asked,
    quoted: &Terms,
    jump_percent: Decimal,
) -> Result<()> {
    // What cannot be exchanged, or not this much of it, is refused with its own reason.
    let Some(present) = pair.lifted(rates, &asked.bonus) else { return Ok(()) };
    let present = &present.rate.terms;
    let Ok(receive) = present.receive(asked.send) else { return Ok(()) };
    let unit = Decimal::new(1, present.parts().digits_to);
    let is_near = quoted
        .receive(asked.send)
        .is_ok_and(|quoted| (quoted - receive).abs() <= unit || !is_further(receive, quoted, jump_percent));
    match present.course_for(asked.send) {
        Ok(course) if !is_near => Err(rate_changed(course, asked.send, receive)),
        _ => Ok(()),
    }
}

fn rate_changed(course: Decimal, send: Decimal, receive: Decimal) -> Error {
    Error::conflict("rate_changed")
        .with("course", agio_core::money::plain(course))
        .with("fromSumma", agio_core::money::plain(send))
        .with("toSumma", agio_core::money::plain(receive))
}

/// The bonus a quote was made with, under the bounds of today.
fn promised(quote: &Quote, now: &Bonus) -> Bonus {
    let (customer, parts) = quote.bonus_for.clone().map_or((None, Vec::new()), |bound| (bound.customer, bound.parts));
    Bonus { customer, parts, ..now.clone() }
}

pub(crate) fn check_send(send: Decimal, terms: &Terms, limits: &Limits, pair: &MarketPair) -> Result<()> {
    match limits.from.check(send) {
        Err(Breach::BelowMin(limit)) => Err(Error::unprocessable("amount_below_min")
            .with("min", agio_core::money::plain(limit.value))
            .with("currency", &pair.from.facts.ticker)
            .with("bound", limit.bound.name())
            .at("fromSumma", "amount_below_min")),
        Err(Breach::AboveMax(_)) => Err(above_max(limits, pair)),
        Ok(()) if send.normalize().scale() > terms.parts().digits_from => Err(Error::unprocessable("validation_failed")
            .with("digits", terms.parts().digits_from)
            .at("fromSumma", "too_many_digits")),
        Ok(()) => Ok(()),
    }
}

pub(crate) fn above_max(limits: &Limits, pair: &MarketPair) -> Error {
    let limit = limits.from.max;
    Error::unprocessable("amount_above_max")
        .with("max", agio_core::money::plain(limit.value))
        .with("currency", &pair.from.facts.ticker)
        .with("bound", limit.bound.name())
        .at("fromSumma", "amount_above_max")
}

pub(super) fn unavailable() -> Error {
    Error::not_found("pair_unavailable")
}

/// What is kept of these terms. Without a bonus, and but for a quote of another moment, it is worded once for all claims at a rate.
fn kept_terms(pair: &MarketPair, rate: &Rate, (terms, quote): (&Terms, Option<&Quote>), bonus: &Bonus, texts: &Texts) -> String {
    // A quote of another moment holds at the rate of that moment, and is explained by it.
    let promised = quote.and_then(|quote| quote.explanation.as_ref());
    let promised = promised.filter(|promised| **promised != rate.explanation.for_everybody());
    let steps = promised.unwrap_or(&rate.explanation);
    let worded = || worded_terms(pair, rate, (terms, steps), bonus, texts);
    if bonus.parts.is_empty() && promised.is_none() && rate.terms == *terms {
        pair.kept.get_or_init(worded).clone()
    } else {
        worded()
    }
}

fn worded_terms(pair: &MarketPair, rate: &Rate, (terms, steps): (&Terms, &Explanation), bonus: &Bonus, texts: &Texts) -> String {
    let parts = terms.parts();
    let words = |say: &dyn Fn(Locale) -> String| Bilingual { ru: say(Locale::Ru), en: say(Locale::En) };
    let tolerance = pair.pair.tolerance;
    let kept = AgreedTerms {
        fees: AgreedFees {
            from: AgreedFee { fixed: parts.fee_from, percent: pair.pair.fee_from.percent },
            to: AgreedFee { fixed: parts.fee_to, percent: pair.pair.fee_to.percent },
        },
        source: words(&|locale| wording::source(texts, locale, pair)),
        explanation: words(&|locale| wording::explanation(texts, locale, steps)),
        rates_of: rate.rates_of.map(|day| day.to_string()),
        steps: serde_json::to_value(steps).expect("steps are plain data"),
        // If the terms have to be agreed on anew, it is this bonus once more.
        bonus: Some(bonus).filter(|bonus| !bonus.parts.is_empty()).cloned(),
        tolerance: (tolerance != Tolerance::default()).then_some(AgreedTolerance {
            late_percent: tolerance.late_percent,
            amount_fixed: tolerance.amount_fixed,
            amount_percent: tolerance.amount_percent,
        }),
        course: parts.course,
        tiers: parts.tiers.iter().map(|tier| AgreedTier { min: tier.min_send, course: tier.course }).collect(),
        digits_from: parts.digits_from,
        digits_to: parts.digits_to,
    };
    serde_json::to_string(&kept).expect("terms are plain data")
}
