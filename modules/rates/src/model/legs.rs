//! What live sources say of two assets, and what counts of it.
//!
//! A source is heard while what it says is recent and is a price at all. Those that are heard agree when both their prices lie within the
//! tolerance of one of them; of several such groups the greatest counts, if more than half of all are in it. Of a group the lowest bid and
//! the highest ask are priced with: the house never gets the better side of a difference wrong. Sources that only check, and those that
//! quote the other way round, count for agreement and are never priced with.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_core::Timestamp;
use agio_core::needs::{AgreedPrice, JudgedLeg, LeftOut, SidePrice};
use rust_decimal::Decimal;

/// A day in microseconds.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;
/// How far ahead of the present a moment may be: clocks differ.
const AHEAD: Duration = Duration::from_secs(120);
/// How far ahead a day may be: central banks publish what holds after a weekend or a holiday.
const DAY_AHEAD: Duration = Duration::from_secs(12 * 24 * 60 * 60);

/// What a source said of two assets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The source.
    pub source: String,
    /// The asset that is priced.
    pub base: String,
    /// The asset it is priced in.
    pub quote: String,
    /// What the source buys the base at.
    pub bid: Decimal,
    /// What it sells the base at.
    pub ask: Decimal,
    /// When that was so; midnight stands for a whole day.
    pub observed_at: Timestamp,
}

/// How a source is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    /// How old what it says may be.
    pub max_age: Duration,
    /// Less is more trusted.
    pub priority: i64,
    /// Whether it is never priced with.
    pub checks_only: bool,
}

/// What was found of two assets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegFound {
    /// What counts.
    pub leg: JudgedLeg,
    /// How many sources were heard.
    pub heard: usize,
    /// Those that do not count, and why.
    pub left_out: Vec<LeftOut>,
}

/// Judges everything that was said by sources that are known; `tolerance` is in percent.
#[must_use]
pub fn judge(said: &[Said], sources: &BTreeMap<String, Trust>, tolerance: Decimal, now: Timestamp) -> Vec<LegFound> {
    let mut legs: BTreeMap<(&str, &str), Vec<(&Said, &Trust)>> = BTreeMap::new();
    for said in said.iter().filter(|said| said.base != said.quote) {
        let Some(trust) = sources.get(&said.source) else { continue };
        let (base, quote) = (said.base.as_str(), said.quote.as_str());
        legs.entry((base.min(quote), base.max(quote))).or_default().push((said, trust));
    }
    legs.into_values().map(|all| judge_leg(all, tolerance, now)).collect()
}

/// A source that is heard, its prices turned to those of the leg.
struct Heard<'a> {
    said: &'a Said,
    trust: &'a Trust,
    bid: Decimal,
    ask: Decimal,
    /// Whether it quotes as the leg does.
    is_straight: bool,
}

fn judge_leg(mut all: Vec<(&Said, &Trust)>, tolerance: Decimal, now: Timestamp) -> LegFound {
    // The most trusted source that may be priced with says which way round the leg is.
    all.sort_by_key(|(said, trust)| (trust.checks_only, trust.priority, said.source.clone(), said.base.clone()));
    let (base, quote) = (all[0].0.base.clone(), all[0].0.quote.clone());
    let mut heard = Vec::new();
    let mut left_out = Vec::new();
    for (said, trust) in all {
        match hear(said, trust, &base, now) {
            Ok(one) => heard.push(one),
            Err((why, what)) => left_out.push(LeftOut { source: said.source.clone(), why: why.to_owned(), said: what }),
        }
    }
    let agreed = majority(&heard, tolerance);
    for one in heard.iter().filter(|one| !agreed.iter().any(|other| std::ptr::eq(*one, *other))) {
        left_out.push(LeftOut { source: one.said.source.clone(), why: "apart".to_owned(), said: prices(one.said) });
    }
    let price = agree(&agreed, now);
    LegFound { leg: JudgedLeg { base, quote, price }, heard: heard.len(), left_out }
}

/// Whether a source is heard, and if not, why not and what it said.
fn hear<'a>(said: &'a Said, trust: &'a Trust, base: &str, now: Timestamp) -> Result<Heard<'a>, (&'static str, String)> {
    if said.bid <= Decimal::ZERO || said.ask <= Decimal::ZERO {
        return Err(("not_positive", prices(said)));
    }
    if said.bid > said.ask {
        return Err(("crossed", prices(said)));
    }
    let is_day = said.observed_at.0.rem_euclid(DAY_MICROS) == 0;
    let ahead = if is_day { DAY_AHEAD } else { AHEAD };
    if said.observed_at > now.plus(ahead) {
        return Err(("ahead", said.observed_at.to_string()));
    }
    if good_until(said, trust) < now {
        return Err(("stale", said.observed_at.to_string()));
    }
    let is_straight = said.base == base;
    let turned = |price: Decimal| Decimal::ONE.checked_div(price);
    let turned = if is_straight { Some((said.bid, said.ask)) } else { turned(said.ask).zip(turned(said.bid)) };
    match turned {
        Some((bid, ask)) if bid > Decimal::ZERO => Ok(Heard { said, trust, bid, ask, is_straight }),
        _ => Err(("not_positive", prices(said))),
    }
}

/// Until when what a source said may be priced with. What holds for a day is as old as the end of that day.
fn good_until(said: &Said, trust: &Trust) -> Timestamp {
    let is_day = said.observed_at.0.rem_euclid(DAY_MICROS) == 0;
    let held = if is_day { said.observed_at.plus(Duration::from_secs(24 * 60 * 60)) } else { said.observed_at };
    held.plus(trust.max_age)
}

/// The greatest group that agrees, if more than half of all are in it.
fn majority<'h, 'a>(heard: &'h [Heard<'a>], tolerance: Decimal) -> Vec<&'h Heard<'a>> {
    let mut best: Vec<&Heard> = Vec::new();
    for centre in heard {
        let group: Vec<_> = heard.iter().filter(|one| near(centre, one, tolerance)).collect();
        if group.len() > best.len() {
            best = group;
        }
    }
    if 2 * best.len() > heard.len() { best } else { Vec::new() }
}

/// Whether both prices of one lie within the tolerance of the middle of the other.
fn near(centre: &Heard, one: &Heard, tolerance: Decimal) -> bool {
    let bounds = || {
        let middle = centre.bid.checked_add(centre.ask)?.checked_div(Decimal::TWO)?;
        let most = middle.checked_mul(tolerance)?.checked_div(Decimal::ONE_HUNDRED)?;
        Some((middle.checked_sub(most)?, middle.checked_add(most)?))
    };
    std::ptr::eq(centre, one) || bounds().is_some_and(|(least, most)| one.bid >= least && one.ask <= most)
}

fn agree(agreed: &[&Heard], now: Timestamp) -> Option<AgreedPrice> {
    let priced = agreed.iter().copied().filter(|one| one.is_straight && !one.trust.checks_only);
    let side = |one: &Heard, price| SidePrice { price, source: one.said.source.clone(), observed_at: one.said.observed_at };
    let bid = priced.clone().min_by_key(|one| one.said.bid)?;
    let ask = priced.max_by_key(|one| one.said.ask)?;
    let good = good_until(bid.said, bid.trust).min(good_until(ask.said, ask.trust));
    Some(AgreedPrice {
        bid: side(bid, bid.said.bid.normalize()),
        ask: side(ask, ask.said.ask.normalize()),
        agreed: agreed.iter().map(|one| one.said.source.clone()).collect(),
        good_until: good.max(now),
    })
}

fn prices(said: &Said) -> String {
    format!("{} / {}", said.bid.normalize(), said.ask.normalize())
}
