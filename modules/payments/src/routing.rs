//! Addresses, routes and attempts for claims, in their own transactions.

use std::collections::HashMap;
use std::sync::Arc;

use agio_contracts::{
    AddressAssignment, AutomaticPayments, ConfirmationCount, DetectedPayment, PaymentDestination, PaymentHandling,
    PaymentHandlingProvider, RefundRoute,
};
use agio_core::{BoxFuture, Error, Platform, Result, Tx};
use agio_plugin_runtime::PluginRegistry;
use agio_plugin_sdk::protocol::{Capabilities, INVOICES, PluginKind};
use arc_swap::ArcSwap;
use uuid::Uuid;

use crate::store::{addresses, attempts, invoices, movements, routes};

/// How often to look for an address: in a race a statement may return nothing although another address is ready.
const ADDRESS_ATTEMPTS: usize = 10;

/// Shared by claims and payments.
pub struct PaymentRouting {
    platform: Platform,
    pub(crate) plugins: Arc<dyn PluginRegistry>,
    handling: ArcSwap<HashMap<i64, PaymentHandling>>,
    /// What the drivers of routes last said they can do.
    capabilities: ArcSwap<HashMap<i64, RouteCapabilities>>,
}

/// What the driver of a route can do.
pub(crate) struct RouteCapabilities {
    pub driver: String,
    pub capabilities: Capabilities,
}

impl PaymentRouting {
    pub fn new(platform: &Platform, plugins: Arc<dyn PluginRegistry>) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), plugins, handling: ArcSwap::default(), capabilities: ArcSwap::default() })
    }

    /// Whether a driver makes an invoice for each claim instead of giving out addresses.
    pub(crate) fn makes_invoices(&self, driver: &str) -> bool {
        self.has_feature(driver, INVOICES)
    }

    /// Whether a driver is enabled and has an optional feature of the protocol.
    pub(crate) fn has_feature(&self, driver: &str, feature: &str) -> bool {
        let has_feature = |features: &[String]| features.iter().any(|known| known == feature);
        self.plugins.list(PluginKind::Payments).iter().any(|plugin| plugin.name == driver && has_feature(&plugin.features))
    }

    pub(crate) fn keep_capabilities(&self, known: HashMap<i64, RouteCapabilities>) {
        self.capabilities.store(Arc::new(known));
    }

    /// What a driver can do in a currency, if it says so.
    pub(crate) fn capabilities(&self, currency: i64, driver: &str) -> Option<Capabilities> {
        let known = self.capabilities.load();
        known.get(&currency).filter(|known| known.driver == driver).map(|known| known.capabilities.clone())
    }

    /// Whether a driver sends refunds in a currency. It is taken to do so unless it says otherwise.
    pub(crate) fn sends_refunds(&self, currency: i64, driver: &str) -> bool {
        self.capabilities(currency, driver).is_none_or(|capabilities| capabilities.refunds)
    }

    /// Reloads the routes.
    pub async fn load(&self) -> Result<()> {
        let routes = routes::all(&mut self.platform.db.read().await?).await?;
        let handling = routes.iter().map(|route| {
            let confirmations = route.enabled.then(|| u32::try_from(route.confirmations).unwrap_or(u32::MAX));
            let automatic_payout = route.auto_payout.then_some(route.claim_limit);
            (route.currency_id, PaymentHandling { confirmations, automatic_payout, dust: route.dust })
        });
        self.handling.store(Arc::new(handling.collect()));
        Ok(())
    }

    async fn address_for(&self, tx: &mut Tx, currency: i64, claim: Uuid) -> Result<AddressAssignment> {
        let Some(driver) = routes::enabled_driver(tx, currency).await? else { return Ok(AddressAssignment::NotWatched) };
        let now = self.platform.clock.now();
        if self.makes_invoices(&driver) {
            addresses::watch(tx, claim).await?;
            invoices::insert(tx, claim, currency, &driver, now).await?;
            return Ok(AddressAssignment::Requested);
        }
        for _ in 0..ADDRESS_ATTEMPTS {
            if let Some((address, memo)) = addresses::assign(tx, currency, claim, now).await? {
                addresses::watch(tx, claim).await?;
                let memo = Some(memo).filter(|memo| !memo.is_empty());
                return Ok(AddressAssignment::Given(PaymentDestination { address, memo }));
            }
        }
        Err(Error::conflict("requisites_unavailable"))
    }

    /// Cancels queued attempts.
    pub(crate) async fn cancel_queued(&self, tx: &mut Tx, claim: Uuid) -> Result<()> {
        for (currency, day, limited) in attempts::cancel_queued(tx, claim, self.platform.clock.now()).await? {
            routes::release_spend(tx, currency, day, limited).await?;
        }
        Ok(())
    }

    async fn release_for_staff(&self, tx: &mut Tx, claim: Uuid) -> Result<()> {
        // The order matters: after this no queued attempt can start, and one that has started is found below.
        self.cancel_queued(tx, claim).await?;
        if attempts::is_under_way(tx, claim).await? {
            return Err(Error::conflict("payout_under_way"));
        }
        Ok(())
    }
}

impl PaymentHandlingProvider for PaymentRouting {
    fn handling(&self, currency: i64) -> PaymentHandling {
        self.handling.load().get(&currency).copied().unwrap_or_default()
    }
}

impl AutomaticPayments for PaymentRouting {
    fn gives_addresses(&self, currency: i64) -> bool {
        self.handling(currency).confirmations.is_some()
    }

    fn pays_out(&self, currency: i64) -> bool {
        self.handling(currency).automatic_payout.is_some()
    }

    fn dust(&self, currency: i64) -> i64 {
        self.handling(currency).dust
    }

    fn give_address<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<AddressAssignment>> {
        Box::pin(async move { self.address_for(tx, currency, claim).await })
    }

    fn before_staff<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.release_for_staff(tx, claim).await })
    }

    fn refund_way<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<Option<RefundRoute>>> {
        Box::pin(async move {
            let Some(route) = routes::of(tx, currency).await? else { return Ok(None) };
            let is_under_way = attempts::is_refunding(tx, claim).await?;
            if !is_under_way && !self.sends_refunds(currency, &route.driver) {
                return Ok(None);
            }
            Ok(Some(RefundRoute { driver: route.driver, is_under_way }))
        })
    }

    fn claim_changed<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { addresses::mark_changed(tx, claim).await })
    }

    fn seen<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, due: i64) -> BoxFuture<'a, Result<Option<DetectedPayment>>> {
        Box::pin(async move { movements::detected(tx, claim, due).await })
    }

    fn counted(&self, claim: Uuid) -> BoxFuture<'_, Result<Option<ConfirmationCount>>> {
        Box::pin(async move {
            let found = movements::confirmations(&mut self.platform.db.read().await?, claim).await?;
            let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
            Ok(found.map(|(fewest, needed)| ConfirmationCount { confirmations: number(fewest), required: number(needed) }))
        })
    }
}
