//! Proving the claims against the books.

use agio_core::{Result, Tx};
use agio_ledger::Difference;

use super::Claims;
use crate::store::claims;

impl Claims {
    /// Finds claims that have ended with money of theirs left in the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<Difference>> {
        let unsettled = claims::unsettled(tx).await?;
        let difference = |(number, account, units)| Difference {
            rule: "a claim that has ended holds no money",
            place: format!("№ {number}, {account}"),
            found: units,
            expected: 0,
        };
        Ok(unsettled.into_iter().map(difference).collect())
    }
}
