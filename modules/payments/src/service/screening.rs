//! Finding out where money comes from.

use std::sync::Arc;
use std::time::Duration;

use agio_core::{Amount, Result};
use agio_plugin::protocol::{Answer, Call, Risk, Screening as Question, Verdict};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::Payments;
use crate::model::Screening;
use crate::store::movements::Movement;
use crate::store::{addresses, movements, routes};

/// How many movements are asked about in one run.
const AT_A_TIME: i64 = 50;

/// How many of them at once: a service that takes its time holds up the others less.
const AT_ONCE: usize = 8;

/// How long a service is left alone that does not know yet, or does not answer. Until it does, nothing passes.
const AGAIN: Duration = Duration::from_secs(30);

/// The longest report that is kept.
const REPORT_MAX: usize = 2_000;

impl Payments {
    /// Asks about every movement whose turn it is.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn screen_due(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let due = movements::to_screen(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
        let asked = stream::iter(due).map(|movement| async move {
            let (what, report) = self.verdict(&movement).await?;
            self.note_verdict(&movement, what, report).await
        });
        asked.buffer_unordered(AT_ONCE).try_collect().await
    }

    async fn verdict(&self, movement: &Movement) -> Result<(Screening, Option<String>)> {
        let route = routes::of(&mut self.platform.db.read().await?, movement.currency_id).await?;
        let Some(service) = route.and_then(|route| route.screening) else { return Ok((Screening::Pending, None)) };
        let currency = self.currency(movement.currency_id)?;
        let question = Question {
            key: format!("m-{}", movement.id),
            currency: currency.code.clone(),
            tx_id: movement.tx_id.clone(),
            address: movement.address.clone(),
            amount: Amount::of_units(movement.units, currency.scale).value(),
        };
        Ok(match self.plugins.ask(&service, Call::Screen(question)).await {
            Ok(Answer::Verdict(verdict)) => (risk(&verdict), Some(told(&verdict))),
            Ok(_) => (Screening::Pending, Some("the answer is to another question".to_owned())),
            Err(fault) => (Screening::Pending, Some(fault.to_string())),
        })
    }

    async fn note_verdict(&self, movement: &Movement, what: Screening, report: Option<String>) -> Result<()> {
        let (id, claim, now) = (movement.id, movement.claim_id, self.platform.clock.now());
        let again = (what == Screening::Pending).then(|| now.plus(AGAIN));
        let report: Option<String> = report.map(|report| report.chars().take(REPORT_MAX).collect());
        self.platform
            .db
            .write(move |tx| {
                let report = report.clone();
                Box::pin(async move {
                    movements::screened(tx, id, what, report.as_deref(), again, now).await?;
                    match claim.filter(|_| what != Screening::Pending) {
                        Some(claim) => addresses::changed(tx, claim).await,
                        None => Ok(()),
                    }
                })
            })
            .await
    }
}

fn risk(verdict: &Verdict) -> Screening {
    match verdict.risk {
        Risk::Low => Screening::Low,
        Risk::High => Screening::High,
        Risk::Pending => Screening::Pending,
    }
}

/// A verdict in a line, for staff.
fn told(verdict: &Verdict) -> String {
    let score = verdict.score.iter().map(|score| format!("{score} %"));
    let parts: Vec<String> = score.chain(verdict.signals.iter().cloned()).chain(verdict.report.iter().cloned()).collect();
    parts.join(", ")
}
