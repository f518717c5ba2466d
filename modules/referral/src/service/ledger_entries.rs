//! Ledger entries of referrers. Callers lock the referrer first.
//!
//! ```text
//! earned:    referral cost → pending        unlocked: pending → balance
//! reversed:  pending or balance → referral cost
//! requested: balance → withdrawals          refused:  withdrawals → balance
//! paid:      withdrawals → exchange, and reserve → external in the payout currency
//! ```

use agio_core::{Amount, Result, Timestamp, Tx};
use agio_ledger::{Account, TransferBatch};
use uuid::Uuid;

use super::Referral;
use crate::store::referrers::{self, Referrer};

impl Referral {
    async fn open_accounts(&self, tx: &mut Tx, referrer: Uuid, currency: i64) -> Result<()> {
        let own = [Account::Referral(referrer), Account::ReferralPending(referrer)];
        for account in [Account::ReferralCost, Account::ReferralOut].into_iter().chain(own) {
            self.ledger.open(tx, account, currency).await?;
        }
        Ok(())
    }

    fn batch(&self, reason: &'static str, about: Uuid, now: Timestamp) -> TransferBatch {
        TransferBatch::new(self.platform.random.uuid_at(now), reason, about, now)
    }

    /// Credits the pending account.
    pub(super) async fn book_earning(&self, tx: &mut Tx, about: Uuid, to: Uuid, amount: Amount, now: Timestamp) -> Result<()> {
        self.open_accounts(tx, to, amount.currency().id()).await?;
        let batch = self.batch("referral_earned", about, now);
        self.ledger.post(tx, &batch.with_transfer(Account::ReferralCost, Account::ReferralPending(to), amount)).await
    }

    /// Takes a pending commission back.
    pub(super) async fn book_refusal(&self, tx: &mut Tx, about: Uuid, of: Uuid, amount: Amount, now: Timestamp) -> Result<()> {
        let batch = self.batch("referral_taken_back", about, now);
        self.ledger.post(tx, &batch.with_transfer(Account::ReferralPending(of), Account::ReferralCost, amount)).await
    }

    /// Credits the balance from the pending account or a refused withdrawal; debt is set off first.
    pub(super) async fn book_credit(
        &self,
        tx: &mut Tx,
        (reason, about): (&'static str, Uuid),
        from: Account,
        to: &Referrer,
        amount: Amount,
        now: Timestamp,
    ) -> Result<()> {
        let owed = Amount::of_units(to.debt.min(amount.units()), amount.currency());
        let batch = self.batch(reason, about, now).with_transfer(from, Account::ReferralCost, owed).with_transfer(
            from,
            Account::Referral(to.customer_id),
            amount.minus(owed)?,
        );
        self.ledger.post(tx, &batch).await?;
        if owed.units() > 0 {
            referrers::set_debt(tx, to.customer_id, to.debt - owed.units()).await?;
        }
        Ok(())
    }

    /// Debits the balance; a shortfall becomes debt.
    pub(super) async fn book_reversal(
        &self,
        tx: &mut Tx,
        about: Uuid,
        of: &Referrer,
        amount: Amount,
        now: Timestamp,
    ) -> Result<()> {
        let balance = Account::Referral(of.customer_id);
        let (units, currency) = (amount.units(), amount.currency());
        let available = self.ledger.balance(tx, balance, currency.id()).await?.min(units);
        let taken_back = Amount::of_units(available, currency);
        let batch = self.batch("referral_taken_back", about, now).with_transfer(balance, Account::ReferralCost, taken_back);
        self.ledger.post(tx, &batch).await?;
        if available < units {
            referrers::set_debt(tx, of.customer_id, of.debt + units - available).await?;
        }
        Ok(())
    }

    /// Moves a requested amount out of the balance.
    ///
    /// # Errors
    /// 409 `balance_too_low`.
    pub(super) async fn book_withdrawal(&self, tx: &mut Tx, about: Uuid, of: Uuid, amount: Amount, now: Timestamp) -> Result<()> {
        self.open_accounts(tx, of, amount.currency().id()).await?;
        let batch = self.batch("referral_withdrawal", about, now);
        self.ledger.post(tx, &batch.with_transfer(Account::Referral(of), Account::ReferralOut, amount)).await
    }

    /// Pays from the reserve of the payout currency.
    ///
    /// # Errors
    /// 409 `balance_too_low` if the reserve does not suffice.
    pub(super) async fn book_payout(
        &self,
        tx: &mut Tx,
        about: Uuid,
        owed: Amount,
        paid: Amount,
        by: &str,
        now: Timestamp,
    ) -> Result<()> {
        let mut batch = self.batch("referral_paid", about, now);
        batch.actor = Some(by.to_owned());
        let batch = batch.with_transfer(Account::ReferralOut, Account::Exchange, owed).with_transfer(
            Account::Reserve,
            Account::External,
            paid,
        );
        self.ledger.post(tx, &batch).await
    }
}
