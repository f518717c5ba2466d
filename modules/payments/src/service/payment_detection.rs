//! Processing of claims with changed payments.

use std::sync::Arc;

use agio_contracts::PaymentStep;
use agio_core::{Amount, Error, Result, Timestamp, Tx};
use uuid::Uuid;

use super::Payments;
use crate::model::{ClaimSnapshot, IncomingPayment, PaymentDecision, PaymentRules, decide};
use crate::store::movements::MovementRecord;
use crate::store::{addresses, attempts, movements, routes};

const AT_A_TIME: i64 = 200;

/// How many rounds one run makes: a step changes the claim, so that it is processed again.
const ROUNDS: usize = 20;

impl Payments {
    /// Processes every claim with changes.
    pub async fn process_changed_claims(self: &Arc<Self>) -> Result<()> {
        for _ in 0..ROUNDS {
            let now = self.platform.clock.now();
            let changed = addresses::changed_claims(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
            let mut moved = false;
            for claim in changed {
                match self.process_claim(claim).await {
                    Ok(()) => moved = true,
                    // Changed meanwhile: it is processed again. Unreadable: staff are alerted elsewhere, and nothing
                    // happens until the data is restored.
                    Err(lost) if matches!(lost.code(), "claim_changed" | "claim_unreadable") => {}
                    Err(failure) => tracing::error!(%failure, "a claim with changed payments could not be processed"),
                }
            }
            if !moved {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn process_claim(self: &Arc<Self>, claim: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move { this.process_claim_in(tx, claim).await })
            })
            .await
    }

    async fn process_claim_in(self: &Arc<Self>, tx: &mut Tx, id: Uuid) -> Result<()> {
        let now = self.platform.clock.now();
        let claim = self.claims.payable(tx, id).await?;
        // Read before the payments, so that later changes are processed again.
        let Some(changed) = addresses::change_count(tx, id).await? else { return Ok(()) };
        let Some(route) = routes::of(tx, claim.from).await? else {
            return addresses::mark_processed(tx, id, changed, None).await;
        };
        let rules = PaymentRules {
            confirmations: route.confirmations,
            tolerance: claim.tolerance.map_or(route.tolerance, Amount::units),
            dust: route.dust,
            is_screened: route.screening.is_some(),
        };
        let payments: Vec<IncomingPayment> = movements::of_claim(tx, id).await?.iter().map(MovementRecord::incoming).collect();
        let snapshot = ClaimSnapshot {
            stage: claim.stage,
            send: claim.give,
            terms_end: claim.terms_end,
            received: claim.received,
            may_have_left: attempts::may_have_left(tx, id).await?,
        };
        let decision = decide(&snapshot, &payments, &rules, now);
        addresses::mark_processed(tx, id, changed, decision.process_after).await?;
        self.execute(tx, id, decision, now).await
    }

    async fn execute(self: &Arc<Self>, tx: &mut Tx, claim: Uuid, decision: PaymentDecision, now: Timestamp) -> Result<()> {
        let is_processed_again = !decision.to_screen.is_empty() || !decision.overdue.is_empty();
        for id in decision.booked {
            movements::mark_booked(tx, id, now).await?;
        }
        for id in decision.held {
            movements::mark_held(tx, id, now).await?;
        }
        for id in decision.overdue {
            movements::date(tx, id, now).await?;
        }
        for id in decision.to_screen {
            movements::request_screening(tx, id, now).await?;
        }
        for (id, issue) in decision.issues {
            tracing::warn!(movement = id, %issue, "an incoming payment needs staff");
            movements::set_issue(tx, id, issue, now).await?;
        }
        for step in decision.steps {
            if matches!(step, PaymentStep::Hold(_)) {
                self.routing.cancel_queued(tx, claim).await?;
                if attempts::is_under_way(tx, claim).await? {
                    return Err(Error::conflict("claim_changed"));
                }
            }
            self.claims.clone().step(tx, claim, step).await?;
        }
        if is_processed_again {
            addresses::mark_changed(tx, claim).await?;
        }
        Ok(())
    }
}
