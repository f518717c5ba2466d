//! Accounts and their transactions.
//!
//! Each transaction names the hash of the one before it. The driver computes the hashes itself, so that neither a node
//! that is behind nor one that answers with a part can hide a transaction: what is read is the whole chain of an
//! account, from what a block of the masterchain has down to what was read before. That is final.

use agio_plugin_sdk::protocol::CallError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tycho_types::boc::Boc;
use tycho_types::cell::{Cell, HashBytes};
use tycho_types::models::{Message, OrdinaryTxInfo, StdAddr, Transaction, TxInfo};

use crate::node::{TonCall, unreadable};

/// Transactions in one answer.
const PAGE: u32 = 100;

/// The place of a transaction in the chain of its account: logical time and hash. Both are zero before the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransactionId {
    pub lt: u64,
    pub hash: String,
}

/// An account as a block of the masterchain has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainAccount {
    /// In nanotons.
    pub balance: u128,
    pub is_active: bool,
    /// The data of its contract.
    pub data: Option<Cell>,
    pub last: TransactionId,
    /// The time of the block, in seconds since 1970-01-01 UTC.
    pub time: u64,
}

pub fn account_call(account: &StdAddr) -> TonCall {
    ("getAddressInformation", json!({ "address": account.to_string() }))
}

impl ChainAccount {
    /// # Errors
    /// `unreachable`: it cannot be read.
    pub fn read(answer: &Value) -> Result<Self, CallError> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let read = || {
            let last = &answer["last_transaction_id"];
            let hash: HashBytes = last["hash"].as_str()?.parse().ok()?;
            Some(Self {
                // That of an account without transactions is -1.
                balance: text(&answer["balance"])?.parse().unwrap_or_default(),
                is_active: answer["state"] == "active",
                data: Boc::decode_base64(answer["data"].as_str().unwrap_or_default()).ok(),
                last: TransactionId { lt: text(&last["lt"])?.parse().ok()?, hash: hash.to_string() },
                time: answer["sync_utime"].as_u64()?,
            })
        };
        read().ok_or_else(|| unreadable("an account"))
    }
}

/// A transaction from the chain of an account.
pub struct ChainTransaction {
    pub id: TransactionId,
    pub previous: TransactionId,
    pub content: Transaction,
}

/// The transactions of an account from one on, the newest first.
pub fn transactions_call(account: &StdAddr, from: &TransactionId) -> TonCall {
    let parameters = json!({ "address": account.to_string(), "limit": PAGE, "lt": from.lt, "hash": from.hash });
    ("getTransactions", parameters)
}

/// The transactions in an answer to [`transactions_call`].
///
/// # Errors
/// `unreachable`: they are not those of the chain.
pub fn transactions(answer: &Value, account: &StdAddr, from: &TransactionId) -> Result<Vec<ChainTransaction>, CallError> {
    let listed = answer.as_array().filter(|listed| !listed.is_empty()).ok_or_else(|| unreadable("the transactions"))?;
    let mut expected = from.clone();
    let mut transactions = Vec::new();
    for one in listed {
        let read = || {
            let cell = Boc::decode_base64(one["data"].as_str()?).ok()?;
            let content = cell.parse::<Transaction>().ok()?;
            let id = TransactionId { lt: content.lt, hash: cell.repr_hash().to_string() };
            let previous = TransactionId { lt: content.prev_trans_lt, hash: content.prev_trans_hash.to_string() };
            (id == expected && content.account == account.address).then_some(ChainTransaction { id, previous, content })
        };
        let transaction = read().ok_or_else(|| unreadable("a transaction is not the one that was requested"))?;
        expected = transaction.previous.clone();
        transactions.push(transaction);
    }
    Ok(transactions)
}

impl ChainTransaction {
    /// The message that caused it; `None` if a clock did.
    ///
    /// # Errors
    /// `unreadable_transaction`.
    pub fn message(&self) -> Result<Option<Message<'_>>, CallError> {
        self.content.load_in_msg().map_err(|_| self.unreadable())
    }

    /// What became of the message; `None` if there was none.
    ///
    /// # Errors
    /// `unreadable_transaction`.
    pub fn outcome(&self) -> Result<Option<OrdinaryTxInfo>, CallError> {
        match self.content.load_info().map_err(|_| self.unreadable())? {
            TxInfo::Ordinary(outcome) => Ok(Some(outcome)),
            TxInfo::TickTock(_) => Ok(None),
        }
    }

    /// The messages it sent.
    ///
    /// # Errors
    /// `unreadable_transaction`.
    pub fn sent(&self) -> Result<Vec<Cell>, CallError> {
        self.content.out_msgs.values().collect::<Result<_, _>>().map_err(|_| self.unreadable())
    }

    pub fn unreadable(&self) -> CallError {
        CallError::temporary("unreadable_transaction", format!("the transaction {} cannot be read", self.id.hash))
    }
}
