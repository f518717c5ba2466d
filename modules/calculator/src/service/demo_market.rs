//! The demo market: a market file with invented spreads, published rates of one day, and reserves.

use agio_core::identity::Actor;
use agio_core::{Error, Result};
use agio_ledger::{Account, TransferBatch};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Calculator;
use super::market_file::MarketFile;
use crate::market::Currency;
use crate::{settings, store};

/// The day of the rates.
const DAY: &str = "2024-03-28";

/// Published rate files of the day.
pub(super) const RATES: [&[u8]; 3] = [
    include_bytes!("../../demo/rates/ecb-2024-03-28.xml"),
    include_bytes!("../../demo/rates/cbr-2024-03-28.xml"),
    include_bytes!("../../demo/rates/currency-api-usd-2024-03-28.json"),
];

pub(super) const OPENING_RESERVES: [(&str, &str); 22] = [
    ("BTC", "4.2"),
    ("ETH", "62"),
    ("USDTTRC20", "185000"),
    ("USDTERC20", "64000"),
    ("USDTTON", "41000"),
    ("USDCERC20", "36000"),
    ("LTC", "320"),
    ("TRX", "410000"),
    ("TON", "9200"),
    ("XMR", "14"),
    ("XRP", "38000"),
    ("DOGE", "155000"),
    ("SOL", "340"),
    ("SBERRUB", "18500000"),
    ("TCSBRUB", "12400000"),
    ("SBPRUB", "9600000"),
    ("CARDUAH", "1850000"),
    ("KSPBKZT", "42000000"),
    ("SEPAEUR", "61000"),
    ("ADVCUSD", "45000"),
    ("CASHRUB", "15000000"),
    ("CASHUSD", "120000"),
];

/// # Errors
/// `internal` if the file that is part of this crate is invalid.
pub(super) fn market_file() -> Result<MarketFile> {
    MarketFile::parse(include_str!("../../demo/market.toml")).map_err(Error::internal)
}

impl Calculator {
    /// Applies the demo market if there is none, with its reserves, day and rates. Safe to repeat: what exists stays
    /// unchanged.
    pub async fn seed_demo(&self) -> Result<()> {
        let actor = Actor::system("demo");
        if self.market().currencies.is_empty() {
            self.apply_market(&self.plan_market(market_file()?, false).await?, &actor).await?;
        }
        let deposits: Vec<(&str, &str, Uuid)> =
            OPENING_RESERVES.map(|(code, amount)| (code, amount, self.platform.random.uuid())).into();
        let (ledger, stored_settings, now) = (self.ledger.clone(), self.platform.settings.clone(), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (deposits, ledger, stored_settings) = (deposits.clone(), ledger.clone(), stored_settings.clone());
                Box::pin(async move {
                    let currencies = store::currencies(tx).await?;
                    for (code, amount, id) in deposits {
                        let Some(currency) = currencies.iter().find(|currency| currency.code == code) else { continue };
                        if !ledger.movements(tx, currency.id, None, 1).await?.rows.is_empty() {
                            continue;
                        }
                        let amount = amount.parse::<Decimal>().map_err(Error::internal)?;
                        let amount = Currency::from_row(currency)?.facts.exact(amount)?;
                        let mut batch = TransferBatch::new(id, "deposit", id, now);
                        batch.note = Some("Opening reserve of the demonstration".to_owned());
                        ledger.post(tx, &batch.with_transfer(Account::External, Account::Reserve, amount)).await?;
                    }
                    match stored_settings.stored(settings::FIXED_DAY) {
                        Some(_) => Ok(()),
                        None => stored_settings.put(tx, settings::FIXED_DAY, DAY, now, &Actor::system("demo")).await,
                    }
                })
            })
            .await?;
        for file in RATES {
            self.import_rates(file, &actor).await?;
        }
        Ok(())
    }
}
