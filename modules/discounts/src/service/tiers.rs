//! Updating the tiers.

use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Result};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::Discounts;
use crate::model::{VolumeTier, parse_tiers, percent, volume};
use crate::store::tiers;

#[derive(Clone, Debug)]
pub struct TierTableUpdate {
    pub revision: i64,
    /// Minimum volume and percentage of each tier, ascending.
    pub tiers: Vec<(Decimal, Decimal)>,
}

impl Discounts {
    /// Replaces the tiers, with amounts in the current base currency. New quotes use them; claims keep their bonus.
    ///
    /// # Errors
    /// 422 with the fields; 409 `discounts_changed` if the tiers changed since.
    pub async fn update_tiers(&self, change: TierTableUpdate, staff: Staff) -> Result<()> {
        let (wanted, base, now) = (parse_tiers(&change.tiers)?, self.base(), self.platform.clock.now());
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
                    let entry = NewAuditEntry {
                        by: &Actor::from(&staff),
                        action: "discounts.tiers_changed",
                        about: "discounts",
                        id: "tiers".to_owned(),
                        before: Some(audit_values(&before, ticker.as_deref())),
                        after: Some(audit_values(&wanted, Some(&base))),
                    };
                    audit::record(tx, entry, now).await
                })
            })
            .await
    }
}

/// Tiers in the audit log.
fn audit_values(tiers: &[VolumeTier], ticker: Option<&str>) -> Value {
    let rows: Vec<String> = tiers
        .iter()
        .map(|tier| format!("{} {}: {} %", volume(tier.min_units), ticker.unwrap_or_default(), percent(tier.percent_bps)))
        .collect();
    json!({ "tiers": rows.join("; ") })
}
