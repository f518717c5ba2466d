//! Incoming payments.
//!
//! Only solidified blocks are read, each once and in order: what was read can no longer disappear. The cursor has the last
//! one and the payments that lack confirmations. Movements and cursor are stored together, so nothing is lost or reported
//! twice after a crash.

use std::collections::{BTreeMap, BTreeSet};

use agio_plugin_evm::values::{self, EvmAddress};
use agio_plugin_evm::{TokenContract, addresses};
use agio_plugin_sdk::protocol::{CallError, CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::blocks::{self, Block, BlockId};
use crate::node::{self, Outcome, unreadable};
use crate::{address, settings};

/// How far back the first call begins.
const FIRST_BLOCKS: u64 = 20;

/// Rounds that read blocks in one call.
const SCAN_ROUNDS: u32 = 8;

/// Where reading stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Cursor {
    /// The last block that was read.
    block: BlockId,
    /// Payments without the required confirmations.
    open: Vec<OpenPayment>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenPayment {
    tx: String,
    output: u32,
    address: String,
    /// In the smallest units.
    units: String,
    block: u64,
}

/// The note between the rounds of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Progress {
    /// The number of the last block that was read, and its hash, unless reading begins.
    read: (u64, Option<String>),
    /// The newest solidified block.
    solid: u64,
    /// The newest block.
    head: u64,
    open: Vec<OpenPayment>,
    scans: u32,
}

/// What came since the cursor.
pub fn watch(request: &PluginRequest, watch: &WatchRequest) -> PluginResponse {
    next(request, watch).unwrap_or_else(PluginResponse::Failed)
}

fn next(request: &PluginRequest, watch: &WatchRequest) -> Result<PluginResponse, CallError> {
    let token = settings::token(request, &watch.currency)?;
    let cursor: Option<Cursor> = match &watch.cursor {
        None => None,
        Some(cursor) => serde_json::from_str(cursor)
            .map(Some)
            .map_err(|_| CallError::permanent("bad_cursor", "the stored cursor cannot be read"))?,
    };
    let ours = addresses::all(&request.stored);
    let progress = if request.outcomes.is_empty() {
        let mut calls = node::identity_calls(token);
        calls.extend([blocks::newest_solid_call(), blocks::newest_call()]);
        calls.extend(cursor.map(|cursor| ("walletsolidity/getblockbynum", json!({ "num": cursor.block.number }))));
        let actions = calls.iter().map(|call| node::request(request, call)).collect();
        return Ok(PluginResponse::Needs { actions, memo: Value::Null });
    } else if request.memo.is_null() {
        begin(request, token, cursor, &ours)?
    } else {
        let progress = serde_json::from_value(request.memo.clone())
            .map_err(|_| CallError::permanent("unreadable", "the note of the previous round cannot be read"))?;
        scan(request, token, progress, &ours)?
    };
    if progress.read.0 < progress.solid && progress.scans < SCAN_ROUNDS {
        let (first, last) = (progress.read.0, progress.solid);
        let mut calls = vec![blocks::after_call(first, last)];
        if token.is_some() {
            // The results of transactions, and what contracts recorded.
            let numbers = (first + 1..=last).take(blocks::BLOCKS_PER_CALL as usize);
            calls.extend(numbers.map(|num| ("walletsolidity/gettransactioninfobyblocknum", json!({ "num": num }))));
        }
        let actions = calls.iter().map(|call| node::request(request, call)).collect();
        return Ok(PluginResponse::Needs { actions, memo: json!(progress) });
    }
    report(watch, token, progress).map(|movements| PluginResponse::Done(CallResult::Movements(movements)))
}

/// Compares the last block that was read with the chain.
fn begin(
    request: &PluginRequest,
    token: Option<TokenContract>,
    cursor: Option<Cursor>,
    ours: &BTreeSet<EvmAddress>,
) -> Result<Progress, CallError> {
    let identity = node::identity_calls(token).len();
    node::check_identity(request, token)?;
    let solid = Block::read(&node::answer(request, identity)?)?.id;
    let head = Block::read(&node::answer(request, identity + 1)?)?.id.number.max(solid.number);
    let (read, open) = match cursor {
        None => ((solid.number.saturating_sub(FIRST_BLOCKS), None), Vec::new()),
        Some(Cursor { block, .. }) if solid.number < block.number => {
            let why = format!("the node is at block {}, and {} was read", solid.number, block.number);
            return Err(CallError::temporary("node_behind", why));
        }
        Some(Cursor { block, open }) => {
            if Block::read(&node::answer(request, identity + 2)?)?.id != block {
                return Err(blocks::changed(block.number));
            }
            ((block.number, Some(block.hash)), open)
        }
    };
    // Without addresses there is nothing to find.
    let read = if ours.is_empty() { (solid.number, Some(solid.hash)) } else { read };
    Ok(Progress { read, solid: solid.number, head, open, scans: 0 })
}

/// Reads the next blocks.
fn scan(
    request: &PluginRequest,
    token: Option<TokenContract>,
    mut progress: Progress,
    ours: &BTreeSet<EvmAddress>,
) -> Result<Progress, CallError> {
    progress.scans += 1;
    let (read, hash) = &progress.read;
    let blocks = blocks::following((*read, hash.as_deref()), &node::answer(request, 0)?)?;
    // A node that is behind has none yet: the next call continues.
    if blocks.is_empty() {
        progress.scans = SCAN_ROUNDS;
    }
    for (place, block) in (1..).zip(blocks) {
        if block.id.number > progress.solid {
            break;
        }
        match token {
            None => transfers(&block, ours, &mut progress.open)?,
            Some(token) => events(&block, &node::answer(request, place)?, token, ours, &mut progress.open)?,
        }
        progress.read = (block.id.number, Some(block.id.hash));
    }
    Ok(progress)
}

/// Payments of TRX. Tokens of the older kind (TRC-10) are sent by another type of contract.
fn transfers(block: &Block, ours: &BTreeSet<EvmAddress>, open: &mut Vec<OpenPayment>) -> Result<(), CallError> {
    for transaction in &block.transactions {
        let contracts = transaction["raw_data"]["contract"].as_array().ok_or_else(|| unreadable("a transaction"))?;
        // A node leaves out a contract that it cannot print. There is never more than one.
        let [contract] = &contracts[..] else { continue };
        if contract["type"] != "TransferContract" || !is_successful(transaction) {
            continue;
        }
        let value = &contract["parameter"]["value"];
        let read = || Some((address::of_hex(value["to_address"].as_str()?)?, value["amount"].as_u64()?));
        let (to, units) = read().ok_or_else(|| unreadable("a transfer"))?;
        if units > 0 && ours.contains(&to) {
            let tx = node::hash(&transaction["txID"]).ok_or_else(|| unreadable("a transaction"))?;
            open.push(OpenPayment {
                tx,
                output: 0,
                address: address::encode(to),
                units: units.to_string(),
                block: block.id.number,
            });
        }
    }
    Ok(())
}

/// Payments of a token. The output is the place among the transaction's own logs. Everybody can put records of nothing
/// on the network, to addresses like those of others: they are no payments.
fn events(
    block: &Block,
    infos: &Value,
    token: TokenContract,
    ours: &BTreeSet<EvmAddress>,
    open: &mut Vec<OpenPayment>,
) -> Result<(), CallError> {
    let states =
        block.transactions.iter().map(|transaction| Some((node::hash(&transaction["txID"])?, is_successful(transaction))));
    let mut states: BTreeMap<_, _> = states.collect::<Option<_>>().ok_or_else(|| unreadable("a transaction"))?;
    for info in infos.as_array().ok_or_else(|| unreadable("the results of a block"))? {
        let read = || Some((node::hash(&info["id"])?, info["blockNumber"].as_u64().filter(|number| *number == block.id.number)?));
        let (tx, _) = read().ok_or_else(|| unreadable("the results of a transaction"))?;
        let Some(is_successful) = states.remove(&tx) else { return Err(unreadable("results of another block")) };
        if !is_successful || node::outcome(info, true) != Outcome::Succeeded {
            continue;
        }
        for (output, log) in (0..).zip(info["log"].as_array().into_iter().flatten()) {
            let Some((_, to, units)) = node::transfer(log, token) else { continue };
            if units > 0 && ours.contains(&to) {
                let (address, units) = (address::encode(to), units.to_string());
                open.push(OpenPayment { tx: tx.clone(), output, address, units, block: block.id.number });
            }
        }
    }
    // A node that has lost results answers with an empty list: the payments in it would be missed.
    if states.is_empty() { Ok(()) } else { Err(unreadable("results of a block are missing")) }
}

fn is_successful(transaction: &Value) -> bool {
    transaction["ret"][0]["contractRet"] == "SUCCESS"
}

fn report(watch: &WatchRequest, token: Option<TokenContract>, progress: Progress) -> Result<Movements, CallError> {
    let Progress { read: (number, hash), head, mut open, .. } = progress;
    let hash = hash.ok_or_else(|| unreadable("the node returned no blocks"))?;
    let confirmations = |payment: &OpenPayment| u32::try_from((head + 1).saturating_sub(payment.block)).unwrap_or(u32::MAX);
    let movement = |payment: &OpenPayment| {
        let units = payment.units.parse().ok()?;
        Some(Movement {
            tx_id: payment.tx.clone(),
            output: payment.output,
            address: payment.address.clone(),
            memo: None,
            amount: values::amount(units, settings::decimals(token)),
            confirmations: confirmations(payment),
            gone: false,
        })
    };
    let bad = || CallError::permanent("bad_cursor", "an amount in the stored cursor cannot be read");
    let movements = open.iter().map(movement).collect::<Option<_>>().ok_or_else(bad)?;
    open.retain(|payment| confirmations(payment) < watch.confirmations);
    let cursor = json!(Cursor { block: BlockId { number, hash }, open }).to_string();
    Ok(Movements { movements, cursor, height: head })
}
