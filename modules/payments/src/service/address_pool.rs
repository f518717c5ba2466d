//! Addresses created in advance, so that a confirmation does not wait for a plugin.

use std::sync::Arc;

use agio_core::Result;
use agio_plugin_sdk::protocol::{AddressRequest, Call, CallResult, DepositAddress};

use super::Payments;
use crate::ADDRESSES_AHEAD;
use crate::store::addresses;
use crate::store::routes::Route;

const AT_A_TIME: i64 = 50;

impl Payments {
    /// Fills the address pool of every enabled route whose driver gives out addresses.
    pub async fn fill_address_pools(self: &Arc<Self>) -> Result<()> {
        for route in self.routes().await?.into_iter().filter(|route| route.enabled && !self.routing.makes_invoices(&route.driver))
        {
            self.fill_address_pool(&route).await?;
        }
        Ok(())
    }

    async fn fill_address_pool(self: &Arc<Self>, route: &Route) -> Result<()> {
        let ready = addresses::count_ready(&mut self.platform.db.read().await?, route.currency_id, &route.driver).await?;
        let missing = self.platform.settings.int(ADDRESSES_AHEAD) - ready;
        let currency = self.currency(route.currency_id)?;
        // An address whose response is lost is never assigned: the next request uses another key.
        let requests: Vec<_> = (0..missing.clamp(0, AT_A_TIME))
            .map(|_| AddressRequest { key: format!("a-{}", self.platform.random.uuid()), currency: currency.code.clone() })
            .collect();
        if requests.is_empty() {
            return Ok(());
        }
        match self.plugins.call(&route.driver, Call::Addresses { requests }).await {
            Ok(CallResult::Addresses(addresses)) => self.store_addresses(route, addresses).await,
            Ok(_) => self.note_fault(route, "the response is of another kind").await,
            Err(fault) => self.note_fault(route, &fault.to_string()).await,
        }
    }

    async fn store_addresses(&self, route: &Route, created: Vec<DepositAddress>) -> Result<()> {
        let (route, created, now) = (route.clone(), Arc::new(created), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (route, created) = (route.clone(), created.clone());
                Box::pin(async move {
                    for address in created.iter() {
                        addresses::insert(tx, route.currency_id, &route.driver, address, now).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}
