//! Rate explanations in one line, for customers.

use agio_contracts::{BonusKind, BonusPart, FormulaInput};
use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use rust_decimal::Decimal;
use time::Date;

use super::{BonusLimit, MarketPair, Rate, RateSourceKind};
use crate::model::cross::{Conversion, Side};
use crate::model::explanation::{Explanation, FormulaStep, PricingStep};
use crate::model::observation::ObservedAt;

/// Where the rate of a pair comes from.
pub fn source(texts: &Texts, locale: Locale, pair: &MarketPair) -> String {
    let first = pair.rate.as_ref().and_then(|rate| rate.explanation.steps.first());
    if let Some(PricingStep::Formula { sources, observed_at, .. }) = first {
        return priced_by(texts, locale, sources, *observed_at);
    }
    let conversions: Vec<&Conversion> = pair.rate.iter().flat_map(conversions).collect();
    if pair.pair.source == RateSourceKind::Manual {
        return texts.get(locale, "rate.manual", &Params::new());
    }
    let Some(oldest) = conversions.iter().min_by_key(|conversion| conversion.observed_at.micros()) else {
        return texts.get(locale, "rate.same_asset", &Params::new());
    };
    let mut sources: Vec<String> = Vec::new();
    for conversion in &conversions {
        if !sources.contains(&conversion.source) {
            sources.push(conversion.source.clone());
        }
    }
    priced_by(texts, locale, &sources, Some(oldest.observed_at))
}

/// The sources of a rate and the time of its oldest price.
fn priced_by(texts: &Texts, locale: Locale, sources: &[String], observed_at: Option<ObservedAt>) -> String {
    let sources: Vec<String> = sources.iter().map(|source| source_name(texts, locale, source)).collect();
    let Some(observed_at) = observed_at else { return texts.get(locale, "rate.formula", &Params::new()) };
    let params = Params::from([("sources", sources.join(", ")), ("moment", timestamp(locale, observed_at))]);
    texts.get(locale, "rate.market", &params)
}

/// How a rate is calculated: every factor with its source and time, every percentage with its purpose.
pub fn explanation(texts: &Texts, locale: Locale, explanation: &Explanation) -> String {
    let steps = &explanation.steps;
    let mut line = String::new();
    if !steps.first().is_some_and(PricingStep::is_rate) {
        line.push('1');
    }
    for step in steps {
        match step {
            PricingStep::Manual { rate } => line.push_str(&number(locale, *rate)),
            PricingStep::Formula { rate, sources, observed_at, of } => {
                let of = match of {
                    Some(of) => formula(locale, of),
                    None => priced_by(texts, locale, sources, *observed_at),
                };
                line.push_str(&format!("{} ({of})", number(locale, *rate)));
            }
            PricingStep::Conversion(conversion) => push_conversion(&mut line, texts, locale, conversion),
            percent => {
                let added = percent.added_percent().unwrap_or_default();
                let sign = if added.is_sign_negative() { '−' } else { '+' };
                let what = what_for(texts, locale, percent);
                line.push_str(&format!(" {sign} {} ({what})", percentage(locale, added.abs())));
            }
        }
    }
    line.push_str(&format!(" = {}", number(locale, explanation.rate)));
    line
}

/// A formula with its prices: `mid(kraken:BTC/USD) * 92: kraken:BTC/USD 69,500 / 69,510`.
fn formula(locale: Locale, of: &FormulaStep) -> String {
    let price = |input: &FormulaInput| {
        let (bid, ask) = (number(locale, input.bid), number(locale, input.ask));
        let sides = if bid == ask { bid } else { format!("{bid} / {ask}") };
        let at = input.observed_at.map(|at| format!(", {}", timestamp(locale, ObservedAt::stored(at))));
        format!("{} {sides}{}", input.reference, at.unwrap_or_default())
    };
    let prices: Vec<String> = of.inputs.iter().map(price).collect();
    if prices.is_empty() { of.formula.clone() } else { format!("{}: {}", of.formula, prices.join("; ")) }
}

/// Assets on the path of a rate. Empty for a manual rate.
pub fn path(rate: &Rate) -> Vec<String> {
    let mut path: Vec<String> = conversions(rate).map(|conversion| conversion.sell.clone()).collect();
    path.extend(conversions(rate).last().map(|conversion| conversion.buy.clone()));
    path
}

fn conversions(rate: &Rate) -> impl Iterator<Item = &Conversion> {
    rate.explanation.steps.iter().filter_map(|step| match step {
        PricingStep::Conversion(conversion) => Some(conversion),
        _ => None,
    })
}

fn push_conversion(line: &mut String, texts: &Texts, locale: Locale, conversion: &Conversion) {
    let (sign, base, quote) = match conversion.side {
        Side::Bid => ('×', &conversion.sell, &conversion.buy),
        Side::Ask => ('÷', &conversion.buy, &conversion.sell),
    };
    match (line.is_empty(), conversion.side) {
        (true, Side::Bid) => {}
        (true, Side::Ask) => line.push_str("1 ÷ "),
        (false, _) => line.push_str(&format!(" {sign} ")),
    }
    let source = source_name(texts, locale, &conversion.source);
    let observed = timestamp(locale, conversion.observed_at);
    line.push_str(&format!("{} ({base}/{quote}, {source}, {observed})", number(locale, conversion.price)));
}

fn what_for(texts: &Texts, locale: Locale, step: &PricingStep) -> String {
    let what = texts.get(locale, percent_key(step), &Params::new());
    match step {
        PricingStep::Bonus { of, .. } if !of.is_empty() => {
            let parts: Vec<String> = of.iter().map(|part| bonus_part(texts, locale, part)).collect();
            format!("{what}: {}", parts.join(", "))
        }
        _ => what,
    }
}

pub fn bonus_part(texts: &Texts, locale: Locale, part: &BonusPart) -> String {
    format!("{} {}", bonus_reason(texts, locale, part), percentage(locale, part.percent))
}

pub fn bonus_reason(texts: &Texts, locale: Locale, part: &BonusPart) -> String {
    match part.kind {
        BonusKind::Tier => texts.get(locale, "bonus.tier", &Params::new()),
        BonusKind::Promo => texts.get(locale, "bonus.promo", &Params::from([("code", part.code.clone().unwrap_or_default())])),
    }
}

pub fn bonus_cut(texts: &Texts, locale: Locale, cap: BonusLimit, percent: Decimal) -> String {
    let key = match cap {
        BonusLimit::Most => "bonus.cut.most",
        BonusLimit::Market => "bonus.cut.market",
    };
    texts.get(locale, key, &Params::from([("percent", number(locale, percent))]))
}

fn percent_key(step: &PricingStep) -> &'static str {
    match step {
        PricingStep::GiveFee { .. } | PricingStep::ReceiveFee { .. } => "rate.fee",
        PricingStep::Bonus { .. } => "rate.bonus",
        PricingStep::Rank(_) => "rate.position",
        PricingStep::Reserve(_) => "rate.reserve",
        PricingStep::Move(_) => "rate.move",
        PricingStep::Schedule(_) => "rate.schedule",
        PricingStep::Bound(_) => "rate.bound",
        _ => "rate.spread",
    }
}

/// The display name of a source, or its technical name.
fn source_name(texts: &Texts, locale: Locale, source: &str) -> String {
    let key = format!("source.{source}");
    if texts.has(&key) { texts.get(locale, &key, &Params::new()) } else { source.to_owned() }
}

/// `2,2 %` in Russian, `2.2%` in English.
fn percentage(locale: Locale, percent: Decimal) -> String {
    let gap = if locale == Locale::Ru { "\u{a0}" } else { "" };
    format!("{}{gap}%", number(locale, percent))
}

/// A localized number: `6 312 758,01` or `6,312,758.01`.
pub fn number(locale: Locale, value: Decimal) -> String {
    let plain = agio_core::money::plain(value);
    let (point, gap) = match locale {
        Locale::Ru => (',', '\u{a0}'),
        Locale::En => ('.', ','),
    };
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut written = String::with_capacity(2 * plain.len());
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 && whole.as_bytes()[place - 1] != b'-' {
            written.push(gap);
        }
        written.push(digit);
    }
    if !fraction.is_empty() {
        written.push(point);
        written.push_str(fraction);
    }
    written
}

/// A localized date, with the time if known.
fn timestamp(locale: Locale, observed_at: ObservedAt) -> String {
    match (observed_at, observed_at.day()) {
        (ObservedAt::Day(_), Some(date)) => day(locale, date),
        (ObservedAt::Moment(micros), Some(date)) => {
            let minutes = micros.rem_euclid(24 * 60 * 60 * 1_000_000) / 60_000_000;
            format!("{} {:02}:{:02} UTC", day(locale, date), minutes / 60, minutes % 60)
        }
        (unknown, None) => unknown.to_string(),
    }
}

fn day(locale: Locale, date: Date) -> String {
    match locale {
        Locale::Ru => format!("{:02}.{:02}.{}", date.day(), u8::from(date.month()), date.year()),
        Locale::En => format!("{} {} {}", date.day(), date.month(), date.year()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_each_language_writes_them() {
        let value: Decimal = "6312758.05".parse().unwrap();
        assert_eq!(number(Locale::Ru, value), "6\u{a0}312\u{a0}758,05");
        assert_eq!(number(Locale::En, value), "6,312,758.05");
        assert_eq!(number(Locale::En, Decimal::from(-123)), "-123");
        assert_eq!(number(Locale::Ru, Decimal::from(999)), "999");
    }
}
