//! The ledger entries of a transition.

use agio_core::{Amount, Error, Result};
use agio_ledger::Account;

use super::Claim;
use super::terms::Fees;
use crate::model::LedgerEffect;

/// A transfer of one currency. Nothing is transferred for zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerTransfer {
    pub debit: Account,
    pub credit: Account,
    pub amount: Amount,
}

/// The change of the hold on the reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldChange {
    /// Nothing.
    Keep,
    /// The receive amount is held.
    Set,
    /// The hold is replaced by one of the new receive amount.
    Replace,
    /// The hold returns to the reserve.
    Release,
    /// The hold becomes a payout.
    Post,
}

/// The ledger entries of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    pub hold: HoldChange,
    /// The other transfers.
    pub transfers: Vec<LedgerTransfer>,
}

/// Books an effect: changes the claim's balances and returns the transfers. `received` is the total received from the
/// customer, `paid_out` the part of the payout that has arrived; other effects ignore them.
///
/// # Errors
/// 409 `claim_unreadable` when the fees of a settled exchange cannot be read; `internal` when amounts are out of range.
pub fn book(effect: LedgerEffect, claim: &mut Claim, received: Amount, paid_out: Amount) -> Result<Booking> {
    let mut booking = Booking { hold: HoldChange::Keep, transfers: Vec::new() };
    let (nothing_given, nothing_received) = (claim.give.zero(), claim.receive.zero());
    let has_hold = claim.balances.hold_id.is_some();
    match effect {
        LedgerEffect::None => {}
        LedgerEffect::HoldReserve => booking.hold = HoldChange::Set,
        LedgerEffect::ReplaceHold => booking.hold = HoldChange::Replace,
        LedgerEffect::OweSurplus => {
            booking.hold = HoldChange::Replace;
            claim.balances.surplus = claim.excess()?.ok_or_else(|| Error::internal("nothing arrived beyond the give amount"))?;
        }
        LedgerEffect::ReleaseHold => {
            if has_hold {
                booking.hold = HoldChange::Release;
            }
            claim.balances.surplus = nothing_given;
        }
        LedgerEffect::ReceivePayment => booking.receive(claim, received)?,
        LedgerEffect::ReceiveLate => {
            booking.receive(claim, received)?;
            if has_hold {
                booking.hold = HoldChange::Release;
            }
        }
        LedgerEffect::PostHold => {
            booking.hold = HoldChange::Post;
            claim.balances.payout = claim.receive.amount;
        }
        LedgerEffect::RestoreHold => {
            booking.transfer(Account::ClaimOut, Account::Reserve, claim.balances.payout);
            booking.hold = HoldChange::Set;
            claim.balances.payout = nothing_received;
        }
        LedgerEffect::SettlePayout => booking.settle(claim)?,
        LedgerEffect::SettlePart => booking.settle_part(claim, paid_out)?,
        LedgerEffect::ReversePayout => booking.reverse_settlement(claim)?,
        LedgerEffect::SendRefund => {
            booking.transfer(Account::ClaimIn, Account::ClaimOut, claim.balances.held);
            claim.balances.refund = claim.balances.held;
            claim.balances.held = nothing_given;
        }
        LedgerEffect::ReverseRefund => {
            booking.transfer(Account::ClaimOut, Account::ClaimIn, claim.balances.refund);
            claim.balances.held = claim.balances.refund;
            claim.balances.refund = nothing_given;
        }
        LedgerEffect::SettleRefund => {
            booking.transfer(Account::ClaimOut, Account::External, claim.balances.refund);
            claim.balances.returned = claim.balances.returned.plus(claim.balances.refund)?;
            (claim.balances.refund, claim.balances.surplus) = (nothing_given, nothing_given);
        }
    }
    Ok(booking)
}

/// The income from an exchange, or from the part that was exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Income {
    /// The fixed fee on the give side.
    pub give_fee: Amount,
    /// The fixed fee on the receive side.
    pub receive_fee: Amount,
    /// The rest, in the receive currency; negative for a loss.
    pub spread: Amount,
}

impl Income {
    /// The income when `exchanged` of the payment is kept for `paid_out` of the payout. The market value of the
    /// exchanged part is exactly the payout, the fees and the spread.
    ///
    /// # Errors
    /// 409 `claim_unreadable`; `internal` when amounts are out of range.
    pub fn of(claim: &Claim, exchanged: Amount, paid_out: Amount) -> Result<Self> {
        let fees = Fees::of(claim)?;
        let give_fee = share(fees.give, paid_out, claim.receive.amount)?;
        let receive_fee = share(fees.receive, paid_out, claim.receive.amount)?;
        let market_value = share(claim.terms.market_value, exchanged, claim.give.amount)?;
        let value_of_fee = share(claim.terms.market_value, give_fee, claim.give.amount)?;
        let spread = market_value.minus(paid_out)?.minus(value_of_fee)?.minus(receive_fee)?;
        Ok(Self { give_fee, receive_fee, spread })
    }
}

impl Booking {
    fn transfer(&mut self, debit: Account, credit: Account, amount: Amount) {
        self.transfers.push(LedgerTransfer { debit, credit, amount });
    }

    fn receive(&mut self, claim: &mut Claim, received: Amount) -> Result<()> {
        let new = received.minus(claim.balances.received)?;
        self.transfer(Account::External, Account::ClaimIn, new);
        claim.balances.received = received;
        claim.balances.held = claim.balances.held.plus(new)?;
        Ok(())
    }

    fn settle(&mut self, claim: &mut Claim) -> Result<()> {
        let exchanged = claim.balances.to_exchange()?;
        self.transfer(Account::ClaimOut, Account::External, claim.balances.payout);
        self.transfer(Account::ClaimIn, Account::Reserve, exchanged);
        self.income(Income::of(claim, exchanged, claim.receive.amount)?)?;
        claim.balances.payout = claim.receive.zero();
        claim.balances.held = claim.balances.surplus;
        Ok(())
    }

    /// Reverses [`settle`](Self::settle). A surplus that was returned stays with the customer.
    fn reverse_settlement(&mut self, claim: &mut Claim) -> Result<()> {
        let exchanged = claim.balances.received.minus(claim.balances.returned)?;
        (claim.balances.payout, claim.balances.held) = (claim.receive.amount, exchanged);
        let mut settled = Self { hold: HoldChange::Keep, transfers: Vec::new() };
        settled.settle(claim)?;
        self.transfers.extend(settled.transfers.into_iter().map(|step| match (step.debit, step.credit) {
            // The payout returns to the reserve directly.
            (Account::ClaimOut, Account::External) => {
                LedgerTransfer { debit: Account::External, credit: Account::Reserve, ..step }
            }
            (debit, credit) => LedgerTransfer { debit: credit, credit: debit, ..step },
        }));
        (claim.balances.held, claim.balances.paid_out) = (exchanged, claim.receive.zero());
        Ok(())
    }

    /// The customer keeps what has arrived and is owed the rest of the payment, rounded in their favour.
    fn settle_part(&mut self, claim: &mut Claim, paid_out: Amount) -> Result<()> {
        let exchanged = share(claim.balances.to_exchange()?, paid_out, claim.receive.amount)?;
        self.transfer(Account::ClaimOut, Account::External, paid_out);
        self.transfer(Account::ClaimOut, Account::Reserve, claim.balances.payout.minus(paid_out)?);
        self.transfer(Account::ClaimIn, Account::Reserve, exchanged);
        self.income(Income::of(claim, exchanged, paid_out)?)?;
        claim.balances.paid_out = paid_out;
        claim.balances.payout = claim.receive.zero();
        claim.balances.held = claim.balances.held.minus(exchanged)?;
        claim.balances.surplus = claim.give.zero();
        Ok(())
    }

    fn income(&mut self, income: Income) -> Result<()> {
        self.transfer(Account::Exchange, Account::IncomeFee, income.give_fee);
        self.transfer(Account::Exchange, Account::IncomeFee, income.receive_fee);
        if income.spread.units() >= 0 {
            self.transfer(Account::Exchange, Account::IncomeSpread, income.spread);
        } else {
            let loss = Amount::of_units(0, income.spread.currency()).minus(income.spread)?;
            self.transfer(Account::IncomeSpread, Account::Exchange, loss);
        }
        Ok(())
    }
}

/// The share of an amount that corresponds to `part` of `whole`, rounded down.
///
/// # Errors
/// `internal` when `whole` is zero or of another currency than `part`, or the result is out of range.
pub fn share(amount: Amount, part: Amount, whole: Amount) -> Result<Amount> {
    part.compare(whole)?;
    let product = i128::from(amount.units()) * i128::from(part.units());
    let share = product.checked_div(i128::from(whole.units())).and_then(|share| i64::try_from(share).ok());
    let units = share.ok_or_else(|| Error::internal(format!("there is no {part}/{whole} of {amount}")))?;
    Ok(Amount::of_units(units, amount.currency()))
}

#[cfg(test)]
mod tests {
    use agio_core::money::CurrencyUnit;
    use proptest::prelude::*;

    use super::*;
    use crate::model::{LedgerState, TRANSITIONS};
    use crate::rules::claim::ClaimBalances;
    use crate::rules::claim::tests::claim;
    use crate::rules::terms::tests::terms;

    /// What each account of the claim holds after some bookings.
    fn balance(transfers: &[LedgerTransfer], account: Account) -> i64 {
        let change = |step: &LedgerTransfer| match step {
            LedgerTransfer { credit, amount, .. } if *credit == account => amount.units(),
            LedgerTransfer { debit, amount, .. } if *debit == account => -amount.units(),
            _ => 0,
        };
        transfers.iter().map(change).sum()
    }

    /// Sets the agreed amounts and the market value, and the balances: held, received, payout.
    fn set_units(claim: &mut Claim, [give, receive, market]: [i64; 3], [held, received, payout]: [i64; 3]) {
        claim.give.amount = claim.give.of(give);
        claim.receive.amount = claim.receive.of(receive);
        claim.terms.market_value = claim.receive.of(market);
        claim.balances.held = claim.give.of(held);
        claim.balances.received = claim.give.of(received);
        claim.balances.payout = claim.receive.of(payout);
        (claim.balances.surplus, claim.balances.returned) = (claim.give.zero(), claim.give.zero());
    }

    /// Books an effect that takes no amounts.
    fn book_plainly(effect: LedgerEffect, claim: &mut Claim) -> Booking {
        book(effect, claim, claim.give.zero(), claim.receive.zero()).unwrap()
    }

    fn book_part(claim: &mut Claim, paid_out: i64) -> Booking {
        book(LedgerEffect::SettlePart, claim, claim.give.zero(), claim.receive.of(paid_out)).unwrap()
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
                    let held = if books.money { units + 1 } else { 0 };
                    let payout = if books.payout { units + 1 } else { 0 };
                    set_units(&mut claim, [units, units + 1, units + 2], [held, units + 1, payout]);
                    claim.balances.hold_id = books.reserve.then(uuid::Uuid::nil);
                    claim.balances.refund = claim.give.of(if books.refund { units } else { 0 });
                    claim.balances.surplus = claim.give.of(i64::from(books.surplus));
                    let (received, paid_out) = (claim.give.of(units + 5), claim.receive.of(units / 2 + 1));
                    let booking = book(effect, &mut claim, received, paid_out).unwrap();
                    if !matches!(booking.hold, HoldChange::Keep) {
                        claim.balances.hold_id = matches!(booking.hold, HoldChange::Set | HoldChange::Replace).then(uuid::Uuid::nil);
                    }
                    prop_assert_eq!(claim.ledger_state(), expected);
                    prop_assert!(booking.transfers.iter().all(|step| step.amount.units() >= 0));
                    fits += 1;
                }
                prop_assert!(fits > 0, "{effect:?} fits no books");
            }
        }
    }

    proptest! {
        #[test]
        fn the_received_amount_leaves_to_the_last_unit(units in 2_i64..i64::MAX / 4, arrived in 1_i64..1_000_000) {
            let mut claim = claim();
            let market = claim.terms.market_value.units();
            set_units(&mut claim, [units, arrived + 1, market], [units, units, arrived + 1]);
            let part = book_part(&mut claim, arrived);
            prop_assert_eq!(balance(&part.transfers, Account::ClaimOut), -(arrived + 1));
            prop_assert_eq!(units + balance(&part.transfers, Account::ClaimIn), claim.balances.held.units());
        }
    }

    proptest! {
        #[test]
        fn a_payout_that_comes_back_leaves_as_if_it_had_never_settled(
            give in 1_i64..1_000_000_000, receive in 1_i64..1_000_000_000, market in 1_i64..2_000_000_000, over in 0_i64..1_000,
        ) {
            let mut claim = claim();
            set_units(&mut claim, [give, receive, market], [give + over, give + over, receive]);
            claim.terms.json = terms("0.00000001", "0.01");
            let there = book_plainly(LedgerEffect::SettlePayout, &mut claim);
            let back = book_plainly(LedgerEffect::ReversePayout, &mut claim);
            let all = [there.transfers, back.transfers].concat();
            for account in [Account::IncomeSpread, Account::IncomeFee, Account::Exchange, Account::External, Account::ClaimIn] {
                for currency in [claim.give.amount.currency(), claim.receive.amount.currency()] {
                    let of_currency: Vec<_> = all.iter().copied().filter(|step| step.amount.currency() == currency).collect();
                    prop_assert_eq!(balance(&of_currency, account), 0, "{:?} of {:?}", account, currency);
                }
            }
            // What was on its way to the customer is reserve.
            prop_assert_eq!((balance(&all, Account::ClaimOut), balance(&all, Account::Reserve)), (-receive, receive));
            prop_assert_eq!((claim.balances.held.units(), claim.balances.payout.units()), (give + over, 0));
        }
    }

    #[test]
    fn a_part_takes_its_share_of_the_received_amount() {
        let mut claim = claim();
        // More than the agreed amount arrived, within the tolerance.
        set_units(&mut claim, [1_000, 9_500, 10_000], [1_030, 1_030, 9_500]);
        claim.settle_give_amount().unwrap();
        let part = book_part(&mut claim, 3_000);
        // 1,030 x 3,000 / 9,500, rounded in the customer's favour; its market value is 3,250.
        assert_eq!((balance(&part.transfers, Account::ClaimIn), claim.balances.held.units()), (-325, 705));
        assert_eq!(balance(&part.transfers, Account::IncomeSpread), 250);
        let ClaimBalances { payout, paid_out, .. } = claim.balances;
        assert_eq!((balance(&part.transfers, Account::ClaimOut), payout.units(), paid_out.units()), (-9_500, 0, 3_000));
    }

    #[test]
    fn a_surplus_is_neither_exchanged_nor_earned_from() {
        let mut claim = claim();
        set_units(&mut claim, [1_000, 9_500, 10_000], [1_250, 1_250, 0]);
        book_plainly(LedgerEffect::OweSurplus, &mut claim);
        claim.settle_give_amount().unwrap();
        assert_eq!((claim.give.amount.units(), claim.balances.surplus.units()), (1_000, 250));
        claim.balances.payout = claim.receive.amount;
        let mut refunded = claim.clone();
        let part = book_part(&mut refunded, 4_750);
        assert_eq!((balance(&part.transfers, Account::ClaimIn), refunded.balances.held.units()), (-500, 750));
        let done = book_plainly(LedgerEffect::SettlePayout, &mut claim);
        assert_eq!((balance(&done.transfers, Account::ClaimIn), claim.balances.held.units()), (-1_000, 250));
        assert_eq!(balance(&done.transfers, Account::IncomeSpread), 500);
        let back =
            [LedgerEffect::SendRefund, LedgerEffect::SettleRefund].map(|effect| book_plainly(effect, &mut claim).transfers);
        assert_eq!(balance(&back.concat(), Account::External), 250);
        let reversed = book_plainly(LedgerEffect::ReversePayout, &mut claim);
        assert_eq!((balance(&reversed.transfers, Account::ClaimIn), claim.balances.held.units()), (1_000, 1_000));
    }

    #[test]
    fn no_surplus_is_owed_where_nothing_more_arrived() {
        let mut claim = claim();
        set_units(&mut claim, [1_000, 9_500, 10_000], [1_000, 1_000, 0]);
        let nothing = (claim.give.zero(), claim.receive.zero());
        let refused = book(LedgerEffect::OweSurplus, &mut claim, nothing.0, nothing.1);
        assert_eq!(refused.unwrap_err().code(), "internal");
        claim.balances.surplus = claim.give.of(1_000);
        assert_eq!(claim.balances.to_exchange().unwrap_err().code(), "internal", "all of the payment is no surplus");
    }

    #[test]
    fn what_was_paid_out_above_the_market_is_lost() {
        let mut claim = claim();
        claim.give.amount = Amount::of_units(1, CurrencyUnit::new(1, 2));
        set_units(&mut claim, [1_000, 10_400, 10_000], [1_000, 1_000, 10_400]);
        claim.terms.json = terms("0", "1");
        let done = book_plainly(LedgerEffect::SettlePayout, &mut claim);
        // The fee is earned, and what it does not cover is lost as well.
        assert_eq!((balance(&done.transfers, Account::IncomeFee), balance(&done.transfers, Account::IncomeSpread)), (100, -500));
        assert_eq!(balance(&done.transfers, Account::Exchange), 400);
    }

    /// Each effect of the table once.
    fn effects() -> Vec<LedgerEffect> {
        let mut all = Vec::new();
        for row in TRANSITIONS {
            if !all.contains(&row.effect) {
                all.push(row.effect);
            }
        }
        all
    }

    fn reachable_books() -> Vec<LedgerState> {
        let mut all = Vec::new();
        for bits in 0..32_u8 {
            let has = |bit: u8| bits & (1 << bit) != 0;
            all.push(LedgerState { reserve: has(0), money: has(1), payout: has(2), refund: has(3), surplus: has(4) });
        }
        all
    }

    #[test]
    fn income_is_the_fees_and_the_rest_of_the_market_value() {
        let mut claim = claim();
        claim.give.amount = Amount::of_units(1, CurrencyUnit::new(1, 2));
        set_units(&mut claim, [1_000, 9_500, 10_000], [1_000, 1_000, 9_500]);
        claim.terms.json = terms("0.10", "1");
        let done = book_plainly(LedgerEffect::SettlePayout, &mut claim);
        // 10 units of the give currency have a market value of 100 in the receive currency.
        assert_eq!(balance(&done.transfers, Account::IncomeFee), 10 + 100);
        assert_eq!(balance(&done.transfers, Account::IncomeSpread), 500 - 100 - 100);
    }
}
