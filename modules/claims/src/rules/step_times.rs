//! How long the steps of an exchange take, measured on completed claims.

use std::time::Duration;

use agio_core::Timestamp;

use crate::model::ClaimState;

/// With fewer measured claims nothing is said: a few of them foretell little.
const CLAIMS_MIN: usize = 10;

/// The part of the claims, in percent, within whose time a step counts as usual.
const USUAL_PERCENT: usize = 90;

/// A step in which the customer waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitingStep {
    /// Until the reported payment is found.
    Detection,
    /// Until the payment is confirmed.
    Confirmation,
    /// Until the payout leaves.
    Exchange,
    /// Until the payout arrives.
    Delivery,
}

impl WaitingStep {
    const ALL: [Self; 4] = [Self::Detection, Self::Confirmation, Self::Exchange, Self::Delivery];

    /// The step of a state; `None` where the customer does not wait, or the wait has no usual time.
    pub const fn of(state: ClaimState) -> Option<Self> {
        match state {
            ClaimState::PaymentClaimed => Some(Self::Detection),
            ClaimState::PaymentSeen => Some(Self::Confirmation),
            ClaimState::Paid | ClaimState::Processing => Some(Self::Exchange),
            ClaimState::PayoutSent => Some(Self::Delivery),
            _ => None,
        }
    }
}

/// A state a claim entered, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnteredState {
    pub state: ClaimState,
    pub at: Timestamp,
}

/// How long a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepTime {
    /// Half of the claims took no longer.
    pub median: Duration,
    /// Nine of ten took no longer.
    pub usual: Duration,
}

/// How long each step took in measured claims.
#[derive(Clone, Debug, Default)]
pub struct StepTimes([Option<StepTime>; 4]);

impl StepTimes {
    /// Measures the steps of claims, each with its states in their order.
    pub fn measure<'a>(claims: impl IntoIterator<Item = &'a [EnteredState]>) -> Self {
        let mut taken: [Vec<Duration>; 4] = Default::default();
        for states in claims {
            for (step, times) in WaitingStep::ALL.into_iter().zip(&mut taken) {
                times.extend(time_of(step, states));
            }
        }
        Self(taken.map(summary))
    }

    /// How long a step takes; `None` where too few claims went through it.
    pub const fn of(&self, step: WaitingStep) -> Option<StepTime> {
        self.0[step as usize]
    }
}

/// Since when a claim is in the step it is in now.
pub fn step_begin(states: &[EnteredState]) -> Option<Timestamp> {
    let step = WaitingStep::of(states.last()?.state)?;
    let entered = states.iter().rev().take_while(|entered| WaitingStep::of(entered.state) == Some(step));
    entered.last().map(|entered| entered.at)
}

/// The time a claim spent in a step, the interruptions left out.
fn time_of(step: WaitingStep, states: &[EnteredState]) -> Option<Duration> {
    let spent = states
        .windows(2)
        .filter_map(|pair| match pair {
            [entered, left] if WaitingStep::of(entered.state) == Some(step) => Some(between(entered.at, left.at)),
            _ => None,
        })
        .collect::<Vec<_>>();
    (!spent.is_empty()).then(|| spent.into_iter().sum())
}

fn between(from: Timestamp, to: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(to.0.saturating_sub(from.0)).unwrap_or_default())
}

fn summary(mut times: Vec<Duration>) -> Option<StepTime> {
    times.sort_unstable();
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    if times.len() < CLAIMS_MIN {
        return None;
    }
    Some(StepTime { median: at(50)?, usual: at(USUAL_PERCENT)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000;

    fn states(of: &[(ClaimState, i64)]) -> Vec<EnteredState> {
        of.iter().map(|(state, minute)| EnteredState { state: *state, at: Timestamp(minute * MINUTE) }).collect()
    }

    #[test]
    fn the_median_and_nine_of_ten_are_those_of_the_claims() {
        let claims: Vec<_> = (1..=10)
            .map(|minutes| {
                states(&[
                    (ClaimState::PaymentClaimed, 0),
                    (ClaimState::Paid, minutes),
                    (ClaimState::Processing, minutes + 1),
                    (ClaimState::PayoutSent, minutes + 3),
                    (ClaimState::Completed, minutes + 3),
                ])
            })
            .collect();
        let times = StepTimes::measure(claims.iter().map(Vec::as_slice));
        let minutes = |count: u64| Duration::from_secs(count * 60);
        let detection = times.of(WaitingStep::Detection).unwrap();
        assert_eq!((detection.median, detection.usual), (minutes(5), minutes(9)));
        assert_eq!(times.of(WaitingStep::Exchange).unwrap().median, minutes(3), "both states together");
        assert_eq!(times.of(WaitingStep::Delivery).unwrap().usual, minutes(0));
        assert_eq!(times.of(WaitingStep::Confirmation), None, "no claim went through it");
        let few = StepTimes::measure(claims[1..].iter().map(Vec::as_slice));
        assert_eq!(few.of(WaitingStep::Detection), None, "nine are too few");
    }

    #[test]
    fn an_interruption_is_no_part_of_a_step() {
        let held = states(&[
            (ClaimState::Paid, 0),
            (ClaimState::OnHold, 2),
            (ClaimState::Paid, 60),
            (ClaimState::Processing, 61),
            (ClaimState::PayoutSent, 63),
        ]);
        assert_eq!(time_of(WaitingStep::Exchange, &held), Some(Duration::from_secs(5 * 60)));
        assert_eq!(step_begin(&held[..4]), Some(Timestamp(60 * MINUTE)), "the present wait began after it");
        assert_eq!(step_begin(&held[..2]), None);
    }
}
