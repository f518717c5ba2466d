//! Looking at claims for which something changed, and doing what follows.

use std::sync::Arc;

use agio_core::needs::PaymentStep;
use agio_core::{Amount, Error, Result, Timestamp, Tx};
use uuid::Uuid;

use super::Payments;
use crate::model::{Came, Decision, Rules, Standing, decide};
use crate::store::movements::Movement;
use crate::store::{addresses, attempts, movements, routes};

/// How many claims are looked at at a time.
const AT_A_TIME: i64 = 200;

/// How often the house looks in one run: a step changes the claim, so that it is looked at once more.
const ROUNDS: usize = 20;

impl Payments {
    /// Looks at every claim for which something changed.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn look_at_claims(self: &Arc<Self>) -> Result<()> {
        for _ in 0..ROUNDS {
            let now = self.platform.clock.now();
            let changed = addresses::to_look_at(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
            let mut moved = false;
            for claim in changed {
                match self.look_at(claim).await {
                    Ok(()) => moved = true,
                    // Somebody was faster: what changed is looked at again.
                    // Or the claim's data is damaged: staff are told of that, and nothing follows until it is restored.
                    Err(lost) if matches!(lost.code(), "claim_changed" | "claim_unreadable") => {}
                    Err(failure) => tracing::error!(%claim, %failure, "what follows from a payment could not be done"),
                }
            }
            if !moved {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn look_at(self: &Arc<Self>, claim: Uuid) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move { this.look_in(tx, claim).await })
            })
            .await
    }

    async fn look_in(self: &Arc<Self>, tx: &mut Tx, id: Uuid) -> Result<()> {
        let now = self.platform.clock.now();
        let claim = self.claims.payable(tx, id).await?;
        // Read before the payments: what comes from here on is looked at again.
        let Some(changed) = addresses::watched(tx, id).await? else { return Ok(()) };
        let Some(route) = routes::of(tx, claim.from).await? else {
            return addresses::looked_at(tx, id, changed, None).await;
        };
        let rules = Rules {
            confirmations: route.confirmations,
            tolerance: claim.tolerance.map_or(route.tolerance, Amount::units),
            dust: route.dust,
            is_screened: route.screening.is_some(),
        };
        let came: Vec<Came> = movements::of_claim(tx, id).await?.iter().map(Movement::came).collect();
        let standing = Standing {
            stage: claim.stage,
            send: claim.send,
            terms_end: claim.terms_end,
            received: claim.received,
            may_have_left: attempts::may_have_left(tx, id).await?,
        };
        let decision = decide(&standing, &came, &rules, now);
        addresses::looked_at(tx, id, changed, decision.look_after).await?;
        self.carry_out(tx, id, decision, now).await
    }

    async fn carry_out(self: &Arc<Self>, tx: &mut Tx, claim: Uuid, decision: Decision, now: Timestamp) -> Result<()> {
        let is_news = !decision.to_screen.is_empty();
        for id in decision.counted {
            movements::count(tx, id, now).await?;
        }
        for id in decision.stopped {
            movements::stop(tx, id, now).await?;
        }
        for id in decision.to_screen {
            movements::screen(tx, id, now).await?;
        }
        for (id, trouble) in decision.troubles {
            tracing::warn!(%claim, movement = id, %trouble, "a payment needs somebody to look at it");
            movements::trouble(tx, id, trouble, now).await?;
        }
        for step in decision.steps {
            if matches!(step, PaymentStep::Hold(_)) {
                self.book.cancel_queued(tx, claim).await?;
                if attempts::is_under_way(tx, claim).await? {
                    return Err(Error::conflict("claim_changed"));
                }
            }
            self.claims.clone().step(tx, claim, step).await?;
        }
        if is_news {
            addresses::changed(tx, claim).await?;
        }
        Ok(())
    }
}
