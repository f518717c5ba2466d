//! Reconciliation of claims with the ledger.

use agio_core::{Result, Tx};
use agio_ledger::LedgerDifference;

use super::Claims;
use crate::store::claims;

impl Claims {
    /// Finds ended claims with money left in the ledger.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<LedgerDifference>> {
        let unsettled = claims::unsettled(tx).await?;
        let difference = |(number, account, units)| LedgerDifference {
            rule: "a claim that has ended holds no money",
            place: format!("№ {number}, {account}"),
            found: units,
            expected: 0,
        };
        Ok(unsettled.into_iter().map(difference).collect())
    }
}
