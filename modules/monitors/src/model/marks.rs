//! Marks: what monitors tell their readers about a direction beside its rate.

use std::collections::BTreeSet;

use agio_core::needs::{Direction, Proof};

/// The marks there are, by the names monitors read.
pub const MARKS: [&str; 12] = [
    MANUAL,
    "juridical",
    VERIFYING,
    CARD_VERIFY,
    FLOATING,
    "otherin",
    "otherout",
    "reg",
    "card2card",
    "delivery",
    "hold",
    "delay",
];

/// A member of staff sends every payout.
pub const MANUAL: &str = "manual";
/// Documents may be asked for.
const VERIFYING: &str = "verifying";
/// A photo of the card may be asked for.
const CARD_VERIFY: &str = "cardverify";
/// The rate is fixed only when the payment arrives.
pub const FLOATING: &str = "floating";

/// Whether an operator may set a mark. What follows from the direction itself is not set by hand.
#[must_use]
pub fn is_settable(mark: &str) -> bool {
    mark != FLOATING && mark != MANUAL && MARKS.contains(&mark)
}

/// Marks in the order of the list, parted as monitors part them.
#[must_use]
pub fn ordered(marks: &BTreeSet<String>) -> Vec<&'static str> {
    MARKS.into_iter().filter(|mark| marks.contains(*mark)).collect()
}

/// Reads marks parted by commas; those there are not, or that are not set by hand, are left out.
#[must_use]
pub fn read(list: &str) -> BTreeSet<String> {
    list.split(',').map(str::trim).filter(|mark| is_settable(mark)).map(str::to_owned).collect()
}

/// What follows from how a direction is set up.
#[must_use]
pub fn of_itself(direction: &Direction) -> BTreeSet<String> {
    let mut marks = BTreeSet::new();
    if direction.manual {
        marks.insert(MANUAL.to_owned());
    }
    if direction.floating.is_some() {
        marks.insert(FLOATING.to_owned());
    }
    match direction.proof {
        Some(Proof::Card) => marks.insert(CARD_VERIFY.to_owned()),
        Some(Proof::Identity) => marks.insert(VERIFYING.to_owned()),
        None => false,
    };
    marks
}

/// A mark that cannot be true of a direction, if it has one.
#[must_use]
pub fn unfit(marks: &BTreeSet<String>, direction: &Direction) -> Option<&'static str> {
    let (from, to) = (direction.from.kind.as_str(), direction.to.kind.as_str());
    let fits = |mark: &str| match mark {
        "juridical" => to == "bank",
        "card2card" => from == "bank",
        "delivery" => from == "cash" || to == "cash",
        FLOATING => direction.floating.is_some(),
        _ => true,
    };
    ordered(marks).into_iter().find(|mark| !fits(mark))
}
