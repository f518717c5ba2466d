//! The double-entry ledger: the only code that writes entries.
//!
//! Money is never a number in a column that someone edits. It moves between [`Account`]s by transfers of one currency,
//! grouped in a [`TransferBatch`] that is posted atomically. The database itself enforces the rules: both sides of a
//! transfer are one row, accounts that must not go below zero have a check, and nothing is ever changed or deleted.
//!
//! The payout of a claim is reserved by a [`Hold`]. A hold ends exactly once: it is posted, released, or it expires.

mod account;
mod check;
mod reserves;
mod store;

use std::collections::HashMap;
use std::sync::Arc;

use agio_core::db::Engine;
use agio_core::error::Constraint;
use agio_core::events::{ChangeEvent, EventBus};
use agio_core::keyset::KeysetPage;
use agio_core::{Amount, Error, Result, Timestamp, Tx, execute, fetch_all, fetch_locked, fetch_optional, write_hot, write_one};
use arc_swap::ArcSwap;
use uuid::Uuid;

pub use account::Account;
pub use check::{LedgerCheck, LedgerDifference};
pub use reserves::{AvailableReserve, Reserves};
pub use store::{LedgerTransferRow, ReserveMovementRow, STATEMENTS};

pub const DICTIONARY: agio_core::texts::Dictionary = agio_core::dictionary!();

/// A movement of one currency between two accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The account it leaves.
    pub debit: Account,
    /// The account it reaches.
    pub credit: Account,
    pub currency: i64,
    /// Greater than zero.
    pub units: i64,
}

/// Transfers that are posted together.
#[derive(Clone, Debug)]
pub struct TransferBatch {
    /// A batch can be posted once.
    pub id: Uuid,
    /// A stable name: `claim_created`, `deposit`.
    pub reason: &'static str,
    /// The claim or reserve movement.
    pub about: Uuid,
    pub at: Timestamp,
    /// The actor's name; `None` for the system itself.
    pub actor: Option<String>,
    /// The actor's note.
    pub note: Option<String>,
    pub transfers: Vec<Transfer>,
}

impl TransferBatch {
    /// An empty batch.
    pub fn new(id: Uuid, reason: &'static str, about: Uuid, at: Timestamp) -> Self {
        Self { id, reason, about, at, actor: None, note: None, transfers: Vec::new() }
    }

    /// Adds a transfer; a transfer of zero is left out.
    #[must_use]
    pub fn with_transfer(self, debit: Account, credit: Account, amount: Amount) -> Self {
        self.with_units(debit, credit, amount.currency().id(), amount.units())
    }

    fn with_units(mut self, debit: Account, credit: Account, currency: i64, units: i64) -> Self {
        assert!(units >= 0, "a transfer moves an amount forward; swap its accounts to move it back");
        if units > 0 {
            self.transfers.push(Transfer { debit, credit, currency, units });
        }
        self
    }
}

/// A part of the reserve held for a claim.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    pub id: Uuid,
    /// Greater than zero.
    pub amount: Amount,
    /// The claim.
    pub about: Uuid,
}

/// The sort key of a reserve movement.
pub type MovementKey = (Timestamp, Uuid, i64);

/// How a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldOutcome {
    /// The amount goes to the claim's payout.
    Posted,
    /// The amount returns to the reserve.
    Released,
    /// The amount returns to the reserve because the claim timed out.
    Expired,
}

/// Clones share the reserves in memory.
#[derive(Clone)]
pub struct Ledger {
    reserves: Reserves,
    events: EventBus,
    last_check: Arc<ArcSwap<LedgerCheck>>,
}

impl Ledger {
    /// A ledger that publishes changes of reserves. Call [`Reserves::load`] before serving.
    pub fn new(events: EventBus) -> Self {
        Self { reserves: Reserves::default(), events, last_check: Arc::default() }
    }

    /// The free reserves of all currencies.
    pub fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    /// Opens a currency's accounts that are not open yet.
    pub async fn open_currency(&self, tx: &mut Tx, currency: i64) -> Result<()> {
        for account in Account::OF_EVERY_CURRENCY {
            self.open(tx, account, currency).await?;
        }
        Ok(())
    }

    /// Opens an account unless it is open.
    pub async fn open(&self, tx: &mut Tx, account: Account, currency: i64) -> Result<()> {
        execute!(tx, store::OPEN_ACCOUNT, account.name(currency), currency, account.may_be_negative())?;
        Ok(())
    }

    /// Posts a batch.
    ///
    /// # Errors
    /// 409 `balance_too_low` when an account that must not go below zero would.
    pub async fn post(&self, tx: &mut Tx, batch: &TransferBatch) -> Result<()> {
        for (seq, transfer) in (0_i64..).zip(&batch.transfers) {
            assert!(transfer.units > 0, "a transfer moves at least one unit");
            require_balance(tx, transfer).await?;
            write_hot!(
                tx,
                store::INSERT_TRANSFER,
                store::INSERT_TRANSFERS,
                batch.id,
                seq,
                transfer.currency,
                transfer.debit.name(transfer.currency),
                transfer.credit.name(transfer.currency),
                transfer.units,
                batch.reason,
                batch.about,
                batch.note.as_deref(),
                batch.actor.as_deref(),
                batch.at,
            )
            .map_err(balance_too_low)?;
            self.publish_after_commit(tx, transfer, batch.at);
        }
        Ok(())
    }

    /// Holds a part of the reserve.
    ///
    /// # Errors
    /// 409 `balance_too_low` when the reserve is too small.
    pub async fn hold(&self, tx: &mut Tx, hold: Hold, batch: TransferBatch) -> Result<()> {
        let (currency, units) = (hold.amount.currency().id(), hold.amount.units());
        write_one!(tx, store::INSERT_HOLD, hold.id, currency, units, hold.about, batch.at)?;
        self.post(tx, &batch.with_transfer(Account::Reserve, Account::Hold, hold.amount)).await
    }

    /// Ends a hold, together with the other transfers of the batch.
    ///
    /// # Errors
    /// 409 `hold_ended` when it has ended before.
    pub async fn end_hold(&self, tx: &mut Tx, hold: Uuid, outcome: HoldOutcome, batch: TransferBatch) -> Result<()> {
        let batch = mark_hold_ended(tx, hold, outcome, batch).await?;
        self.post(tx, &batch).await
    }

    /// The balance of an account in units; zero for an account that was never opened.
    pub async fn balance(&self, tx: &mut Tx, account: Account, currency: i64) -> Result<i64> {
        let found = fetch_optional!(tx, (i64,), store::BALANCE, account.name(currency))?;
        Ok(found.map_or(0, |(balance,)| balance))
    }

    /// The free reserve of every currency that the ledger has an entry of, in units by currency.
    pub async fn reserves_with_entries(&self, tx: &mut Tx) -> Result<HashMap<i64, i64>> {
        let rows = fetch_all!(tx, (i64, i64, i64), store::RESERVES)?;
        Ok(rows.into_iter().filter(|(.., changed_at)| *changed_at > 0).map(|(currency, units, _)| (currency, units)).collect())
    }

    /// Releases a hold and holds another part of the reserve, together with the other transfers of the batch.
    ///
    /// # Errors
    /// 409 `hold_ended` when the old hold has ended before; `balance_too_low` when the reserve is too small for the
    /// new one.
    pub async fn replace_hold(&self, tx: &mut Tx, old: Uuid, new: Hold, batch: TransferBatch) -> Result<()> {
        let batch = mark_hold_ended(tx, old, HoldOutcome::Released, batch).await?;
        self.hold(tx, new, batch).await
    }

    /// The movements of a currency's reserve after a key, newest first.
    pub async fn movements(
        &self,
        tx: &mut Tx,
        currency: i64,
        after: Option<MovementKey>,
        size: usize,
    ) -> Result<KeysetPage<ReserveMovementRow, MovementKey>> {
        let (at, batch, seq) = after.unwrap_or((Timestamp(i64::MAX), Uuid::nil(), 0));
        let reserve = Account::Reserve.name(currency);
        let rows = fetch_all!(tx, ReserveMovementRow, store::MOVEMENTS, currency, at, batch, seq, size as i64 + 1, reserve)?;
        Ok(KeysetPage::of(rows, size, |row| (row.created_at, row.batch_id, row.seq)))
    }

    /// Updates the reserve in memory and publishes the change after the commit.
    fn publish_after_commit(&self, tx: &mut Tx, transfer: &Transfer, at: Timestamp) {
        let change = match (transfer.debit, transfer.credit) {
            (Account::Reserve, _) => -transfer.units,
            (_, Account::Reserve) => transfer.units,
            _ => return,
        };
        let (reserves, events, currency) = (self.reserves.clone(), self.events.clone(), transfer.currency);
        tx.after_commit(move || {
            reserves.change(currency, change, at);
            events.publish(ChangeEvent::Reserve(currency));
        });
    }
}

/// Marks a hold as ended and adds the transfer of its amount to the batch.
async fn mark_hold_ended(tx: &mut Tx, hold: Uuid, outcome: HoldOutcome, batch: TransferBatch) -> Result<TransferBatch> {
    let state = match outcome {
        HoldOutcome::Posted => "posted",
        HoldOutcome::Released => "released",
        HoldOutcome::Expired => "expired",
    };
    let held = fetch_optional!(tx, (i64, i64), store::END_HOLD, hold, state, batch.at)?;
    let (currency, units) = held.ok_or_else(|| Error::conflict("hold_ended"))?;
    let goes_to = if outcome == HoldOutcome::Posted { Account::ClaimOut } else { Account::Reserve };
    Ok(batch.with_units(Account::Hold, goes_to, currency, units))
}

/// Checks that the debited account has enough. The database would refuse it too; but on PostgreSQL, where many claims
/// compete for the last of a reserve, each refusal is an error in the server's log. The accounts are locked in the
/// order in which they are changed. For batched work the statement checks it.
///
/// # Errors
/// 409 `balance_too_low`.
async fn require_balance(tx: &mut Tx, transfer: &Transfer) -> Result<()> {
    if tx.engine() != Engine::Postgres || tx.is_batched() || transfer.debit.may_be_negative() {
        return Ok(());
    }
    let debit = transfer.debit.name(transfer.currency);
    let mut names = [&debit, &transfer.credit.name(transfer.currency)];
    names.sort();
    for name in names {
        let balance = fetch_locked!(tx, (i64,), "ledger_account", store::BALANCE, name)?;
        if *name == debit && balance.is_some_and(|(balance,)| balance < transfer.units) {
            return Err(Error::conflict("balance_too_low"));
        }
    }
    Ok(())
}

fn balance_too_low(error: Error) -> Error {
    match error.constraint() {
        Some(Constraint::Check) => Error::conflict("balance_too_low"),
        _ => error,
    }
}
