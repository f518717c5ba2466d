//! The demonstration's market: real currencies, published rates of one day, invented spreads and reserves.

use std::collections::HashMap;

use agio_core::identity::Actor;
use agio_core::needs::InputFacts;
use agio_core::settings::Settings;
use agio_core::texts::Bilingual;
use agio_core::{Amount, Error, Result, Timestamp, Tx};
use agio_ledger::{Account, Batch, Ledger};
use serde::Deserialize;
use uuid::Uuid;

use super::Calculator;
use crate::market::{Currency, Notices, Pair, RateSource, Tolerance};
use crate::model::limits::{SetLimits, SetRange};
use crate::model::pricing::{Fee, TierRule};
use crate::settings;
use crate::store::{self, CurrencyRow, PairRow, Stored};

/// Currencies, groups of pairs, and what is particular of some.
const MARKET: &str = include_str!("../../demo/market.json");

/// The published files of the demonstration's day.
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
    kind: String,
    name: Bilingual,
    icon: String,
    scale: u32,
    round_digits: i64,
    inputs: Vec<InputFacts>,
    reserve: Stored,
    reserve_floor: Stored,
    min_send: Stored,
    /// What paying it out costs, taken as a fixed fee of every pair that ends in it.
    payout_fee: Stored,
}

/// Every pair from one list to the other.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoGroup {
    from: Vec<String>,
    to: Vec<String>,
    spread_percent: Stored,
    hold_minutes: i64,
}

/// What one pair has that its group has not.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct DemoException {
    from: String,
    to: String,
    enabled: Option<bool>,
    manual_rate: Option<Stored>,
    spread_percent: Option<Stored>,
    from_min: Option<Stored>,
    from_max: Option<Stored>,
    to_max: Option<Stored>,
    from_fee_percent: Option<Stored>,
    to_fee_fixed: Option<Stored>,
    to_fee_percent: Option<Stored>,
    tiers: Vec<DemoTier>,
    hold_minutes: Option<i64>,
    floating: bool,
    notices: Notices,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoTier {
    min: Stored,
    add_percent: Stored,
}

/// Currencies with their first deposits, and pairs, ready to be stored.
pub(super) struct Planned {
    pub(super) currencies: Vec<(CurrencyRow, Deposit)>,
    pub(super) pairs: Vec<PairRow>,
}

/// A currency's first deposit.
#[derive(Clone, Copy)]
pub(super) struct Deposit {
    id: Uuid,
    pub(super) units: i64,
}

impl Calculator {
    /// Fills an empty market with the demonstration's; what is there already stays as it is, so that doing it again
    /// changes nothing.
    ///
    /// # Errors
    /// The database cannot be written.
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
            self.import_rates(file, &house()).await?;
        }
        Ok(())
    }
}

async fn store_planned(tx: &mut Tx, planned: &Planned, ledger: &Ledger, now: Timestamp) -> Result<()> {
    for (row, deposit) in &planned.currencies {
        ledger.open_currency(tx, row.id).await?;
        if store::insert_currency(tx, row).await? {
            let mut batch = Batch::new(deposit.id, "deposit", deposit.id, now).moving(
                Account::External,
                Account::Reserve,
                row.id,
                deposit.units,
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

/// Who does all this.
fn house() -> Actor {
    Actor::house("demo")
}

/// Prices the market with the demonstration's day, unless an operator has said otherwise.
async fn fix_day(tx: &mut Tx, settings: &Settings, day: &str, now: Timestamp) -> Result<()> {
    match settings.given(settings::FIXED_DAY) {
        Some(_) => Ok(()),
        None => settings.put(tx, settings::FIXED_DAY, day, now, &house()).await,
    }
}

impl DemoMarket {
    /// The one that comes with the program.
    pub(super) fn shipped() -> Result<Self> {
        serde_json::from_str(MARKET).map_err(Error::internal)
    }

    pub(super) fn plan(&self, now: Timestamp, mut new_id: impl FnMut() -> Uuid) -> Result<Planned> {
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
        Ok(Planned { currencies, pairs })
    }
}

impl DemoCurrency {
    fn units(&self, amount: Stored) -> Result<i64> {
        Ok(Amount::exact(amount.0, self.scale)?.units())
    }

    fn row(&self, now: Timestamp) -> Result<CurrencyRow> {
        Ok(CurrencyRow {
            id: self.id,
            code: self.code.clone(),
            ticker: self.ticker.clone(),
            network_ru: self.network.ru.clone(),
            network_en: self.network.en.clone(),
            kind: self.kind.clone(),
            name_ru: self.name.ru.clone(),
            name_en: self.name.en.clone(),
            icon: self.icon.clone(),
            scale: i64::from(self.scale),
            round_digits: self.round_digits,
            send: true,
            receive: true,
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
        let value = |stored: Option<Stored>| stored.map(|stored| stored.0);
        let tier = |tier: &DemoTier| TierRule { min_send: tier.min.0, add_percent: tier.add_percent.0 };
        Pair {
            id: 0,
            from: from.0.id(),
            to: to.0.id(),
            enabled: own.enabled.unwrap_or(true),
            source: if own.manual_rate.is_some() { RateSource::Manual } else { RateSource::Market },
            manual_rate: value(own.manual_rate),
            spread_percent: own.spread_percent.unwrap_or(self.spread_percent).0,
            fee_from: Fee { percent: value(own.from_fee_percent).unwrap_or_default(), ..Fee::default() },
            fee_to: Fee {
                fixed: own.to_fee_fixed.unwrap_or(to.1.payout_fee).0,
                percent: value(own.to_fee_percent).unwrap_or_default(),
            },
            tiers: own.tiers.iter().map(tier).collect(),
            limits: SetLimits {
                from: SetRange { min: Some(own.from_min.unwrap_or(from.1.min_send).0), max: value(own.from_max) },
                to: SetRange { min: None, max: value(own.to_max) },
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
