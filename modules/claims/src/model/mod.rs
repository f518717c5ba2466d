//! The lifecycle of a claim, as data.
//!
//! A claim is in one of twenty [`ClaimState`]s and moves along the rows of [`TRANSITIONS`]: who can do what, from which
//! state to
//! which, with which input, and with what effect on the ledger. Commands, timers, the console's buttons and the
//! documentation read this one table, so they always agree.
//!
//! ```text
//! created ─confirm→ awaiting_payment ─paid→ payment_claimed ─payment_received→ paid ─take→ processing
//!                                                                       ─payout_sent→ payout_sent ─complete→ completed
//! ```
//!
//! is the path of nearly every claim. The other rows cover a different amount, a payment after the
//! deadline, a hold for a check, a payout that fails or comes back, and refunds.
//!
//! This module is pure. [`LedgerState`] models what the ledger holds for one claim; the
//! tests walk every path with it and prove that no claim ends with money left.

mod public_status;
mod state;
mod transition;

pub use agio_contracts::{ClaimState, PublicClaimStatus};
pub use public_status::public_status;
pub use state::{Holding, holds_reserve, money_held};
pub use transition::{
    ActorKind as Actor, Condition, LedgerEffect, LedgerState, TRANSITIONS, Target, Transition, TransitionAction as Action,
    TransitionField, allowed, find,
};

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet, hash_map::Entry};

    use super::*;

    /// A claim on its way through the table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Claim {
        state: ClaimState,
        stopped_in: Option<ClaimState>,
        books: LedgerState,
    }

    impl Claim {
        /// The claim after a row. The effect must fit the ledger state.
        fn after(self, row: &Transition) -> Claim {
            let books = row.effect.apply(self.books).unwrap_or_else(|| panic!("{row:?} contradicts {self:?}"));
            let state = row.destination(self.stopped_in, self.books).unwrap_or_else(|| panic!("{self:?} was never stopped"));
            let stopped_in = if state == ClaimState::OnHold { Some(self.state) } else { None };
            Claim { state, stopped_in, books }
        }

        fn rows(self) -> impl Iterator<Item = &'static Transition> {
            TRANSITIONS.iter().filter(move |row| row.from == Some(self.state) && row.is_allowed_by(self.books))
        }
    }

    fn new_claim() -> Claim {
        let creation = TRANSITIONS.iter().find(|row| row.from.is_none()).expect("the table has a row that makes a claim");
        let books = creation.effect.apply(LedgerState::default()).expect("a new claim has empty books");
        Claim { state: creation.destination(None, books).expect("a new claim has a state"), stopped_in: None, books }
    }

    /// Every claim that any path of any length leads to, each with the claims one step further. The table is small
    /// enough to walk whole, so what holds here holds on every path.
    fn every_claim() -> HashMap<Claim, Vec<(&'static Transition, Claim)>> {
        let mut steps = HashMap::new();
        let mut unvisited = vec![new_claim()];
        while let Some(claim) = unvisited.pop() {
            if let Entry::Vacant(place) = steps.entry(claim) {
                let next: Vec<_> = claim.rows().map(|row| (row, claim.after(row))).collect();
                unvisited.extend(next.iter().map(|(_, further)| *further));
                place.insert(next);
            }
        }
        steps
    }

    /// The claims from which an end can be reached by the rows that satisfy `usable`.
    fn able_to_end(usable: impl Fn(&Transition) -> bool) -> HashSet<Claim> {
        let steps = every_claim();
        let mut able: HashSet<Claim> = steps.keys().copied().filter(|claim| claim.state.is_final()).collect();
        loop {
            let leads_on =
                |next: &[(&Transition, Claim)]| next.iter().any(|(row, further)| usable(row) && able.contains(further));
            let more: Vec<Claim> =
                steps.iter().filter(|(claim, next)| !able.contains(*claim) && leads_on(next)).map(|(claim, _)| *claim).collect();
            if more.is_empty() {
                return able;
            }
            able.extend(more);
        }
    }

    fn seen<'a>(state: ClaimState, claims: impl Iterator<Item = &'a Claim>, what: impl Fn(LedgerState) -> bool) -> Holding {
        let found: HashSet<bool> = claims.filter(|claim| claim.state == state).map(|claim| what(claim.books)).collect();
        match (found.contains(&true), found.contains(&false)) {
            (true, true) => Holding::Sometimes,
            (true, false) => Holding::Always,
            _ => Holding::Never,
        }
    }

    #[test]
    fn every_state_is_reached() {
        let reached: HashSet<ClaimState> = every_claim().into_keys().map(|claim| claim.state).collect();
        for state in ClaimState::ALL {
            assert!(reached.contains(&state), "{state}");
        }
        assert_eq!(ClaimState::ALL.len(), 20);
    }

    #[test]
    fn every_row_is_used_by_some_claim() {
        let used: Vec<&Transition> = every_claim().into_values().flatten().map(|(row, _)| row).collect();
        for row in TRANSITIONS.iter().filter(|row| row.from.is_some()) {
            assert!(used.contains(&row), "{row:?}");
        }
    }

    #[test]
    fn every_claim_can_end() {
        let able = able_to_end(|_| true);
        assert!(every_claim().keys().all(|claim| able.contains(claim)));
    }

    #[test]
    fn the_staff_and_the_clock_can_end_every_claim_without_the_customer() {
        let able = able_to_end(|row| row.actors.iter().any(|actor| matches!(actor, Actor::Operator | Actor::Timer)));
        for claim in every_claim().keys() {
            assert!(able.contains(claim), "{claim:?} waits for the customer for ever");
        }
    }

    #[test]
    fn no_claim_ends_with_anything_left_in_the_books() {
        for claim in every_claim().keys().filter(|claim| claim.state.is_final()) {
            assert!(claim.books.is_empty(), "{claim:?}");
        }
    }

    #[test]
    fn states_say_truly_what_is_held_in_them() {
        let claims = every_claim();
        for state in ClaimState::ALL {
            assert_eq!(holds_reserve(state), seen(state, claims.keys(), |books| books.reserve), "reserve in {state}");
            assert_eq!(money_held(state), seen(state, claims.keys(), |books| books.money), "money in {state}");
        }
    }

    #[test]
    fn money_that_came_leaves_by_a_payout_or_a_refund_alone() {
        for (claim, next) in every_claim() {
            for (row, further) in next.into_iter().filter(|(_, further)| claim.books.money && !further.books.money) {
                assert!(
                    matches!(row.effect, LedgerEffect::SettlePayout | LedgerEffect::SendRefund),
                    "{row:?} takes the money of {further:?}"
                );
            }
        }
    }

    #[test]
    fn a_surplus_is_covered_until_it_is_back_with_the_customer() {
        for (claim, next) in every_claim().into_iter().filter(|(claim, _)| claim.books.surplus) {
            assert!(claim.books.money || claim.books.refund, "{claim:?} owes what it does not have");
            for (row, further) in next.into_iter().filter(|(_, further)| !further.books.surplus) {
                let is_refunded_whole = further.state == ClaimState::RefundPending && further.books.money;
                assert!(is_refunded_whole || further.state == ClaimState::Completed, "{row:?} forgets it: {further:?}");
            }
        }
    }

    #[test]
    fn a_claim_that_ended_opens_again_only_for_money_that_comes() {
        for row in TRANSITIONS.iter().filter(|row| row.from.is_some_and(ClaimState::is_final)) {
            let opens = (row.action, row.to);
            match row.from {
                Some(ClaimState::Completed) => {
                    assert_eq!(opens, (Action::PayoutReturned, Target::State(ClaimState::RefundPending)));
                    assert_eq!((row.actors, row.required_fields), (&[Actor::Operator][..], &[TransitionField::Reason][..]));
                }
                from => {
                    assert_eq!(opens, (Action::LatePayment, Target::State(ClaimState::LatePayment)));
                    assert_ne!(from, Some(ClaimState::Refunded), "what was returned stays returned");
                }
            }
        }
    }

    #[test]
    fn an_action_means_one_thing_in_a_state() {
        let mut rows = HashSet::new();
        for row in TRANSITIONS {
            assert!(rows.insert((row.from, row.action)), "{row:?} stands twice");
            assert!(!row.actors.is_empty(), "{row:?} is for nobody");
        }
    }

    #[test]
    fn a_stopped_claim_goes_on_where_it_was() {
        for (claim, next) in every_claim() {
            for (_, stopped) in next.into_iter().filter(|(_, further)| further.state == ClaimState::OnHold) {
                let release =
                    find(ClaimState::OnHold, Action::ReleaseHold, Actor::Operator).expect("an operator can release a claim");
                let released = stopped.after(release);
                assert_eq!((released.state, released.books), (claim.state, claim.books));
            }
        }
    }

    #[test]
    fn whatever_holds_a_reserve_for_nothing_is_ended_by_the_clock() {
        for (claim, next) in every_claim() {
            let waits_for_customer = claim.books.reserve && !claim.books.money && claim.state != ClaimState::OnHold;
            // What was seen on a network is certain some time, or disappears and is stopped for it.
            if waits_for_customer && claim.state != ClaimState::PaymentSeen {
                let expires =
                    |(row, further): &(&Transition, Claim)| row.actors == [Actor::Timer] && further.state == ClaimState::Expired;
                assert!(next.iter().any(expires), "{claim:?} holds a reserve for ever");
            }
        }
    }

    #[test]
    fn wherever_a_payment_is_established_it_can_be_too_late() {
        let establishes =
            |row: &&Transition| matches!(row.action, Action::PaymentReceived | Action::AmountMismatch | Action::PaymentSeen);
        for row in TRANSITIONS.iter().filter(establishes).filter(|row| row.from != Some(ClaimState::AmountMismatch)) {
            for actor in [Actor::Watcher, Actor::Operator] {
                let late = find(row.from.expect("a claim is there"), Action::LatePayment, actor)
                    .unwrap_or_else(|| panic!("{row:?} is never late"));
                assert_eq!((late.to, late.effect), (Target::State(ClaimState::LatePayment), LedgerEffect::ReceiveLate));
            }
        }
        // Nothing leads from a late payment to a payout but new terms, or the same ones agreed on anew.
        for (claim, next) in every_claim() {
            for (row, further) in next.into_iter().filter(|_| claim.state == ClaimState::LatePayment) {
                let goes_on = row.action == Action::Accept && row.actors == [Actor::Customer, Actor::System];
                assert!(goes_on || matches!(further.state, ClaimState::OnHold | ClaimState::RefundPending), "{row:?}");
            }
        }
    }

    #[test]
    fn the_rate_is_kept_by_no_word_of_the_customer() {
        let until_paid = [ClaimState::AwaitingPayment, ClaimState::PaymentClaimed, ClaimState::PaymentSeen];
        for row in TRANSITIONS.iter().filter(|row| row.from.is_some_and(|from| until_paid.contains(&from))) {
            let establishes = row.to == Target::State(ClaimState::Paid);
            assert!(!establishes || !row.actors.contains(&Actor::Customer), "{row:?}");
        }
    }

    #[test]
    fn a_customer_may_do_only_what_is_theirs() {
        let of_customer = |state| allowed(state, Actor::Customer).map(|row| row.action).collect::<Vec<_>>();
        assert_eq!(of_customer(ClaimState::Created), [Action::Confirm, Action::Cancel]);
        assert_eq!(of_customer(ClaimState::AwaitingPayment), [Action::Paid, Action::Cancel]);
        assert_eq!(of_customer(ClaimState::AmountMismatch), [Action::Accept, Action::ReturnSurplus, Action::Refund]);
        assert_eq!(of_customer(ClaimState::LatePayment), [Action::Accept, Action::Refund]);
        assert_eq!(of_customer(ClaimState::Processing), []);
    }

    #[test]
    fn names_are_the_same_in_every_form() {
        for state in ClaimState::ALL {
            assert_eq!(state.name().parse(), Ok(state));
            assert_eq!(serde_json::to_value(state).expect("a state is a string"), state.name());
        }
        assert_eq!("payment received".parse::<Action>(), Err("no TransitionAction is called \"payment received\"".to_owned()));
        assert_eq!(TransitionField::AnswerBy.to_string(), "answerBy");
    }
}
