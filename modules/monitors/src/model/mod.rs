//! From what is offered to what monitors read: pure, and the same bytes for the same market.

pub mod hours;
pub mod item;
pub mod lint;
pub mod marks;
pub mod write;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use agio_core::needs::Direction;

use item::Item;
use lint::Fault;

/// What an operator set of a direction for monitors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Whether monitors get it at all.
    pub listed: bool,
    /// Its marks beside those that follow from the direction.
    pub marks: BTreeSet<String>,
}

/// How one monitor wants its feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Its codes of currencies, where they are not the house's.
    pub codes: BTreeMap<i64, String>,
    /// Marks that all its entries get.
    pub marks: BTreeSet<String>,
    /// The city of cash, if there is one.
    pub city: Option<String>,
}

/// What holds for all feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct House {
    /// What is set of directions, by their ends.
    pub setups: BTreeMap<(i64, i64), Setup>,
    /// Whether nobody works now, so that manual directions rest.
    pub rests: bool,
}

/// Something that was kept out of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code of the sent currency.
    pub from: String,
    /// The code of the received currency.
    pub to: String,
    /// The ends.
    pub ends: (i64, i64),
    /// What is wrong.
    pub fault: Fault,
}

/// A feed before it is written.
#[derive(Clone, Debug, Default)]
pub struct Feed {
    /// Its entries, in the order of lists.
    pub items: Vec<Item>,
    /// What was kept out.
    pub findings: Vec<Finding>,
    /// How many manual directions rest now.
    pub resting: usize,
    /// How many directions an operator keeps from monitors.
    pub unlisted: usize,
    /// How many directions of cash are left out because the feed names no city.
    pub without_city: usize,
}

impl House {
    /// Whether monitors get a direction, and the marks an operator gave it.
    #[must_use]
    pub fn of(&self, ends: (i64, i64)) -> (bool, &BTreeSet<String>) {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.setups.get(&ends).map_or((true, &NONE), |setup| (setup.listed, &setup.marks))
    }
}

/// Makes a feed of what is offered, without what is wrong. `wrong` is what [`lint::matrix`] says of the same directions.
#[must_use]
pub fn feed(directions: &[Direction], wrong: &BTreeMap<usize, Fault>, house: &House, profile: &Profile) -> Feed {
    let mut feed = Feed::default();
    let mut taken = HashSet::with_capacity(directions.len());
    for (place, direction) in directions.iter().enumerate() {
        let ends = (direction.from.id, direction.to.id);
        let (is_listed, set) = house.of(ends);
        if !is_listed {
            feed.unlisted += 1;
            continue;
        }
        if is_cash(direction) && profile.city.is_none() {
            feed.without_city += 1;
            continue;
        }
        let marks: BTreeSet<String> = set.iter().chain(&profile.marks).cloned().chain(marks::of_itself(direction)).collect();
        if house.rests && marks.contains(marks::MANUAL) {
            feed.resting += 1;
            continue;
        }
        let made = match wrong.get(&place) {
            Some(fault) => Err(fault.clone()),
            None => checked(direction, profile, marks, &mut taken),
        };
        match made {
            Ok(item) => feed.items.push(item),
            Err(fault) => {
                feed.findings.push(Finding { from: direction.from.code.clone(), to: direction.to.code.clone(), ends, fault })
            }
        }
    }
    feed
}

fn is_cash(direction: &Direction) -> bool {
    direction.from.kind == "cash" || direction.to.kind == "cash"
}

fn checked(
    direction: &Direction,
    profile: &Profile,
    marks: BTreeSet<String>,
    taken: &mut HashSet<(String, String)>,
) -> Result<Item, Fault> {
    let code = |id: i64, own: &str| profile.codes.get(&id).cloned().unwrap_or_else(|| own.to_owned());
    let (from, to) = (code(direction.from.id, &direction.from.code), code(direction.to.id, &direction.to.code));
    let city = profile.city.as_deref().filter(|_| is_cash(direction));
    let item = Item::of(direction, (&from, &to), marks, city).ok_or_else(|| Fault::of("rate_out_of_range", []))?;
    if let Some(fault) = lint::entry(&item, direction) {
        return Err(fault);
    }
    if from == to || !taken.insert((from.clone(), to.clone())) {
        return Err(Fault::of("code_repeated", [("from", from), ("to", to)]));
    }
    Ok(item)
}
