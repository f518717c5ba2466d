//! What staff see of directions.

use agio_core::{Error, Result};

use super::Monitors;
use crate::model::marks;

/// A direction as monitors get it.
#[derive(Clone, Debug)]
pub struct DirectionSeen {
    /// The currencies.
    pub ends: (i64, i64),
    /// The code of the currency received.
    pub to: String,
    /// Whether monitors get it.
    pub listed: bool,
    /// Marks that are set, or usual.
    pub marks: Vec<String>,
    /// Marks that follow from the direction.
    pub own_marks: Vec<String>,
    /// Whether somebody set it up.
    pub is_set: bool,
}

impl Monitors {
    /// The directions from a currency that are offered now.
    ///
    /// # Errors
    /// 404 `currency_unknown`.
    pub fn setups(&self, from: i64) -> Result<Vec<DirectionSeen>> {
        if !self.offers.currencies().iter().any(|currency| currency.id == from) {
            return Err(Error::not_found("currency_unknown"));
        }
        let key = self.key();
        let house = self.house(&key);
        let names = |marks: &_| marks::ordered(marks).into_iter().map(str::to_owned).collect();
        let offered = self.offers.directions(&key.offers).into_iter().filter(|direction| direction.from.id == from);
        let seen = offered.map(|direction| {
            let ends = (direction.from.id, direction.to.id);
            let (listed, set) = house.of(ends);
            DirectionSeen {
                ends,
                listed,
                marks: names(set),
                own_marks: names(&marks::of_itself(&direction)),
                is_set: house.setups.contains_key(&ends),
                to: direction.to.code,
            }
        });
        Ok(seen.collect())
    }
}
