//! The demo market: a market file with invented spreads, and published rates of one day.

use std::sync::Arc;

use agio_core::identity::Actor;
use agio_core::{Error, Result};

use super::Calculator;
use super::market_file::MarketFile;
use super::market_plan::MarketParts;

/// Published rate files of the market's day.
pub(super) const RATES: [&[u8]; 3] = [
    include_bytes!("../../demo/rates/ecb-2024-03-28.xml"),
    include_bytes!("../../demo/rates/cbr-2024-03-28.xml"),
    include_bytes!("../../demo/rates/currency-api-usd-2024-03-28.json"),
];

/// # Errors
/// `internal` if the file that is part of this crate is invalid.
pub(super) fn market_file() -> Result<MarketFile> {
    MarketFile::parse(include_str!("../../demo/market.toml")).map_err(Error::internal)
}

impl Calculator {
    /// Applies the demo market if there is none, as `agio market apply` does, and imports its rates. Safe to repeat: what
    /// exists stays unchanged.
    pub async fn seed_demo(self: &Arc<Self>, parts: &MarketParts) -> Result<()> {
        let actor = Actor::system("demo");
        if self.market().currencies.is_empty() {
            self.apply_market(&self.plan_market(market_file()?, false, parts).await?, &actor).await?;
        }
        for file in RATES {
            self.import_rates(file, &actor).await?;
        }
        Ok(())
    }
}
