//! Balances: what drivers say they can pay out, for staff to compare with the reserves. They decide nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::{Result, Timestamp};
use agio_plugin_runtime::{PluginError, PluginErrorReason};
use agio_plugin_sdk::protocol::{AvailableBalance, BALANCE, Call, CallResult};
use futures_util::future::join_all;
use rust_decimal::{Decimal, RoundingStrategy};

use super::Payments;
use super::network_watch::TEXT_MAX;
use crate::store::routes::Route;

/// What a driver cannot know, which is no fault.
const NOT_SUPPORTED: &str = "not_supported";

/// What a driver said about its money in a currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverBalance {
    driver: String,
    /// What it can pay out, with no more decimals than the currency, or why it did not say.
    pub amount: std::result::Result<Decimal, String>,
    pub checked_at: Timestamp,
}

impl Payments {
    /// Asks the drivers of all routes for their balances.
    pub async fn load_balances(&self) -> Result<()> {
        let routes = self.routes().await?;
        let asked = routes.iter().filter(|route| self.routing.has_feature(&route.driver, BALANCE));
        let balances = join_all(asked.map(async |route| Some((route.currency_id, self.balance_of(route).await?)))).await;
        self.balances.store(Arc::new(balances.into_iter().flatten().collect()));
        Ok(())
    }

    /// The last balance of a route, if its driver says one.
    pub(crate) fn balance(&self, route: &Route) -> Option<DriverBalance> {
        self.balances.load().get(&route.currency_id).filter(|balance| balance.driver == route.driver).cloned()
    }

    /// The free reserve of a currency, in units.
    pub(crate) fn free_reserve(&self, currency: i64) -> i64 {
        self.ledger.reserves().available(currency).units
    }

    async fn balance_of(&self, route: &Route) -> Option<DriverBalance> {
        let currency = self.currency(route.currency_id).ok()?;
        let amount = match self.plugins.call(&route.driver, Call::Balance { currency: currency.code.clone() }).await {
            Ok(CallResult::Balance(AvailableBalance { amount })) => {
                Ok(amount.round_dp_with_strategy(currency.scale, RoundingStrategy::ToZero).normalize())
            }
            Ok(_) => Err("the response is of another kind".to_owned()),
            Err(PluginError { reason: PluginErrorReason::CallFailed { code, .. }, .. }) if code == NOT_SUPPORTED => return None,
            Err(fault) => Err(fault.to_string().chars().take(TEXT_MAX).collect()),
        };
        Some(DriverBalance { driver: route.driver.clone(), amount, checked_at: self.platform.clock.now() })
    }
}

/// The last balances by currency.
pub type Balances = BTreeMap<i64, DriverBalance>;
