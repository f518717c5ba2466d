//! Double-entry books: the only code that writes entries.
//!
//! Money is never a number in a column that somebody edits. It moves between [`Account`]s by transfers of one
//! currency, gathered in a [`Batch`] that happens whole or not at all. The database itself keeps the rules: both sides
//! of a transfer are one row, accounts that must not go below zero have a check, nothing is ever changed or deleted.
//!
//! What a claim will pay out is set aside by a [`Hold`] on the reserve. A hold ends exactly once: it is posted,
//! released, or it expires.

mod account;
mod check;
mod reserves;
mod store;

use std::sync::Arc;

use agio_core::db::Engine;
use agio_core::error::Constraint;
use agio_core::live::{Live, Notice};
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_locked, fetch_optional, write_one};
use arc_swap::ArcSwap;
use uuid::Uuid;

pub use account::Account;
pub use check::{Checked, Difference};
pub use reserves::{Available, Reserves};
pub use store::{EntryRow, MovementRow, STATEMENTS};

/// The books' own texts.
pub const DICTIONARY: agio_core::texts::Dictionary = agio_core::dictionary!();

/// One movement of one currency between two accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The account it leaves.
    pub debit: Account,
    /// The account it reaches.
    pub credit: Account,
    /// The currency of both.
    pub currency: i64,
    /// How much, in units of the currency's scale; more than zero.
    pub units: i64,
}

/// Transfers that happen together, and why.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Identifier; a batch can be written once.
    pub id: Uuid,
    /// Stable name of what happened: `claim_created`, `deposit`.
    pub reason: &'static str,
    /// The claim or movement it is about.
    pub about: Uuid,
    /// When it happened.
    pub at: Timestamp,
    /// Who did it, in words for the books; nothing for the house itself.
    pub actor: Option<String>,
    /// What they said of it.
    pub note: Option<String>,
    /// The transfers, in order.
    pub transfers: Vec<Transfer>,
}

impl Batch {
    /// An empty batch.
    #[must_use]
    pub fn new(id: Uuid, reason: &'static str, about: Uuid, at: Timestamp) -> Self {
        Self { id, reason, about, at, actor: None, note: None, transfers: Vec::new() }
    }

    /// The same batch with one transfer more; a transfer of nothing is left out.
    #[must_use]
    pub fn moving(mut self, debit: Account, credit: Account, currency: i64, units: i64) -> Self {
        assert!(units >= 0, "a transfer moves an amount forward; swap its accounts to move it back");
        if units > 0 {
            self.transfers.push(Transfer { debit, credit, currency, units });
        }
        self
    }
}

/// A part of the reserve set aside for something.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// Identifier.
    pub id: Uuid,
    /// The currency of the reserve.
    pub currency: i64,
    /// How much, in units; more than zero.
    pub units: i64,
    /// What it is for: the claim.
    pub about: Uuid,
}

/// How a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Paid out: the amount goes to the claim's payout.
    Posted,
    /// Not needed any more: the amount is reserve again.
    Released,
    /// Nobody came for it in time: the amount is reserve again.
    Expired,
}

/// The books. Clones share the memory of reserves.
#[derive(Clone)]
pub struct Ledger {
    reserves: Reserves,
    live: Live,
    last_check: Arc<ArcSwap<Checked>>,
}

impl Ledger {
    /// Books that tell `live` of every change of a reserve. Call [`Reserves::load`] before serving.
    #[must_use]
    pub fn new(live: Live) -> Self {
        Self { reserves: Reserves::default(), live, last_check: Arc::default() }
    }

    /// What is free in each currency's reserve.
    #[must_use]
    pub fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    /// Opens the house's accounts of a currency; does nothing where they are open.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn open_currency(&self, tx: &mut Tx, currency: i64) -> Result<()> {
        for account in Account::OF_THE_HOUSE {
            self.open(tx, account, currency).await?;
        }
        Ok(())
    }

    /// Opens one account; does nothing where it is open.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn open(&self, tx: &mut Tx, account: Account, currency: i64) -> Result<()> {
        execute!(tx, store::OPEN_ACCOUNT, account.name(currency), currency, account.may_be_negative())?;
        Ok(())
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// 409 `balance_too_low` when an account that must not go below zero would.
    pub async fn post(&self, tx: &mut Tx, batch: &Batch) -> Result<()> {
        for (seq, transfer) in (0_i64..).zip(&batch.transfers) {
            assert!(transfer.units > 0, "a transfer moves something");
            is_covered(tx, transfer).await?;
            write_one!(
                tx,
                store::INSERT_TRANSFER,
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
            .map_err(too_low)?;
            self.remember(tx, transfer, batch.at);
        }
        Ok(())
    }

    /// Sets a part of the reserve aside.
    ///
    /// # Errors
    /// 409 `balance_too_low` when the reserve has not that much.
    pub async fn hold(&self, tx: &mut Tx, hold: Hold, batch: Batch) -> Result<()> {
        write_one!(tx, store::INSERT_HOLD, hold.id, hold.currency, hold.units, hold.about, batch.at)?;
        self.post(tx, &batch.moving(Account::Reserve, Account::Hold, hold.currency, hold.units)).await
    }

    /// Ends a hold, together with the other transfers of the batch.
    ///
    /// # Errors
    /// 409 `hold_ended` when it has ended before.
    pub async fn end_hold(&self, tx: &mut Tx, hold: Uuid, ending: Ending, batch: Batch) -> Result<()> {
        let batch = ended(tx, hold, ending, batch).await?;
        self.post(tx, &batch).await
    }

    /// What an account holds, in units; nothing in one that was never opened.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn balance(&self, tx: &mut Tx, account: Account, currency: i64) -> Result<i64> {
        let found = fetch_optional!(tx, (i64,), store::BALANCE, account.name(currency))?;
        Ok(found.map_or(0, |(balance,)| balance))
    }

    /// Releases a hold and sets another part of the reserve aside, together with the other transfers of the batch.
    ///
    /// # Errors
    /// 409 `hold_ended` when the old one has ended before; `balance_too_low` when the reserve has not enough for the new one.
    pub async fn replace_hold(&self, tx: &mut Tx, old: Uuid, new: Hold, batch: Batch) -> Result<()> {
        let batch = ended(tx, old, Ending::Released, batch).await?;
        self.hold(tx, new, batch).await
    }

    /// The movements of a currency's reserve before a moment, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn movements(&self, tx: &mut Tx, currency: i64, before: Timestamp, size: i64) -> Result<Vec<MovementRow>> {
        fetch_all!(tx, MovementRow, store::MOVEMENTS, currency, before, size, Account::Reserve.name(currency))
    }

    /// Tells memory and listeners of a change of a reserve once it is durable.
    fn remember(&self, tx: &mut Tx, transfer: &Transfer, at: Timestamp) {
        let change = match (transfer.debit, transfer.credit) {
            (Account::Reserve, _) => -transfer.units,
            (_, Account::Reserve) => transfer.units,
            _ => return,
        };
        let (reserves, live, currency) = (self.reserves.clone(), self.live.clone(), transfer.currency);
        tx.after_commit(move || {
            reserves.change(currency, change, at);
            live.tell(Notice::Reserve(currency));
        });
    }
}

/// Marks a hold as ended; the batch gets the transfer by which its amount leaves.
async fn ended(tx: &mut Tx, hold: Uuid, ending: Ending, batch: Batch) -> Result<Batch> {
    let state = match ending {
        Ending::Posted => "posted",
        Ending::Released => "released",
        Ending::Expired => "expired",
    };
    let held = fetch_optional!(tx, (i64, i64), store::END_HOLD, hold, state, batch.at)?;
    let (currency, units) = held.ok_or_else(|| Error::conflict("hold_ended"))?;
    let goes_to = if ending == Ending::Posted { Account::ClaimOut } else { Account::Reserve };
    Ok(batch.moving(Account::Hold, goes_to, currency, units))
}

/// Whether the account a transfer leaves has as much. The database would refuse it too; but on PostgreSQL, where many ask for the last of a
/// reserve at once, each refusal of it is an error in the server's log. The accounts are locked in the order in which they are changed then.
///
/// # Errors
/// 409 `balance_too_low`.
async fn is_covered(tx: &mut Tx, transfer: &Transfer) -> Result<()> {
    if tx.engine() != Engine::Postgres || transfer.debit.may_be_negative() {
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

fn too_low(error: Error) -> Error {
    match error.constraint() {
        Some(Constraint::Check) => Error::conflict("balance_too_low"),
        _ => error,
    }
}
