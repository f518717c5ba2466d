//! The past steps of a claim, and how long its present one usually takes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::{Result, Timestamp, Tx};

use super::Claims;
use crate::rules::Claim;
use crate::rules::payout_parts::{PayoutPart, payout_parts};
use crate::rules::step_times::{EnteredState, StepTime, StepTimes, WaitingStep, step_begin};
use crate::store::history;

/// How many of the newest completed claims of a direction are measured.
const MEASURED: i64 = 100;

/// How long a measurement is used.
const KEPT: Duration = Duration::from_secs(10 * 60);

/// How many directions are remembered. With more, all are measured again.
const DIRECTIONS_MAX: usize = 10_000;

/// When a direction was measured, and what was found.
type Measurement = (Timestamp, Arc<StepTimes>);

/// The measured times of directions.
#[derive(Default)]
pub(super) struct MeasuredSteps(Mutex<HashMap<(i64, i64), Measurement>>);

/// The past steps of a claim.
#[derive(Clone, Debug)]
pub struct ClaimTimeline {
    /// The states it entered, the oldest first.
    pub states: Vec<EnteredState>,
    /// Since when the customer waits in the present step, and how long it takes; `None` where nobody waits, or too few
    /// claims were measured.
    pub waiting: Option<(Timestamp, StepTime)>,
    /// The transfers of a payout that was made in parts; empty for any other.
    pub payouts: Vec<PayoutPart>,
}

/// The transfers of a payout that was made in parts; empty for any other.
pub(super) async fn payouts_of(tx: &mut Tx, claim: &Claim) -> Result<Vec<PayoutPart>> {
    if claim.balances.paid_out.units() == 0 {
        return Ok(Vec::new());
    }
    Ok(payout_parts(&history::payout_events(tx, claim.public_id).await?, claim.receive.amount.units()))
}

impl Claims {
    pub(crate) async fn timeline(&self, claim: &Claim) -> Result<ClaimTimeline> {
        let mut tx = self.platform.db.read().await?;
        let states = history::states_of_claim(&mut tx, claim.public_id).await?;
        let payouts = payouts_of(&mut tx, claim).await?;
        // The next call takes its own connection.
        drop(tx);
        let waiting = match (step_begin(&states), WaitingStep::of(claim.state)) {
            (Some(since), Some(step)) => self.step_times(claim).await?.of(step).map(|time| (since, time)),
            _ => None,
        };
        Ok(ClaimTimeline { states, waiting, payouts })
    }

    async fn step_times(&self, claim: &Claim) -> Result<Arc<StepTimes>> {
        let (direction, now) = ((claim.give.currency_id(), claim.receive.currency_id()), self.platform.clock.now());
        let known = || self.measured_steps.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, times)) = known().get(&direction)
            && now < at.plus(KEPT)
        {
            return Ok(times.clone());
        }
        let claims = history::states_of_direction(&mut self.platform.db.read().await?, direction, MEASURED).await?;
        let times = Arc::new(StepTimes::measure(claims.iter().map(Vec::as_slice)));
        let mut known = known();
        if known.len() >= DIRECTIONS_MAX {
            known.clear();
        }
        known.insert(direction, (now, times.clone()));
        Ok(times)
    }
}
