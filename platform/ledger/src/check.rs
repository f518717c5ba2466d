//! Reconciliation: every balance is the sum of its entries, every currency sums to zero, every hold is in the account
//! of holds, and only accounts that may be negative are.
//!
//! A checkpoint remembers the sums of all entries up to a transfer, so that a check reads only what has come since. It is
//! made of the entries, never of balances: moving it hides no difference. A full check adds up all entries again, so it
//! finds one that was changed before the checkpoint.

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::db::Engine;
use agio_core::{Db, Result, Timestamp, Tx, execute, fetch_all, fetch_one};

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
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The rules, each with the statement that finds violations as (place, found, expected).
const RULES: [(&str, &str); 6] = [
    ("a balance is the sum of its entries", store::DRIFTED_ACCOUNTS),
    ("a currency sums to zero", store::UNBALANCED_CURRENCIES),
    ("the account of holds is the sum of open holds", store::DRIFTED_HOLDS),
    ("an account does not go below zero", store::OVERDRAWN_ACCOUNTS),
    ("the database keeps an account from going below zero", store::UNGUARDED_ACCOUNTS),
    ("the last full check has found no differences", store::FAILED_FULL_CHECK),
];

/// How many transfers are read at a time by a full check.
const TRANSFERS_READ: i64 = 20_000;

/// How many transfers a checkpoint moves at a time. All its sums are written in one transaction.
const TRANSFERS_MOVED: i64 = 2_000;

/// Waits for the transfers that are being written and keeps others from being written until the transaction ends.
/// Numbers are given before the commit, so without it a transfer could come to be before the last one. Nobody may have
/// to wait long for that: if the lock is not free at once, the checkpoint stays where it is.
const LOCK_TRANSFERS: [&str; 2] = ["SET LOCAL lock_timeout = '40ms'", "LOCK TABLE ledger_transfer IN SHARE MODE"];

impl Ledger {
    /// Checks every rule for the entries since the checkpoint.
    pub async fn check(&self, tx: &mut Tx, now: Timestamp) -> Result<LedgerCheck> {
        let mut check = LedgerCheck { at: Some(now), ..LedgerCheck::default() };
        for (rule, statement) in RULES {
            for (place, found, expected) in fetch_all!(tx, (String, i64, i64), statement)? {
                check.differences.push(LedgerDifference { rule, place, found, expected });
            }
        }
        Ok(check)
    }

    /// Compares the sums of all entries up to the checkpoint with it, in pieces that hold nobody up.
    pub async fn check_before_checkpoint(&self, db: &Db) -> Result<Vec<LedgerDifference>> {
        let (mut sums, mut position) = (HashMap::<String, i64>::new(), 0);
        loop {
            let rows = fetch_all!(&mut db.read().await?, (i64, Option<String>, Option<i64>), store::CHECKPOINT_BALANCES)?;
            // It moves on meanwhile.
            let checkpoint = rows.first().map_or(0, |(position, ..)| *position);
            if position == checkpoint {
                let mut differences = Vec::new();
                for (account, expected) in rows.into_iter().filter_map(|(_, account, balance)| account.zip(balance)) {
                    let found = sums.remove(&account).unwrap_or_default();
                    differences.extend((found != expected).then(|| changed(account, found, expected)));
                }
                differences.extend(sums.into_iter().filter(|(_, sum)| *sum != 0).map(|(account, sum)| changed(account, sum, 0)));
                return Ok(differences);
            }
            while position < checkpoint {
                let end = checkpoint.min(position + TRANSFERS_READ);
                let mut tx = db.read_at_length().await?;
                for (account, sum) in fetch_all!(&mut tx, (String, i64), store::SUMS, position, end)? {
                    *sums.entry(account).or_default() += sum;
                }
                position = end;
            }
        }
    }

    /// The number of the last transfer before the checkpoint.
    pub async fn checkpoint(&self, tx: &mut Tx) -> Result<i64> {
        fetch_one!(tx, (i64,), store::CHECKPOINT).map(|(position,)| position)
    }

    /// The number of the last transfer; zero if there is none.
    pub async fn last_transfer(&self, tx: &mut Tx) -> Result<i64> {
        fetch_one!(tx, (i64,), store::LAST_TRANSFER).map(|(last,)| last)
    }

    /// Moves the checkpoint to the last transfer, in steps that hold nobody up.
    pub async fn move_checkpoint(&self, db: &Db) -> Result<()> {
        let last = match settled_transfer(db).await {
            // Next time.
            Err(busy) if busy.code() == "overloaded" => return Ok(()),
            last => last?,
        };
        loop {
            let position = self.checkpoint(&mut db.read().await?).await?;
            let end = last.min(position + TRANSFERS_MOVED);
            if position >= end {
                return Ok(());
            }
            let sums = fetch_all!(&mut db.read().await?, (String, i64), store::SUMS, position, end)?;
            let sums = Arc::new(sums);
            let write = db.write(move |tx| {
                let sums = sums.clone();
                Box::pin(async move {
                    if execute!(tx, store::MOVE_CHECKPOINT, position, end)? == 1 {
                        for (account, sum) in &*sums {
                            execute!(tx, store::ADD_TO_CHECKPOINT, account, *sum)?;
                        }
                    }
                    Ok(())
                })
            });
            write.await?;
        }
    }

    /// Records the result of a check. While it has differences, no claims are accepted.
    pub fn record_check(&self, check: LedgerCheck) {
        for difference in &check.differences {
            tracing::error!(%difference, "the ledger does not balance; new claims are stopped");
        }
        self.last_check.store(Arc::new(check));
    }

    /// Whether the last check found no differences. Not before the first one.
    pub fn is_clean(&self) -> bool {
        let last = self.last_check.load();
        last.at.is_some() && last.is_clean()
    }

    pub fn last_check(&self) -> Arc<LedgerCheck> {
        self.last_check.load_full()
    }

    /// How much of a currency's reserve is held for open claims, in units.
    pub async fn held_units(&self, tx: &mut Tx, currency: i64) -> Result<i64> {
        self.balance(tx, Account::Hold, currency).await
    }
}

fn changed(place: String, found: i64, expected: i64) -> LedgerDifference {
    LedgerDifference { rule: "entries stay as they were checked", place, found, expected }
}

/// The number of the last transfer, before which no other will come to be.
async fn settled_transfer(db: &Db) -> Result<i64> {
    if db.engine() == Engine::Sqlite {
        return Ok(fetch_one!(&mut db.read().await?, (i64,), store::LAST_TRANSFER)?.0);
    }
    let last = db.write(|tx| {
        Box::pin(async move {
            for statement in LOCK_TRANSFERS {
                execute!(tx, statement)?;
            }
            Ok(fetch_one!(tx, (i64,), store::LAST_TRANSFER)?.0)
        })
    });
    last.await
}
