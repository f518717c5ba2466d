//! Polling of drivers for incoming payments.

use std::sync::Arc;

use agio_core::events::ChangeEvent;
use agio_core::money::units_of;
use agio_core::{Result, Tx};
use agio_plugin_sdk::protocol::{Call, CallResult, Movement, Movements, WatchRequest};
use agio_requisites::{RequisiteKind, movement_key};
use futures_util::future::join_all;
use rust_decimal::{Decimal, RoundingStrategy};

use super::Payments;
use crate::store::addresses;
use crate::store::movements::{self, ReportedMovement};
use crate::store::routes::{self, Route};

/// The longest stored fault, transaction and address.
pub(super) const TEXT_MAX: usize = 500;

impl Payments {
    /// Polls the drivers of all routes, disabled ones too: payments may be late. They are polled at once, so that
    /// a slow driver does not delay the others.
    pub async fn poll_drivers(self: &Arc<Self>) -> Result<()> {
        let routes = self.routes().await?;
        join_all(routes.iter().map(|route| self.watch(route))).await.into_iter().collect()
    }

    pub(super) async fn watch(self: &Arc<Self>, route: &Route) -> Result<()> {
        let currency = self.currency(route.currency_id)?;
        let watch = WatchRequest {
            currency: currency.code.clone(),
            cursor: route.cursor.clone(),
            confirmations: u32::try_from(route.confirmations).unwrap_or(u32::MAX),
        };
        match self.plugins.call(&route.driver, Call::Watch(watch)).await {
            Ok(CallResult::Movements(report)) => self.store_movements(route, currency.scale, report).await,
            Ok(_) => self.note_fault(route, "the response is of another kind").await,
            Err(fault) => self.note_fault(route, &fault.to_string()).await,
        }
    }

    /// Stores the movements and the driver's cursor in one transaction. A repeated report changes nothing; a movement
    /// that was not stored is reported again.
    async fn store_movements(self: &Arc<Self>, route: &Route, scale: u32, report: Movements) -> Result<()> {
        let (this, route, report) = (self.clone(), route.clone(), Arc::new(report));
        self.platform
            .db
            .write(move |tx| {
                let (this, route, report) = (this.clone(), route.clone(), report.clone());
                Box::pin(async move {
                    let now = this.platform.clock.now();
                    let height = i64::try_from(report.height).unwrap_or(i64::MAX);
                    if !routes::move_cursor(tx, &route, &report.cursor, height, now).await? {
                        return Ok(());
                    }
                    for movement in &report.movements {
                        this.store_movement(tx, &route, scale, movement).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn store_movement(&self, tx: &mut Tx, route: &Route, scale: u32, movement: &Movement) -> Result<()> {
        let readable = movement.tx_id.len() <= TEXT_MAX && movement.address.len() <= TEXT_MAX && !movement.tx_id.is_empty();
        let Some(units) = units(movement.amount, scale).filter(|_| readable) else {
            tracing::error!(driver = route.driver, "a driver reported an invalid payment");
            return Ok(());
        };
        let kind = self.currency(route.currency_id)?.address_kind().unwrap_or(RequisiteKind::Text);
        let memo = movement.memo.clone().unwrap_or_default();
        let reported = ReportedMovement {
            currency: route.currency_id,
            tx_id: movement.tx_id.clone(),
            tx_key: movement_key(kind, &movement.tx_id),
            output: movement.output.into(),
            claim: addresses::claim_of(tx, route.currency_id, &movement.address, &memo).await?,
            address: movement.address.clone(),
            memo,
            units,
            confirmations: movement.confirmations.into(),
            gone: movement.gone,
        };
        if let Some(Some(claim)) = movements::put(tx, &reported, self.platform.clock.now()).await? {
            addresses::mark_changed(tx, claim).await?;
            let live = self.platform.events.clone();
            tx.after_commit(move || live.publish(ChangeEvent::Claim(claim)));
        }
        Ok(())
    }

    pub(super) async fn note_fault(&self, route: &Route, fault: &str) -> Result<()> {
        let fault: String = fault.chars().take(TEXT_MAX).collect();
        // Drivers are polled every few seconds: do not log the same fault again.
        if route.fault.as_deref() != Some(&fault) {
            tracing::warn!(driver = route.driver, fault, "a payment driver did not answer");
        }
        let (currency, now) = (route.currency_id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let fault = fault.clone();
                Box::pin(async move { routes::set_fault(tx, currency, &fault, now).await })
            })
            .await
    }
}

/// The units of an amount. A network may have more decimals: fractions of a unit are cut off.
fn units(amount: Decimal, scale: u32) -> Option<i64> {
    let cut = amount.round_dp_with_strategy(scale, RoundingStrategy::ToZero);
    units_of(cut, scale).ok().filter(|units| *units >= 0)
}
