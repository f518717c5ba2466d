//! What comes in on the networks.

use std::sync::Arc;

use agio_core::live::Notice;
use agio_core::{Amount, Result, Tx};
use agio_plugin::protocol::{Answer, Call, Movement, Movements, Watch};
use agio_requisites::{Kind, transaction_key};
use futures_util::future::join_all;
use rust_decimal::{Decimal, RoundingStrategy};

use super::Payments;
use crate::store::addresses;
use crate::store::movements::{self, Told};
use crate::store::routes::{self, Route};

/// The longest fault, transaction and address that are kept.
const WORDS_MAX: usize = 500;

impl Payments {
    /// Asks the driver of every route what came. Routes that are switched off are watched on: money comes late. All are asked at once, so
    /// that a driver that takes its time holds up nobody else's money.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn watch_all(self: &Arc<Self>) -> Result<()> {
        let routes = self.routes().await?;
        join_all(routes.iter().map(|route| self.watch(route))).await.into_iter().collect()
    }

    async fn watch(self: &Arc<Self>, route: &Route) -> Result<()> {
        let currency = self.currency(route.currency_id)?;
        let watch = Watch {
            currency: currency.code.clone(),
            cursor: route.seen_to.clone(),
            confirmations: u32::try_from(route.confirmations).unwrap_or(u32::MAX),
        };
        match self.plugins.ask(&route.driver, Call::Watch(watch)).await {
            Ok(Answer::Movements(seen)) => self.take_in(route, currency.scale, seen).await,
            Ok(_) => self.note_fault(route, "the answer is to another question").await,
            Err(fault) => self.note_fault(route, &fault.to_string()).await,
        }
    }

    /// Keeps what was seen, and where the watch stands, in one transaction: what is told once more changes nothing, and what was not kept is
    /// told once more.
    async fn take_in(self: &Arc<Self>, route: &Route, scale: u32, seen: Movements) -> Result<()> {
        let (this, route, seen) = (self.clone(), route.clone(), Arc::new(seen));
        self.platform
            .db
            .write(move |tx| {
                let (this, route, seen) = (this.clone(), route.clone(), seen.clone());
                Box::pin(async move {
                    let now = this.platform.clock.now();
                    let height = i64::try_from(seen.height).unwrap_or(i64::MAX);
                    if !routes::move_watch(tx, &route, &seen.cursor, height, now).await? {
                        return Ok(());
                    }
                    for movement in &seen.movements {
                        this.put(tx, &route, scale, movement).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn put(&self, tx: &mut Tx, route: &Route, scale: u32, movement: &Movement) -> Result<()> {
        let readable = movement.tx_id.len() <= WORDS_MAX && movement.address.len() <= WORDS_MAX && !movement.tx_id.is_empty();
        let Some(units) = units(movement.amount, scale).filter(|_| readable) else {
            tracing::error!(driver = route.driver, tx = movement.tx_id, "a driver tells of a payment that is none");
            return Ok(());
        };
        let kind = self.currency(route.currency_id)?.address_kind().and_then(|kind| kind.parse().ok()).unwrap_or(Kind::Text);
        let memo = movement.memo.clone().unwrap_or_default();
        let told = Told {
            currency: route.currency_id,
            tx_id: movement.tx_id.clone(),
            tx_key: transaction_key(kind, &movement.tx_id),
            output: movement.output.into(),
            claim: addresses::claim_of(tx, route.currency_id, &movement.address, &memo).await?,
            address: movement.address.clone(),
            memo,
            units,
            confirmations: movement.confirmations.into(),
            gone: movement.gone,
        };
        if let Some(Some(claim)) = movements::put(tx, &told, self.platform.clock.now()).await? {
            addresses::changed(tx, claim).await?;
            let live = self.platform.live.clone();
            tx.after_commit(move || live.tell(Notice::Claim(claim)));
        }
        Ok(())
    }

    pub(super) async fn note_fault(&self, route: &Route, fault: &str) -> Result<()> {
        let fault: String = fault.chars().take(WORDS_MAX).collect();
        // Drivers are asked every few seconds: what is as it was is no news.
        if route.fault.as_deref() != Some(&fault) {
            tracing::warn!(driver = route.driver, fault, "a payment driver did not answer");
        }
        let (currency, now) = (route.currency_id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let fault = fault.clone();
                Box::pin(async move { routes::note_fault(tx, currency, &fault, now).await })
            })
            .await
    }
}

/// Units of an amount that came. A network may be finer than the house: what is less than a unit is not counted.
fn units(amount: Decimal, scale: u32) -> Option<i64> {
    let cut = amount.round_dp_with_strategy(scale, RoundingStrategy::ToZero);
    Amount::exact(cut, scale).ok().map(Amount::units).filter(|units| *units >= 0)
}
