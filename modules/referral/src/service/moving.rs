//! Referrers' money in the books. Whoever moves it has locked the referrer first.
//!
//! ```text
//! earned:    referral cost → pending        released: pending → balance
//! taken back: pending or balance → referral cost
//! asked for: balance → on its way           refused:  on its way → balance
//! paid:      on its way → exchange, and reserve → external in the currency of the payment
//! ```

use agio_core::{Result, Timestamp, Tx};
use agio_ledger::{Account, Batch};
use uuid::Uuid;

use super::Referral;
use crate::store::referrers::{self, Referrer};

impl Referral {
    /// Opens the accounts of a referrer's currency; does nothing where they are open.
    async fn open_accounts(&self, tx: &mut Tx, referrer: Uuid, currency: i64) -> Result<()> {
        let theirs = [Account::Referral(referrer), Account::ReferralPending(referrer)];
        for account in [Account::ReferralCost, Account::ReferralOut].into_iter().chain(theirs) {
            self.ledger.open(tx, account, currency).await?;
        }
        Ok(())
    }

    fn batch(&self, reason: &'static str, about: Uuid, now: Timestamp) -> Batch {
        Batch::new(self.platform.random.uuid_at(now), reason, about, now)
    }

    /// Books what was earned: it is the referrer's and cannot be asked for yet.
    pub(super) async fn book_earned(&self, tx: &mut Tx, about: Uuid, to: Uuid, money: (i64, i64), now: Timestamp) -> Result<()> {
        let (currency, units) = money;
        self.open_accounts(tx, to, currency).await?;
        let batch = self.batch("referral_earned", about, now);
        self.ledger.post(tx, &batch.moving(Account::ReferralCost, Account::ReferralPending(to), currency, units)).await
    }

    /// Books that what is pending is not the referrer's after all.
    pub(super) async fn book_refused(&self, tx: &mut Tx, about: Uuid, of: Uuid, money: (i64, i64), now: Timestamp) -> Result<()> {
        let (currency, units) = money;
        let batch = self.batch("referral_taken_back", about, now);
        self.ledger.post(tx, &batch.moving(Account::ReferralPending(of), Account::ReferralCost, currency, units)).await
    }

    /// Lets money reach a referrer's balance: what is pending, or a withdrawal that was refused. What they owe is set off first.
    pub(super) async fn book_credit(
        &self,
        tx: &mut Tx,
        (reason, about): (&'static str, Uuid),
        from: Account,
        to: &Referrer,
        (currency, units): (i64, i64),
        now: Timestamp,
    ) -> Result<()> {
        let owed = to.debt.min(units);
        let batch = self.batch(reason, about, now).moving(from, Account::ReferralCost, currency, owed).moving(
            from,
            Account::Referral(to.customer_id),
            currency,
            units - owed,
        );
        self.ledger.post(tx, &batch).await?;
        if owed > 0 {
            referrers::set_debt(tx, to.customer_id, to.debt - owed).await?;
        }
        Ok(())
    }

    /// Takes back what had reached a referrer's balance. What is not there any more they owe from now on.
    pub(super) async fn book_taken_back(
        &self,
        tx: &mut Tx,
        about: Uuid,
        of: &Referrer,
        (currency, units): (i64, i64),
        now: Timestamp,
    ) -> Result<()> {
        let balance = Account::Referral(of.customer_id);
        let there = self.ledger.balance(tx, balance, currency).await?.min(units);
        let batch = self.batch("referral_taken_back", about, now).moving(balance, Account::ReferralCost, currency, there);
        self.ledger.post(tx, &batch).await?;
        if there < units {
            referrers::set_debt(tx, of.customer_id, of.debt + units - there).await?;
        }
        Ok(())
    }

    /// Books that a part of a balance is asked for.
    ///
    /// # Errors
    /// 409 `balance_too_low`.
    pub(super) async fn book_asked(&self, tx: &mut Tx, about: Uuid, of: Uuid, money: (i64, i64), now: Timestamp) -> Result<()> {
        let (currency, units) = money;
        self.open_accounts(tx, of, currency).await?;
        let batch = self.batch("referral_withdrawal", about, now);
        self.ledger.post(tx, &batch.moving(Account::Referral(of), Account::ReferralOut, currency, units)).await
    }

    /// Books that what was asked for is paid: out of the reserve of the currency it is paid in.
    ///
    /// # Errors
    /// 409 `balance_too_low` when the reserve has not that much.
    pub(super) async fn book_paid(
        &self,
        tx: &mut Tx,
        about: Uuid,
        (owed_currency, owed): (i64, i64),
        (paid_currency, paid): (i64, i64),
        by: &str,
        now: Timestamp,
    ) -> Result<()> {
        let mut batch = self.batch("referral_paid", about, now);
        batch.actor = Some(by.to_owned());
        let batch = batch.moving(Account::ReferralOut, Account::Exchange, owed_currency, owed).moving(
            Account::Reserve,
            Account::External,
            paid_currency,
            paid,
        );
        self.ledger.post(tx, &batch).await
    }
}
