//! Reconciliation: every balance is the sum of its entries, every currency sums to zero, every hold is in the account
//! of holds, and only accounts that may be negative are.

use std::sync::Arc;

use agio_core::{Result, Timestamp, Tx, fetch_all};

use crate::store;
use crate::{Account, Ledger};

/// A violated rule of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerDifference {
    pub rule: &'static str,
    /// The account, currency or claim.
    pub place: String,
    /// In units.
    pub found: i64,
    /// In units.
    pub expected: i64,
}

impl std::fmt::Display for LedgerDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} is {}, must be {}", self.rule, self.place, self.found, self.expected)
    }
}

/// The result of a reconciliation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerCheck {
    /// Empty if every rule holds.
    pub differences: Vec<LedgerDifference>,
    /// `None` before the first check.
    pub at: Option<Timestamp>,
}

impl LedgerCheck {
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The rules, each with the statement that finds violations as (place, found, expected).
const RULES: [(&str, &str); 5] = [
    ("a balance is the sum of its entries", store::DRIFTED_ACCOUNTS),
    ("a currency sums to zero", store::UNBALANCED_CURRENCIES),
    ("the account of holds is the sum of open holds", store::DRIFTED_HOLDS),
    ("an account does not go below zero", store::OVERDRAWN_ACCOUNTS),
    ("the database keeps an account from going below zero", store::UNGUARDED_ACCOUNTS),
];

impl Ledger {
    /// Checks every rule.
    pub async fn check(&self, tx: &mut Tx, now: Timestamp) -> Result<LedgerCheck> {
        let mut check = LedgerCheck { at: Some(now), ..LedgerCheck::default() };
        for (rule, statement) in RULES {
            for (place, found, expected) in fetch_all!(tx, (String, i64, i64), statement)? {
                check.differences.push(LedgerDifference { rule, place, found, expected });
            }
        }
        Ok(check)
    }

    /// Records the result of a check. While it has differences, no claims are accepted.
    pub fn record_check(&self, check: LedgerCheck) {
        for difference in &check.differences {
            tracing::error!(%difference, "the ledger does not balance; new claims are stopped");
        }
        self.last_check.store(Arc::new(check));
    }

    /// Whether the last check found no differences.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.last_check.load().is_clean()
    }

    #[must_use]
    pub fn last_check(&self) -> Arc<LedgerCheck> {
        self.last_check.load_full()
    }

    /// How much of a currency's reserve is held for open claims, in units.
    pub async fn held_units(&self, tx: &mut Tx, currency: i64) -> Result<i64> {
        self.balance(tx, Account::Hold, currency).await
    }
}
