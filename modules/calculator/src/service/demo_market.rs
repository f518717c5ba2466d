//! The demo market: real currencies, published rates of one day, invented spreads and reserves.

use std::collections::HashMap;

use agio_contracts::{CurrencyInput, CurrencyKind};
use agio_core::identity::Actor;
use agio_core::settings::Settings;
use agio_core::texts::Bilingual;
use agio_core::{Amount, CurrencyUnit, Error, Result, Timestamp, Tx};
use agio_ledger::{Account, Ledger, TransferBatch};
use serde::Deserialize;
use uuid::Uuid;

use super::Calculator;
use crate::market::{Currency, Pair, PairNotices, RateSourceKind, Tolerance};
use crate::model::limits::{ConfiguredLimits, ConfiguredRange};
use crate::model::pricing::{Fee, TierRule};
use crate::settings;
use crate::store::{self, CurrencyRow, PairRow};
use agio_core::decimal::StoredDecimal;

const MARKET: &str = include_str!("../../demo/market.json");

/// Published rate files of the demo day.
pub(super) const RATES: [&[u8]; 3] = [
    include_bytes!("../../demo/rates/ecb-2024-03-28.xml"),
    include_bytes!("../../demo/rates/cbr-2024-03-28.xml"),
    include_bytes!("../../demo/rates/currency-api-usd-2024-03-28.json"),
];

#[derive(Deserialize)]
pub(super) struct DemoMarket {
    day: String,
    currencies: Vec<DemoCurrency>,
    groups: Vec<DemoGroup>,
    exceptions: Vec<DemoException>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoCurrency {
    id: i64,
    code: String,
    ticker: String,
    network: Bilingual,
    kind: CurrencyKind,
    name: Bilingual,
    icon: String,
    scale: u32,
    round_digits: i64,
    inputs: Vec<CurrencyInput>,
    reserve: StoredDecimal,
    reserve_floor: StoredDecimal,
    min_give: StoredDecimal,
    /// Payout cost, charged as a fixed fee by every pair that pays out this currency.
    payout_fee: StoredDecimal,
}

/// All pairs from one list to the other.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoGroup {
    from: Vec<String>,
    to: Vec<String>,
    spread_percent: StoredDecimal,
    hold_minutes: i64,
}

/// Overrides of one pair.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct DemoException {
    from: String,
    to: String,
    enabled: Option<bool>,
    manual_rate: Option<StoredDecimal>,
    spread_percent: Option<StoredDecimal>,
    give_min: Option<StoredDecimal>,
    give_max: Option<StoredDecimal>,
    receive_max: Option<StoredDecimal>,
    give_fee_percent: Option<StoredDecimal>,
    receive_fee_fixed: Option<StoredDecimal>,
    receive_fee_percent: Option<StoredDecimal>,
    tiers: Vec<DemoTier>,
    hold_minutes: Option<i64>,
    floating: bool,
    notices: PairNotices,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoTier {
    min: StoredDecimal,
    add_percent: StoredDecimal,
}

pub(super) struct DemoMarketPlan {
    pub(super) currencies: Vec<(CurrencyRow, Deposit)>,
    pub(super) pairs: Vec<PairRow>,
}

#[derive(Clone, Copy)]
pub(super) struct Deposit {
    id: Uuid,
    pub(super) units: i64,
}

impl Calculator {
    /// Seeds the demo market. Existing rows stay unchanged, so it is safe to repeat.
    pub async fn seed_demo(&self) -> Result<()> {
        let demo = DemoMarket::shipped()?;
        let now = self.platform.clock.now();
        let planned = std::sync::Arc::new(demo.plan(now, || self.platform.random.uuid())?);
        let (ledger, settings, day) = (self.ledger.clone(), self.platform.settings.clone(), demo.day);
        self.platform
            .db
            .write(move |tx| {
                let (planned, ledger, settings, day) = (planned.clone(), ledger.clone(), settings.clone(), day.clone());
                Box::pin(async move {
                    store_planned(tx, &planned, &ledger, now).await?;
                    fix_day(tx, &settings, &day, now).await
                })
            })
            .await?;
        for file in RATES {
            self.import_rates(file, &system_actor()).await?;
        }
        Ok(())
    }
}

async fn store_planned(tx: &mut Tx, planned: &DemoMarketPlan, ledger: &Ledger, now: Timestamp) -> Result<()> {
    for (row, deposit) in &planned.currencies {
        ledger.open_currency(tx, row.id).await?;
        if store::insert_currency(tx, row).await? {
            let mut batch = TransferBatch::new(deposit.id, "deposit", deposit.id, now).with_transfer(
                Account::External,
                Account::Reserve,
                Amount::of_units(deposit.units, CurrencyUnit::new(row.id, row.scale)),
            );
            batch.note = Some("Opening reserve of the demonstration".to_owned());
            ledger.post(tx, &batch).await?;
        }
    }
    for row in &planned.pairs {
        store::insert_pair(tx, row).await?;
    }
    Ok(())
}

fn system_actor() -> Actor {
    Actor::system("demo")
}

/// Fixes the demo day unless the setting was changed.
async fn fix_day(tx: &mut Tx, settings: &Settings, day: &str, now: Timestamp) -> Result<()> {
    match settings.stored(settings::FIXED_DAY) {
        Some(_) => Ok(()),
        None => settings.put(tx, settings::FIXED_DAY, day, now, &system_actor()).await,
    }
}

impl DemoMarket {
    pub(super) fn shipped() -> Result<Self> {
        serde_json::from_str(MARKET).map_err(Error::internal)
    }

    pub(super) fn plan(&self, now: Timestamp, mut new_id: impl FnMut() -> Uuid) -> Result<DemoMarketPlan> {
        let mut currencies = Vec::new();
        let mut known: HashMap<&str, (Currency, &DemoCurrency)> = HashMap::new();
        for demo in &self.currencies {
            let row = demo.row(now)?;
            known.insert(&demo.code, (Currency::from_row(&row)?, demo));
            currencies.push((row, Deposit { id: new_id(), units: demo.units(demo.reserve)? }));
        }
        let named = |code: &str| known.get(code).ok_or_else(|| Error::internal(format!("the demonstration has no {code}")));

        let plain = DemoException::default();
        let mut pairs = Vec::new();
        for group in &self.groups {
            let ends = group.from.iter().flat_map(|from| group.to.iter().map(move |to| (from, to)));
            for (from, to) in ends.filter(|(from, to)| from != to) {
                let particular = self.exceptions.iter().find(|pair| pair.from == *from && pair.to == *to);
                let (from, to) = (named(from)?, named(to)?);
                let mut pair = group.pair(from, to, particular.unwrap_or(&plain), now);
                pair.id = i64::try_from(pairs.len()).map_err(Error::internal)? + 1;
                pairs.push(pair.to_row(&from.0, &to.0)?);
            }
        }
        Ok(DemoMarketPlan { currencies, pairs })
    }
}

impl DemoCurrency {
    fn units(&self, amount: StoredDecimal) -> Result<i64> {
        agio_core::money::units_of(amount.0, self.scale)
    }

    fn row(&self, now: Timestamp) -> Result<CurrencyRow> {
        Ok(CurrencyRow {
            id: self.id,
            code: self.code.clone(),
            ticker: self.ticker.clone(),
            network_ru: self.network.ru.clone(),
            network_en: self.network.en.clone(),
            kind: self.kind,
            name_ru: self.name.ru.clone(),
            name_en: self.name.en.clone(),
            icon: self.icon.clone(),
            scale: i64::from(self.scale),
            round_digits: self.round_digits,
            can_give: true,
            can_receive: true,
            position: self.id * 10,
            inputs: serde_json::to_string(&self.inputs).map_err(Error::internal)?,
            reserve_floor: self.units(self.reserve_floor)?,
            revision: 1,
            updated_at: now,
        })
    }
}

impl DemoGroup {
    fn pair(
        &self,
        from: &(Currency, &DemoCurrency),
        to: &(Currency, &DemoCurrency),
        own: &DemoException,
        now: Timestamp,
    ) -> Pair {
        let value = |stored: Option<StoredDecimal>| stored.map(|stored| stored.0);
        let tier = |tier: &DemoTier| TierRule { min_give: tier.min.0, add_percent: tier.add_percent.0 };
        Pair {
            id: 0,
            give_id: from.0.id(),
            receive_id: to.0.id(),
            enabled: own.enabled.unwrap_or(true),
            source: if own.manual_rate.is_some() { RateSourceKind::Manual } else { RateSourceKind::Market },
            manual_rate: value(own.manual_rate),
            spread_percent: own.spread_percent.unwrap_or(self.spread_percent).0,
            give_fee: Fee { percent: value(own.give_fee_percent).unwrap_or_default(), ..Fee::default() },
            receive_fee: Fee {
                fixed: own.receive_fee_fixed.unwrap_or(to.1.payout_fee).0,
                percent: value(own.receive_fee_percent).unwrap_or_default(),
            },
            tiers: own.tiers.iter().map(tier).collect(),
            limits: ConfiguredLimits {
                give: ConfiguredRange { min: Some(own.give_min.unwrap_or(from.1.min_give).0), max: value(own.give_max) },
                receive: ConfiguredRange { min: None, max: value(own.receive_max) },
            },
            hold_minutes: own.hold_minutes.unwrap_or(self.hold_minutes),
            reported_minutes: None,
            floating: own.floating,
            notices: own.notices.clone().sanitised(),
            verification: None,
            tolerance: Tolerance::default(),
            revision: 1,
            updated_at: now,
        }
    }
}
