//! What a transition moves in the books.

use agio_core::{Error, Result};
use agio_ledger::Account;

use super::Claim;
use super::terms::Fees;
use crate::model::Effect;

/// A movement of one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The account it leaves.
    pub debit: Account,
    /// The account it reaches.
    pub credit: Account,
    /// The currency.
    pub currency: i64,
    /// How much, in units; nothing is moved for zero.
    pub units: i64,
}

/// What happens to the hold on the reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldChange {
    /// Nothing.
    Keep,
    /// The receive amount is set aside.
    Set,
    /// The hold ends and the receive amount of new terms is set aside.
    Replace,
    /// The hold ends and its amount is reserve again.
    Release,
    /// The hold ends in a payout.
    Post,
}

/// What a transition does to the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// What happens to the hold.
    pub hold: HoldChange,
    /// The transfers beside it.
    pub moves: Vec<Move>,
}

/// Books an effect: changes the claim's money and says which transfers that is. `came` is all that has ever come from the
/// customer, `arrived` how much of a payout has arrived; effects that have no use for them ignore them.
///
/// # Errors
/// 409 `claim_unreadable` when the fees of a settled exchange cannot be read; `internal` when amounts are out of range.
pub fn book(effect: Effect, claim: &mut Claim, came: i64, arrived: i64) -> Result<Booking> {
    let mut booking = Booking { hold: HoldChange::Keep, moves: Vec::new() };
    match effect {
        Effect::None => {}
        Effect::HoldReserve => booking.hold = HoldChange::Set,
        Effect::ReplaceHold => booking.hold = HoldChange::Replace,
        Effect::ReleaseHold if claim.hold_id.is_some() => booking.hold = HoldChange::Release,
        Effect::ReleaseHold => {}
        Effect::ReceivePayment => booking.receive(claim, came),
        Effect::ReceiveLate => {
            booking.receive(claim, came);
            if claim.hold_id.is_some() {
                booking.hold = HoldChange::Release;
            }
        }
        Effect::PostHold => {
            booking.hold = HoldChange::Post;
            claim.out_units = claim.receive_units;
        }
        Effect::TakeBackHold => {
            booking.received_side(claim, Account::ClaimOut, Account::Reserve, claim.out_units);
            booking.hold = HoldChange::Set;
            claim.out_units = 0;
        }
        Effect::SettlePayout => booking.settle(claim)?,
        Effect::SettlePart => booking.settle_part(claim, arrived)?,
        Effect::TakeBackPayout => booking.take_back(claim)?,
        Effect::SendRefund => {
            booking.sent_side(claim, Account::ClaimIn, Account::ClaimOut, claim.in_units);
            claim.refund_units = claim.in_units;
            claim.in_units = 0;
        }
        Effect::TakeBackRefund => {
            booking.sent_side(claim, Account::ClaimOut, Account::ClaimIn, claim.refund_units);
            claim.in_units = claim.refund_units;
            claim.refund_units = 0;
        }
        Effect::SettleRefund => {
            booking.sent_side(claim, Account::ClaimOut, Account::External, claim.refund_units);
            claim.returned_units += claim.refund_units;
            claim.refund_units = 0;
        }
    }
    Ok(booking)
}

/// What the exchanger earns by an exchange, or by the part of it that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Income {
    /// The fixed fee on the sent side, in its units.
    pub fee_sent: i64,
    /// The fixed fee on the received side, in its units.
    pub fee_received: i64,
    /// All the rest: the difference between the own rate and the market's, in units of the received currency; below zero for a loss.
    pub spread: i64,
}

impl Income {
    /// What is earned when `exchanged` of the payment is kept for `arrived` of the payout. What the exchanged part was worth is the payout,
    /// the fees and the spread together, to the last unit.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; `internal` when amounts are out of range.
    pub fn of(claim: &Claim, exchanged: i64, arrived: i64) -> Result<Self> {
        let fees = Fees::of(claim)?;
        let fee_sent = share(fees.sent, arrived, claim.receive_units)?;
        let fee_received = share(fees.received, arrived, claim.receive_units)?;
        let worth = share(claim.worth_units, exchanged, claim.send_units)?;
        let worth_of_fee = share(claim.worth_units, fee_sent, claim.send_units)?;
        Ok(Self { fee_sent, fee_received, spread: worth - arrived - worth_of_fee - fee_received })
    }
}

impl Booking {
    fn sent_side(&mut self, claim: &Claim, debit: Account, credit: Account, units: i64) {
        self.moves.push(Move { debit, credit, currency: claim.from_id, units });
    }

    fn received_side(&mut self, claim: &Claim, debit: Account, credit: Account, units: i64) {
        self.moves.push(Move { debit, credit, currency: claim.to_id, units });
    }

    fn receive(&mut self, claim: &mut Claim, came: i64) {
        let new = came - claim.received_units;
        self.sent_side(claim, Account::External, Account::ClaimIn, new);
        claim.received_units = came;
        claim.in_units += new;
    }

    fn settle(&mut self, claim: &mut Claim) -> Result<()> {
        self.received_side(claim, Account::ClaimOut, Account::External, claim.out_units);
        self.sent_side(claim, Account::ClaimIn, Account::Reserve, claim.in_units);
        self.income(claim, Income::of(claim, claim.in_units, claim.receive_units)?);
        claim.out_units = 0;
        claim.in_units = 0;
        Ok(())
    }

    /// What [`settle`](Self::settle) booked, the other way.
    fn take_back(&mut self, claim: &mut Claim) -> Result<()> {
        (claim.out_units, claim.in_units) = (claim.receive_units, claim.received_units);
        let mut settled = Self { hold: HoldChange::Keep, moves: Vec::new() };
        settled.settle(claim)?;
        self.moves.extend(settled.moves.into_iter().map(|step| match (step.debit, step.credit) {
            // The payout is at the house at once; it does not travel to the customer again.
            (Account::ClaimOut, Account::External) => Move { debit: Account::External, credit: Account::Reserve, ..step },
            (debit, credit) => Move { debit: credit, credit: debit, ..step },
        }));
        (claim.in_units, claim.paid_out_units) = (claim.received_units, 0);
        Ok(())
    }

    /// The customer keeps what arrived and is owed the rest of the payment, rounded in their favour.
    fn settle_part(&mut self, claim: &mut Claim, arrived: i64) -> Result<()> {
        let exchanged = share(claim.in_units, arrived, claim.receive_units)?;
        self.received_side(claim, Account::ClaimOut, Account::External, arrived);
        self.received_side(claim, Account::ClaimOut, Account::Reserve, claim.out_units - arrived);
        self.sent_side(claim, Account::ClaimIn, Account::Reserve, exchanged);
        self.income(claim, Income::of(claim, exchanged, arrived)?);
        claim.paid_out_units = arrived;
        claim.out_units = 0;
        claim.in_units -= exchanged;
        Ok(())
    }

    fn income(&mut self, claim: &Claim, income: Income) {
        self.sent_side(claim, Account::Exchange, Account::IncomeFee, income.fee_sent);
        self.received_side(claim, Account::Exchange, Account::IncomeFee, income.fee_received);
        if income.spread >= 0 {
            self.received_side(claim, Account::Exchange, Account::IncomeSpread, income.spread);
        } else {
            self.received_side(claim, Account::IncomeSpread, Account::Exchange, -income.spread);
        }
    }
}

/// `units` times `part` of `whole`, rounded down.
///
/// # Errors
/// `internal` when `whole` is nothing, or the result is out of range.
pub fn share(units: i64, part: i64, whole: i64) -> Result<i64> {
    let product = i128::from(units) * i128::from(part);
    let share = product.checked_div(i128::from(whole)).and_then(|share| i64::try_from(share).ok());
    share.ok_or_else(|| Error::internal(format!("there are no {part}/{whole} of {units} units")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Books, TRANSITIONS};
    use crate::rules::claim::tests::claim;
    use crate::rules::terms::tests::terms;

    /// What each account of the claim holds after some bookings.
    fn balance(moves: &[Move], account: Account) -> i64 {
        let change = |step: &Move| match step {
            Move { credit, units, .. } if *credit == account => *units,
            Move { debit, units, .. } if *debit == account => -units,
            _ => 0,
        };
        moves.iter().map(change).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_effect_leaves_the_books_the_table_expects(units in 1_i64..1_000_000_000) {
            for effect in effects() {
                let mut fits = 0;
                for books in reachable_books() {
                    let Some(expected) = effect.apply(books) else { continue };
                    let mut claim = claim();
                    (claim.receive_units, claim.send_units, claim.worth_units) = (units + 1, units + 1, units + 2);
                    claim.hold_id = books.reserve.then(uuid::Uuid::nil);
                    claim.in_units = if books.money { units } else { 0 };
                    claim.received_units = units;
                    claim.out_units = if books.payout { units + 1 } else { 0 };
                    claim.refund_units = if books.refund { units } else { 0 };
                    let booking = book(effect, &mut claim, units + 5, units / 2 + 1).unwrap();
                    if !matches!(booking.hold, HoldChange::Keep) {
                        claim.hold_id = matches!(booking.hold, HoldChange::Set | HoldChange::Replace).then(uuid::Uuid::nil);
                    }
                    prop_assert_eq!(claim.books(), expected);
                    prop_assert!(booking.moves.iter().all(|step| step.units >= 0));
                    fits += 1;
                }
                prop_assert!(fits > 0, "{effect:?} fits no books");
            }
        }
    }

    proptest! {
        #[test]
        fn what_came_leaves_to_the_last_unit(units in 2_i64..i64::MAX / 4, arrived in 1_i64..1_000_000) {
            let mut claim = claim();
            claim.receive_units = arrived + 1;
            claim.out_units = claim.receive_units;
            (claim.send_units, claim.in_units, claim.received_units) = (units, units, units);
            let part = book(Effect::SettlePart, &mut claim, 0, arrived).unwrap();
            prop_assert_eq!(balance(&part.moves, Account::ClaimOut), -(arrived + 1));
            prop_assert_eq!(units + balance(&part.moves, Account::ClaimIn), claim.in_units);
        }
    }

    proptest! {
        #[test]
        fn a_payout_that_comes_back_leaves_as_if_it_had_never_settled(
            sent in 1_i64..1_000_000_000, received in 1_i64..1_000_000_000, worth in 1_i64..2_000_000_000, over in 0_i64..1_000,
        ) {
            let mut claim = claim();
            (claim.send_units, claim.receive_units, claim.worth_units) = (sent, received, worth);
            (claim.in_units, claim.received_units, claim.out_units) = (sent + over, sent + over, received);
            claim.terms = terms("0.00000001", "0.01");
            let there = book(Effect::SettlePayout, &mut claim, 0, 0).unwrap();
            let back = book(Effect::TakeBackPayout, &mut claim, 0, 0).unwrap();
            let all = [there.moves, back.moves].concat();
            for account in [Account::IncomeSpread, Account::IncomeFee, Account::Exchange, Account::External, Account::ClaimIn] {
                for currency in [claim.from_id, claim.to_id] {
                    let of_currency: Vec<_> = all.iter().copied().filter(|step| step.currency == currency).collect();
                    prop_assert_eq!(balance(&of_currency, account), 0, "{:?} of {}", account, currency);
                }
            }
            // What was on its way to the customer is reserve.
            prop_assert_eq!((balance(&all, Account::ClaimOut), balance(&all, Account::Reserve)), (-received, received));
            prop_assert_eq!((claim.in_units, claim.out_units), (sent + over, 0));
        }
    }

    #[test]
    fn a_part_takes_its_share_of_what_came() {
        let mut claim = claim();
        // More came than was agreed on, and passed for it.
        (claim.send_units, claim.in_units, claim.received_units) = (1_000, 1_030, 1_030);
        (claim.receive_units, claim.out_units, claim.worth_units) = (9_500, 9_500, 10_000);
        claim.take_what_came().unwrap();
        let part = book(Effect::SettlePart, &mut claim, 0, 3_000).unwrap();
        // 1,030 x 3,000 / 9,500, rounded in the customer's favour; it was worth 3,250.
        assert_eq!((balance(&part.moves, Account::ClaimIn), claim.in_units), (-325, 705));
        assert_eq!(balance(&part.moves, Account::IncomeSpread), 250);
        assert_eq!((balance(&part.moves, Account::ClaimOut), claim.out_units, claim.paid_out_units), (-9_500, 0, 3_000));
    }

    #[test]
    fn what_was_paid_out_above_the_market_is_lost() {
        let mut claim = claim();
        (claim.send_units, claim.in_units, claim.received_units) = (1_000, 1_000, 1_000);
        (claim.receive_units, claim.out_units, claim.worth_units) = (10_400, 10_400, 10_000);
        claim.terms = terms("0", "1");
        (claim.send_scale, claim.receive_scale) = (2, 2);
        let done = book(Effect::SettlePayout, &mut claim, 0, 0).unwrap();
        // The fee is earned, and what it does not cover is lost as well.
        assert_eq!((balance(&done.moves, Account::IncomeFee), balance(&done.moves, Account::IncomeSpread)), (100, -500));
        assert_eq!(balance(&done.moves, Account::Exchange), 400);
    }

    /// Each effect of the table once.
    fn effects() -> Vec<Effect> {
        let mut all = Vec::new();
        for row in TRANSITIONS {
            if !all.contains(&row.money) {
                all.push(row.money);
            }
        }
        all
    }

    fn reachable_books() -> Vec<Books> {
        let mut all = Vec::new();
        for bits in 0..16_u8 {
            let has = |bit: u8| bits & (1 << bit) != 0;
            all.push(Books { reserve: has(0), money: has(1), payout: has(2), refund: has(3) });
        }
        all
    }

    #[test]
    fn income_is_the_fees_and_the_rest_of_what_the_payment_was_worth() {
        let mut claim = claim();
        (claim.send_units, claim.in_units, claim.received_units) = (1_000, 1_000, 1_000);
        (claim.receive_units, claim.out_units, claim.worth_units) = (9_500, 9_500, 10_000);
        claim.terms = terms("0.10", "1");
        (claim.send_scale, claim.receive_scale) = (2, 2);
        let done = book(Effect::SettlePayout, &mut claim, 0, 0).unwrap();
        // 10 units of the sent currency are worth 100 of the received one.
        assert_eq!(balance(&done.moves, Account::IncomeFee), 10 + 100);
        assert_eq!(balance(&done.moves, Account::IncomeSpread), 500 - 100 - 100);
    }
}
