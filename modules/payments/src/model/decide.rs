//! What follows for a claim from the money that came for it. Nothing here reads or writes: what came goes in, steps come out.

use std::time::Duration;

use agio_core::needs::{PaymentStage, PaymentStep};
use agio_core::{Amount, Timestamp};

use super::named;

named! {
    /// What is known of where money comes from.
    Screening {
        /// Nobody was asked.
        None = "none",
        /// It is being found out.
        Pending = "pending",
        /// Nothing speaks against it.
        Low = "low",
        /// Somebody should look at it.
        High = "high",
        /// The claim was stopped for it; whoever lets the claim go on takes it as looked at.
        Stopped = "stopped",
    }
}

named! {
    /// Why staff should look at money that came.
    Trouble {
        /// It came to an address where nobody waits.
        Unclaimed = "unclaimed",
        /// It came for a claim that needs no more.
        Extra = "extra",
        /// It disappeared from the network.
        Gone = "gone",
    }
}

/// How long a payment that disappeared may take to come back before the claim is stopped: transactions of an undone block usually wait for
/// the next one.
const COMES_BACK: Duration = Duration::from_secs(10 * 60);

/// A claim as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Where it stands.
    pub stage: PaymentStage,
    /// What is to come.
    pub send: Amount,
    /// From when on a payment that is first seen is late; nothing where no rate was promised.
    pub terms_end: Option<Timestamp>,
    /// What has come and is in the books.
    pub received: Amount,
    /// Whether its payout may have left.
    pub may_have_left: bool,
}

/// Money that came.
#[derive(Clone, Debug)]
pub struct Came {
    /// The movement.
    pub id: i64,
    /// The transaction.
    pub tx_id: String,
    /// How much, in units.
    pub units: i64,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// Blocks on top of it.
    pub confirmations: i64,
    /// Since when it is gone.
    pub gone_at: Option<Timestamp>,
    /// Whether the books have it.
    pub counted: bool,
    /// What is known of where it comes from.
    pub screening: Screening,
    /// Whether staff were told to look at it.
    pub is_told: bool,
}

/// What holds for payments of the currency.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Confirmations after which a payment is certain.
    pub confirmations: i64,
    /// A payment that differs by this many units at most is taken for the agreed one.
    pub tolerance: i64,
    /// What is less than this many units is not looked at.
    pub dust: i64,
    /// Whether somebody judges where money comes from.
    pub is_screened: bool,
}

/// What follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// What the claim does, one after the other.
    pub steps: Vec<PaymentStep>,
    /// Movements that the books have then.
    pub counted: Vec<i64>,
    /// Movements the claim is stopped for.
    pub stopped: Vec<i64>,
    /// Movements whose origin is to be found out.
    pub to_screen: Vec<i64>,
    /// Movements staff should look at, and why.
    pub troubles: Vec<(i64, Trouble)>,
    /// When to look again although nothing changed.
    pub look_after: Option<Timestamp>,
}

/// What follows for a claim from what came for it.
#[must_use]
pub fn decide(claim: &Standing, came: &[Came], rules: &Rules, now: Timestamp) -> Decision {
    let seen = Seen { claim, came, rules, now };
    match claim.stage {
        PaymentStage::Unconfirmed | PaymentStage::Held => Decision::default(),
        PaymentStage::Awaiting => seen.first_in_time(),
        _ if seen.is_gone_from_books() && seen.can_stop() => seen.stop_for_gone(|one| one.counted),
        PaymentStage::Seen => seen.certain(),
        PaymentStage::Mismatch => seen.first(),
        PaymentStage::Ended => seen.late(),
        _ => seen.beyond_need(),
    }
}

struct Seen<'a> {
    claim: &'a Standing,
    came: &'a [Came],
    rules: &'a Rules,
    now: Timestamp,
}

impl<'a> Seen<'a> {
    /// Money on the network that the books do not have.
    fn uncounted(&self) -> impl Iterator<Item = &'a Came> {
        let least = self.rules.dust.max(1);
        self.came.iter().filter(move |one| one.gone_at.is_none() && !one.counted && one.units >= least)
    }

    fn is_certain(&self, one: &Came) -> bool {
        one.confirmations >= self.rules.confirmations
    }

    /// Whether it was first seen while the agreed terms held; how long it takes to become certain does not matter.
    fn is_in_time(&self, one: &Came) -> bool {
        self.claim.terms_end.is_none_or(|end| one.seen_at < end)
    }

    fn with(&self, new: &[&Came]) -> Option<Amount> {
        let units = new.iter().try_fold(self.claim.received.units(), |sum, one| sum.checked_add(one.units))?;
        Some(Amount::of_units(units, self.claim.send.scale()))
    }

    fn is_agreed(&self, sum: Amount) -> bool {
        sum.units().abs_diff(self.claim.send.units()) <= self.rules.tolerance.unsigned_abs()
    }

    /// A payment is noted as soon as it is seen.
    fn first(&self) -> Decision {
        self.uncounted().next().map(noted).unwrap_or_default()
    }

    /// The same of one that came in time. What came only after the agreed terms had ended is late, whatever the customer said.
    fn first_in_time(&self) -> Decision {
        self.uncounted().find(|one| self.is_in_time(one)).map_or_else(|| self.late(), noted)
    }

    /// A payment that was seen becomes certain, or disappears. What is certain, in time and of the agreed amount does not wait for what else
    /// may come; what is made up only after the agreed terms had ended is late as a whole.
    fn certain(&self) -> Decision {
        let new: Vec<_> = self.uncounted().collect();
        if new.is_empty() {
            return self.wait_for_gone();
        }
        let (in_time, late): (Vec<_>, Vec<_>) = new.into_iter().partition(|one| self.is_in_time(one));
        let certain: Vec<_> = in_time.iter().copied().filter(|one| self.is_certain(one)).collect();
        match self.with(&certain) {
            Some(sum) if self.is_agreed(sum) => self.screened(&certain, PaymentStep::Received(sum)),
            Some(sum) if late.is_empty() && certain.len() == in_time.len() => self.screened(&certain, PaymentStep::Mismatch(sum)),
            _ if !late.is_empty() => self.late(),
            _ => Decision::default(),
        }
    }

    /// Money that came after the agreed terms or the claim had ended counts once all of it is certain.
    fn late(&self) -> Decision {
        let new: Vec<_> = self.uncounted().collect();
        let Some(last) = new.last().filter(|_| new.iter().all(|one| self.is_certain(one))) else {
            return Decision::default();
        };
        match self.with(&new) {
            Some(came) => {
                let is_clean = new.iter().all(|one| one.screening != Screening::High);
                let as_agreed = is_clean && self.is_agreed(came);
                self.screened(&new, PaymentStep::Late { tx_id: last.tx_id.clone(), seen_at: last.seen_at, came, as_agreed })
            }
            None => Decision::default(),
        }
    }

    /// A step that puts money into the books waits until it is known where that comes from. What somebody should look at is booked and
    /// stopped in one go, so that it can be returned.
    fn screened(&self, new: &[&Came], step: PaymentStep) -> Decision {
        let ids = |what: Screening| new.iter().filter(move |one| one.screening == what).map(|one| one.id).collect::<Vec<_>>();
        if self.rules.is_screened {
            let (unasked, pending) = (ids(Screening::None), ids(Screening::Pending));
            if !unasked.is_empty() || !pending.is_empty() {
                return Decision { to_screen: unasked, ..Decision::default() };
            }
        }
        let counted = new.iter().map(|one| one.id).collect();
        let stopped = ids(Screening::High);
        let mut steps = vec![step];
        if !stopped.is_empty() {
            steps.push(PaymentStep::Hold("aml_check"));
        }
        Decision { steps, counted, stopped, ..Decision::default() }
    }

    /// A payment that disappeared before it was certain usually comes back.
    fn wait_for_gone(&self) -> Decision {
        let untold = self.came.iter().filter(|one| !one.counted && !one.is_told).filter_map(|one| one.gone_at);
        match untold.max().map(|at| at.plus(COMES_BACK)) {
            Some(patience) if patience <= self.now => self.stop_for_gone(|one| !one.counted),
            look_after => Decision { look_after, ..Decision::default() },
        }
    }

    /// Whether money that the books have is gone and nobody was told.
    fn is_gone_from_books(&self) -> bool {
        self.came.iter().any(|one| one.counted && one.gone_at.is_some() && !one.is_told)
    }

    fn can_stop(&self) -> bool {
        match self.claim.stage {
            PaymentStage::Seen | PaymentStage::Mismatch | PaymentStage::Late | PaymentStage::Paid => true,
            PaymentStage::Processing => !self.claim.may_have_left,
            _ => false,
        }
    }

    fn stop_for_gone(&self, which: impl Fn(&Came) -> bool) -> Decision {
        let gone = self.came.iter().filter(|one| one.gone_at.is_some() && !one.is_told && which(one));
        let troubles = gone.map(|one| (one.id, Trouble::Gone)).collect();
        Decision { steps: vec![PaymentStep::Hold("payment_gone")], troubles, ..Decision::default() }
    }

    /// The claim needs no money any more: what comes is for staff to look at, and so is what disappears.
    fn beyond_need(&self) -> Decision {
        let extra = self.uncounted().filter(|one| self.is_certain(one) && !one.is_told).map(|one| (one.id, Trouble::Extra));
        let gone = self.came.iter().filter(|one| one.counted && one.gone_at.is_some() && !one.is_told);
        let gone = gone.map(|one| (one.id, Trouble::Gone));
        Decision { troubles: extra.chain(gone).collect(), ..Decision::default() }
    }
}

/// The first word of a payment.
fn noted(one: &Came) -> Decision {
    Decision { steps: vec![PaymentStep::Seen(one.tx_id.clone(), one.seen_at)], ..Decision::default() }
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

    fn standing(stage: PaymentStage, booked: i64) -> Standing {
        let (send, received) = (Amount::of_units(1_000, 8), Amount::of_units(booked, 8));
        Standing { stage, send, terms_end: Some(NOW), received, may_have_left: false }
    }

    prop_compose! {
        fn movement()(
            id in 0_i64..1_000_000, units in 0_i64..2_000, confirmations in 0_i64..5, gone in any::<bool>(), counted in any::<bool>(),
            is_late in any::<bool>(),
            screening in proptest::sample::select(vec![
                Screening::None, Screening::Pending, Screening::Low, Screening::High, Screening::Stopped,
            ]),
            is_told in any::<bool>(),
        ) -> Came {
            let gone_at = gone.then_some(NOW);
            let seen_at = if is_late { NOW } else { Timestamp(NOW.0 - 1) };
            Came { id, tx_id: format!("tx-{id}"), units, seen_at, confirmations, gone_at, counted, screening, is_told }
        }
    }

    /// Movements have numbers of their own.
    fn numbered(came: Vec<Came>) -> Vec<Came> {
        came.into_iter().zip(1..).map(|(one, id)| Came { id, ..one }).collect()
    }

    fn books_money(step: &PaymentStep) -> bool {
        matches!(step, PaymentStep::Received(_) | PaymentStep::Mismatch(_) | PaymentStep::Late { .. })
    }

    prop_compose! {
        /// New and certain money of about the agreed amount, in up to three parts, beside whatever else.
        fn about_the_agreed()(
            difference in -60_i64..=60, parts in proptest::collection::vec(100_i64..300, 0..3), beside in proptest::collection::vec(movement(), 0..2),
            origins in proptest::sample::select(vec![[Screening::Low; 3], [Screening::Low, Screening::Low, Screening::High], [Screening::None; 3]]),
        ) -> Vec<Came> {
            let mut rest = 1_000 + difference;
            let mut amounts: Vec<_> = parts.into_iter().inspect(|part| rest -= part).collect();
            amounts.insert(0, rest);
            let whole = amounts.into_iter().zip(origins.into_iter().rev()).map(|(units, screening)| Came {
                id: 0, tx_id: "whole".to_owned(), units, seen_at: Timestamp(NOW.0 - 1), confirmations: 3, gone_at: None, counted: false,
                screening, is_told: false,
            });
            beside.into_iter().filter(|one| one.counted).chain(whole).collect()
        }
    }

    fn came() -> impl Strategy<Value = Vec<Came>> {
        prop_oneof![proptest::collection::vec(movement(), 0..5), about_the_agreed()]
    }

    /// Runs a property on so many cases, the same each time.
    fn runner(cases: u32) -> TestRunner {
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    }

    fn are_often_reached<const KINDS: usize>(reached: [Cell<u32>; KINDS]) {
        let reached = reached.map(Cell::into_inner);
        assert!(reached.iter().all(|count| *count >= 20), "what was asked about was hardly ever so: {reached:?}");
    }

    /// What may be booked was certain and judged, to the unit, and what is doubtful goes on for nobody.
    #[test]
    fn nothing_is_booked_that_is_not_certain_and_judged() {
        let reached: [Cell<u32>; 6] = Default::default();
        let reaches = |place: usize, is_so: bool| reached[place].set(reached[place].get() + u32::from(is_so));
        let asked = (proptest::sample::select(&STAGES[..]), came(), 0_i64..50, 0_i64..50, any::<bool>());
        let held = runner(8_192).run(&asked, |(stage, came, tolerance, dust, is_screened)| {
            let rules = Rules { confirmations: 3, tolerance, dust, is_screened };
            let (claim, came) = (standing(stage, 0), numbered(came));
            let decision = decide(&claim, &came, &rules, NOW);
            let booked: Vec<_> = came.iter().filter(|one| decision.counted.contains(&one.id) && !one.counted).collect();
            prop_assert_eq!(decision.steps.iter().any(books_money), !booked.is_empty());
            for one in &booked {
                prop_assert!(one.gone_at.is_none() && one.confirmations >= 3 && one.units >= dust.max(1));
                prop_assert!(!is_screened || !matches!(one.screening, Screening::None | Screening::Pending));
            }
            let sum: i64 = booked.iter().map(|one| one.units).sum();
            let is_agreed = (sum - 1_000).abs() <= tolerance;
            let is_doubtful = booked.iter().any(|one| one.screening == Screening::High);
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
        held.unwrap();
        are_often_reached(reached);
    }

    #[test]
    fn a_claim_is_stopped_for_a_payment_that_is_gone_unless_its_payout_may_have_left() {
        let gone = Came {
            id: 1,
            tx_id: "gone".to_owned(),
            units: 1_000,
            seen_at: NOW,
            confirmations: 9,
            gone_at: Some(NOW),
            counted: true,
            screening: Screening::Low,
            is_told: false,
        };
        let rules = Rules { confirmations: 3, tolerance: 0, dust: 0, is_screened: true };
        let stopped = |stage, may_have_left| {
            let decision =
                decide(&Standing { may_have_left, ..standing(stage, 1_000) }, std::slice::from_ref(&gone), &rules, NOW);
            assert_eq!(decision.troubles, [(1, Trouble::Gone)], "{stage:?}: staff are told in any case");
            decision.steps == [PaymentStep::Hold("payment_gone")]
        };
        for stage in
            [PaymentStage::Seen, PaymentStage::Mismatch, PaymentStage::Late, PaymentStage::Paid, PaymentStage::Processing]
        {
            assert!(stopped(stage, false), "{stage:?}");
        }
        assert!(!stopped(PaymentStage::Processing, true), "what may have left is not called back");
        for stage in [PaymentStage::PayoutSent, PaymentStage::PayoutFailed, PaymentStage::RefundSent, PaymentStage::Completed] {
            assert!(!stopped(stage, true), "{stage:?}");
        }
    }

    /// Nothing that was first seen at the end of the agreed terms or later helps to reach them, however much of it there is; what was seen
    /// before does, however late it is certain.
    #[test]
    fn the_agreed_terms_are_for_what_was_seen_before_their_end() {
        let reached: [Cell<u32>; 5] = Default::default();
        let reaches = |place: usize| reached[place].set(reached[place].get() + 1);
        let stages = proptest::sample::select(vec![PaymentStage::Awaiting, PaymentStage::Seen, PaymentStage::Mismatch]);
        let shares = proptest::collection::vec((1_i64..400, prop_oneof![Just(3_i64), 0_i64..5], any::<bool>()), 1..5);
        let asked = (stages, 0_i64..1_000, shares, 0..3);
        let held = runner(4_096).run(&asked, |(stage, booked, shares, fills)| {
            let rules = Rules { confirmations: 3, tolerance: 0, dust: 0, is_screened: false };
            let mut came: Vec<Came> = (1..)
                .zip(&shares)
                .map(|(id, (units, confirmations, is_late))| Came {
                    id,
                    tx_id: format!("tx-{id}"),
                    units: *units,
                    confirmations: *confirmations,
                    gone_at: None,
                    counted: false,
                    seen_at: if *is_late { NOW } else { Timestamp(NOW.0 - 1) },
                    screening: Screening::None,
                    is_told: false,
                })
                .collect();
            let in_time = |one: &Came| one.seen_at < NOW;
            // Often it is exactly what was agreed on: all of it, or what came in time.
            let fits = |one: &Came| fills == 1 || in_time(one);
            let missing = 1_000 - booked - came.iter().filter(|one| fits(one)).map(|one| one.units).sum::<i64>();
            if let Some(first) = came.iter_mut().find(|one| fills > 0 && fits(one) && one.units + missing > 0) {
                first.units += missing;
            }
            let decision = decide(&standing(stage, booked), &came, &rules, Timestamp(NOW.0 + 1));
            let counted = |one: &&Came| decision.counted.contains(&one.id);
            for step in &decision.steps {
                match step {
                    PaymentStep::Received(sum) => {
                        prop_assert_eq!(sum.units(), 1_000);
                        prop_assert!(came.iter().filter(counted).all(in_time));
                        reaches(usize::from(!came.iter().all(in_time)));
                    }
                    PaymentStep::Mismatch(_) => {
                        prop_assert!(came.iter().all(in_time));
                        reaches(2);
                    }
                    PaymentStep::Seen(_, at) => {
                        prop_assert!(stage == PaymentStage::Mismatch || *at < NOW);
                        reaches(3);
                    }
                    PaymentStep::Late { .. } => {
                        prop_assert!(came.iter().any(|one| !in_time(one)));
                        prop_assert_eq!(decision.counted.len(), came.len());
                        reaches(4);
                    }
                    _ => prop_assert!(false, "{:?}", step),
                }
            }
            let all_certain = came.iter().all(|one| one.confirmations >= 3);
            if stage == PaymentStage::Seen && all_certain {
                prop_assert_eq!(decision.steps.len(), 1, "what is certain does not wait");
            }
            if stage == PaymentStage::Awaiting && !came.iter().any(in_time) {
                prop_assert_eq!(decision.steps.len(), usize::from(all_certain));
            }
            Ok(())
        });
        held.unwrap();
        are_often_reached(reached);
    }

    #[test]
    fn a_decision_that_was_carried_out_is_not_made_again() {
        let reached: [Cell<u32>; 3] = Default::default();
        let stages = vec![PaymentStage::Paid, PaymentStage::Completed, PaymentStage::Refunded, PaymentStage::Late];
        let asked = (proptest::sample::select(stages), proptest::collection::vec(movement(), 0..5));
        let held = runner(1_024).run(&asked, |(stage, came)| {
            let rules = Rules { confirmations: 3, tolerance: 0, dust: 0, is_screened: false };
            let (claim, came) = (standing(stage, 1_000), numbered(came));
            let first = decide(&claim, &came, &rules, NOW);
            let told = |one: &Came| first.troubles.iter().any(|(id, _)| *id == one.id);
            let after: Vec<_> = came.iter().cloned().map(|one| Came { is_told: one.is_told || told(&one), ..one }).collect();
            let held = if first.steps.is_empty() { stage } else { PaymentStage::Held };
            prop_assert_eq!(decide(&standing(held, 1_000), &after, &rules, NOW), Decision::default());
            let has = |what: Trouble| first.troubles.iter().any(|(_, trouble)| *trouble == what);
            for (count, is_so) in reached.iter().zip([!first.steps.is_empty(), has(Trouble::Extra), has(Trouble::Gone)]) {
                count.set(count.get() + u32::from(is_so));
            }
            Ok(())
        });
        held.unwrap();
        are_often_reached(reached);
    }
}
