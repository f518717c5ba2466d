//! What incoming payments mean for a claim. Pure: payments in, steps out.

use std::time::Duration;

use agio_contracts::{PaymentStage, PaymentStep};
use agio_core::{Amount, Timestamp};

agio_core::named! {
    /// The AML screening of a payment.
    ScreeningState {
        /// Not requested.
        None = "none",
        /// Requested.
        Pending = "pending",
        /// Low risk.
        Low = "low",
        /// High risk.
        High = "high",
        /// The claim was put on hold for it. Releasing the hold accepts the payment.
        Held = "held",
    }
}

agio_core::named! {
    /// Why staff should look at an incoming payment.
    PaymentIssue {
        /// No claim waits for it.
        Unclaimed = "unclaimed",
        /// Its claim is already paid.
        Extra = "extra",
        /// It has disappeared from the network.
        Gone = "gone",
    }
}

/// How long a payment that disappeared may take to come back before the claim is put on hold: transactions of an
/// orphaned block are usually in the next one.
const REAPPEARANCE_WINDOW: Duration = Duration::from_secs(10 * 60);

/// How long after the agreed terms ended a payment in time may stay without any confirmation. Its sender can replace it
/// or make it faster: for longer, the agreed rate would be taken or left by what has become of the market.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The state of a claim, as far as the rules need it.
#[derive(Clone, Copy, Debug)]
pub struct ClaimSnapshot {
    pub stage: PaymentStage,
    /// The amount due.
    pub send: Amount,
    /// When the agreed terms end: a payment first seen then or later is late. `None` with a floating rate.
    pub terms_end: Option<Timestamp>,
    /// The booked amount.
    pub received: Amount,
    /// Whether its payout may have left.
    pub may_have_left: bool,
}

#[derive(Clone, Debug)]
pub struct IncomingPayment {
    pub id: i64,
    pub tx_id: String,
    pub units: i64,
    /// When it was first detected, or found to be unconfirmed for too long.
    pub seen_at: Timestamp,
    pub confirmations: i64,
    /// When it disappeared.
    pub gone_at: Option<Timestamp>,
    pub booked: bool,
    pub screening: ScreeningState,
    /// Whether it has an issue for staff.
    pub is_reported: bool,
}

/// The payment rules of the currency.
#[derive(Clone, Copy, Debug)]
pub struct PaymentRules {
    /// The confirmations a payment needs.
    pub confirmations: i64,
    /// The tolerated difference from the agreed amount, in units.
    pub tolerance: i64,
    /// Smaller payments are ignored, in units.
    pub dust: i64,
    pub is_screened: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentDecision {
    /// The claim's steps, in order.
    pub steps: Vec<PaymentStep>,
    /// Movements that are booked.
    pub booked: Vec<i64>,
    /// Movements the claim is put on hold for.
    pub held: Vec<i64>,
    /// Movements to screen.
    pub to_screen: Vec<i64>,
    /// Movements that count as seen now: they stayed unconfirmed for too long.
    pub overdue: Vec<i64>,
    /// Movements with issues for staff.
    pub issues: Vec<(i64, PaymentIssue)>,
    /// When to process the claim again, even without a change.
    pub process_after: Option<Timestamp>,
}

/// What incoming payments mean for a claim.
pub fn decide(claim: &ClaimSnapshot, payments: &[IncomingPayment], rules: &PaymentRules, now: Timestamp) -> PaymentDecision {
    let evaluation = Evaluation { claim, payments, rules, now };
    match claim.stage {
        PaymentStage::Unconfirmed | PaymentStage::Held => PaymentDecision::default(),
        PaymentStage::Awaiting => evaluation.first_timely(),
        _ if evaluation.has_booked_payment_vanished() && evaluation.can_hold() => evaluation.hold_for_vanished(|one| one.booked),
        PaymentStage::Seen => evaluation.certain(),
        PaymentStage::Mismatch => evaluation.first(),
        PaymentStage::Ended => evaluation.late(),
        _ => evaluation.surplus(),
    }
}

struct Evaluation<'a> {
    claim: &'a ClaimSnapshot,
    payments: &'a [IncomingPayment],
    rules: &'a PaymentRules,
    now: Timestamp,
}

impl<'a> Evaluation<'a> {
    /// Payments on the network that are not booked.
    fn uncounted(&self) -> impl Iterator<Item = &'a IncomingPayment> {
        let least = self.rules.dust.max(1);
        self.payments.iter().filter(move |one| one.gone_at.is_none() && !one.booked && one.units >= least)
    }

    fn is_certain(&self, one: &IncomingPayment) -> bool {
        one.confirmations >= self.rules.confirmations
    }

    /// Whether it was first seen before the agreed terms ended.
    fn is_in_time(&self, one: &IncomingPayment) -> bool {
        self.claim.terms_end.is_none_or(|end| one.seen_at < end)
    }

    fn with(&self, new: &[&IncomingPayment]) -> Option<Amount> {
        let units = new.iter().try_fold(self.claim.received.units(), |sum, one| sum.checked_add(one.units))?;
        Some(Amount::of_units(units, self.claim.send.currency()))
    }

    fn is_agreed(&self, sum: Amount) -> bool {
        sum.units().abs_diff(self.claim.send.units()) <= self.rules.tolerance.unsigned_abs()
    }

    /// Records a payment as soon as it is detected.
    fn first(&self) -> PaymentDecision {
        self.uncounted().next().map(record_detected).unwrap_or_default()
    }

    /// Records a payment in time. One after the end of the agreed terms is late, whatever the customer reported.
    fn first_timely(&self) -> PaymentDecision {
        self.uncounted().find(|one| self.is_in_time(one)).map_or_else(|| self.late(), record_detected)
    }

    /// A detected payment is confirmed, or disappears. A confirmed payment in time and of the agreed amount does not
    /// wait for further ones. If the agreed amount is reached only after the agreed terms ended, the whole payment is
    /// late.
    fn certain(&self) -> PaymentDecision {
        let new: Vec<_> = self.uncounted().collect();
        if new.is_empty() {
            return self.wait_for_vanished();
        }
        let (in_time, late): (Vec<_>, Vec<_>) = new.into_iter().partition(|one| self.is_in_time(one));
        let certain: Vec<_> = in_time.iter().copied().filter(|one| self.is_certain(one)).collect();
        match self.with(&certain) {
            Some(sum) if self.is_agreed(sum) => self.screened(&certain, PaymentStep::Received(sum)),
            Some(sum) if late.is_empty() && certain.len() == in_time.len() => self.screened(&certain, PaymentStep::Mismatch(sum)),
            _ if !late.is_empty() => self.late(),
            _ => self.wait_for_confirmation(&in_time),
        }
    }

    /// Waits for the first confirmation of payments in time, but not for ever.
    fn wait_for_confirmation(&self, in_time: &[&IncomingPayment]) -> PaymentDecision {
        let unconfirmed: Vec<_> = in_time.iter().filter(|one| one.confirmations == 0).map(|one| one.id).collect();
        match self.claim.terms_end.map(|end| end.plus(UNCONFIRMED_MAX)).filter(|_| !unconfirmed.is_empty()) {
            Some(deadline) if deadline <= self.now => PaymentDecision { overdue: unconfirmed, ..PaymentDecision::default() },
            process_after => PaymentDecision { process_after, ..PaymentDecision::default() },
        }
    }

    /// A payment after the end of the agreed terms or of the claim counts once all of it is confirmed.
    fn late(&self) -> PaymentDecision {
        let new: Vec<_> = self.uncounted().collect();
        let Some(last) = new.last().filter(|_| new.iter().all(|one| self.is_certain(one))) else {
            return PaymentDecision::default();
        };
        match self.with(&new) {
            Some(sum) => {
                let is_clean = new.iter().all(|one| one.screening != ScreeningState::High);
                let as_agreed = is_clean && self.is_agreed(sum);
                self.screened(&new, PaymentStep::Late { tx_id: last.tx_id.clone(), seen_at: last.seen_at, came: sum, as_agreed })
            }
            None => PaymentDecision::default(),
        }
    }

    /// A step that books money waits for the screening. A payment with a high risk is booked and put on hold at once,
    /// so that it can be refunded.
    fn screened(&self, new: &[&IncomingPayment], step: PaymentStep) -> PaymentDecision {
        let ids =
            |what: ScreeningState| new.iter().filter(move |one| one.screening == what).map(|one| one.id).collect::<Vec<_>>();
        if self.rules.is_screened {
            let (unscreened, pending) = (ids(ScreeningState::None), ids(ScreeningState::Pending));
            if !unscreened.is_empty() || !pending.is_empty() {
                return PaymentDecision { to_screen: unscreened, ..PaymentDecision::default() };
            }
        }
        let booked = new.iter().map(|one| one.id).collect();
        let held = ids(ScreeningState::High);
        let mut steps = vec![step];
        if !held.is_empty() {
            steps.push(PaymentStep::Hold("aml_check"));
        }
        PaymentDecision { steps, booked, held, ..PaymentDecision::default() }
    }

    /// Waits for a payment that disappeared before it was confirmed: it usually comes back.
    fn wait_for_vanished(&self) -> PaymentDecision {
        let vanished = self.payments.iter().filter(|one| !one.booked && !one.is_reported).filter_map(|one| one.gone_at);
        match vanished.max().map(|at| at.plus(REAPPEARANCE_WINDOW)) {
            Some(deadline) if deadline <= self.now => self.hold_for_vanished(|one| !one.booked),
            process_after => PaymentDecision { process_after, ..PaymentDecision::default() },
        }
    }

    /// Whether a booked payment has disappeared and has no issue yet.
    fn has_booked_payment_vanished(&self) -> bool {
        self.payments.iter().any(|one| one.booked && one.gone_at.is_some() && !one.is_reported)
    }

    fn can_hold(&self) -> bool {
        match self.claim.stage {
            PaymentStage::Seen | PaymentStage::Mismatch | PaymentStage::Late | PaymentStage::Paid => true,
            PaymentStage::Processing => !self.claim.may_have_left,
            _ => false,
        }
    }

    fn hold_for_vanished(&self, which: impl Fn(&IncomingPayment) -> bool) -> PaymentDecision {
        let gone = self.payments.iter().filter(|one| one.gone_at.is_some() && !one.is_reported && which(one));
        let issues = gone.map(|one| (one.id, PaymentIssue::Gone)).collect();
        PaymentDecision { steps: vec![PaymentStep::Hold("payment_gone")], issues, ..PaymentDecision::default() }
    }

    /// The claim is paid: further payments, and payments that disappear, are issues for staff.
    fn surplus(&self) -> PaymentDecision {
        let extra =
            self.uncounted().filter(|one| self.is_certain(one) && !one.is_reported).map(|one| (one.id, PaymentIssue::Extra));
        let gone = self.payments.iter().filter(|one| one.booked && one.gone_at.is_some() && !one.is_reported);
        let gone = gone.map(|one| (one.id, PaymentIssue::Gone));
        PaymentDecision { issues: extra.chain(gone).collect(), ..PaymentDecision::default() }
    }
}

fn record_detected(one: &IncomingPayment) -> PaymentDecision {
    PaymentDecision { steps: vec![PaymentStep::Seen(one.tx_id.clone(), one.seen_at)], ..PaymentDecision::default() }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

    use super::*;

    const NOW: Timestamp = Timestamp(1_711_627_200_000_000);
    const STAGES: [PaymentStage; 16] = [
        PaymentStage::Unconfirmed,
        PaymentStage::Awaiting,
        PaymentStage::Seen,
        PaymentStage::Mismatch,
        PaymentStage::Late,
        PaymentStage::Held,
        PaymentStage::Paid,
        PaymentStage::Processing,
        PaymentStage::PayoutSent,
        PaymentStage::PayoutFailed,
        PaymentStage::PayoutPartial,
        PaymentStage::RefundPending,
        PaymentStage::RefundSent,
        PaymentStage::Completed,
        PaymentStage::Refunded,
        PaymentStage::Ended,
    ];

    fn snapshot(stage: PaymentStage, booked: i64) -> ClaimSnapshot {
        let bitcoin = agio_core::CurrencyUnit::new(1, 8);
        let (send, received) = (Amount::of_units(1_000, bitcoin), Amount::of_units(booked, bitcoin));
        ClaimSnapshot { stage, send, terms_end: Some(NOW), received, may_have_left: false }
    }

    prop_compose! {
        fn movement()(
            id in 0_i64..1_000_000, units in 0_i64..2_000, confirmations in 0_i64..5, gone in any::<bool>(), booked in any::<bool>(),
            is_late in any::<bool>(),
            screening in proptest::sample::select(vec![
                ScreeningState::None, ScreeningState::Pending, ScreeningState::Low, ScreeningState::High, ScreeningState::Held,
            ]),
            is_reported in any::<bool>(),
        ) -> IncomingPayment {
            let gone_at = gone.then_some(NOW);
            let seen_at = if is_late { NOW } else { Timestamp(NOW.0 - 1) };
            IncomingPayment { id, tx_id: format!("tx-{id}"), units, seen_at, confirmations, gone_at, booked, screening, is_reported }
        }
    }

    /// Movements have numbers of their own.
    fn numbered(payments: Vec<IncomingPayment>) -> Vec<IncomingPayment> {
        payments.into_iter().zip(1..).map(|(one, id)| IncomingPayment { id, ..one }).collect()
    }

    fn books_money(step: &PaymentStep) -> bool {
        matches!(step, PaymentStep::Received(_) | PaymentStep::Mismatch(_) | PaymentStep::Late { .. })
    }

    prop_compose! {
        /// New and certain money of about the agreed amount, in up to three parts, beside other payments.
        fn about_the_agreed()(
            difference in -60_i64..=60, parts in proptest::collection::vec(100_i64..300, 0..3), beside in proptest::collection::vec(movement(), 0..2),
            origins in proptest::sample::select(vec![[ScreeningState::Low; 3], [ScreeningState::Low, ScreeningState::Low, ScreeningState::High], [ScreeningState::None; 3]]),
        ) -> Vec<IncomingPayment> {
            let mut rest = 1_000 + difference;
            let mut amounts: Vec<_> = parts.into_iter().inspect(|part| rest -= part).collect();
            amounts.insert(0, rest);
            let whole = amounts.into_iter().zip(origins.into_iter().rev()).map(|(units, screening)| IncomingPayment {
                id: 0, tx_id: "whole".to_owned(), units, seen_at: Timestamp(NOW.0 - 1), confirmations: 3, gone_at: None, booked: false,
                screening, is_reported: false,
            });
            beside.into_iter().filter(|one| one.booked).chain(whole).collect()
        }
    }

    fn payments() -> impl Strategy<Value = Vec<IncomingPayment>> {
        prop_oneof![proptest::collection::vec(movement(), 0..5), about_the_agreed()]
    }

    /// Runs a property on so many cases, the same each time.
    fn runner(cases: u32) -> TestRunner {
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    }

    fn are_often_reached<const KINDS: usize>(reached: [Cell<u32>; KINDS]) {
        let reached = reached.map(Cell::into_inner);
        assert!(reached.iter().all(|count| *count >= 20), "a case was hardly ever reached: {reached:?}");
    }

    /// Booked payments are confirmed and screened, exactly, and a risky one does not continue.
    #[test]
    fn nothing_is_booked_that_is_not_certain_and_judged() {
        let reached: [Cell<u32>; 6] = Default::default();
        let reaches = |place: usize, is_so: bool| reached[place].set(reached[place].get() + u32::from(is_so));
        let inputs = (proptest::sample::select(&STAGES[..]), payments(), 0_i64..50, 0_i64..50, any::<bool>());
        let result = runner(8_192).run(&inputs, |(stage, payments, tolerance, dust, is_screened)| {
            let rules = PaymentRules { confirmations: 3, tolerance, dust, is_screened };
            let (claim, payments) = (snapshot(stage, 0), numbered(payments));
            let decision = decide(&claim, &payments, &rules, NOW);
            let booked: Vec<_> = payments.iter().filter(|one| decision.booked.contains(&one.id) && !one.booked).collect();
            prop_assert_eq!(decision.steps.iter().any(books_money), !booked.is_empty());
            for one in &booked {
                prop_assert!(one.gone_at.is_none() && one.confirmations >= 3 && one.units >= dust.max(1));
                prop_assert!(!is_screened || !matches!(one.screening, ScreeningState::None | ScreeningState::Pending));
            }
            let sum: i64 = booked.iter().map(|one| one.units).sum();
            let is_agreed = (sum - 1_000).abs() <= tolerance;
            let is_doubtful = booked.iter().any(|one| one.screening == ScreeningState::High);
            for step in &decision.steps {
                match step {
                    PaymentStep::Received(amount) => {
                        prop_assert_eq!(amount.units(), sum);
                        prop_assert!(is_agreed);
                        reaches(0, true);
                    }
                    PaymentStep::Mismatch(amount) => {
                        prop_assert_eq!(amount.units(), sum);
                        reaches(1, true);
                    }
                    PaymentStep::Late { came, as_agreed, .. } => {
                        prop_assert_eq!(came.units(), sum);
                        prop_assert_eq!(*as_agreed, !is_doubtful && is_agreed);
                        reaches(2, *as_agreed);
                        reaches(3, is_doubtful && is_agreed);
                        reaches(4, !is_agreed);
                    }
                    _ => {}
                }
            }
            reaches(5, is_doubtful);
            prop_assert_eq!(is_doubtful, decision.steps.contains(&PaymentStep::Hold("aml_check")));
            Ok(())
        });
        result.unwrap();
        are_often_reached(reached);
    }

    #[test]
    fn a_claim_is_stopped_for_a_payment_that_is_gone_unless_its_payout_may_have_left() {
        let gone = IncomingPayment {
            id: 1,
            tx_id: "gone".to_owned(),
            units: 1_000,
            seen_at: NOW,
            confirmations: 9,
            gone_at: Some(NOW),
            booked: true,
            screening: ScreeningState::Low,
            is_reported: false,
        };
        let rules = PaymentRules { confirmations: 3, tolerance: 0, dust: 0, is_screened: true };
        let is_held = |stage, may_have_left| {
            let decision =
                decide(&ClaimSnapshot { may_have_left, ..snapshot(stage, 1_000) }, std::slice::from_ref(&gone), &rules, NOW);
            assert_eq!(decision.issues, [(1, PaymentIssue::Gone)], "{stage:?}: staff see it in any case");
            decision.steps == [PaymentStep::Hold("payment_gone")]
        };
        for stage in
            [PaymentStage::Seen, PaymentStage::Mismatch, PaymentStage::Late, PaymentStage::Paid, PaymentStage::Processing]
        {
            assert!(is_held(stage, false), "{stage:?}");
        }
        assert!(!is_held(PaymentStage::Processing, true), "a payout that may have left is not held");
        for stage in [PaymentStage::PayoutSent, PaymentStage::PayoutFailed, PaymentStage::RefundSent, PaymentStage::Completed] {
            assert!(!is_held(stage, true), "{stage:?}");
        }
    }

    /// A payment first seen after the agreed terms ended never counts toward them; one seen before does.
    #[test]
    fn the_agreed_terms_are_for_what_was_seen_before_their_end() {
        let reached: [Cell<u32>; 5] = Default::default();
        let reaches = |place: usize| reached[place].set(reached[place].get() + 1);
        let stages = proptest::sample::select(vec![PaymentStage::Awaiting, PaymentStage::Seen, PaymentStage::Mismatch]);
        let shares = proptest::collection::vec((1_i64..400, prop_oneof![Just(3_i64), 0_i64..5], any::<bool>()), 1..5);
        let inputs = (stages, 0_i64..1_000, shares, 0..3);
        let result = runner(4_096).run(&inputs, |(stage, booked, shares, fills)| {
            let rules = PaymentRules { confirmations: 3, tolerance: 0, dust: 0, is_screened: false };
            let mut payments: Vec<IncomingPayment> = (1..)
                .zip(&shares)
                .map(|(id, (units, confirmations, is_late))| IncomingPayment {
                    id,
                    tx_id: format!("tx-{id}"),
                    units: *units,
                    confirmations: *confirmations,
                    gone_at: None,
                    booked: false,
                    seen_at: if *is_late { NOW } else { Timestamp(NOW.0 - 1) },
                    screening: ScreeningState::None,
                    is_reported: false,
                })
                .collect();
            let in_time = |one: &IncomingPayment| one.seen_at < NOW;
            // Often exactly the agreed amount: in total, or of the payments in time.
            let fits = |one: &IncomingPayment| fills == 1 || in_time(one);
            let missing = 1_000 - booked - payments.iter().filter(|one| fits(one)).map(|one| one.units).sum::<i64>();
            if let Some(first) = payments.iter_mut().find(|one| fills > 0 && fits(one) && one.units + missing > 0) {
                first.units += missing;
            }
            let decision = decide(&snapshot(stage, booked), &payments, &rules, Timestamp(NOW.0 + 1));
            let booked = |one: &&IncomingPayment| decision.booked.contains(&one.id);
            for step in &decision.steps {
                match step {
                    PaymentStep::Received(sum) => {
                        prop_assert_eq!(sum.units(), 1_000);
                        prop_assert!(payments.iter().filter(booked).all(in_time));
                        reaches(usize::from(!payments.iter().all(in_time)));
                    }
                    PaymentStep::Mismatch(_) => {
                        prop_assert!(payments.iter().all(in_time));
                        reaches(2);
                    }
                    PaymentStep::Seen(_, at) => {
                        prop_assert!(stage == PaymentStage::Mismatch || *at < NOW);
                        reaches(3);
                    }
                    PaymentStep::Late { .. } => {
                        prop_assert!(payments.iter().any(|one| !in_time(one)));
                        prop_assert_eq!(decision.booked.len(), payments.len());
                        reaches(4);
                    }
                    _ => prop_assert!(false, "{:?}", step),
                }
            }
            let all_certain = payments.iter().all(|one| one.confirmations >= 3);
            if stage == PaymentStage::Seen && all_certain {
                prop_assert_eq!(decision.steps.len(), 1, "a certain payment does not wait");
            }
            if stage == PaymentStage::Awaiting && !payments.iter().any(in_time) {
                prop_assert_eq!(decision.steps.len(), usize::from(all_certain));
            }
            Ok(())
        });
        result.unwrap();
        are_often_reached(reached);
    }

    #[test]
    fn a_decision_that_was_carried_out_is_not_made_again() {
        let reached: [Cell<u32>; 3] = Default::default();
        let stages = vec![PaymentStage::Paid, PaymentStage::Completed, PaymentStage::Refunded, PaymentStage::Late];
        let inputs = (proptest::sample::select(stages), proptest::collection::vec(movement(), 0..5));
        let result = runner(1_024).run(&inputs, |(stage, payments)| {
            let rules = PaymentRules { confirmations: 3, tolerance: 0, dust: 0, is_screened: false };
            let (claim, payments) = (snapshot(stage, 1_000), numbered(payments));
            let first = decide(&claim, &payments, &rules, NOW);
            let is_reported = |one: &IncomingPayment| first.issues.iter().any(|(id, _)| *id == one.id);
            let after: Vec<_> = payments
                .iter()
                .cloned()
                .map(|one| IncomingPayment { is_reported: one.is_reported || is_reported(&one), ..one })
                .collect();
            let held = if first.steps.is_empty() { stage } else { PaymentStage::Held };
            prop_assert_eq!(decide(&snapshot(held, 1_000), &after, &rules, NOW), PaymentDecision::default());
            let has = |what: PaymentIssue| first.issues.iter().any(|(_, issue)| *issue == what);
            for (count, is_so) in reached.iter().zip([!first.steps.is_empty(), has(PaymentIssue::Extra), has(PaymentIssue::Gone)])
            {
                count.set(count.get() + u32::from(is_so));
            }
            Ok(())
        });
        result.unwrap();
        are_often_reached(reached);
    }
}
