//! The floor over the cost price, held against the calculator's own amounts.

use agio_calculator::model::engine::Terms;
use agio_calculator::model::limits::{ConfiguredLimits, ConfiguredRange, Limits};
use agio_calculator::model::pricing::{Fee, MarketRate, Pricing, TierRule};
use agio_contracts::{Adjustment, NetworkFee, NetworkFeePayer, PairCosts, RateTier};
use agio_core::ratio::Ratio;
use agio_rates::model::adjustments::{AdjustmentInput, RuleResult, adjust};
use agio_rates::model::cost_price::{CostFault, CostPrice};
use agio_rates::model::rank::OrderBook;
use agio_rates::model::rate_range::exceeds_limit;
use agio_rates::model::rules::{FloorBase, MarginBounds, RankRule, RateRules};
use proptest::option::of;
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::json;

use crate::{Reached, cents, now, number, order_book, rank_rule};

const GIVE_DIGITS: u32 = 4;
const RECEIVE_DIGITS: u32 = 2;

/// The settings of a pair that its cost price depends on.
#[derive(Clone, Debug)]
struct Settings {
    market: Decimal,
    /// The pair's own rate; the market rate unless it is manual.
    own: Decimal,
    spread: Decimal,
    fees: (Fee, Fee),
    network_fee: Decimal,
    payer: NetworkFeePayer,
    tiers: Vec<TierRule>,
    limits: ConfiguredLimits,
}

impl Settings {
    fn costs(&self) -> PairCosts {
        let network = NetworkFee::of(self.payer, self.network_fee).map_or(Decimal::ZERO, |network| network.amount);
        let tier = |tier: &TierRule| RateTier { min_give: tier.min_give, added_percent: tier.add_percent };
        PairCosts {
            give_fee: self.fees.0.fixed,
            receive_fee: self.fees.1.fixed + network,
            network_fee: self.network_fee,
            tiers: self.tiers.iter().map(tier).collect(),
            give_limits: (self.limits.give.min, self.limits.give.max),
            min_receive: self.limits.receive.min.unwrap_or_default().max(Decimal::new(1, RECEIVE_DIGITS)),
            receive_digits: RECEIVE_DIGITS,
            exchanges: None,
        }
    }

    fn cost_price<'a>(&self, costs: &'a PairCosts) -> CostPrice<'a> {
        let fee_percents = (self.fees.0.percent, self.fees.1.percent);
        CostPrice { market: Some(self.market), rate: Some(self.own), fee_percents, costs }
    }

    fn adjusted(&self, rules: &RateRules, order_book: Option<&OrderBook>) -> RuleResult {
        let costs = self.costs();
        let input = AdjustmentInput {
            spread: self.spread,
            market: Some(self.own),
            reference: Some(self.market),
            fees: (self.fees.0.percent, self.fees.1.percent),
            costs: &costs,
            free: Decimal::from(70_000),
            day_ago: None,
            order_book,
            margin: None,
            now: now(),
        };
        adjust(rules, &input)
    }

    fn terms(&self, adjustments: Vec<Adjustment>) -> Option<Terms> {
        let pricing = Pricing {
            market: MarketRate::Manual(self.own),
            spread_percent: self.spread,
            adjustments,
            give_fee: self.fees.0,
            receive_fee: self.fees.1,
            network_fee: NetworkFee::of(self.payer, self.network_fee),
            bonus_percent: Decimal::ZERO,
            tiers: self.tiers.clone(),
            give_digits: GIVE_DIGITS,
            receive_digits: RECEIVE_DIGITS,
            give_step: None,
            receive_step: None,
        };
        Some(pricing.price().ok()?.terms)
    }

    /// Whether an exchange leaves at least `floor` percent over its cost, exactly.
    fn holds(&self, floor: Decimal, give: Decimal, receive: Decimal) -> bool {
        let kept = Ratio::plus_percent(-floor).unwrap().times(&Ratio::of(self.market).unwrap());
        Ratio::of(receive + self.network_fee).unwrap() <= Ratio::of(give).unwrap().times(&kept)
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let rate = || prop_oneof![1_000_i64..2_000_000, Just(1_000_000), Just(10_000)].prop_map(|rate| Decimal::new(rate, 4));
    let own = prop_oneof![Just(100_i64), 80_i64..120];
    let fixed = |digits| prop_oneof![2 => Just(0_i64), 1 => 1_i64..50_000].prop_map(move |fee| Decimal::new(fee, digits));
    let percent = || prop_oneof![Just(Decimal::ZERO), cents(0..500)];
    let tiers = prop::collection::btree_map(0_i64..500_000, -300_i64..300, 0..4).prop_map(|tiers| {
        let tier = |(min, added): (i64, i64)| TierRule { min_give: Decimal::new(min, 2), add_percent: Decimal::new(added, 2) };
        tiers.into_iter().map(tier).collect::<Vec<_>>()
    });
    let limits = (of(1_i64..3_000_000), of(3_000_000_i64..90_000_000), of(1_i64..900_000)).prop_map(|(least, most, received)| {
        let give = ConfiguredRange {
            min: least.map(|least| Decimal::new(least, GIVE_DIGITS)),
            max: most.map(|most| Decimal::new(most, GIVE_DIGITS)),
            step: None,
        };
        let receive = ConfiguredRange { min: received.map(|least| Decimal::new(least, RECEIVE_DIGITS)), max: None, step: None };
        ConfiguredLimits { give, receive }
    });
    let fees = (fixed(GIVE_DIGITS), percent(), fixed(RECEIVE_DIGITS), percent());
    let network = (prop_oneof![1 => Just(0_i64), 4 => 1_i64..20_000], any::<bool>());
    (rate(), own, cents(-500..600), fees, network, tiers, limits).prop_map(
        |(market, own, spread, (give_fee, give_percent, receive_fee, receive_percent), (fee, is_customers), tiers, limits)| {
            Settings {
                market,
                own: market * Decimal::new(own, 2),
                spread,
                fees: (Fee { fixed: give_fee, percent: give_percent }, Fee { fixed: receive_fee, percent: receive_percent }),
                network_fee: Decimal::new(fee, RECEIVE_DIGITS),
                payer: if is_customers { NetworkFeePayer::Customer } else { NetworkFeePayer::Exchange },
                tiers,
                limits,
            }
        },
    )
}

fn over_cost(floor: Decimal, ceiling: Decimal, rank: Option<RankRule>) -> RateRules {
    let bounds = MarginBounds { floor, ceiling, floor_over: FloorBase::Cost };
    RateRules { bounds: Some(bounds), rank, ..RateRules::default() }
}

#[test]
fn every_exchange_leaves_the_floor_over_its_cost() {
    let reached = Reached::default();
    let rules = (cents(-200..800), cents(0..600), of(rank_rule()), of(order_book()));
    let cases = (settings(), rules, prop::collection::vec(0_i64..=10_000, 24));
    let held = Reached::runner().run(&cases, |(settings, (floor, width, rank, order_book), places)| {
        let rules = over_cost(floor, floor + width, rank);
        prop_assert_eq!(rules.faults().len(), 0);
        let RuleResult { adjustments, cost_fault, .. } = settings.adjusted(&rules, order_book.as_ref());
        if let Some(fault) = cost_fault {
            prop_assert_eq!(fault, CostFault::BelowCost);
            prop_assert!(adjustments.is_empty());
            reached.notes("suspended");
            return Ok(());
        }
        let Some(terms) = settings.terms(adjustments.clone()) else { return Ok(()) };
        let limits = Limits::effective(&terms, &settings.limits, Some(Decimal::from(3_000_000))).unwrap();
        let Some(limits) = limits else { return Ok(()) };
        let (min, max) = (limits.give.min.value, limits.give.max.value);
        let unit = Decimal::new(1, GIVE_DIGITS);
        let between = places.iter().map(|place| (min + (max - min) * Decimal::new(*place, 4)).trunc_with_scale(GIVE_DIGITS));
        let near = (0..24).map(|more| min + unit * Decimal::from(more));
        let starts = settings.tiers.iter().flat_map(|tier| [tier.min_give - unit, tier.min_give]);
        let amounts = near.chain(between).chain(starts).chain([max]).filter(|give| (min..=max).contains(give));
        for give in amounts {
            let receive = terms.receive(give).unwrap();
            prop_assert!(settings.holds(floor, give, receive), "{give} brings {receive}: {adjustments:?}");
        }
        let costs = settings.costs();
        let least = settings.cost_price(&costs).least_margin(floor).unwrap();
        let margin = settings.spread - adjustments.iter().map(Adjustment::percent).sum::<Decimal>();
        prop_assert!(margin >= least, "{margin} is below {least}");
        let has_fee = !settings.network_fee.is_zero() && settings.payer == NetworkFeePayer::Exchange;
        reached.notes(match (least > floor + width, margin == least) {
            (true, _) => "the floor wins over the ceiling",
            (false, true) => "at the floor",
            (false, false) => "above the floor",
        });
        reached.notes(if has_fee { "the exchange bears the fee" } else { "it does not" });
        Ok(())
    });
    held.unwrap();
    reached.often(&[
        "suspended",
        "the floor wins over the ceiling",
        "at the floor",
        "above the floor",
        "the exchange bears the fee",
        "it does not",
    ]);
}

#[test]
fn a_smaller_margin_would_break_the_floor() {
    let reached = Reached::default();
    let held = Reached::runner().run(&(settings(), cents(-200..800)), |(settings, floor)| {
        // Without fixed fees and tiers, and the smallest amount given.
        let mut settings = Settings { own: settings.market, tiers: Vec::new(), ..settings };
        (settings.fees.0.fixed, settings.fees.1.fixed, settings.limits.receive.min) = (Decimal::ZERO, Decimal::ZERO, None);
        let Some(min) = settings.limits.give.min else { return Ok(()) };
        let costs = settings.costs();
        let Ok(least) = settings.cost_price(&costs).least_margin(floor) else { return Ok(()) };
        settings.spread = least - Decimal::new(1, 2);
        let Some(terms) = settings.terms(Vec::new()) else { return Ok(()) };
        // The last digit of the receive currency is worth less than 0.01 percent.
        if settings.payer == NetworkFeePayer::Exchange && min * settings.market > Decimal::from(1_000) {
            let receive = terms.receive(min).unwrap();
            prop_assert!(!settings.holds(floor, min, receive), "{least} is more than needed: {min} brings {receive}");
            reached.notes("needed");
        }
        Ok(())
    });
    held.unwrap();
    reached.often(&["needed"]);
}

/// Ten thousand for a hundred at a market rate of 100: one percent is 100.
fn costs(network_fee: &str, receive_fee: &str) -> PairCosts {
    PairCosts {
        network_fee: number(network_fee),
        receive_fee: number(receive_fee),
        give_limits: (Some(number("100")), None),
        min_receive: number("0.01"),
        receive_digits: 2,
        ..PairCosts::default()
    }
}

fn least(costs: &PairCosts, market: Option<&str>) -> Result<Decimal, CostFault> {
    let rate = Some(number("100"));
    CostPrice { market: market.map(number), rate, fee_percents: (Decimal::ZERO, Decimal::ZERO), costs }.least_margin(Decimal::ONE)
}

#[test]
fn the_network_fee_raises_the_least_margin_where_it_weighs_most() {
    let of = |network_fee, receive_fee| least(&costs(network_fee, receive_fee), Some("100")).map(|margin| margin.normalize());
    assert_eq!(of("0", "0"), Ok(number("1")));
    assert_eq!(of("50", "0"), Ok(number("1.5")));
    assert_eq!(of("50", "50"), Ok(number("1")), "the customer bears it");
    assert_eq!(of("50", "20"), Ok(number("1.3")), "a fixed fee makes up for some of it");
    assert_eq!(of("50", "500"), Ok(number("1")), "and allows no better rate at larger amounts");
    assert_eq!(of("8900", "0"), Ok(number("90")), "the greatest margin");
    assert_eq!(of("8900.01", "0"), Err(CostFault::BelowCost));
    assert_eq!(of("10000", "0"), Err(CostFault::BelowCost), "it eats up the smallest exchange");
    assert_eq!(least(&costs("50", "0"), None), Err(CostFault::Unknown));

    // A tier begins where the fee weighs less, and its better rate takes that back.
    let tier = |min: &str, added: &str| RateTier { min_give: number(min), added_percent: number(added) };
    let tiers = |tiers: Vec<RateTier>| least(&PairCosts { tiers, ..costs("50", "0") }, Some("100")).unwrap();
    assert_eq!(tiers(vec![tier("1000", "0.1")]), number("1.5"));
    assert_eq!(tiers(vec![tier("1000", "2")]), number("2.990197"), "100 - 98.95 / 1.02, rounded up");
    assert_eq!(tiers(vec![tier("50", "0.5")]), number("1.990050"), "the rate below it is never used");
}

#[test]
fn a_pair_without_a_smallest_amount_has_no_rate_while_the_exchange_bears_the_fee() {
    let open = |network_fee| PairCosts { give_limits: (None, None), ..costs(network_fee, "0") };
    assert_eq!(least(&open("0"), Some("100")), Ok(number("1")));
    assert_eq!(least(&open("0.5"), Some("100")), Err(CostFault::BelowCost));
    // A smallest amount on the receive side is one, too: 9,850 and the fee are 99 % of 10,000.
    let received = PairCosts { min_receive: number("9850"), ..open("50") };
    assert_eq!(least(&received, Some("100")), Ok(number("1.5")));
}

#[test]
fn a_floor_over_cost_counts_for_one_person_as_it_may_become() {
    let (five, margin) = (number("5"), number("31"));
    let cost_price = |costs| CostPrice {
        market: Some(number("100")),
        rate: Some(number("100")),
        fee_percents: (Decimal::ZERO, Decimal::ZERO),
        costs,
    };
    let dear = costs("3000", "0");
    let over_cost = over_cost(Decimal::ONE, number("4"), None);
    let over_market = |floor: &str| {
        let bounds = json!({ "floor": floor, "ceiling": "40" });
        let reserve = json!({ "target": "1", "levels": [{ "from": "0", "percent": "1" }] });
        serde_json::from_value::<RateRules>(json!({ "bounds": bounds, "reserve": reserve })).unwrap()
    };
    let now = over_cost.margin_range(margin, &cost_price(&dear)).unwrap();
    assert_eq!((now.least, now.most), (number("31"), number("31")), "the floor wins over the ceiling");
    let later = over_cost.future_margin_range(margin, &cost_price(&dear)).unwrap();
    assert_eq!((later.least, later.most), (number("1"), number("31")), "the fee may fall to nothing");

    // Neither away from the floor over cost nor to it may one person move the rate far.
    let range = |rules: &RateRules| rules.margin_range(margin, &cost_price(&dear));
    assert!(exceeds_limit(margin, range(&over_cost), range(&over_market("1")), five));
    assert!(exceeds_limit(margin, range(&over_market("31")), Some(later), five));
    assert!(over_cost.has_bounds_of(&over_cost.clone()) && !over_cost.has_bounds_of(&over_market("1")));
    let unknown = CostPrice { market: None, ..cost_price(&dear) };
    assert!(exceeds_limit(margin, range(&over_market("1")), over_cost.future_margin_range(margin, &unknown), five));
}

#[test]
fn stored_bounds_are_over_the_market_unless_they_say_otherwise() {
    let stored = json!({ "floor": "1", "ceiling": "4" });
    let bounds: MarginBounds = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!((bounds.floor_over, serde_json::to_value(bounds).unwrap()), (FloorBase::Market, stored));
    let over_cost = json!({ "floor": "1", "ceiling": "4", "floorOver": "cost" });
    assert_eq!(serde_json::to_value(serde_json::from_value::<MarginBounds>(over_cost.clone()).unwrap()).unwrap(), over_cost);
}
