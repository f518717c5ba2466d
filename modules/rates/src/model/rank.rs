//! The margin for a target rank on an exchange aggregator.

use agio_contracts::RankInputs;
use agio_core::Timestamp;
use rust_decimal::{Decimal, RoundingStrategy};

use super::rules::{MarginBounds, PERCENT_DIGITS, RankRule};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Competitor {
    pub exchanger: String,
    /// Units received for one unit given.
    pub rate: Decimal,
    /// In the receive currency.
    pub reserve: Decimal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderBook {
    pub read_at: Timestamp,
    pub competitors: Vec<Competitor>,
}

/// The margin for the target rank, and its inputs.
///
/// `whole` is the rate without any margin: the market rate less fees. Aims for the best rank reachable within the
/// bounds; without one, or without data, for the maximum margin, which loses nothing. The margin moves in steps from
/// the previous one; only a margin outside the bounds is corrected at once.
pub fn target_rank(
    rank_rule: &RankRule,
    bounds: MarginBounds,
    whole: Decimal,
    order_book: Option<&OrderBook>,
    before: Decimal,
) -> RankInputs {
    let competitors = order_book.map(|order_book| eligible(rank_rule, order_book)).unwrap_or_default();
    let had = (rank_rule.best..=rank_rule.worst).find_map(|place| {
        let competitor = competitors.get(usize::try_from(place).ok()?.checked_sub(1)?)?;
        let margin = margin_over(whole, competitor.rate)?.checked_sub(rank_rule.undercut)?;
        // Rounding the margin up never makes the rate better than intended.
        let margin = margin.round_dp_with_strategy(PERCENT_DIGITS, RoundingStrategy::ToPositiveInfinity).min(bounds.ceiling);
        (margin >= bounds.floor).then_some((place, *competitor, margin))
    });
    let aim = had.map_or(bounds.ceiling, |(_, _, margin)| margin);
    let start = before.clamp(bounds.floor, bounds.ceiling);
    let margin = aim.clamp(start - rank_rule.step, start + rank_rule.step).clamp(bounds.floor, bounds.ceiling);
    RankInputs {
        aggregator: rank_rule.aggregator.clone(),
        read_at: order_book.map(|order_book| order_book.read_at),
        counted: competitors.len().to_string(),
        place: had.map(|(place, _, _)| place.to_string()),
        exchanger: had.map(|(_, competitor, _)| competitor.exchanger.clone()),
        rate: had.map(|(_, competitor, _)| agio_core::money::plain(competitor.rate)),
        aim: aim.normalize(),
        margin: margin.normalize(),
    }
}

/// Competitors that count, best first: not ourselves, with a positive rate and enough reserve.
fn eligible<'b>(rank_rule: &RankRule, order_book: &'b OrderBook) -> Vec<&'b Competitor> {
    let is_own =
        |competitor: &Competitor| rank_rule.own.iter().any(|own| own.trim().eq_ignore_ascii_case(competitor.exchanger.trim()));
    let counts = |competitor: &&Competitor| {
        !is_own(competitor) && competitor.rate > Decimal::ZERO && competitor.reserve >= rank_rule.least_reserve
    };
    let mut competitors: Vec<_> = order_book.competitors.iter().filter(counts).collect();
    competitors.sort_by(|one, other| other.rate.cmp(&one.rate).then_with(|| one.exchanger.cmp(&other.exchanger)));
    competitors
}

/// The margin, in percent, that matches a competitor's rate.
fn margin_over(whole: Decimal, rate: Decimal) -> Option<Decimal> {
    Decimal::ONE.checked_sub(rate.checked_div(whole)?)?.checked_mul(Decimal::ONE_HUNDRED)
}
