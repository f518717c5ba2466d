//! Reconciliation of referral balances with the ledger.

use agio_core::{Result, Tx};
use agio_ledger::{Account, LedgerDifference};

use super::Referral;
use crate::store::{commissions, withdrawals};

impl Referral {
    /// Compares commissions and withdrawals with the ledger.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<LedgerDifference>> {
        let mut differences = Vec::new();
        for (referrer, currency, expected) in commissions::pending(tx).await? {
            let account = Account::ReferralPending(referrer);
            let found = self.ledger.balance(tx, account, currency).await?;
            if found != expected {
                let rule = "a referrer's pending balance is the sum of their pending commissions";
                differences.push(LedgerDifference { rule, place: account.name(currency), found, expected });
            }
        }
        for (currency, expected) in withdrawals::on_their_way(tx).await? {
            let found = self.ledger.balance(tx, Account::ReferralOut, currency).await?;
            if found != expected {
                let rule = "the withdrawal account is the sum of the open referral withdrawals";
                differences.push(LedgerDifference { rule, place: Account::ReferralOut.name(currency), found, expected });
            }
        }
        Ok(differences)
    }
}
