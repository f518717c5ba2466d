//! Random scenarios of claims along the table of transitions: whatever happens, the money received equals what was paid
//! out, earned and is still held, and customers never receive more than the terms give for their payment.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use agio_core::{Amount, Timestamp};
use agio_ledger::Account;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rust_decimal::Decimal;

use super::amounts::{reverses_delivered_payout, step_amounts};
use super::claim::tests::claim;
use super::ledger_entries::{HoldChange, book, share};
use super::terms::tests::terms;
use super::terms::{Fees, passes_for_agreed, tolerated};
use super::{Claim, Offer};
use crate::model::{Action, Actor, ClaimState, LedgerEffect, TRANSITIONS, Transition, TransitionField};

const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

/// The number of scenarios, and the fewest of each kind among them.
const SCENARIOS: u32 = 3_400;
const FEWEST: usize = 60;

/// A scenario: its terms, and the choice at each step.
#[derive(Clone, Debug)]
struct Scenario {
    give: i64,
    /// The rate, in 1/100.
    price: i64,
    /// The market rate, in 1/100.
    market: i64,
    give_fee: i64,
    receive_fee: i64,
    tolerance: i64,
    steps: Vec<(usize, usize, bool)>,
}

prop_compose! {
    fn scenarios()(
        give in 1_000_i64..10_000_000, price in 1_i64..100_000, over in 0_i64..2_000, give_fee in 0_i64..500, receive_fee in 0_i64..500,
        tolerance in 0_i64..5, steps in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<bool>()), 30..160),
    ) -> Scenario {
        Scenario { give, price, market: price + price * over / 10_000 + 1, give_fee, receive_fee, tolerance, steps }
    }
}

impl Scenario {
    /// The receive amount for an amount.
    fn yields(&self, give: i64) -> i64 {
        let product = i128::from((give - self.give_fee).max(0)) * i128::from(self.price) / 100;
        (i64::try_from(product).unwrap() - self.receive_fee).max(0)
    }

    fn market_value(&self, give: i64) -> i64 {
        i64::try_from(i128::from(give) * i128::from(self.market) / 100).unwrap()
    }

    fn claim(&self) -> Claim {
        let mut claim = claim();
        let text = |units: i64, scale| Decimal::new(units, scale).to_string();
        let mut stored: serde_json::Value =
            serde_json::from_str(&terms(&text(self.give_fee, 8), &text(self.receive_fee, 2))).unwrap();
        stored["tolerance"] =
            serde_json::json!({ "latePercent": null, "amountFixed": null, "amountPercent": self.tolerance.to_string() });
        claim.terms.json = stored.to_string();
        claim.give.amount = claim.give.of(self.give);
        claim.receive.amount = claim.receive.of(self.yields(self.give));
        claim.terms.market_value = claim.receive.of(self.market_value(self.give));
        claim
    }

    fn offer(&self, claim: &Claim) -> Offer {
        let received = claim.balances.received.units();
        Offer {
            give_units: received,
            receive_units: self.yields(received),
            market_units: self.market_value(received),
            rate: claim.terms.rate.clone(),
            bonus: claim.terms.bonus.clone(),
            terms: claim.terms.json.clone(),
            hold_minutes: claim.terms.hold_minutes,
            expires_at: NOW,
        }
    }
}

/// A claim during a run, with balances kept only from its transfers.
struct Run<'l> {
    scenario: &'l Scenario,
    claim: Claim,
    /// Balances by account and currency.
    books: BTreeMap<(String, i64), i64>,
    /// The amount held.
    held: i64,
    kinds: BTreeSet<&'static str>,
    overridden: bool,
    /// The amount paid out since the last returned payout, from the customers' side.
    arrived: i64,
}

impl<'l> Run<'l> {
    fn begin(scenario: &'l Scenario) -> Self {
        let claim = scenario.claim();
        let mut run =
            Run { scenario, claim, books: BTreeMap::new(), held: 0, kinds: BTreeSet::new(), overridden: false, arrived: 0 };
        run.hold(HoldChange::Set);
        run
    }

    fn transfers(&mut self, debit: Account, credit: Account, currency: i64, units: i64) {
        assert!(units >= 0, "a transfer of less than nothing");
        *self.books.entry((format!("{debit:?}"), currency)).or_default() -= units;
        *self.books.entry((format!("{credit:?}"), currency)).or_default() += units;
    }

    fn balance(&self, account: Account, currency: i64) -> i64 {
        self.books.get(&(format!("{account:?}"), currency)).copied().unwrap_or(0)
    }

    fn hold(&mut self, change: HoldChange) {
        let to = self.claim.receive.currency_id();
        match change {
            HoldChange::Keep => {}
            HoldChange::Release => {
                self.held = 0;
                self.claim.balances.hold_id = None;
            }
            HoldChange::Set | HoldChange::Replace => {
                self.held = self.claim.receive.amount.units();
                self.claim.balances.hold_id = Some(uuid::Uuid::nil());
            }
            HoldChange::Post => {
                let held = self.held;
                self.transfers(Account::Reserve, Account::ClaimOut, to, held);
                self.held = 0;
                self.claim.balances.hold_id = None;
            }
        }
    }

    fn rows(&self) -> Vec<&'static Transition> {
        let fits = |row: &&Transition| {
            row.from == Some(self.claim.state)
                && row.is_allowed_by(self.claim.ledger_state())
                && !reverses_delivered_payout(&self.claim, row)
        };
        TRANSITIONS.iter().filter(fits).collect()
    }

    /// One step; `None` if the rules refuse it.
    fn steps(&mut self, (which, what, two_agree): (usize, usize, bool)) -> Option<()> {
        let rows = self.rows();
        let row = *rows.get(which.checked_rem(rows.len())?)?;
        // Chance alone seldom chooses it where it is possible, which is seldom.
        let surplus = rows.iter().find(|row| row.action == Action::ReturnSurplus && !two_agree);
        let row = surplus.copied().filter(|_| self.claim.excess().unwrap().is_some()).unwrap_or(row);
        // Random choices cancel or refund most claims early; these scenarios avoid that.
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
        if ends_early && row.effect != LedgerEffect::SettlePart && !what.is_multiple_of(8) {
            return None;
        }
        let mut claim = self.claim.clone();
        let new_terms = matches!(row.action, Action::Accept | Action::Recalculate);
        let as_agreed = row.actors.contains(&Actor::System) && what.is_multiple_of(2) && row.action == Action::Accept;
        if new_terms && as_agreed && !passes_for_agreed(&claim, claim.balances.received).unwrap() {
            return None;
        }
        if new_terms && !as_agreed {
            let offer = self.scenario.offer(&claim);
            if offer.receive_units == 0 {
                return None;
            }
            claim.take_terms(offer, NOW);
        }
        let overrides = row.action == Action::PaymentReceived && claim.state == ClaimState::AmountMismatch && two_agree;
        let named = self.named(row, what).filter(|_| !overrides);
        if named.is_none() && row.required_fields.contains(&TransitionField::Amount) {
            return None;
        }
        if row.action == Action::ReturnSurplus && claim.excess().unwrap().is_none() {
            return None;
        }
        let amounts = step_amounts(&mut claim, row, false, named, overrides).ok()?;
        let to = row.destination(claim.stopped_in, claim.ledger_state()).unwrap();
        claim.stopped_in = (to == ClaimState::OnHold).then_some(claim.state);
        let from = claim.state;
        claim.state = to;
        let booking = book(row.effect, &mut claim, amounts.received, amounts.paid_out).unwrap();
        let agreed = claim.give.amount;
        if to == ClaimState::Paid {
            claim.settle_give_amount().unwrap();
        }
        if overrides && claim.balances.received != agreed {
            self.overridden = true;
            self.kinds.insert("overridden");
        }
        self.claim = claim;
        for step in booking.transfers {
            self.transfers(step.debit, step.credit, step.amount.currency().id(), step.amount.units());
        }
        self.hold(booking.hold);
        self.notes(row, from, agreed);
        Some(())
    }

    /// An amount in an input: near the agreed one, more, less, or a part of the payout.
    fn named(&self, row: &Transition, what: usize) -> Option<Decimal> {
        let claim = &self.claim;
        let of_payout = row.action == Action::PayoutPartial || row.effect == LedgerEffect::SettlePart;
        let whole = if of_payout { claim.receive.amount } else { claim.give.amount };
        let per_cent = [0, 30, 70, 97, 99, 100, 101, 103, 140, 250][what % 10];
        let per_cent = if of_payout { per_cent.min(99) } else { per_cent };
        let amount = Amount::of_units(i64::try_from(i128::from(whole.units()) * per_cent / 100).unwrap(), whole.currency());
        (per_cent > 0).then(|| amount.value())
    }

    fn notes(&mut self, row: &Transition, from: ClaimState, agreed: Amount) {
        let (received, agreed) = (self.claim.balances.received.units(), agreed.units());
        match row.action {
            Action::LatePayment => drop(self.kinds.insert("late")),
            Action::AmountMismatch if received < agreed => drop(self.kinds.insert("less received")),
            Action::AmountMismatch if received > agreed => drop(self.kinds.insert("more received")),
            Action::PaymentSeen if from == ClaimState::AmountMismatch => drop(self.kinds.insert("topped up")),
            Action::Recalculate => drop(self.kinds.insert("recalculated")),
            Action::Accept => drop(self.kinds.insert("accepted")),
            Action::ReturnSurplus => drop(self.kinds.insert("surplus owed")),
            Action::PayoutPartial => {
                self.arrived = self.claim.balances.paid_out.units();
                self.kinds.insert("paid in part");
            }
            Action::Complete => {
                self.arrived = self.claim.receive.amount.units();
                self.kinds.insert("completed");
            }
            Action::PayoutReturned => {
                self.arrived = 0;
                self.kinds.insert("payout returned");
            }
            Action::RefundDone if self.claim.state == ClaimState::Completed => drop(self.kinds.insert("surplus returned")),
            Action::RefundDone => drop(self.kinds.insert("refunded")),
            Action::RefundBounced => drop(self.kinds.insert("refund bounced")),
            Action::Refund if row.effect == LedgerEffect::SettlePart => {
                self.arrived = self.claim.balances.paid_out.units();
                self.kinds.insert("refunded in part");
            }
            _ => {}
        }
        if row.action == Action::PaymentReceived && received != agreed && !self.overridden {
            self.kinds.insert("within the tolerance");
        }
    }

    /// What must hold after every step.
    fn holds(&self) -> Result<(), TestCaseError> {
        let claim = &self.claim;
        let (from, to) = (claim.give.currency_id(), claim.receive.currency_id());
        // On the give side: nothing but the payment ever entered, and it is here, returned, or exchanged.
        let received = claim.balances.received.units();
        let returned = claim.balances.returned.units();
        let (here, leaving) = (self.balance(Account::ClaimIn, from), self.balance(Account::ClaimOut, from));
        let exchanged = self.balance(Account::Reserve, from);
        prop_assert_eq!((here, leaving), (claim.balances.held.units(), claim.balances.refund.units()));
        prop_assert_eq!(received, here + leaving + returned + exchanged);
        prop_assert_eq!(-self.balance(Account::External, from), received - returned);
        prop_assert!(here >= 0 && leaving >= 0 && exchanged >= 0 && returned >= 0);
        let surplus = claim.balances.surplus.units();
        prop_assert!(surplus == 0 || (surplus > 0 && surplus == received - claim.give.amount.units()));
        prop_assert!(surplus <= here + leaving, "{} owed of {}", surplus, here + leaving);
        // On the receive side: what left the reserve is on its way or with the customer.
        let (paid, under_way) = (self.balance(Account::External, to), self.balance(Account::ClaimOut, to));
        prop_assert_eq!(-self.balance(Account::Reserve, to), paid + under_way);
        prop_assert!(paid >= 0 && under_way >= 0);
        prop_assert_eq!(under_way, claim.balances.payout.units());
        // Together: the market value of the exchanged part is exactly what the customer received plus the income.
        let fees = self.balance(Account::IncomeFee, from);
        let earned = self.balance(Account::IncomeFee, to) + self.balance(Account::IncomeSpread, to);
        if exchanged > 0 {
            let value_of = |units| share(claim.terms.market_value, claim.give.of(units), claim.give.amount).unwrap().units();
            prop_assert_eq!(value_of(exchanged), paid + earned + value_of(fees));
        } else {
            prop_assert_eq!((paid, earned, fees), (0, 0, 0));
        }
        // A customer receives more than the terms give only with a two-person approval; the tolerance is part of the
        // terms.
        let tolerated = tolerated(&self.scenario.claim()).unwrap().map_or(0, Amount::units);
        if !self.overridden {
            prop_assert!(self.arrived.max(paid) <= self.scenario.yields(received + tolerated));
            // After a partial refund the customer has no more of the payout than the rest of the payment gives, up to
            // one unit.
            let spent = received - returned - leaving;
            let agreed = claim.give.amount.units();
            let by_share =
                i128::from(paid) * i128::from(agreed) <= i128::from(claim.receive.amount.units()) * i128::from(spent + 1);
            prop_assert!(paid == 0 || by_share, "{} paid for {} of {}", paid, spent, agreed);
        }
        prop_assert!(Fees::of(claim).is_ok());
        if claim.state.is_final() {
            prop_assert_eq!((here, leaving, under_way, self.held), (0, 0, 0, 0), "something is left in {}", claim.state);
        }
        Ok(())
    }
}

#[test]
fn every_received_amount_is_paid_out_earned_refunded_or_held() {
    let reached: RefCell<BTreeMap<&'static str, usize>> = RefCell::default();
    let config = Config { cases: SCENARIOS, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&scenarios(), |scenario| {
        if scenario.yields(scenario.give) == 0 {
            return Ok(());
        }
        let mut run = Run::begin(&scenario);
        run.holds()?;
        for step in &scenario.steps {
            if run.steps(*step).is_some() {
                run.holds()?;
            }
        }
        let mut reached = reached.borrow_mut();
        for kind in run.kinds {
            *reached.entry(kind).or_default() += 1;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let reached = reached.into_inner();
    let kinds = [
        "late",
        "less received",
        "more received",
        "within the tolerance",
        "topped up",
        "recalculated",
        "accepted",
        "surplus owed",
        "surplus returned",
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
        assert!(count >= FEWEST, "{kind}: {count} of {SCENARIOS} scenarios; all: {reached:?}");
    }
}
