//! Pure construction of feeds: the same bytes for the same offers.

pub mod format;
pub mod item;
pub mod marks;
pub mod validation;
pub mod working_hours;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use agio_contracts::OfferedDirection;

use item::FeedItem;
use marks::FeedMark;
use validation::{FeedFault, FeedFindingRule};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectionRules {
    pub listed: bool,
    pub marks: BTreeSet<FeedMark>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedProfile {
    pub codes: BTreeMap<i64, String>,
    pub marks: BTreeSet<FeedMark>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedRules {
    pub setups: BTreeMap<(i64, i64), DirectionRules>,
    pub outside_hours: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub from: String,
    pub to: String,
    pub ends: (i64, i64),
    pub fault: FeedFault,
}

#[derive(Clone, Debug, Default)]
pub struct Feed {
    pub items: Vec<FeedItem>,
    pub findings: Vec<Finding>,
    pub resting: usize,
    pub unlisted: usize,
}

impl FeedRules {
    /// Whether the direction is listed, and its marks set by staff.
    pub fn of(&self, ends: (i64, i64)) -> (bool, &BTreeSet<FeedMark>) {
        static NONE: BTreeSet<FeedMark> = BTreeSet::new();
        self.setups.get(&ends).map_or((true, &NONE), |setup| (setup.listed, &setup.marks))
    }
}

/// Builds a feed without erroneous directions. `wrong` is the result of [`validation::check_directions`] for the
/// same directions.
pub fn build_feed(
    directions: &[OfferedDirection],
    wrong: &BTreeMap<usize, FeedFault>,
    rules: &FeedRules,
    profile: &FeedProfile,
) -> Feed {
    let mut feed = Feed::default();
    let mut used_codes = UsedCodes::with_capacity(directions.len());
    for (place, direction) in directions.iter().enumerate() {
        let ends = (direction.from.id, direction.to.id);
        let (is_listed, set) = rules.of(ends);
        if !is_listed {
            feed.unlisted += 1;
            continue;
        }
        let marks: BTreeSet<FeedMark> = set.iter().chain(&profile.marks).copied().chain(marks::inherent(direction)).collect();
        if rules.outside_hours && marks.contains(&FeedMark::Manual) {
            feed.resting += 1;
            continue;
        }
        let built = match wrong.get(&place) {
            Some(fault) => Err(fault.clone()),
            None => items(direction, profile, &marks, &mut used_codes),
        };
        match built {
            Ok(items) => feed.items.extend(items),
            Err(fault) => {
                feed.findings.push(Finding { from: direction.from.code.clone(), to: direction.to.code.clone(), ends, fault })
            }
        }
    }
    feed
}

/// One item, or one for each city in which cash changes hands.
fn items(
    direction: &OfferedDirection,
    profile: &FeedProfile,
    marks: &BTreeSet<FeedMark>,
    used_codes: &mut UsedCodes,
) -> Result<Vec<FeedItem>, FeedFault> {
    if direction.cities.is_empty() {
        return Ok(vec![checked(direction, profile, marks.clone(), None, used_codes)?]);
    }
    let in_city = |city: &String| checked(direction, profile, marks.clone(), Some(city), used_codes);
    direction.cities.iter().map(in_city).collect()
}

/// The codes of both currencies, and the city.
type UsedCodes = HashSet<(String, String, Option<String>)>;

fn checked(
    direction: &OfferedDirection,
    profile: &FeedProfile,
    marks: BTreeSet<FeedMark>,
    city: Option<&String>,
    used_codes: &mut UsedCodes,
) -> Result<FeedItem, FeedFault> {
    let code = |id: i64, own: &str| profile.codes.get(&id).cloned().unwrap_or_else(|| own.to_owned());
    let (from, to) = (code(direction.from.id, &direction.from.code), code(direction.to.id, &direction.to.code));
    let item = FeedItem::of(direction, (&from, &to), marks, city.cloned())
        .ok_or_else(|| FeedFault::of(FeedFindingRule::RateOutOfRange, []))?;
    if let Some(fault) = validation::check_item(&item, direction) {
        return Err(fault);
    }
    if from == to || !used_codes.insert((from.clone(), to.clone(), city.cloned())) {
        return Err(FeedFault::of(FeedFindingRule::CodeRepeated, [("from", from), ("to", to)]));
    }
    Ok(item)
}
