//! Proving referrers' money against the books.

use agio_core::{Result, Tx};
use agio_ledger::{Account, Difference};

use super::Referral;
use crate::store::{accruals, withdrawals};

impl Referral {
    /// What does not agree between accruals, withdrawals and the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for (referrer, currency, expected) in accruals::pending(tx).await? {
            let account = Account::ReferralPending(referrer);
            let found = self.ledger.balance(tx, account, currency).await?;
            if found != expected {
                let rule = "what a referrer has pending is the sum of what is held for them";
                differences.push(Difference { rule, place: account.name(currency), found, expected });
            }
        }
        for (currency, expected) in withdrawals::on_their_way(tx).await? {
            let found = self.ledger.balance(tx, Account::ReferralOut, currency).await?;
            if found != expected {
                let rule = "what is on its way to referrers is the sum of their open withdrawals";
                differences.push(Difference { rule, place: Account::ReferralOut.name(currency), found, expected });
            }
        }
        Ok(differences)
    }
}
