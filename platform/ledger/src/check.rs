//! Proving the books: every balance is the sum of its entries, every currency sums to zero, every hold is in the
//! account of holds, and nothing that must not be negative is.

use std::sync::Arc;

use agio_core::{Result, Timestamp, Tx, fetch_all};

use crate::store;
use crate::{Account, Ledger};

/// One thing in the books that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The rule that does not hold.
    pub rule: &'static str,
    /// The account, currency or claim it does not hold for.
    pub place: String,
    /// What was found, in units.
    pub found: i64,
    /// What it must be, in units.
    pub expected: i64,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} is {}, must be {}", self.rule, self.place, self.found, self.expected)
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What does not hold; empty when the books are clean.
    pub differences: Vec<Difference>,
    /// When it was checked; nothing before the first check.
    pub at: Option<Timestamp>,
}

impl Checked {
    /// Whether every rule holds.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The rules, each with the statement that finds what breaks it as (place, found, expected).
const RULES: [(&str, &str); 5] = [
    ("a balance is the sum of its entries", store::DRIFTED_ACCOUNTS),
    ("a currency sums to zero", store::UNBALANCED_CURRENCIES),
    ("the account of holds is the sum of open holds", store::DRIFTED_HOLDS),
    ("an account does not go below zero", store::OVERDRAWN_ACCOUNTS),
    ("the database keeps an account from going below zero", store::UNGUARDED_ACCOUNTS),
];

impl Ledger {
    /// Checks every rule of the books.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn check(&self, tx: &mut Tx, now: Timestamp) -> Result<Checked> {
        let mut checked = Checked { at: Some(now), ..Checked::default() };
        for (rule, statement) in RULES {
            for (place, found, expected) in fetch_all!(tx, (String, i64, i64), statement)? {
                checked.differences.push(Difference { rule, place, found, expected });
            }
        }
        Ok(checked)
    }

    /// Remembers the outcome of a check; while it is not clean no claim is taken.
    pub fn remember_check(&self, checked: Checked) {
        for difference in &checked.differences {
            tracing::error!(%difference, "the books do not agree; new claims are stopped");
        }
        self.last_check.store(Arc::new(checked));
    }

    /// Whether the last check found nothing.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.last_check.load().is_clean()
    }

    /// What the last check found.
    #[must_use]
    pub fn last_check(&self) -> Arc<Checked> {
        self.last_check.load_full()
    }

    /// How much of a currency's reserve is set aside for open claims, in units.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn held(&self, tx: &mut Tx, currency: i64) -> Result<i64> {
        self.balance(tx, Account::Hold, currency).await
    }
}
