//! Addresses made ahead, so that nobody who confirms a claim waits for a plugin.

use std::sync::Arc;

use agio_core::Result;
use agio_plugin::protocol::{Address, AddressWish, Answer, Call};

use super::Payments;
use crate::AHEAD;
use crate::store::addresses;
use crate::store::routes::Route;

/// How many addresses are asked for at a time.
const AT_A_TIME: i64 = 50;

impl Payments {
    /// Fills the pool of every route that is in use.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn fill_pools(self: &Arc<Self>) -> Result<()> {
        for route in self.routes().await?.into_iter().filter(|route| route.enabled) {
            self.fill_pool(&route).await?;
        }
        Ok(())
    }

    async fn fill_pool(self: &Arc<Self>, route: &Route) -> Result<()> {
        let ready = addresses::ready(&mut self.platform.db.read().await?, route.currency_id, &route.driver).await?;
        let missing = self.platform.settings.int(AHEAD) - ready;
        let currency = self.currency(route.currency_id)?;
        // An address whose answer is lost is never given to anybody: the next one is asked for under another key.
        let wishes: Vec<_> = (0..missing.clamp(0, AT_A_TIME))
            .map(|_| AddressWish { key: format!("a-{}", self.platform.random.uuid()), currency: currency.code.clone() })
            .collect();
        if wishes.is_empty() {
            return Ok(());
        }
        match self.plugins.ask(&route.driver, Call::Addresses { wishes }).await {
            Ok(Answer::Addresses(made)) => self.keep(route, made).await,
            Ok(_) => self.note_fault(route, "the answer is to another question").await,
            Err(fault) => self.note_fault(route, &fault.to_string()).await,
        }
    }

    async fn keep(&self, route: &Route, made: Vec<Address>) -> Result<()> {
        let (route, made, now) = (route.clone(), Arc::new(made), self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (route, made) = (route.clone(), made.clone());
                Box::pin(async move {
                    for address in made.iter() {
                        addresses::insert(tx, route.currency_id, &route.driver, address, now).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}
