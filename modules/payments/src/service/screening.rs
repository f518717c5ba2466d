//! AML screening of incoming payments.

use std::sync::Arc;
use std::time::Duration;

use agio_core::Result;
use agio_plugin_sdk::protocol::{Call, CallResult, Risk, ScreeningRequest, ScreeningResult};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::Payments;
use crate::model::ScreeningState;
use crate::store::movements::MovementRecord;
use crate::store::{addresses, movements, routes};

/// How many movements one run screens.
const AT_A_TIME: i64 = 50;

/// How many of them at once, so that a slow service delays the others less.
const AT_ONCE: usize = 8;

/// How long to wait before calling a service again. Until it answers, the payment waits.
const AGAIN: Duration = Duration::from_secs(30);

/// The longest stored report.
const REPORT_MAX: usize = 2_000;

impl Payments {
    /// Screens every movement that is due.
    pub async fn screen_movements(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let due = movements::to_screen(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
        let screenings = stream::iter(due).map(|movement| async move {
            let (state, report) = self.screen(&movement).await?;
            self.record_screening(&movement, state, report).await
        });
        screenings.buffer_unordered(AT_ONCE).try_collect().await
    }

    async fn screen(&self, movement: &MovementRecord) -> Result<(ScreeningState, Option<String>)> {
        let route = routes::of(&mut self.platform.db.read().await?, movement.currency_id).await?;
        let Some(service) = route.and_then(|route| route.screening) else { return Ok((ScreeningState::Pending, None)) };
        let currency = self.currency(movement.currency_id)?;
        let request = ScreeningRequest {
            key: format!("m-{}", movement.id),
            currency: currency.code.clone(),
            tx_id: movement.tx_id.clone(),
            address: movement.address.clone(),
            amount: currency.amount(movement.units).value(),
        };
        Ok(match self.plugins.call(&service, Call::Screen(request)).await {
            Ok(CallResult::Screening(result)) => (state_of(result.risk), Some(report_of(&result))),
            Ok(_) => (ScreeningState::Pending, Some("the response is of another kind".to_owned())),
            Err(fault) => (ScreeningState::Pending, Some(fault.to_string())),
        })
    }

    async fn record_screening(&self, movement: &MovementRecord, state: ScreeningState, report: Option<String>) -> Result<()> {
        let (id, claim, now) = (movement.id, movement.claim_id, self.platform.clock.now());
        let again = (state == ScreeningState::Pending).then(|| now.plus(AGAIN));
        let report: Option<String> = report.map(|report| report.chars().take(REPORT_MAX).collect());
        self.platform
            .db
            .write(move |tx| {
                let report = report.clone();
                Box::pin(async move {
                    movements::set_screening(tx, id, state, report.as_deref(), again, now).await?;
                    match claim.filter(|_| state != ScreeningState::Pending) {
                        Some(claim) => addresses::mark_changed(tx, claim).await,
                        None => Ok(()),
                    }
                })
            })
            .await
    }
}

fn state_of(risk: Risk) -> ScreeningState {
    match risk {
        Risk::Low => ScreeningState::Low,
        Risk::High => ScreeningState::High,
        Risk::Pending => ScreeningState::Pending,
    }
}

/// The result as text, for staff.
fn report_of(result: &ScreeningResult) -> String {
    let score = result.score.iter().map(|score| format!("{score} %"));
    let parts: Vec<String> = score.chain(result.signals.iter().cloned()).chain(result.report.iter().cloned()).collect();
    parts.join(", ")
}
