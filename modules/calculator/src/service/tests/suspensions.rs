//! Directions with a profitable round trip.

use agio_core::ratio::Ratio;

use super::*;
use crate::market::{PairStatus, RateSourceKind, Suspension};
use agio_core::decimal::StoredDecimal;

fn noon() -> Timestamp {
    timestamp("2024-03-28T12:00:00Z")
}

/// The demo rows with a manual rate for one pair: a share of the market rate, without fees.
fn rows_with(from: &str, to: &str, share: &str) -> MarketRows {
    let market = market();
    let pair = between(&market, from, to);
    let says = market.rates.fresh(&pair.give.facts.ticker, &pair.receive.facts.ticker).unwrap().rate;
    let mut rows = rows(noon(), Some(DAY));
    let row = rows.pairs.iter_mut().find(|row| row.id == pair.pair.id).unwrap();
    row.source = RateSourceKind::Manual;
    row.manual_rate = Some(StoredDecimal((says * number(share)).round_sf(12).unwrap()));
    (row.spread_percent, row.give_fee_percent, row.receive_fee_percent) =
        (StoredDecimal(Decimal::ZERO), StoredDecimal(Decimal::ZERO), StoredDecimal(Decimal::ZERO));
    (row.give_fee_fixed, row.receive_fee_fixed, row.tiers) = (0, 0, "[]".to_owned());
    rows
}

fn suspended(market: &Market) -> Vec<(i64, &Suspension)> {
    market.pairs.iter().filter_map(|pair| Some((pair.pair.id, pair.suspension.as_deref()?))).collect()
}

/// Whether any round trip of two or three available exchanges gains, by brute force.
fn gains(market: &Market) -> bool {
    let available: Vec<_> = market.pairs.iter().filter(|pair| pair.state(i64::MAX) == PairStatus::Ok).collect();
    let best = |pair: &MarketPair| {
        let terms = &pair.rate.as_ref().unwrap().terms;
        let most = pair.limits(terms, i64::MAX).unwrap().give.max.value;
        Ratio::of(terms.receive(most).unwrap()).map(|receive| receive.over(&Ratio::of(most).unwrap()))
    };
    let edges: Vec<_> =
        available.iter().filter_map(|pair| Some((pair.pair.give_id, pair.pair.receive_id, best(pair)?))).collect();
    let from = |id: i64| edges.iter().filter(move |edge| edge.0 == id);
    edges.iter().any(|one| {
        from(one.1).any(|two| {
            let so_far = one.2.times(&two.2);
            let closes = two.1 == one.0 && so_far > Ratio::one();
            closes || from(two.1).any(|three| three.1 == one.0 && so_far.times(&three.2) > Ratio::one())
        })
    })
}

#[test]
fn the_direction_furthest_above_the_market_is_suspended_and_no_other() {
    let market = market();
    assert_eq!(suspended(&market), []);
    assert!(!gains(&market));
    let pairs: Vec<_> = market.pairs.iter().filter(|pair| pair.state(i64::MAX) == PairStatus::Ok).collect();
    let (mut stopped, mut open) = (0, 0);
    for pair in pairs.iter().step_by(5) {
        let (from, to) = (pair.give.facts.code.as_str(), pair.receive.facts.code.as_str());
        if market.rates.fresh(&pair.give.facts.ticker, &pair.receive.facts.ticker).is_none() {
            continue;
        }
        for share in ["0.97", "1.2", "10"] {
            let next = market.next(rows_with(from, to, share), noon()).unwrap();
            assert!(!gains(&next), "{from} {to} {share}");
            let ids: Vec<i64> = suspended(&next).iter().map(|(id, _)| *id).collect();
            assert!(ids.is_empty() || ids == [pair.pair.id], "{from} {to} {share}: {ids:?}");
            if ids.is_empty() {
                open += 1;
                continue;
            }
            stopped += 1;
            let suspension = suspended(&next)[0].1;
            assert!(
                suspension.cycle.windows(2).any(|two| two == [from, to]) && suspension.product >= Decimal::ONE,
                "{suspension:?}"
            );
            let (pair, free) = (between(&next, from, to), i64::MAX);
            assert_eq!(pair.state(free), PairStatus::Stopped);
            let give = pair.limits(&pair.rate.as_ref().unwrap().terms, free).unwrap().give.min.value.to_string();
            assert_eq!(agreed(pair, &request(pair, &give, None), None, free).unwrap_err().code(), "pair_unavailable");
        }
    }
    assert!(stopped > 5 && open > 5, "{stopped} {open}");
}

#[test]
fn a_rate_at_the_threshold_does_not_flap() {
    // The smallest share of the market rate that suspends the direction, to a millionth.
    let market = market();
    let is_suspended = |before: &Market, share: Decimal| {
        let next = before.next(rows_with("BTC", "SBERRUB", &share.to_string()), noon()).unwrap();
        let suspension = between(&next, "BTC", "SBERRUB").suspension.clone();
        (next, suspension)
    };
    let (mut free, mut stopped, step) = (number("0.9"), number("1.5"), number("0.000001"));
    while stopped - free > step {
        let middle = (free + stopped) / Decimal::TWO;
        if is_suspended(&market, middle).1.is_some() { stopped = middle } else { free = middle }
    }
    let (next, first) = is_suspended(&market, stopped);
    let first = first.unwrap();
    let later = noon().plus(Duration::from_secs(5));
    let under = next.next(rows_with("BTC", "SBERRUB", &(stopped * number("0.9995")).to_string()), later).unwrap();
    assert_eq!(between(&under, "BTC", "SBERRUB").suspension.as_deref(), Some(&*first), "a little less is not enough");
    let well_under = under.next(rows_with("BTC", "SBERRUB", &(stopped * number("0.9985")).to_string()), later).unwrap();
    assert_eq!(suspended(&well_under), []);
    let again = well_under.next(rows_with("BTC", "SBERRUB", &(stopped * number("0.9995")).to_string()), later).unwrap();
    assert_eq!(suspended(&again), [], "what goes on goes on until a round trip gains");
}

#[test]
fn a_setting_allows_arbitrage() {
    let rows = rows_with("BTC", "SBERRUB", "1.2");
    let market = Market::build(rows.clone(), noon()).unwrap();
    assert_eq!(suspended(&market).len(), 1);
    let open = market.next(MarketRows { allows_arbitrage: true, ..rows.clone() }, noon()).unwrap();
    assert_eq!(suspended(&open), []);
    assert_eq!(suspended(&open.next(rows, noon()).unwrap()).len(), 1);
}
