//! Reconciliation of claims with the ledger.

use agio_core::Result;
use agio_ledger::LedgerDifference;

use super::Claims;
use crate::store::claims;

/// How many claims, or transfers, are read at a time.
const READ: i64 = 5_000;

impl Claims {
    /// Finds ended claims with money left in the ledger, in pieces that hold nobody up.
    pub async fn audit(&self) -> Result<Vec<LedgerDifference>> {
        let (mut found, mut position) = (Vec::new(), 0);
        let last = claims::last_number(&mut self.platform.db.read().await?).await?;
        while position < last {
            let end = position + READ;
            found.extend(claims::unsettled(&mut self.platform.db.read_at_length().await?, position, end).await?);
            position = end;
        }
        Ok(found.into_iter().map(difference).collect())
    }

    /// The same among the claims that a transfer after this one is about.
    pub async fn audit_since(&self, transfer: i64) -> Result<Vec<LedgerDifference>> {
        let (mut found, mut position) = (Vec::new(), transfer);
        let last = self.ledger.last_transfer(&mut self.platform.db.read().await?).await?;
        while position < last {
            let end = position + READ;
            found.extend(claims::recently_unsettled(&mut self.platform.db.read_at_length().await?, position, end).await?);
            position = end;
        }
        Ok(found.into_iter().map(difference).collect())
    }
}

fn difference((number, account, units): (i64, String, i64)) -> LedgerDifference {
    LedgerDifference {
        rule: "a claim that has ended holds no money",
        place: format!("№ {number}, {account}"),
        found: units,
        expected: 0,
    }
}
