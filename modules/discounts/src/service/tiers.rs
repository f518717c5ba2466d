//! Changing the table of tiers.

use agio_core::audit::{self, Entry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::Discounts;
use crate::model::{Tier, percent, read_tiers, volume};
use crate::store::tiers;

/// A table as an operator wants it.
#[derive(Clone, Debug)]
pub struct TierChange {
    /// The revision they saw.
    pub revision: i64,
    /// The least volume and the percent of each tier, in ascending order.
    pub tiers: Vec<(Decimal, Decimal)>,
}

impl Discounts {
    /// Puts another table in the place of the present one. Its amounts are in the currency the house counts in now. The next quotes
    /// follow it; claims keep what they were made with.
    ///
    /// # Errors
    /// 422 with the fields; 409 `discounts_changed` when a colleague was faster.
    pub async fn change_tiers(&self, change: TierChange, staff: Staff) -> Result<()> {
        let (wanted, base, now) = (read_tiers(&change.tiers)?, self.base(), self.platform.clock.now());
        let revision = change.revision;
        self.platform
            .db
            .write(move |tx| {
                let (wanted, base, staff) = (wanted.clone(), base.clone(), staff.clone());
                Box::pin(async move {
                    let (_, ticker, before) = tiers::table(tx).await?;
                    if !tiers::replace(tx, revision, &base, &wanted).await? {
                        return Err(Error::conflict("discounts_changed"));
                    }
                    let entry = Entry {
                        by: &Actor::from(&staff),
                        action: "discounts.tiers_changed",
                        about: "discounts",
                        id: "tiers".to_owned(),
                        before: Some(written(&before, ticker.as_deref())),
                        after: Some(written(&wanted, Some(&base))),
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }
}

/// A table as the audit log keeps it.
fn written(tiers: &[Tier], ticker: Option<&str>) -> Value {
    let rows: Vec<String> = tiers
        .iter()
        .map(|tier| format!("{} {}: {} %", volume(tier.min_units), ticker.unwrap_or_default(), percent(tier.percent_e2)))
        .collect();
    json!({ "tiers": rows.join("; ") })
}
