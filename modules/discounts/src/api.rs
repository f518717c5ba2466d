//! Public API of discounts.

use std::sync::Arc;

use agio_http::{ApiResult, Dec, JsonResponse, Nullable, Visitor, body};
use poem_openapi::{OpenApi, Tags};

use crate::Discounts;
use crate::model::{self, VolumeTier};
use crate::service::DiscountStatus;

#[derive(Tags)]
enum Tag {
    /// Discounts of customers.
    Discounts,
}

pub struct DiscountsApi(pub Arc<Discounts>);

/// Discount tiers and the caller's discount.
#[body(response)]
struct DiscountTable {
    /// Ticker of the base currency, in which volume is counted.
    base: String,
    /// Tiers, ascending. May be empty.
    tiers: Vec<DiscountTier>,
    /// Maximum total bonus, in percent.
    most: Dec,
    /// The caller's discount. Null without an access token.
    mine: Nullable<CustomerDiscount>,
}

/// A discount tier.
#[body(shared)]
pub struct DiscountTier {
    /// Minimum volume, in the base currency.
    pub min: Dec,
    /// Bonus in percent: above 0, at most 50, two decimals.
    pub percent: Dec,
}

/// Discount of an account.
#[body(response)]
pub struct CustomerDiscount {
    /// Exchange volume so far, in the base currency.
    volume: Dec,
    /// Bonus in percent.
    percent: Dec,
    /// The next tier. Null on the last tier or without tiers.
    next: Nullable<NextDiscountTier>,
    /// Whether the e-mail address is confirmed. Only then do guest exchanges with that address count.
    confirmed: bool,
}

/// The next discount tier.
#[body(response)]
struct NextDiscountTier {
    /// Minimum volume.
    min: Dec,
    /// Bonus in percent.
    percent: Dec,
    /// Remaining volume.
    left: Dec,
}

impl From<VolumeTier> for DiscountTier {
    fn from(tier: VolumeTier) -> Self {
        Self { min: Dec(model::volume(tier.min_units)), percent: Dec(model::percent(tier.percent_bps)) }
    }
}

impl CustomerDiscount {
    pub fn of(mine: DiscountStatus, confirmed: bool) -> Self {
        let next = |tier: VolumeTier| NextDiscountTier {
            min: Dec(model::volume(tier.min_units)),
            percent: Dec(model::percent(tier.percent_bps)),
            left: Dec(model::volume(tier.min_units - mine.volume)),
        };
        Self {
            volume: Dec(model::volume(mine.volume)),
            percent: Dec(model::percent(mine.position.percent_bps)),
            next: Nullable(mine.position.next.map(next)),
            confirmed,
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/discounts", tag = "Tag::Discounts")]
impl DiscountsApi {
    /// Get discounts
    ///
    /// With an access token also returns the account's volume, its bonus and the volume left to the next tier. A pair
    /// may allow less bonus than the tier; the pair response tells.
    #[oai(path = "/", method = "get", operation_id = "getDiscounts")]
    async fn get_discounts(&self, visitor: Visitor) -> ApiResult<JsonResponse<DiscountTable>> {
        let (tiers, mine) = self.0.discounts_for(visitor.customer.as_ref()).await?;
        let confirmed = visitor.customer.is_some_and(|customer| customer.activated);
        Ok(JsonResponse(DiscountTable {
            base: self.0.base(),
            tiers: tiers.into_iter().map(DiscountTier::from).collect(),
            most: Dec(self.0.max_bonus()),
            mine: Nullable(mine.map(|mine| CustomerDiscount::of(mine, confirmed))),
        }))
    }
}
