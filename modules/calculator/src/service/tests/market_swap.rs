//! Replacing a market of many pairs while others read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agio_contracts::{AggregatedPrice, ConsensusPrice, PairRateDecision, SidePrice};
use arc_swap::ArcSwap;

use super::*;
use crate::market::{RateSourceKind, rate_text};

/// Currencies per side; every one is exchanged for every one of the other side.
const SIDE: usize = 100;
const SWAPS: usize = 6;

/// Ten thousand pairs of the same two assets.
fn great() -> MarketRows {
    let now = timestamp("2024-03-28T12:00:00Z");
    let small = rows(now, None);
    let pair = small.pairs.iter().find(|pair| pair.tiers == "[]" && pair.source == RateSourceKind::Market).unwrap().clone();
    let currency = |code: &str| small.currencies.iter().find(|row| row.code == code).unwrap().clone();
    let side = |code: &'static str, first: usize| {
        let row = currency(code);
        (first..first + SIDE).map(move |id| {
            let id = i64::try_from(id).unwrap();
            crate::store::CurrencyRow { id, code: format!("{code}{id}"), ..row.clone() }
        })
    };
    let currencies: Vec<_> = side("BTC", 1).chain(side("SBERRUB", 1 + SIDE)).collect();
    let (from, to) = currencies.split_at(SIDE);
    let ends = from.iter().flat_map(|from| to.iter().map(move |to| (from.id, to.id)));
    let pairs = ends.zip(1..).map(|((give_id, receive_id), id)| crate::store::PairRow {
        id,
        give_id,
        receive_id,
        give_min: None,
        give_max: None,
        receive_min: None,
        receive_max: None,
        receive_fee_fixed: 0,
        ..pair.clone()
    });
    MarketRows { pairs: pairs.collect(), currencies, prices: vec![aggregated_price("6400000")], ..MarketRows::default() }
}

fn aggregated_price(price: &str) -> AggregatedPrice {
    let now = timestamp("2024-03-28T12:00:00Z");
    let side = SidePrice { price: number(price), source: "kraken".into(), observed_at: Timestamp(now.0 + 1) };
    let price = ConsensusPrice { bid: side.clone(), ask: side, agreed: vec!["kraken".into()], good_until: now };
    AggregatedPrice { base: "BTC".into(), quote: "RUB".into(), price: Some(price) }
}

#[test]
fn readers_never_see_a_mix_of_two_markets() {
    let market = ArcSwap::from_pointee(Market::build(great(), timestamp("2024-03-28T12:00:00Z")).unwrap());
    assert_eq!(market.load().pairs.len(), SIDE * SIDE);
    let (is_over, reads, observed) = (AtomicBool::new(false), AtomicUsize::new(0), Arc::new(std::sync::Mutex::new(Vec::new())));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let picture = market.load_full();
                    let rate = picture.pairs[0].rate.as_ref().unwrap().market;
                    assert!(picture.pairs.iter().all(|pair| pair.rate.as_ref().unwrap().market == rate));
                    let mut observed = observed.lock().unwrap();
                    if observed.last() != Some(&rate) {
                        observed.push(rate);
                    }
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for swap in 0..SWAPS {
            let next = market.load().with_decisions(&[aggregated_price(&format!("{}", 6_400_001 + swap))], &[]).unwrap();
            market.store(Arc::new(next));
            // Each of the two readers may still hold the old snapshot; of four reads at least two see the new one.
            let before = reads.load(Ordering::Relaxed);
            while reads.load(Ordering::Relaxed) < before + 4 {
                std::thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(observed.lock().unwrap().contains(&number("6400006")), "{observed:?}");
}

/// Identifiers of the pairs that were rebuilt.
fn made_anew(before: &Market, after: &Market) -> Vec<i64> {
    let is_same = |pair: &Arc<MarketPair>| before.pairs.iter().any(|old| Arc::ptr_eq(old, pair));
    after.pairs.iter().filter(|pair| !is_same(pair)).map(|pair| pair.pair.id).collect()
}

#[test]
fn the_next_market_rebuilds_only_what_changed() {
    let now = timestamp("2024-03-28T12:00:00Z");
    let rows = || rows(now, Some(DAY));
    let market = Market::build(rows(), now).unwrap();
    let changed = |change: &dyn Fn(&mut MarketRows)| {
        let mut rows = rows();
        change(&mut rows);
        let (next, whole) = (market.next(rows.clone(), now).unwrap(), Market::build(rows, now).unwrap());
        assert_eq!(format!("{:?}", next.pairs), format!("{:?}", whole.pairs));
        made_anew(&market, &next)
    };
    let ids = |wanted: &dyn Fn(&MarketPair) -> bool| -> Vec<i64> {
        market.pairs.iter().filter(|pair| wanted(pair)).map(|pair| pair.pair.id).collect()
    };
    let over = |pair: &MarketPair, ticker: &str| {
        let explained = pair.rate.as_ref().map(rate_text::path).unwrap_or_default();
        explained.iter().any(|one| one == ticker)
    };

    assert_eq!(changed(&|_| {}), ids(&|_| false));
    let first = market.pairs[0].pair.id;
    let row = |rows: &mut MarketRows| rows.pairs.iter().position(|pair| pair.id == first).unwrap();
    assert_eq!(
        changed(&|rows| {
            let at = row(rows);
            rows.pairs[at].hold_minutes += 1
        }),
        [first]
    );
    let suspended =
        PairRateDecision { pair: first, suspension: None, adjustments: Vec::new(), jump_percent: None, formula: None };
    assert_eq!(changed(&|rows| rows.decisions = vec![suspended.clone()]), [first]);
    let bitcoin = market.currency_named("BTC").unwrap().id();
    let touches = |pair: &MarketPair| [pair.pair.give_id, pair.pair.receive_id].contains(&bitcoin);
    assert_eq!(
        changed(&|rows| rows.currencies.iter_mut().find(|row| row.id == bitcoin).unwrap().round_digits -= 1),
        ids(&touches)
    );
    let of_roubles = |pair: &MarketPair| over(pair, "RUB") && over(pair, "USD") && pair.pair.source == RateSourceKind::Market;
    assert_eq!(
        changed(&|rows| {
            let observed =
                rows.observations.iter_mut().find(|observed| observed.row.base == "USD" && observed.row.quote == "RUB").unwrap();
            observed.row.bid.0 += Decimal::ONE;
        }),
        ids(&of_roubles)
    );
    assert!(!ids(&of_roubles).is_empty());
    assert_eq!(changed(&|rows| rows.fixed_day = None).len(), ids(&|pair| pair.pair.source == RateSourceKind::Market).len());
}
