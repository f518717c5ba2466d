//! A rate in words: where it comes from, and how it is made, in a line for the customer.

use agio_core::error::Params;
use agio_core::needs::{BonusKind, BonusPart};
use agio_core::texts::{Locale, Texts};
use rust_decimal::Decimal;
use time::Date;

use super::{Cut, MarketPair, Rate, RateSource};
use crate::model::cross::{Leg, Side};
use crate::model::explanation::{Explanation, Step};
use crate::model::observation::ObservedAt;

/// Where the rate of a pair comes from.
#[must_use]
pub fn source(texts: &Texts, locale: Locale, pair: &MarketPair) -> String {
    let legs: Vec<&Leg> = pair.rate.iter().flat_map(legs).collect();
    if pair.pair.source == RateSource::Manual {
        return texts.get(locale, "rate.manual", &Params::new());
    }
    let Some(oldest) = legs.iter().min_by_key(|leg| leg.observed_at.micros()) else {
        return texts.get(locale, "rate.same_asset", &Params::new());
    };
    let mut sources: Vec<String> = Vec::new();
    for leg in &legs {
        let name = source_name(texts, locale, &leg.source);
        if !sources.contains(&name) {
            sources.push(name);
        }
    }
    let params = Params::from([("sources", sources.join(", ")), ("moment", moment(locale, oldest.observed_at))]);
    texts.get(locale, "rate.market", &params)
}

/// How the course of a pair is made: every factor with who said it and when, every percent with what it is for.
#[must_use]
pub fn explanation(texts: &Texts, locale: Locale, explanation: &Explanation) -> String {
    let steps = &explanation.steps;
    let mut line = String::new();
    if !matches!(steps.first(), Some(Step::Manual { .. } | Step::Leg(_))) {
        line.push('1');
    }
    for step in steps {
        match step {
            Step::Manual { rate } => line.push_str(&number(locale, *rate)),
            Step::Leg(leg) => push_leg(&mut line, texts, locale, leg),
            percent => {
                let added = percent.added_percent().unwrap_or_default();
                let sign = if added.is_sign_negative() { '−' } else { '+' };
                let what = what_for(texts, locale, percent);
                line.push_str(&format!(" {sign} {}\u{a0}% ({what})", number(locale, added.abs())));
            }
        }
    }
    line.push_str(&format!(" = {}", number(locale, explanation.course)));
    line
}

/// The assets a rate goes over, from the one sent to the one received; empty for a rate set by hand.
#[must_use]
pub fn path(rate: &Rate) -> Vec<String> {
    let mut path: Vec<String> = legs(rate).map(|leg| leg.sell.clone()).collect();
    path.extend(legs(rate).last().map(|leg| leg.buy.clone()));
    path
}

fn legs(rate: &Rate) -> impl Iterator<Item = &Leg> {
    rate.explanation.steps.iter().filter_map(|step| match step {
        Step::Leg(leg) => Some(leg),
        _ => None,
    })
}

fn push_leg(line: &mut String, texts: &Texts, locale: Locale, leg: &Leg) {
    let (sign, base, quote) = match leg.side {
        Side::Bid => ('×', &leg.sell, &leg.buy),
        Side::Ask => ('÷', &leg.buy, &leg.sell),
    };
    match (line.is_empty(), leg.side) {
        (true, Side::Bid) => {}
        (true, Side::Ask) => line.push_str("1 ÷ "),
        (false, _) => line.push_str(&format!(" {sign} ")),
    }
    let source = source_name(texts, locale, &leg.source);
    let observed = moment(locale, leg.observed_at);
    line.push_str(&format!("{} ({base}/{quote}, {source}, {observed})", number(locale, leg.price)));
}

/// What a percent is for; of a bonus, what it is given for.
fn what_for(texts: &Texts, locale: Locale, step: &Step) -> String {
    let what = texts.get(locale, percent_key(step), &Params::new());
    match step {
        Step::Bonus { of, .. } if !of.is_empty() => {
            let parts: Vec<String> = of.iter().map(|part| bonus_part(texts, locale, part)).collect();
            format!("{what}: {}", parts.join(", "))
        }
        _ => what,
    }
}

/// A part of a bonus: what it is given for, and how much.
#[must_use]
pub fn bonus_part(texts: &Texts, locale: Locale, part: &BonusPart) -> String {
    format!("{} {}\u{a0}%", bonus_reason(texts, locale, part), number(locale, part.percent))
}

/// What a part of a bonus is given for.
#[must_use]
pub fn bonus_reason(texts: &Texts, locale: Locale, part: &BonusPart) -> String {
    match part.kind {
        BonusKind::Tier => texts.get(locale, "bonus.tier", &Params::new()),
        BonusKind::Promo => texts.get(locale, "bonus.promo", &Params::from([("code", part.code.clone().unwrap_or_default())])),
    }
}

/// Why a bonus is smaller than its parts.
#[must_use]
pub fn bonus_cut(texts: &Texts, locale: Locale, cut: Cut, percent: Decimal) -> String {
    let key = match cut {
        Cut::Most => "bonus.cut.most",
        Cut::Market => "bonus.cut.market",
    };
    texts.get(locale, key, &Params::from([("percent", number(locale, percent))]))
}

fn percent_key(step: &Step) -> &'static str {
    match step {
        Step::FeeFrom { .. } | Step::FeeTo { .. } => "rate.fee",
        Step::Bonus { .. } => "rate.bonus",
        Step::Position(_) => "rate.position",
        Step::Reserve(_) => "rate.reserve",
        Step::Move(_) => "rate.move",
        Step::Schedule(_) => "rate.schedule",
        Step::Bound(_) => "rate.bound",
        _ => "rate.spread",
    }
}

/// The name of a source, or how it calls itself where we have no name for it.
fn source_name(texts: &Texts, locale: Locale, source: &str) -> String {
    let key = format!("source.{source}");
    if texts.has(&key) { texts.get(locale, &key, &Params::new()) } else { source.to_owned() }
}

/// A number as people of a language write it: `6 312 758,01` or `6,312,758.01`.
#[must_use]
pub fn number(locale: Locale, value: Decimal) -> String {
    let plain = agio_core::money::plain(value);
    let (point, gap) = match locale {
        Locale::Ru => (',', '\u{a0}'),
        Locale::En => ('.', ','),
    };
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut written = String::new();
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

/// A day as people of a language write it, and the time of day where it is known.
fn moment(locale: Locale, observed_at: ObservedAt) -> String {
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
