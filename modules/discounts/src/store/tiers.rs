//! SQL of the tiers.

use agio_core::{Result, Tx, execute, fetch_all, fetch_one};

use crate::model::VolumeTier;

agio_core::statements! {
    DISCOUNT_SCALE = "SELECT revision, ticker FROM discount_scale WHERE id = 1";
    DISCOUNT_TIERS = "SELECT min_units, percent_bps FROM discount_tier ORDER BY min_units";
    /// Tiers in effect for this base currency.
    DISCOUNT_TIERS_IN = "SELECT tier.min_units, tier.percent_bps FROM discount_tier tier
        JOIN discount_scale scale ON scale.id = 1 AND scale.ticker = $1 ORDER BY tier.min_units";
    TAKE_DISCOUNT_SCALE = "UPDATE discount_scale SET revision = revision + 1, ticker = $2 WHERE id = 1 AND revision = $1";
    DELETE_DISCOUNT_TIERS = "DELETE FROM discount_tier";
    INSERT_DISCOUNT_TIER = "INSERT INTO discount_tier (min_units, percent_bps) VALUES ($1, $2)";
}

/// Revision, ticker of the amounts, and tiers in ascending order.
pub async fn table(tx: &mut Tx) -> Result<(i64, Option<String>, Vec<VolumeTier>)> {
    let (revision, ticker) = fetch_one!(tx, (i64, Option<String>), DISCOUNT_SCALE)?;
    let tiers = fetch_all!(tx, (i64, i64), DISCOUNT_TIERS)?.into_iter().map(tier).collect();
    Ok((revision, ticker, tiers))
}

/// Tiers in effect for this base currency, ascending.
pub async fn tiers_in(tx: &mut Tx, ticker: &str) -> Result<Vec<VolumeTier>> {
    Ok(fetch_all!(tx, (i64, i64), DISCOUNT_TIERS_IN, ticker)?.into_iter().map(tier).collect())
}

/// Replaces the tiers. False if they changed since the revision.
pub async fn replace(tx: &mut Tx, revision: i64, ticker: &str, tiers: &[VolumeTier]) -> Result<bool> {
    if execute!(tx, TAKE_DISCOUNT_SCALE, revision, ticker)? == 0 {
        return Ok(false);
    }
    execute!(tx, DELETE_DISCOUNT_TIERS)?;
    for tier in tiers {
        execute!(tx, INSERT_DISCOUNT_TIER, tier.min_units, tier.percent_bps)?;
    }
    Ok(true)
}

fn tier((min_units, percent_bps): (i64, i64)) -> VolumeTier {
    VolumeTier { min_units, percent_bps }
}
