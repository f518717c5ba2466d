//! What must hold for every exchange, tried on a million random ones.

use agio_calculator::model::engine::{Terms, TermsParts};
use agio_calculator::model::limits::Limits;
use agio_core::ratio::Ratio;
use rust_decimal::Decimal;

use crate::random::Dice;

const MILLION: u32 = 1_000_000;

/// Amounts tried on the same terms: making terms takes longer than computing with them.
const AMOUNTS: u32 = 5;

fn last_digit(digits: u32) -> Decimal {
    Decimal::new(1, digits)
}

/// The terms of the way back at the reciprocal of the course, rounded down as the house does.
fn way_back(parts: &TermsParts) -> Option<Terms> {
    let reciprocal = Decimal::ONE.checked_div(parts.course)?;
    let course = reciprocal.round_sf_with_strategy(12, rust_decimal::RoundingStrategy::ToZero)?.normalize();
    Terms::new(TermsParts {
        course,
        tiers: Vec::new(),
        fee_from: Decimal::ZERO,
        fee_to: Decimal::ZERO,
        digits_from: parts.digits_to,
        digits_to: parts.digits_from,
    })
    .ok()
}

#[test]
fn a_round_trip_never_gains() {
    let mut dice = Dice::new(1);
    let mut completed = 0;
    for _ in 0..MILLION {
        let there = Terms::new(TermsParts {
            course: dice.course(16),
            tiers: Vec::new(),
            fee_from: Decimal::ZERO,
            fee_to: Decimal::ZERO,
            digits_from: dice.digits(),
            digits_to: dice.digits(),
        })
        .expect("generated terms are within bounds");
        let send = dice.amount(there.parts().digits_from, 9);
        let Some(back) = way_back(there.parts()) else {
            continue;
        };
        let Ok(received) = there.receive(send) else {
            continue;
        };
        let returned = back.receive(received).expect("less than was sent");
        assert!(returned <= send, "{send} became {received} and then {returned} at {:?}", there.parts());
        completed += u32::from(!returned.is_zero());
    }
    assert!(completed > MILLION / 10, "only {completed} round trips moved money");
}

#[test]
fn the_reverse_entry_finds_the_least_amount() {
    let mut dice = Dice::new(2);
    let mut found = 0;
    let mut terms = dice.terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.terms();
        }
        let parts = terms.parts();
        let wanted = dice.amount(parts.digits_to, 9);
        let Some(send) = terms.send_for(wanted).expect("an amount") else {
            continue;
        };
        let received = terms.receive(send).expect("the answer is in range");
        assert!(received >= wanted, "{send} brings {received}, not {wanted}: {parts:?}");
        if send.is_zero() {
            continue;
        }
        let less = send - last_digit(parts.digits_from);
        let received = terms.receive(less).expect("less is in range too");
        assert!(received < wanted, "{less} brings {received} already: {parts:?}");
        found += 1;
    }
    assert!(found > MILLION / 2, "only {found} wishes could be met");
}

#[test]
fn more_sent_is_never_less_received() {
    let mut dice = Dice::new(3);
    let (mut compared, mut grew) = (0, 0);
    let mut terms = dice.monotone_terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.monotone_terms();
        }
        let digits = terms.parts().digits_from;
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
    let mut dice = Dice::new(4);
    let mut open = 0;
    let mut terms = dice.terms();
    for round in 0..MILLION {
        if round % AMOUNTS == 0 {
            terms = dice.terms();
        }
        let set = dice.limits(&terms);
        let reserve = (!dice.chance(4)).then(|| dice.amount(terms.parts().digits_to, 9));
        let Some(limits) = Limits::effective(&terms, &set, reserve).expect("valid limits") else {
            continue;
        };
        open += 1;
        let context = || format!("{set:?} {reserve:?} {limits:?} {:?}", terms.parts());
        let (from, to) = (limits.from, limits.to);
        assert!(set.from.min.is_none_or(|min| from.min.value >= min), "{}", context());
        assert!(set.from.max.is_none_or(|max| from.max.value <= max), "{}", context());
        assert!(set.to.min.is_none_or(|min| to.min.value >= min), "{}", context());
        assert!(set.to.max.is_none_or(|max| to.max.value <= max), "{}", context());
        assert!(reserve.is_none_or(|free| to.max.value <= free), "{}", context());
        assert!(from.min.value <= from.max.value, "{}", context());

        // The ends, their neighbours inside, and an amount somewhere between.
        let step = last_digit(terms.parts().digits_from);
        let width = ((from.max.value - from.min.value) / step).trunc();
        let inside = Decimal::from(u64::from(round % 1000)) * width / Decimal::from(1000_u32);
        let somewhere = from.min.value + inside.trunc() * step;
        let near_min = (from.min.value + step).min(from.max.value);
        let near_max = (from.max.value - step).max(from.min.value);
        for send in [from.min.value, near_min, somewhere, near_max, from.max.value] {
            let received = terms.receive(send).expect("allowed amounts are in range");
            assert!(!received.is_zero(), "{send}: {}", context());
            assert_eq!(to.check(received), Ok(()), "{send} -> {received}: {}", context());
        }
        // Both ends of the received side can be typed.
        let for_most = terms.send_for(to.max.value).expect("an amount").expect("an answer");
        assert!(for_most <= from.max.value, "{for_most}: {}", context());
    }
    assert!(open > MILLION / 4, "only {open} pairs were open");
}

/// The rounding attack: the smallest amounts for which anything is received, over and over.
#[test]
fn the_smallest_amounts_never_earn() {
    let mut dice = Dice::new(8);
    let mut turned = 0;
    while turned < 100_000 {
        let there = dice.monotone_terms();
        let Some(back) = way_back(there.parts()) else {
            continue;
        };
        let least = last_digit(there.parts().digits_to);
        let Some(send) = there.send_for(least).expect("an amount") else {
            continue;
        };
        let received = there.receive(send).expect("the answer is in range");
        let best = there.course_for(send).expect("an amount");
        let worth = Ratio::of(send).expect("above zero").times(&Ratio::of(best).expect("above zero"));
        let over = worth.over(&Ratio::of(received).expect("at least the last digit"));
        assert!(over.round_down(20, 24).is_none_or(|over| over >= Decimal::ONE), "{send} -> {received}");
        if there.parts().tiers.is_empty() {
            let returned = back.receive(received).expect("less than was sent");
            assert!(returned <= send, "{send} -> {received} -> {returned}: {:?}", there.parts());
        }
        turned += 1;
    }
}
