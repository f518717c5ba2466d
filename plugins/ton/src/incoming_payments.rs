//! Incoming payments.
//!
//! Of toncoin the transactions of the account are read, of a jetton those of its jetton wallet, the newest first. The
//! jetton wallet carries out a transfer only if the jetton wallet of the sender, of the same issuer, sent it. Movements
//! and cursor are stored together, so nothing is lost or reported twice after a crash.

use agio_plugin_sdk::amounts::amount;
use agio_plugin_sdk::protocol::{CallError, CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tycho_types::models::{IntAddr, MsgInfo, StdAddr};

use crate::chain::{self, ChainAccount, ChainTransaction, TransactionId};
use crate::messages::{self, EXCESSES, INTERNAL_TRANSFER, JettonTransfer, OWNERSHIP_ASSIGNED, TRANSFER_NOTIFICATION};
use crate::node;
use crate::settings::{self, Jetton};

/// How far back the first call begins, in seconds.
const FIRST_SECONDS: i64 = 600;

/// Rounds that read transactions in one call.
const SCAN_ROUNDS: u32 = 20;

/// Where reading stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Cursor {
    /// The account whose transactions are read, and for whom: the owner, and the issuer of a jetton.
    account: StdAddr,
    watched: String,
    /// Everything up to this transaction was read; `None` if nothing was.
    last: Option<TransactionId>,
    /// What is older was not asked for, in seconds since 1970-01-01 UTC.
    since: i64,
    /// The part above `last` that is being read.
    scan: Option<Scan>,
    /// Payments without the required confirmations.
    open: Vec<OpenPayment>,
}

/// A part of the chain: read from the top down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scan {
    top: TransactionId,
    next: TransactionId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenPayment {
    tx: String,
    memo: Option<String>,
    /// In the smallest units.
    units: String,
    /// The masterchain's newest block when it was found.
    found: u64,
}

/// The note between the rounds of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Progress {
    cursor: Cursor,
    /// The masterchain's newest block.
    head: u64,
    scans: u32,
}

/// What came since the cursor.
pub fn watch(request: &PluginRequest, watch: &WatchRequest) -> PluginResponse {
    next(request, watch).unwrap_or_else(PluginResponse::Failed)
}

fn next(request: &PluginRequest, watch: &WatchRequest) -> Result<PluginResponse, CallError> {
    let jetton = settings::jetton(request, &watch.currency)?;
    let owner = settings::deposit_address(request)?;
    let smallest = settings::smallest(request, jetton.as_ref())?;
    let needs = |calls: Vec<node::TonCall>, memo: Value| {
        let actions = calls.iter().map(|call| node::request(request, call)).collect();
        Ok(PluginResponse::Needs { actions, memo })
    };
    if request.outcomes.is_empty() {
        let mut calls = vec![node::head_call()];
        if let Some(jetton) = &jetton {
            calls.push(node::jetton_wallet_call(&jetton.master, &owner)?);
        }
        return needs(calls, Value::Null);
    }
    let mut progress = if request.memo.is_null() {
        let head = node::head(request, &node::answer(request, 0)?)?;
        let account = match &jetton {
            Some(_) => node::jetton_wallet(&node::answer(request, 1)?)?,
            None => owner.clone(),
        };
        let watched = jetton.iter().fold(owner.to_string(), |owner, jetton| format!("{owner} {}", jetton.master));
        let progress = Progress { cursor: cursor(request, watch, account, watched)?, head, scans: 0 };
        if progress.cursor.scan.is_none() {
            return needs(vec![chain::account_call(&progress.cursor.account)], json!(progress));
        }
        progress
    } else {
        let progress: Progress = serde_json::from_value(request.memo.clone())
            .map_err(|_| CallError::permanent("unreadable", "the note of the previous round cannot be read"))?;
        let answer = node::answer(request, 0)?;
        match &progress.cursor.scan {
            None => begin(progress, &ChainAccount::read(&answer)?)?,
            Some(scan) => {
                let transactions = chain::transactions(&answer, &progress.cursor.account, &scan.next)?;
                read(progress, &transactions, jetton.as_ref(), smallest)?
            }
        }
    };
    match &progress.cursor.scan {
        Some(scan) if progress.scans < SCAN_ROUNDS => {
            let calls = vec![chain::transactions_call(&progress.cursor.account, &scan.next)];
            progress.scans += 1;
            needs(calls, json!(progress))
        }
        _ => report(watch, &owner, jetton.as_ref(), progress).map(CallResult::Movements).map(PluginResponse::Done),
    }
}

/// The stored cursor, or a new one if the settings name another address.
fn cursor(request: &PluginRequest, watch: &WatchRequest, account: StdAddr, watched: String) -> Result<Cursor, CallError> {
    let stored: Option<Cursor> = watch
        .cursor
        .as_ref()
        .map(|cursor| serde_json::from_str(cursor))
        .transpose()
        .map_err(|_| CallError::permanent("bad_cursor", "the stored cursor cannot be read"))?;
    match stored.filter(|cursor| cursor.watched == watched) {
        Some(cursor) if cursor.account == account => Ok(cursor),
        Some(_) => Err(CallError::temporary("chain_changed", "the node names another jetton wallet than before")),
        None => {
            let since = request.now / 1_000_000 - FIRST_SECONDS;
            Ok(Cursor { account, watched, last: None, since, scan: None, open: Vec::new() })
        }
    }
}

/// Compares what was read with the account.
fn begin(mut progress: Progress, account: &ChainAccount) -> Result<Progress, CallError> {
    let top = account.last.clone();
    if let Some(last) = progress.cursor.last.as_ref().filter(|last| top.lt < last.lt) {
        let why = format!("the node has transactions up to {}, and {} was read", top.lt, last.lt);
        return Err(CallError::temporary("node_behind", why));
    }
    if progress.cursor.is_reached(&top)? {
        progress.cursor.last = Some(top);
    } else {
        progress.cursor.scan = Some(Scan { next: top.clone(), top });
    }
    Ok(progress)
}

impl Cursor {
    /// Whether everything above a transaction was read.
    ///
    /// # Errors
    /// `chain_changed`: it is not in the chain that was read before.
    fn is_reached(&self, next: &TransactionId) -> Result<bool, CallError> {
        match &self.last {
            None => Ok(next.lt == 0),
            Some(last) if next.lt > last.lt => Ok(false),
            Some(last) if next == last => Ok(true),
            Some(last) => {
                let why = format!("the node has another chain of the account than was read, at {}", last.lt);
                Err(CallError::temporary("chain_changed", why))
            }
        }
    }
}

/// Reads the next transactions.
fn read(
    mut progress: Progress,
    transactions: &[ChainTransaction],
    jetton: Option<&Jetton>,
    smallest: u128,
) -> Result<Progress, CallError> {
    let Progress { cursor, head, .. } = &mut progress;
    let Some(mut scan) = cursor.scan.take() else { return Ok(progress) };
    for transaction in transactions {
        let is_asked_for = cursor.last.is_some() || i64::from(transaction.content.now) >= cursor.since;
        if is_asked_for
            && let Some((units, memo)) = payment(transaction, &cursor.account, jetton)?.filter(|(units, _)| *units >= smallest)
        {
            let tx = transaction.id.hash.clone();
            cursor.open.push(OpenPayment { tx, memo, units: units.to_string(), found: *head });
        }
        scan.next = transaction.previous.clone();
        if !is_asked_for || cursor.is_reached(&scan.next)? {
            cursor.last = Some(scan.top);
            return Ok(progress);
        }
    }
    cursor.scan = Some(scan);
    Ok(progress)
}

/// The units and the comment of a payment, if the transaction is one.
fn payment(
    transaction: &ChainTransaction,
    account: &StdAddr,
    jetton: Option<&Jetton>,
) -> Result<Option<(u128, Option<String>)>, CallError> {
    let (Some(message), Some(outcome)) = (transaction.message()?, transaction.outcome()?) else { return Ok(None) };
    let MsgInfo::Int(info) = &message.info else { return Ok(None) };
    // What comes back, and what one pays to oneself.
    if info.bounced || info.src == IntAddr::Std(account.clone()) {
        return Ok(None);
    }
    let operation = messages::operation(message.body);
    Ok(match (jetton, operation) {
        (Some(_), Some((INTERNAL_TRANSFER, body))) if !outcome.aborted => {
            let transfer = JettonTransfer::read(body).ok_or_else(|| transaction.unreadable())?;
            Some((transfer.units, transfer.comment))
        }
        (Some(_), _) | (None, Some((EXCESSES | TRANSFER_NOTIFICATION | OWNERSHIP_ASSIGNED, _))) => None,
        // Toncoin that the account refuses goes back.
        (None, _) if outcome.bounce_phase.is_some() => None,
        (None, _) => Some((info.value.tokens.into_inner(), messages::comment(message.body))),
    })
}

fn report(watch: &WatchRequest, owner: &StdAddr, jetton: Option<&Jetton>, progress: Progress) -> Result<Movements, CallError> {
    let Progress { mut cursor, head, .. } = progress;
    let address = owner.display_base64_url(false).to_string();
    let confirmations =
        |payment: &OpenPayment| u32::try_from((head + 1).saturating_sub(payment.found)).unwrap_or(u32::MAX).max(1);
    let movement = |payment: &OpenPayment| {
        Some(Movement {
            tx_id: payment.tx.clone(),
            output: 0,
            address: address.clone(),
            memo: payment.memo.clone(),
            amount: amount(payment.units.parse().ok()?, settings::decimals(jetton)),
            confirmations: confirmations(payment),
            gone: false,
        })
    };
    let bad = || CallError::permanent("bad_cursor", "an amount in the stored cursor cannot be read");
    let movements = cursor.open.iter().map(movement).collect::<Option<_>>().ok_or_else(bad)?;
    cursor.open.retain(|payment| confirmations(payment) < watch.confirmations);
    Ok(Movements { movements, cursor: json!(cursor).to_string(), height: head })
}
