//! Feed settings of directions.

use std::collections::BTreeSet;

use agio_core::{Error, Result};

use super::Feeds;
use crate::model::marks::{self, FeedMark};

#[derive(Clone, Debug)]
pub struct DirectionOverview {
    pub ends: (i64, i64),
    pub to: String,
    pub listed: bool,
    pub marks: BTreeSet<FeedMark>,
    pub own_marks: BTreeSet<FeedMark>,
    pub is_set: bool,
}

impl Feeds {
    /// # Errors
    /// 404 `currency_unknown`.
    pub fn directions_from(&self, from: i64) -> Result<Vec<DirectionOverview>> {
        if !self.offers.currencies().iter().any(|currency| currency.id == from) {
            return Err(Error::not_found("currency_unknown"));
        }
        let key = self.key();
        let rules = self.rules(&key);
        let offered = self.offers.directions(&key.offers).into_iter().filter(|direction| direction.from.id == from);
        let overviews = offered.map(|direction| {
            let ends = (direction.from.id, direction.to.id);
            let (listed, set) = rules.of(ends);
            DirectionOverview {
                ends,
                listed,
                marks: set.clone(),
                own_marks: marks::inherent(&direction),
                is_set: rules.setups.contains_key(&ends),
                to: direction.to.code,
            }
        });
        Ok(overviews.collect())
    }
}
