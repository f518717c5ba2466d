//! Agreeing on the terms of an exchange.

use std::sync::Arc;

use agio_core::needs::{Agreed, Asked, Bonus, CurrencyFacts, CurrencyList, Proof, Quotes};
use agio_core::texts::{Bilingual, Locale, Texts};
use agio_core::{Amount, Error, Result};
use rust_decimal::Decimal;
use serde::Serialize;

use super::Calculator;
use crate::market::{MarketPair, PairState, Rate, Rates, Tolerance, wording};
use crate::model::engine::Terms;
use crate::model::explanation::Explanation;
use crate::model::limits::{Breach, Limits};
use crate::model::quote::{Quote, QuoteError};
use crate::store::Stored;

impl Quotes for Calculator {
    fn agree(&self, asked: &Asked) -> Result<Agreed> {
        let market = self.market();
        let pair = market.between(asked.from, asked.to).ok_or_else(unavailable)?;
        let quote = match &asked.quote {
            Some(token) => self.live_quote(token, asked)?,
            None => None,
        };
        agree(pair, &market.rates, asked, quote.as_ref(), self.free(asked.to), &self.texts)
    }

    fn currency(&self, id: i64) -> Option<Arc<CurrencyFacts>> {
        self.market().currency(id).map(|currency| currency.facts.clone())
    }

    fn proof(&self, from: i64, to: i64) -> Option<Proof> {
        self.market().between(from, to)?.pair.verification
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
    /// The quote of a token, or nothing when it holds no longer, or for somebody else or with another promo code: then the terms of this
    /// moment are agreed on, and a customer who was shown others is told.
    fn live_quote(&self, token: &str, asked: &Asked) -> Result<Option<Quote>> {
        let invalid = || Error::unprocessable("validation_failed").at("quoteId", "quote_invalid");
        match Quote::verify(token, &self.verifying_key(), self.platform.clock.now().0) {
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
        return Err(Error::conflict("rate_changed")
            .with("course", agio_core::money::plain(course))
            .with("fromSumma", agio_core::money::plain(asked.send))
            .with("toSumma", agio_core::money::plain(receive)));
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
        floating: pair.pair.floating,
    })
}

/// The bonus a quote was made with, under the bounds of today.
fn promised(quote: &Quote, now: &Bonus) -> Bonus {
    let (customer, parts) = quote.bonus_for.clone().map_or((None, Vec::new()), |bound| (bound.customer, bound.parts));
    Bonus { customer, parts, ..now.clone() }
}

pub(super) fn check_send(send: Decimal, terms: &Terms, limits: &Limits, pair: &MarketPair) -> Result<()> {
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

pub(super) fn above_max(limits: &Limits, pair: &MarketPair) -> Error {
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

/// What is kept with a claim of how its amounts came about. The rate is in words of both languages, and in the steps it can
/// be computed again from.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeptTerms<'a> {
    fees: KeptFees,
    source: Bilingual,
    explanation: Bilingual,
    rates_of: Option<String>,
    steps: &'a Explanation,
    /// What the customer gets on top, before the pair bounds it: if the terms have to be agreed on anew, it is this once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    bonus: Option<&'a Bonus>,
    /// Where the pair has a rule of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<KeptTolerance>,
    tiers: Vec<KeptTier>,
    digits_from: u32,
    digits_to: u32,
}

#[derive(Serialize)]
struct KeptFees {
    from: KeptFee,
    to: KeptFee,
}

#[derive(Serialize)]
struct KeptFee {
    fixed: Stored,
    percent: Stored,
}

/// How far a payment may be from these terms.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeptTolerance {
    late_percent: Option<Stored>,
    amount_fixed: Option<Stored>,
    amount_percent: Option<Stored>,
}

impl KeptTolerance {
    fn of(set: &Tolerance) -> Option<Self> {
        let kept = Self {
            late_percent: set.late_percent.map(Stored),
            amount_fixed: set.amount_fixed.map(Stored),
            amount_percent: set.amount_percent.map(Stored),
        };
        (*set != Tolerance::default()).then_some(kept)
    }
}

#[derive(Serialize)]
struct KeptTier {
    min: Stored,
    course: Stored,
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
    let fee = |fixed, percent| KeptFee { fixed: Stored(fixed), percent: Stored(percent) };
    let kept = KeptTerms {
        fees: KeptFees { from: fee(parts.fee_from, pair.pair.fee_from.percent), to: fee(parts.fee_to, pair.pair.fee_to.percent) },
        source: words(&|locale| wording::source(texts, locale, pair)),
        explanation: words(&|locale| wording::explanation(texts, locale, steps)),
        rates_of: rate.rates_of.map(|day| day.to_string()),
        steps,
        bonus: Some(bonus).filter(|bonus| !bonus.parts.is_empty()),
        tolerance: KeptTolerance::of(&pair.pair.tolerance),
        tiers: parts.tiers.iter().map(|tier| KeptTier { min: Stored(tier.min_send), course: Stored(tier.course) }).collect(),
        digits_from: parts.digits_from,
        digits_to: parts.digits_to,
    };
    serde_json::to_string(&kept).expect("terms are plain data")
}
