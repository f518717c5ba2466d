//! Request and response bodies of discounts.

use agio_core::keyset::KeysetPage;
use agio_http::{Cursor, Dec, Nullable, body};
use poem_openapi::types::Example;
use uuid::Uuid;

use crate::Discounts;
use crate::api::{CustomerDiscount, DiscountTier};
use crate::model::{TierPosition, percent, volume};
use crate::service::{DiscountStatus, TierTable, TierTableUpdate};
use crate::store::volumes::VolumeRow;

/// The discount tiers and their settings.
#[body(response)]
pub struct DiscountSettings {
    /// Revision of the tiers.
    revision: i64,
    /// Ticker of the base currency.
    base: String,
    /// Ticker of the tier amounts. Null before the tiers were first set. The tiers apply only while it equals `base`.
    ticker: Nullable<String>,
    /// Tiers, ascending.
    tiers: Vec<DiscountTier>,
    /// Maximum total bonus, in percent.
    most: Dec,
    /// Number of exchanges not counted yet because their value was unknown.
    waiting: i64,
}

/// New discount tiers.
#[body(request, example)]
pub struct UpdateDiscountTiersRequest {
    /// The revision you edited.
    revision: i64,
    /// Tiers, ascending by volume and percentage.
    tiers: Vec<DiscountTier>,
}

/// Volume of an account or of a guest's e-mail address.
#[body(response)]
struct DiscountCustomerSummary {
    /// Account. Null for claims made without one; they count towards the account that confirms the e-mail address.
    customer_id: Nullable<Uuid>,
    /// E-mail address of the latest exchange.
    email: String,
    /// Exchange volume, in the base currency.
    volume: Dec,
    exchanges: i64,
    /// Bonus for this volume, in percent.
    percent: Dec,
}

/// Customers by volume.
#[body(response)]
pub struct DiscountCustomerPage {
    /// Customers.
    items: Vec<DiscountCustomerSummary>,
    /// Pass as `cursor` to get the next page; null on the last page.
    next_cursor: Nullable<Cursor<(i64, String)>>,
    /// Discount of the account with the requested e-mail address, if it exists.
    account: Nullable<CustomerDiscount>,
}

impl Example for UpdateDiscountTiersRequest {
    fn example() -> Self {
        let tier = |min: &str, percent: &str| DiscountTier {
            min: Dec(min.parse().expect("a number")),
            percent: Dec(percent.parse().expect("a number")),
        };
        Self { revision: 1, tiers: vec![tier("1000", "0.1"), tier("10000", "0.25")] }
    }
}

impl DiscountSettings {
    pub fn of(discounts: &Discounts, table: TierTable, waiting: i64) -> Self {
        Self {
            revision: table.revision,
            base: discounts.base(),
            ticker: Nullable(table.ticker),
            tiers: table.tiers.into_iter().map(DiscountTier::from).collect(),
            most: Dec(discounts.max_bonus()),
            waiting,
        }
    }
}

impl From<UpdateDiscountTiersRequest> for TierTableUpdate {
    fn from(typed: UpdateDiscountTiersRequest) -> Self {
        Self { revision: typed.revision, tiers: typed.tiers.into_iter().map(|tier| (tier.min.0, tier.percent.0)).collect() }
    }
}

impl From<(VolumeRow, TierPosition)> for DiscountCustomerSummary {
    fn from((row, position): (VolumeRow, TierPosition)) -> Self {
        Self {
            customer_id: Nullable(row.customer_id),
            email: row.email,
            volume: Dec(volume(row.units)),
            exchanges: row.exchanges,
            percent: Dec(percent(position.percent_bps)),
        }
    }
}

impl DiscountCustomerPage {
    pub fn page(page: KeysetPage<(VolumeRow, TierPosition), (i64, String)>) -> Self {
        Self {
            items: page.rows.into_iter().map(Into::into).collect(),
            next_cursor: page.next.map(Cursor).into(),
            account: Nullable(None),
        }
    }

    pub fn found(rows: Vec<(VolumeRow, TierPosition)>, mine: Option<DiscountStatus>, confirmed: bool) -> Self {
        Self {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor: Nullable(None),
            account: Nullable(mine.map(|mine| CustomerDiscount::of(mine, confirmed))),
        }
    }
}
