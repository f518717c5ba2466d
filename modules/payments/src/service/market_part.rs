//! Payment routes in the market file.

use std::collections::BTreeMap;

use agio_contracts::{
    CurrencyInfo, MarketOutline, MarketPart, MarketPartChange, PartEntries, PlannedEntry, plan_entries, without_empty,
};
use agio_core::decimal::StoredDecimal;
use agio_core::identity::Actor;
use agio_core::{BoxFuture, Error, FieldError, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Payments;
use super::routes::RouteChange;
use crate::store::routes::{self, Route};

/// The route of a currency. Amounts are in it. Keys are those of the admin API.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PaymentRouteEntry {
    currency: String,
    driver: String,
    #[serde(default = "agio_contracts::yes")]
    enabled: bool,
    confirmations: i64,
    #[serde(default = "zero")]
    tolerance: StoredDecimal,
    #[serde(default = "zero")]
    dust: StoredDecimal,
    screening: Option<String>,
    #[serde(default)]
    auto_payout: bool,
    #[serde(default = "zero")]
    claim_limit: StoredDecimal,
    #[serde(default = "zero")]
    day_limit: StoredDecimal,
}

fn zero() -> StoredDecimal {
    StoredDecimal(Decimal::ZERO)
}

impl PaymentRouteEntry {
    fn of(route: &Route, currency: &CurrencyInfo) -> Self {
        let set = RouteChange::of(route, currency);
        Self {
            currency: currency.code.clone(),
            driver: set.driver,
            enabled: set.enabled,
            confirmations: set.confirmations,
            tolerance: StoredDecimal(set.tolerance),
            dust: StoredDecimal(set.dust),
            screening: set.screening,
            auto_payout: set.auto_payout,
            claim_limit: StoredDecimal(set.claim_limit),
            day_limit: StoredDecimal(set.day_limit),
        }
    }

    fn change(self, revision: i64) -> RouteChange {
        RouteChange {
            revision,
            driver: self.driver,
            enabled: self.enabled,
            confirmations: self.confirmations,
            tolerance: self.tolerance.0,
            dust: self.dust.0,
            screening: self.screening,
            auto_payout: self.auto_payout,
            claim_limit: self.claim_limit.0,
            day_limit: self.day_limit.0,
        }
    }
}

/// What people read.
fn shown(route: &Route, currency: &CurrencyInfo) -> Value {
    without_empty(json!(PaymentRouteEntry::of(route, currency)))
}

impl MarketPart for Payments {
    fn key(&self) -> &'static str {
        "paymentRoutes"
    }

    fn export<'t>(&'t self, tx: &'t mut Tx, market: &'t MarketOutline) -> BoxFuture<'t, Result<Vec<Value>>> {
        Box::pin(async move {
            let by_id: BTreeMap<i64, &CurrencyInfo> =
                market.currencies.values().map(|currency| (currency.info.id, &currency.info)).collect();
            let entry = |route: Route| by_id.get(&route.currency_id).map(|currency| shown(&route, currency));
            Ok(routes::all(tx).await?.into_iter().filter_map(entry).collect())
        })
    }

    /// Routes of currencies that no entry lists stay as they are.
    fn plan<'t>(&'t self, tx: &'t mut Tx, file: PartEntries<'t>) -> BoxFuture<'t, Result<Vec<MarketPartChange>>> {
        Box::pin(async move {
            let stored: BTreeMap<i64, Route> =
                routes::all(tx).await?.into_iter().map(|route| (route.currency_id, route)).collect();
            plan_entries(file.entries, |entry: PaymentRouteEntry| {
                let Some(currency) = file.market.currencies.get(&entry.currency).map(|currency| &currency.info) else {
                    return Err(vec![FieldError::new("currency", "currency_unknown")]);
                };
                let before = stored.get(&currency.id);
                let change = entry.change(before.map_or(0, |before| before.revision));
                let after = self.checked(currency, &change).map_err(|error| error.fields().to_vec())?;
                Ok(vec![PlannedEntry {
                    subject: format!("payment route {}", currency.code),
                    before: before.map(|route| shown(route, currency)),
                    after: shown(&after, currency),
                    stored: json!(after),
                }])
            })
        })
    }

    /// Asks the drivers whether they can do what is planned.
    fn check<'t>(&'t self, market: &'t MarketOutline, changes: &'t [MarketPartChange]) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let route = Route::deserialize(&change.stored).map_err(Error::internal)?;
                let Some(currency) = market.currencies.values().find(|currency| currency.info.id == route.currency_id) else {
                    continue;
                };
                let checked = self.check_capabilities(&currency.info, &RouteChange::of(&route, &currency.info)).await;
                checked.map_err(|error| {
                    let place = change.entry.unwrap_or_default();
                    let field = |field: &FieldError| FieldError { field: format!("[{place}].{}", field.field), ..field.clone() };
                    if error.fields().is_empty() { error } else { Error::invalid(error.fields().iter().map(field).collect()) }
                })?;
            }
            Ok(())
        })
    }

    fn apply<'t>(&'t self, tx: &'t mut Tx, changes: &'t [MarketPartChange], by: &'t Actor) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for change in changes {
                let after = Route::deserialize(&change.stored).map_err(Error::internal)?;
                let before = routes::of(tx, after.currency_id).await?;
                self.put_route(tx, before.as_ref(), &after, by).await?;
            }
            Ok(())
        })
    }
}
