//! Random lives of claims by the table of transitions and the rules of money: whatever becomes of a claim, what came in is what customers
//! received, what was earned and what is still held, and customers never receive more than the terms give for what came.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use agio_core::Timestamp;
use agio_ledger::Account;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rust_decimal::Decimal;

use super::books::{HoldChange, book, share};
use super::claim::tests::claim;
use super::sums::{sums, takes_back_what_arrived};
use super::terms::tests::terms;
use super::terms::{Fees, passes_for_agreed, tolerated};
use super::{Claim, Offer};
use crate::model::{Action, Actor, Effect, Need, State, TRANSITIONS, Transition};

const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

/// How many lives are lived, and the fewest of each kind that must be among them: a fiftieth.
const LIVES: u32 = 3_000;
const FEWEST: usize = 60;

/// A life: how many steps it takes at most, what the terms are, and what is chosen at each step.
#[derive(Clone, Debug)]
struct Life {
    send: i64,
    /// What is received for a unit sent, in hundredths.
    price: i64,
    /// What it is worth at the market, in hundredths.
    market: i64,
    fee_sent: i64,
    fee_received: i64,
    tolerance: i64,
    steps: Vec<(usize, usize, bool)>,
}

prop_compose! {
    fn lives()(
        send in 1_000_i64..10_000_000, price in 1_i64..100_000, over in 0_i64..2_000, fee_sent in 0_i64..500, fee_received in 0_i64..500,
        tolerance in 0_i64..5, steps in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<bool>()), 30..160),
    ) -> Life {
        Life { send, price, market: price + price * over / 10_000 + 1, fee_sent, fee_received, tolerance, steps }
    }
}

impl Life {
    /// What the terms give for an amount.
    fn gives(&self, send: i64) -> i64 {
        let product = i128::from((send - self.fee_sent).max(0)) * i128::from(self.price) / 100;
        (i64::try_from(product).unwrap() - self.fee_received).max(0)
    }

    fn worth(&self, send: i64) -> i64 {
        i64::try_from(i128::from(send) * i128::from(self.market) / 100).unwrap()
    }

    fn claim(&self) -> Claim {
        let mut claim = claim();
        let text = |units: i64, scale| Decimal::new(units, scale).to_string();
        let mut kept: serde_json::Value =
            serde_json::from_str(&terms(&text(self.fee_sent, 8), &text(self.fee_received, 2))).unwrap();
        kept["tolerance"] =
            serde_json::json!({ "latePercent": null, "amountFixed": null, "amountPercent": self.tolerance.to_string() });
        claim.terms = kept.to_string();
        (claim.send_units, claim.receive_units, claim.worth_units) = (self.send, self.gives(self.send), self.worth(self.send));
        claim
    }

    fn offer(&self, claim: &Claim) -> Offer {
        Offer {
            send_units: claim.received_units,
            receive_units: self.gives(claim.received_units),
            worth_units: self.worth(claim.received_units),
            course: claim.course.clone(),
            bonus: claim.bonus.clone(),
            terms: claim.terms.clone(),
            hold_minutes: claim.hold_minutes,
            expires_at: NOW,
        }
    }
}

/// A claim on its way, with its books kept beside it by nothing but their transfers.
struct Course<'l> {
    life: &'l Life,
    claim: Claim,
    /// Balances by account and currency.
    books: BTreeMap<(String, i64), i64>,
    /// What is set aside for it.
    held: i64,
    kinds: BTreeSet<&'static str>,
    overridden: bool,
    /// What was paid out since the last payout came back, by what customers say and not by the books.
    arrived: i64,
}

impl<'l> Course<'l> {
    fn begins(life: &'l Life) -> Self {
        let claim = life.claim();
        let mut course =
            Course { life, claim, books: BTreeMap::new(), held: 0, kinds: BTreeSet::new(), overridden: false, arrived: 0 };
        course.hold(HoldChange::Set);
        course
    }

    fn moves(&mut self, debit: Account, credit: Account, currency: i64, units: i64) {
        assert!(units >= 0, "a transfer of less than nothing");
        *self.books.entry((format!("{debit:?}"), currency)).or_default() -= units;
        *self.books.entry((format!("{credit:?}"), currency)).or_default() += units;
    }

    fn balance(&self, account: Account, currency: i64) -> i64 {
        self.books.get(&(format!("{account:?}"), currency)).copied().unwrap_or(0)
    }

    fn hold(&mut self, change: HoldChange) {
        let to = self.claim.to_id;
        match change {
            HoldChange::Keep => {}
            HoldChange::Release => {
                self.held = 0;
                self.claim.hold_id = None;
            }
            HoldChange::Set | HoldChange::Replace => {
                self.held = self.claim.receive_units;
                self.claim.hold_id = Some(uuid::Uuid::nil());
            }
            HoldChange::Post => {
                let held = self.held;
                self.moves(Account::Reserve, Account::ClaimOut, to, held);
                self.held = 0;
                self.claim.hold_id = None;
            }
        }
    }

    fn rows(&self) -> Vec<&'static Transition> {
        let fits = |row: &&Transition| {
            row.from == Some(self.claim.state)
                && row.is_allowed_by(self.claim.books())
                && !takes_back_what_arrived(&self.claim, row)
        };
        TRANSITIONS.iter().filter(fits).collect()
    }

    /// One step. Nothing where the rules refuse it.
    fn steps(&mut self, (which, what, two_agree): (usize, usize, bool)) -> Option<()> {
        let rows = self.rows();
        let row = *rows.get(which.checked_rem(rows.len())?)?;
        // Chance alone gives most claims up, or their money back, before much has happened to them; these lives are not about those.
        let ends_early = matches!(
            row.action,
            Action::Cancel
                | Action::Expire
                | Action::Reject
                | Action::Refund
                | Action::RefundDone
                | Action::RefundBounced
                | Action::Hold
        );
        if ends_early && row.money != Effect::SettlePart && !what.is_multiple_of(8) {
            return None;
        }
        let mut claim = self.claim.clone();
        let new_terms = matches!(row.action, Action::Accept | Action::Recalculate);
        let as_agreed = row.actors.contains(&Actor::System) && what.is_multiple_of(2) && row.action == Action::Accept;
        if new_terms && as_agreed && !passes_for_agreed(&claim, claim.received_units).unwrap() {
            return None;
        }
        if new_terms && !as_agreed {
            let offer = self.life.offer(&claim);
            if offer.receive_units == 0 {
                return None;
            }
            claim.take_terms(offer, NOW);
        }
        let overrides = row.action == Action::PaymentReceived && claim.state == State::AmountMismatch && two_agree;
        let named = self.named(row, what).filter(|_| !overrides);
        if named.is_none() && row.needs.contains(&Need::Amount) {
            return None;
        }
        let sums = sums(&mut claim, row, false, named, overrides).ok()?;
        let to = row.destination(claim.stopped_in).unwrap();
        claim.stopped_in = (to == State::OnHold).then_some(claim.state);
        let from = claim.state;
        claim.state = to;
        let booking = book(row.money, &mut claim, sums.came, sums.arrived).unwrap();
        let agreed = claim.send_units;
        if to == State::Paid {
            claim.take_what_came().unwrap();
        }
        if overrides && claim.received_units != agreed {
            self.overridden = true;
            self.kinds.insert("overridden");
        }
        self.claim = claim;
        for step in booking.moves {
            self.moves(step.debit, step.credit, step.currency, step.units);
        }
        self.hold(booking.hold);
        self.notes(row, from, agreed);
        Some(())
    }

    /// An amount somebody names: near the agreed one, more, less, or a part of the payout.
    fn named(&self, row: &Transition, what: usize) -> Option<Decimal> {
        let claim = &self.claim;
        let of_payout = row.action == Action::PayoutPartial || row.money == Effect::SettlePart;
        let whole = if of_payout { claim.receive_units } else { claim.send_units };
        let per_cent = [0, 30, 70, 97, 99, 100, 101, 103, 140, 250][what % 10];
        let units = if of_payout { share(whole, per_cent.min(99), 100).unwrap() } else { share(whole, per_cent, 100).unwrap() };
        let scale = if of_payout { 2 } else { 8 };
        (per_cent > 0).then(|| Decimal::new(units, scale))
    }

    fn notes(&mut self, row: &Transition, from: State, agreed: i64) {
        let came = self.claim.received_units;
        match row.action {
            Action::LatePayment => drop(self.kinds.insert("late")),
            Action::AmountMismatch if came < agreed => drop(self.kinds.insert("less came")),
            Action::AmountMismatch if came > agreed => drop(self.kinds.insert("more came")),
            Action::PaymentSeen if from == State::AmountMismatch => drop(self.kinds.insert("topped up")),
            Action::Recalculate => drop(self.kinds.insert("recalculated")),
            Action::Accept => drop(self.kinds.insert("accepted")),
            Action::PayoutPartial => {
                self.arrived = self.claim.paid_out_units;
                self.kinds.insert("paid in part");
            }
            Action::Complete => {
                self.arrived = self.claim.receive_units;
                self.kinds.insert("completed");
            }
            Action::PayoutReturned => {
                self.arrived = 0;
                self.kinds.insert("payout returned");
            }
            Action::RefundDone => drop(self.kinds.insert("refunded")),
            Action::RefundBounced => drop(self.kinds.insert("refund bounced")),
            Action::Refund if row.money == Effect::SettlePart => {
                self.arrived = self.claim.paid_out_units;
                self.kinds.insert("refunded in part");
            }
            _ => {}
        }
        if row.action == Action::PaymentReceived && came != agreed && !self.overridden {
            self.kinds.insert("within the tolerance");
        }
    }

    /// What must hold after every step.
    fn holds(&self) -> Result<(), TestCaseError> {
        let claim = &self.claim;
        let (from, to) = (claim.from_id, claim.to_id);
        // On the sent side: nothing but the payment ever entered, and it is here, returned, or exchanged.
        let came = claim.received_units;
        let (here, leaving) = (self.balance(Account::ClaimIn, from), self.balance(Account::ClaimOut, from));
        let exchanged = self.balance(Account::Reserve, from);
        prop_assert_eq!((here, leaving), (claim.in_units, claim.refund_units));
        prop_assert_eq!(came, here + leaving + claim.returned_units + exchanged);
        prop_assert_eq!(-self.balance(Account::External, from), came - claim.returned_units);
        prop_assert!(here >= 0 && leaving >= 0 && exchanged >= 0 && claim.returned_units >= 0);
        // On the received side: what left the reserve is on its way or with the customer.
        let (paid, under_way) = (self.balance(Account::External, to), self.balance(Account::ClaimOut, to));
        prop_assert_eq!(-self.balance(Account::Reserve, to), paid + under_way);
        prop_assert!(paid >= 0 && under_way >= 0);
        prop_assert_eq!(under_way, claim.out_units);
        // Both together: what the exchanged part was worth is what the customer has of it and what was earned, to the unit.
        let fees = self.balance(Account::IncomeFee, from);
        let earned = self.balance(Account::IncomeFee, to) + self.balance(Account::IncomeSpread, to);
        if exchanged > 0 {
            let worth = share(claim.worth_units, exchanged, claim.send_units).unwrap();
            let worth_of_fee = share(claim.worth_units, fees, claim.send_units).unwrap();
            prop_assert_eq!(worth, paid + earned + worth_of_fee);
        } else {
            prop_assert_eq!((paid, earned, fees), (0, 0, 0));
        }
        // Nobody receives more than the terms give for what came, but by two people's word; the tolerance is the terms' own.
        let tolerated = tolerated(&self.life.claim()).unwrap().unwrap_or(0);
        if !self.overridden {
            prop_assert!(self.arrived.max(paid) <= self.life.gives(came + tolerated));
            // And who got a part of their payment back has no more of the payout than the rest brings, but for what a unit of it does.
            let kept = came - claim.returned_units - leaving;
            let by_share = i128::from(paid) * i128::from(came) <= i128::from(claim.receive_units) * i128::from(kept + 1);
            prop_assert!(paid == 0 || by_share, "{} paid for {} of {}", paid, kept, came);
        }
        prop_assert!(Fees::of(claim).is_ok());
        if claim.state.is_final() {
            prop_assert_eq!((here, leaving, under_way, self.held), (0, 0, 0, 0), "something is left in {}", claim.state);
        }
        Ok(())
    }
}

#[test]
fn what_came_is_what_was_received_earned_and_held_in_every_life() {
    let reached: RefCell<BTreeMap<&'static str, usize>> = RefCell::default();
    let config = Config { cases: LIVES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let lived = TestRunner::new_with_rng(config, rng).run(&lives(), |life| {
        if life.gives(life.send) == 0 {
            return Ok(());
        }
        let mut course = Course::begins(&life);
        course.holds()?;
        for step in &life.steps {
            if course.steps(*step).is_some() {
                course.holds()?;
            }
        }
        let mut reached = reached.borrow_mut();
        for kind in course.kinds {
            *reached.entry(kind).or_default() += 1;
        }
        Ok(())
    });
    lived.unwrap_or_else(|failure| panic!("{failure}"));
    let reached = reached.into_inner();
    let kinds = [
        "late",
        "less came",
        "more came",
        "within the tolerance",
        "topped up",
        "recalculated",
        "accepted",
        "overridden",
        "paid in part",
        "completed",
        "payout returned",
        "refunded",
        "refunded in part",
        "refund bounced",
    ];
    for kind in kinds {
        let count = reached.get(kind).copied().unwrap_or(0);
        assert!(count >= FEWEST, "{kind}: {count} of {LIVES} lives; all: {reached:?}");
    }
}
