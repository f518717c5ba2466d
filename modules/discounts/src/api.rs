//! The calls customers' pages make.

use std::sync::Arc;

use agio_http::{Answer, Dec, Null, Outcome, Visitor};
use poem_openapi::{Object, OpenApi, Tags};
use serde::Serialize;

use crate::Discounts;
use crate::model::{self, Tier};
use crate::service::Mine;

#[derive(Tags)]
enum Tag {
    /// What customers get on top of the rate.
    Discounts,
}

/// The customers' calls.
pub struct DiscountsApi(Arc<Discounts>);

impl DiscountsApi {
    /// The calls.
    #[must_use]
    pub fn new(discounts: Arc<Discounts>) -> Self {
        Self(discounts)
    }
}

/// The table of discounts, and where the caller stands in it.
#[derive(Serialize, Object)]
struct DiscountTable {
    /// The ticker of the currency volume is counted in.
    base: String,
    /// The tiers, ascending; empty while there are none.
    tiers: Vec<DiscountTier>,
    /// The most percent that all bonuses together add to a rate.
    most: Dec,
    /// Where the account stands; null for whoever is not signed in.
    mine: Null<DiscountMine>,
}

/// A tier.
#[derive(Serialize, Object)]
pub struct DiscountTier {
    /// The volume it begins with, in the base currency.
    min: Dec,
    /// Percent it adds to the rate.
    percent: Dec,
}

/// Where an account stands.
#[derive(Serialize, Object)]
pub struct DiscountMine {
    /// What was exchanged so far, in the base currency.
    volume: Dec,
    /// Percent it gives.
    percent: Dec,
    /// The next tier; null on the last one, and where there are none.
    next: Null<DiscountNext>,
    /// Whether exchanges count that were made without the account, with its e-mail address: only once that is confirmed.
    confirmed: bool,
}

/// The next tier.
#[derive(Serialize, Object)]
struct DiscountNext {
    /// The volume it begins with.
    min: Dec,
    /// Percent it gives.
    percent: Dec,
    /// How much is left to it.
    left: Dec,
}

impl From<Tier> for DiscountTier {
    fn from(tier: Tier) -> Self {
        Self { min: Dec(model::volume(tier.min_units)), percent: Dec(model::percent(tier.percent_e2)) }
    }
}

impl DiscountMine {
    /// Where an account stands whose address is confirmed or not.
    pub fn of(mine: Mine, confirmed: bool) -> Self {
        let next = |tier: Tier| DiscountNext {
            min: Dec(model::volume(tier.min_units)),
            percent: Dec(model::percent(tier.percent_e2)),
            left: Dec(model::volume(tier.min_units - mine.volume)),
        };
        Self {
            volume: Dec(model::volume(mine.volume)),
            percent: Dec(model::percent(mine.place.percent_e2)),
            next: Null(mine.place.next.map(next)),
            confirmed,
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/discounts", tag = "Tag::Discounts")]
impl DiscountsApi {
    /// The table of discounts
    ///
    /// With an access token also where the account stands: what it has exchanged, what that gives, and how much is left to the next step. A pair
    /// may have less room for a bonus than the table says; its answer tells.
    #[oai(path = "/", method = "get", operation_id = "getDiscounts")]
    async fn table(&self, visitor: Visitor) -> Outcome<Answer<DiscountTable>> {
        let (tiers, mine) = self.0.seen_by(visitor.customer.as_ref()).await?;
        let confirmed = visitor.customer.is_some_and(|customer| customer.activated);
        Ok(Answer(DiscountTable {
            base: self.0.base(),
            tiers: tiers.into_iter().map(DiscountTier::from).collect(),
            most: Dec(self.0.most()),
            mine: Null(mine.map(|mine| DiscountMine::of(mine, confirmed))),
        }))
    }
}
