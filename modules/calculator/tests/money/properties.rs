//! Invariants on a million random exchanges.

use agio_calculator::model::engine::{Terms, TermsParts, Tier};
use agio_calculator::model::limits::Limits;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use crate::generators::NumberGenerator;

const MILLION: u32 = 1_000_000;

/// Amounts per terms: creating terms is the slow part.
const AMOUNTS: u32 = 5;

fn last_digit(digits: u32) -> Decimal {
    Decimal::new(1, digits)
}

/// Terms of the way back at the reciprocal rate, rounded down.
fn way_back(parts: &TermsParts) -> Option<Terms> {
    let reciprocal = Decimal::ONE.checked_div(parts.rate)?;
    let rate = reciprocal.round_sf_with_strategy(12, rust_decimal::RoundingStrategy::ToZero)?.normalize();
    Terms::new(TermsParts {
        rate,
        tiers: Vec::new(),
        give_fee: Decimal::ZERO,
        receive_fee: Decimal::ZERO,
        network_fee: None,
        give_digits: parts.receive_digits,
        receive_digits: parts.give_digits,
        give_step: None,
        receive_step: None,
    })
    .ok()
}

#[test]
fn a_round_trip_never_gains() {
    let mut dice = NumberGenerator::new(1);
    let mut completed = 0;
    for _ in 0..MILLION {
        let there = Terms::new(TermsParts {
            rate: dice.rate(16),
            tiers: Vec::new(),
            give_fee: Decimal::ZERO,
            receive_fee: Decimal::ZERO,
            network_fee: None,
            give_digits: dice.digits(),
            receive_digits: dice.digits(),
            give_step: None,
            receive_step: None,
        })
        .expect("generated terms are within bounds");
        let give = dice.amount(there.parts().give_digits, 9);
        let Some(back) = way_back(there.parts()) else {
            continue;
        };
        let Ok(received) = there.receive(give) else {
            continue;
        };
        let returned = back.receive(received).expect("less than was sent");
        assert!(returned <= give, "{give} became {received} and then {returned} at {:?}", there.parts());
        completed += u32::from(!returned.is_zero());
    }
    assert!(completed > MILLION / 10, "only {completed} round trips moved money");
}

#[test]
fn the_reverse_entry_finds_the_least_amount() {
    let mut dice = NumberGenerator::new(2);
    let mut found = 0;
    let mut terms = dice.terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.terms();
        }
        let parts = terms.parts();
        let wanted = dice.amount(parts.receive_digits, 9);
        let Some(give) = terms.give_for(wanted).expect("an amount") else {
            continue;
        };
        let received = terms.receive(give).expect("the answer is in range");
        assert!(received >= wanted, "{give} brings {received}, not {wanted}: {parts:?}");
        if give.is_zero() {
            continue;
        }
        let less = give - last_digit(parts.give_digits);
        let received = terms.receive(less).expect("less is in range too");
        assert!(received < wanted, "{less} brings {received} already: {parts:?}");
        found += 1;
    }
    assert!(found > MILLION / 2, "only {found} requests could be met");
}

#[test]
fn more_sent_is_never_less_received() {
    let mut dice = NumberGenerator::new(3);
    let (mut compared, mut grew) = (0, 0);
    let mut terms = dice.monotone_terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.monotone_terms();
        }
        let digits = terms.parts().give_digits;
        let (less, more) = (dice.amount(digits, 9), dice.amount(digits, 9));
        let (less, more) = (less.min(more), less.max(more));
        let Ok(most) = terms.receive(more) else {
            continue;
        };
        let least = terms.receive(less).expect("less is in range too");
        assert!(least <= most, "{less} -> {least}, {more} -> {most}: {:?}", terms.parts());
        compared += 1;
        grew += u32::from(least < most);
    }
    assert!(
        compared > MILLION / 2 && grew > MILLION / 10,
        "{compared} pairs of amounts were compared, of {grew} one brought more"
    );
}

#[test]
fn effective_limits_are_themselves_valid() {
    let mut dice = NumberGenerator::new(4);
    let mut open = 0;
    let mut terms = dice.terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.terms();
        }
        let set = dice.limits(&terms);
        let reserve = (!dice.chance(4)).then(|| dice.amount(terms.parts().receive_digits, 9));
        let Some(limits) = Limits::effective(&terms, &set, reserve).expect("valid limits") else {
            continue;
        };
        open += 1;
        let context = || format!("{set:?} {reserve:?} {limits:?} {:?}", terms.parts());
        let (give, receive) = (limits.give, limits.receive);
        let tier_at = |give: Decimal| terms.parts().tiers.iter().rfind(|tier| tier.min_give <= give);
        let tiers: Vec<_> = limits.reachable_tiers(terms.parts()).collect();
        assert!(set.give.min.is_none_or(|min| give.min.value >= min), "{}", context());
        assert!(set.give.max.is_none_or(|max| give.max.value <= max), "{}", context());
        assert!(set.receive.min.is_none_or(|min| receive.min.value >= min), "{}", context());
        assert!(set.receive.max.is_none_or(|max| receive.max.value <= max), "{}", context());
        assert!(reserve.is_none_or(|free| receive.max.value <= free), "{}", context());
        assert!(give.min.value <= give.max.value, "{}", context());

        // The ends, their neighbours inside, and an amount somewhere between.
        let step = last_digit(terms.parts().give_digits);
        let width = ((give.max.value - give.min.value) / step).trunc();
        let inside = Decimal::from(u64::from(round % 1000)) * width / Decimal::from(1000_u32);
        let somewhere = give.min.value + inside.trunc() * step;
        let near_min = (give.min.value + step).min(give.max.value);
        let near_max = (give.max.value - step).max(give.min.value);
        for give in [give.min.value, near_min, somewhere, near_max, give.max.value] {
            let received = terms.receive(give).expect("allowed amounts are in range");
            assert!(!received.is_zero(), "{give}: {}", context());
            assert_eq!(receive.check(received), Ok(()), "{give} -> {received}: {}", context());
            assert!(tier_at(give).is_none_or(|tier| tiers.contains(&tier)), "{give}: {}", context());
        }
        let is_reached = |tier: &&Tier| tier_at(give.clamp(tier.min_give)) == Some(*tier);
        assert!(tiers.iter().all(is_reached), "{tiers:?}: {}", context());
        // Both ends of the received side can be typed.
        let for_most = terms.give_for(receive.max.value).expect("an amount").expect("an answer");
        assert!(for_most <= give.max.value, "{for_most}: {}", context());
    }
    assert!(open > MILLION / 4, "only {open} pairs were open");
}

/// Rounding attack: the smallest productive amounts, repeatedly.
#[test]
fn the_smallest_amounts_never_earn() {
    let mut dice = NumberGenerator::new(8);
    let mut turned = 0;
    while turned < 100_000 {
        let there = dice.monotone_terms();
        let Some(back) = way_back(there.parts()) else {
            continue;
        };
        let least = last_digit(there.parts().receive_digits);
        let Some(give) = there.give_for(least).expect("an amount") else {
            continue;
        };
        let received = there.receive(give).expect("the answer is in range");
        let best = there.rate_for(give).expect("an amount");
        let worth = Ratio::of(give).expect("above zero").times(&Ratio::of(best).expect("above zero"));
        let over = worth.over(&Ratio::of(received).expect("at least the last digit"));
        assert!(over.round_down(20, 24).is_none_or(|over| over >= Decimal::ONE), "{give} -> {received}");
        if there.parts().tiers.is_empty() {
            let returned = back.receive(received).expect("less than was sent");
            assert!(returned <= give, "{give} -> {received} -> {returned}: {:?}", there.parts());
        }
        turned += 1;
    }
}

/// Steps: what a typed amount becomes can be exchanged, is never above it, and pays for no part of a step.
#[test]
fn a_snapped_amount_is_a_multiple_and_never_above_the_typed_one() {
    let mut dice = NumberGenerator::new(10);
    let (mut open, mut snapped_down) = (0, 0);
    let mut terms = dice.stepped_terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.stepped_terms();
        }
        let set = dice.limits(&terms);
        let reserve = (!dice.chance(4)).then(|| dice.amount(terms.parts().receive_digits, 9));
        let Some(limits) = Limits::effective(&terms, &set, reserve).expect("valid limits") else {
            continue;
        };
        open += 1;
        let parts = terms.parts();
        let is_multiple = |amount: Decimal, step: Option<Decimal>| step.is_none_or(|step| (amount % step).is_zero());
        let context = || format!("{set:?} {reserve:?} {limits:?} {parts:?}");
        for typed in [dice.amount(parts.give_digits, 9), limits.give.min.value, limits.give.max.value] {
            let give = limits.snap(&terms, typed).expect("an amount");
            assert!(give <= typed.max(limits.give.min.value), "{typed} became {give}: {}", context());
            assert!(is_multiple(give, parts.give_step), "{typed} became {give}: {}", context());
            assert_eq!(limits.give.check(give), Ok(()), "{typed} became {give}: {}", context());
            assert_eq!(limits.snap(&terms, give), Ok(give), "twice is once: {}", context());
            let received = terms.receive(give).expect("allowed amounts are in range");
            assert!(is_multiple(received, parts.receive_step), "{give} brings {received}: {}", context());
            assert_eq!(limits.receive.check(received), Ok(()), "{give} brings {received}: {}", context());
            if parts.receive_step.is_some() && give > limits.give.min.value {
                let less = give - parts.give_step.unwrap_or_else(|| last_digit(parts.give_digits));
                let for_less = terms.receive(less).expect("less is in range too");
                assert!(for_less < received, "{less} brings {for_less} already: {}", context());
            }
            snapped_down += u32::from(give < typed && typed <= limits.give.max.value);
        }
        let typed = dice.amount(parts.receive_digits, 9);
        let wanted = limits.snap_receive(&terms, typed).expect("an amount");
        assert!(wanted <= typed.max(limits.receive.min.value), "{typed} became {wanted}: {}", context());
        assert!(is_multiple(wanted, parts.receive_step), "{typed} became {wanted}: {}", context());
        let give = terms.give_for(wanted).expect("an amount").expect("an answer");
        assert!(is_multiple(give, parts.give_step) && give <= limits.give.max.value, "{give} for {wanted}: {}", context());
    }
    assert!(open > MILLION / 4, "only {open} pairs were open");
    assert!(snapped_down > MILLION / 20, "only {snapped_down} amounts were between the steps");
}
