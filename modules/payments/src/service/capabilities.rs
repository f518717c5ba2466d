//! Capabilities: what drivers say they can do. A route to something that its driver cannot do is refused when it is set.
//! What a driver does not say refuses nothing.

use agio_contracts::CurrencyInfo;
use agio_core::{Error, FieldError, Result};
use agio_plugin_sdk::protocol::{CAPABILITIES, Call, CallResult, Capabilities};
use futures_util::future::join_all;

use super::{Payments, RouteChange};
use crate::routing::RouteCapabilities;
use crate::store::routes::Route;

impl Payments {
    /// Asks the drivers of all routes what they can do.
    pub async fn load_capabilities(&self) -> Result<()> {
        let routes = self.routes().await?;
        let known = join_all(routes.iter().map(async |route| {
            let currency = self.currency(route.currency_id).ok()?;
            let capabilities = self.capabilities(&route.driver, &currency).await?;
            Some((route.currency_id, RouteCapabilities { driver: route.driver.clone(), capabilities }))
        }));
        self.routing.keep_capabilities(known.await.into_iter().flatten().collect());
        Ok(())
    }

    /// What the driver of a route last said it can do.
    pub(crate) fn capabilities_of(&self, route: &Route) -> Option<Capabilities> {
        self.routing.capabilities(route.currency_id, &route.driver)
    }

    /// Checks a route against what its driver says.
    ///
    /// # Errors
    /// 422 with the fields: `driver_takes_no_payments`, `driver_sends_no_payouts`, `above_driver_limit`.
    pub(super) async fn check_capabilities(&self, currency: &CurrencyInfo, change: &RouteChange) -> Result<()> {
        if !change.enabled && !change.auto_payout {
            return Ok(());
        }
        let Some(capabilities) = self.capabilities(&change.driver, currency).await else { return Ok(()) };
        let mut errors = Vec::new();
        if change.enabled && !capabilities.invoices {
            errors.push(FieldError::new("enabled", "driver_takes_no_payments"));
        }
        if change.auto_payout && !capabilities.payouts {
            errors.push(FieldError::new("autoPayout", "driver_sends_no_payouts"));
        } else if let Some(max) = capabilities.payout_limits.max.filter(|max| change.auto_payout && change.claim_limit > *max) {
            errors.push(FieldError::new("claimLimit", "above_driver_limit").with("max", max.normalize()));
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::invalid(errors)) }
    }

    /// What a driver says it can do in a currency.
    async fn capabilities(&self, driver: &str, currency: &CurrencyInfo) -> Option<Capabilities> {
        if !self.routing.has_feature(driver, CAPABILITIES) {
            return None;
        }
        match self.plugins.call(driver, Call::Capabilities { currency: currency.code.clone() }).await {
            Ok(CallResult::Capabilities(capabilities)) => Some(capabilities),
            Ok(_) => None,
            Err(fault) => {
                tracing::debug!(driver, %fault, "a payment driver does not say what it can do");
                None
            }
        }
    }
}
