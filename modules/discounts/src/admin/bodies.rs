//! What the console is shown of discounts, and what it sends.

use std::str::FromStr;

use agio_http::{Dec, Null};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Discounts;
use crate::api::{DiscountMine, DiscountTier};
use crate::model::{Place, percent, volume};
use crate::service::{Mine, Table, TierChange};
use crate::store::volumes::VolumeRow;

/// The table of tiers as it is set.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskDiscounts {
    /// Which state of the table this is.
    revision: i64,
    /// The ticker the house counts in.
    base: String,
    /// The ticker the amounts of the table are in; null before it was first set. While it is not the base, the table gives nothing.
    ticker: Null<String>,
    /// The tiers, ascending.
    tiers: Vec<DiscountTier>,
    /// The most percent that all bonuses together add.
    most: Dec,
    /// How many exchanges wait to be counted, since their worth could not be told.
    waiting: i64,
}

/// A table to be put in the place of the present one.
#[derive(Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
pub struct DeskDiscountTiers {
    /// The revision that was seen.
    revision: i64,
    /// The tiers, ascending in both columns.
    tiers: Vec<DeskDiscountTier>,
}

/// A tier as it is typed.
#[derive(Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct DeskDiscountTier {
    /// The volume it begins with, in the base currency.
    min: Dec,
    /// Percent it adds: above zero, at most 50, with two decimals.
    percent: Dec,
}

/// An account, or the address of a guest, and what it has exchanged.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskDiscountCustomer {
    /// The account; null for claims made without one. They count for the account that confirms the address.
    customer_id: Null<Uuid>,
    /// The e-mail address of the latest exchange.
    email: String,
    /// What was exchanged, in the base currency.
    volume: Dec,
    /// How many exchanges.
    exchanges: i64,
    /// Percent this volume gives.
    percent: Dec,
}

/// Who has exchanged how much.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskDiscountCustomers {
    /// The rows.
    items: Vec<DeskDiscountCustomer>,
    /// What the next page is asked with; null on the last.
    next_cursor: Null<String>,
    /// Where the account with the address stands, if one was asked for and there is one.
    account: Null<DiscountMine>,
}

impl Example for DeskDiscountTiers {
    fn example() -> Self {
        let tier = |min: &str, percent: &str| DeskDiscountTier {
            min: Dec(min.parse().expect("a number")),
            percent: Dec(percent.parse().expect("a number")),
        };
        Self { revision: 1, tiers: vec![tier("1000", "0.1"), tier("10000", "0.25")] }
    }
}

impl DeskDiscounts {
    /// The table with what holds beside it.
    pub fn of(discounts: &Discounts, table: Table, waiting: i64) -> Self {
        Self {
            revision: table.revision,
            base: discounts.base(),
            ticker: Null(table.ticker),
            tiers: table.tiers.into_iter().map(DiscountTier::from).collect(),
            most: Dec(discounts.most()),
            waiting,
        }
    }
}

impl From<DeskDiscountTiers> for TierChange {
    fn from(typed: DeskDiscountTiers) -> Self {
        Self { revision: typed.revision, tiers: typed.tiers.into_iter().map(|tier| (tier.min.0, tier.percent.0)).collect() }
    }
}

impl From<(VolumeRow, Place)> for DeskDiscountCustomer {
    fn from((row, place): (VolumeRow, Place)) -> Self {
        Self {
            customer_id: Null(row.customer_id),
            email: row.email,
            volume: Dec(volume(row.units)),
            exchanges: row.exchanges,
            percent: Dec(percent(place.percent_e2)),
        }
    }
}

impl DeskDiscountCustomers {
    /// A page of everybody.
    pub fn page(rows: Vec<(VolumeRow, Place)>, size: i64) -> Self {
        let next = rows.last().filter(|_| is_full(rows.len(), size)).map(|(row, _)| cursor(row.units, &row.party));
        Self { items: rows.into_iter().map(Into::into).collect(), next_cursor: Null(next), account: Null(None) }
    }

    /// Those with an e-mail address, and where its account stands.
    pub fn found(rows: Vec<(VolumeRow, Place)>, mine: Option<Mine>, confirmed: bool) -> Self {
        Self {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor: Null(None),
            account: Null(mine.map(|mine| DiscountMine::of(mine, confirmed))),
        }
    }
}

/// Whether there may be more than a page has.
pub fn is_full(rows: usize, size: i64) -> bool {
    usize::try_from(size).is_ok_and(|size| rows >= size)
}

/// Where the next page begins.
pub fn cursor(number: i64, text: &str) -> String {
    format!("{number}_{text}")
}

/// Where a page begins, as the page before said it.
pub fn read_cursor<A: FromStr, B: FromStr>(text: &str) -> Option<(A, B)> {
    let (number, text) = text.split_once('_')?;
    Some((number.parse().ok()?, text.parse().ok()?))
}
