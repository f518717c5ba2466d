//! Incoming payments.
//!
//! The cursor has the hashes of blocks that were read and the payments that may still disappear. Movements and cursor are stored
//! together, so nothing is lost or reported twice after a crash.
//!
//! A call has up to four steps: compare the known blocks with the chain, look for payments whose block was replaced,
//! read new blocks, and read the receipts of the transactions that pay to our addresses.

use std::collections::BTreeSet;

use agio_plugin_sdk::protocol::{
    Action, CallError, CallResult, Movement, Movements, PluginRequest, PluginResponse, WatchRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rpc::{self, NodeFailure, RpcCall};
use crate::settings::{self, EvmCurrency, TokenContract};
use crate::values::{self, EvmAddress};
use crate::{addresses, chain};

/// How far back the first call begins.
const FIRST_BLOCKS: u64 = 64;

/// Blocks with transactions in one request, and requests in one round.
const BLOCKS_PER_BATCH: u64 = 4;
const BATCHES: u64 = 8;

/// Blocks whose logs are queried at once: by our addresses, and of the whole contract when there are many.
const LOG_BLOCKS: u64 = 200;
const ALL_LOG_BLOCKS: u64 = 10;

/// Addresses in one query of logs, and the most queries.
const TOPICS: usize = 500;
const TOPIC_QUERIES: usize = 8;

/// Rounds that read blocks in one call.
const SCAN_ROUNDS: u32 = 4;

/// Transactions that are looked up in one request, and requests in one round.
const LOOKUPS: usize = 50;
const LOOKUP_BATCHES: usize = 8;

/// Transactions that pay to us after which a call reads no further blocks.
const CANDIDATES_MAX: usize = 1_000;

/// `Transfer(address,address,uint256)`.
pub const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/// Where reading stands, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ChainCursor {
    /// Numbers and hashes of blocks that were read, the newest first.
    blocks: Vec<(u64, String)>,
    /// The newest block of the chain at that time.
    head: u64,
    /// Payments that may still disappear.
    open: Vec<OpenPayment>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenPayment {
    tx: String,
    output: u32,
    address: String,
    /// In the smallest units.
    units: String,
    /// The block it is in; none after that was replaced.
    block: Option<u64>,
    /// Whether its block is new since the last call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    moved: bool,
}

/// A transaction that may pay to us.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Candidate {
    tx: String,
    block: u64,
    block_hash: String,
    /// Recipient and units of the native coin.
    value: Option<(String, String)>,
}

/// The note between the rounds of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Progress {
    step: Step,
    cursor: ChainCursor,
    /// The newest block at the previous call.
    before: u64,
    /// The newest block with its hash.
    head: (u64, String),
    /// Reading continues after this block.
    read: u64,
    scans: u32,
    candidates: Vec<Candidate>,
    gone: Vec<OpenPayment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    /// Look up payments without a block.
    Recheck,
    Scan,
    Receipts,
}

/// What came, and what disappeared, since the cursor.
pub fn watch(request: &PluginRequest, watch: &WatchRequest) -> PluginResponse {
    match Watcher::new(request, watch).and_then(|watcher| watcher.next()) {
        Ok(response) => response,
        Err(error) => PluginResponse::Failed(error),
    }
}

struct Watcher<'a> {
    request: &'a PluginRequest,
    watch: &'a WatchRequest,
    currency: EvmCurrency,
    ours: BTreeSet<EvmAddress>,
}

impl<'a> Watcher<'a> {
    fn new(request: &'a PluginRequest, watch: &'a WatchRequest) -> Result<Self, CallError> {
        let currency = settings::currency(request, &watch.currency)?;
        Ok(Self { request, watch, currency, ours: addresses::all(&request.stored) })
    }

    fn next(&self) -> Result<PluginResponse, CallError> {
        if self.request.outcomes.is_empty() {
            let cursor = self.cursor()?;
            return Ok(PluginResponse::Needs { actions: vec![self.first_calls(&cursor)], memo: Value::Null });
        }
        if self.request.memo.is_null() {
            let progress = self.compare().map_err(NodeFailure::into_call_error)??;
            return Ok(self.proceed(progress));
        }
        let mut progress: Progress = serde_json::from_value(self.request.memo.clone())
            .map_err(|_| CallError::permanent("unreadable", "the note of the previous round cannot be read"))?;
        match progress.step {
            Step::Recheck => self.recheck(&mut progress),
            Step::Scan => self.scan(&mut progress),
            Step::Receipts => self.receipts(&mut progress),
        }
        .map_err(NodeFailure::into_call_error)?;
        Ok(self.proceed(progress))
    }

    fn cursor(&self) -> Result<ChainCursor, CallError> {
        let unreadable = |_| CallError::permanent("bad_cursor", "the stored cursor cannot be read");
        self.watch.cursor.as_deref().map_or(Ok(ChainCursor::default()), |cursor| serde_json::from_str(cursor).map_err(unreadable))
    }

    /// Chain, newest block, the token's decimals, and the known blocks as they are now.
    fn first_calls(&self, cursor: &ChainCursor) -> Action {
        let mut calls = chain::identity_calls(self.currency);
        calls.push(("eth_getBlockByNumber", json!(["latest", false])));
        calls.extend(cursor.blocks.iter().map(|(number, _)| block_call(*number, false)));
        rpc::batch(self.request, &calls)
    }

    /// Compares the known blocks with the chain. After a reorganisation reading continues from the newest common block.
    fn compare(&self) -> Result<Result<Progress, CallError>, NodeFailure> {
        let cursor = match self.cursor() {
            Ok(cursor) => cursor,
            Err(error) => return Ok(Err(error)),
        };
        let identity = chain::identity_calls(self.currency).len();
        let results = rpc::all(self.request.outcomes.first(), identity + 1 + cursor.blocks.len())?;
        if let Err(error) = chain::check_identity(self.request, self.currency, &results) {
            return Ok(Err(error));
        }
        let (head, now) = results[identity..].split_first().ok_or_else(|| NodeFailure::unreadable("the newest block"))?;
        let head = number_and_hash(head)?;
        let before = cursor.head;
        let Some((oldest, _)) = cursor.blocks.last().cloned() else {
            let read = head.0.saturating_sub(FIRST_BLOCKS);
            return Ok(Ok(Progress::new(ChainCursor { head: head.0, ..cursor }, before, head, read)));
        };
        if head.0 < oldest {
            let why = format!("the node is at block {}, before everything that was read", head.0);
            return Ok(Err(CallError::temporary("node_behind", why)));
        }
        let mut common = None;
        for (place, ((number, known), now)) in cursor.blocks.iter().zip(now).enumerate() {
            // The other chain may still be shorter.
            if *number <= head.0 && number_and_hash(now)?.1 == *known {
                common = Some(place);
                break;
            }
        }
        let mut cursor = cursor;
        let read = common.map_or_else(|| oldest.saturating_sub(self.window()), |place| cursor.blocks[place].0);
        cursor.blocks.drain(..common.unwrap_or(cursor.blocks.len()));
        for payment in &mut cursor.open {
            payment.block = payment.block.filter(|block| *block <= read);
        }
        cursor.head = head.0;
        Ok(Ok(Progress::new(cursor, before, head, read)))
    }

    /// The next round, or the result.
    fn proceed(&self, mut progress: Progress) -> PluginResponse {
        if progress.step == Step::Recheck {
            if progress.unplaced().next().is_some() {
                let txs: Vec<_> = progress.unplaced().map(|payment| payment.tx.clone()).collect();
                let actions = txs.chunks(LOOKUPS).take(LOOKUP_BATCHES).map(|txs| {
                    let calls = txs.iter().flat_map(|tx| [receipt_call(tx), ("eth_getTransactionByHash", json!([tx]))]);
                    rpc::batch(self.request, &calls.collect::<Vec<_>>())
                });
                return PluginResponse::Needs { actions: actions.collect(), memo: json!(progress) };
            }
            progress.step = Step::Scan;
        }
        if progress.step == Step::Scan {
            if self.ours.is_empty() {
                progress.reach(progress.head.clone());
            }
            if progress.read < progress.head.0 && progress.scans < SCAN_ROUNDS && progress.candidates.len() < CANDIDATES_MAX {
                return PluginResponse::Needs { actions: self.scan_actions(&progress), memo: json!(progress) };
            }
            progress.step = Step::Receipts;
        }
        if !progress.candidates.is_empty() {
            let actions = progress.candidates.chunks(LOOKUPS).take(LOOKUP_BATCHES).map(|candidates| {
                let calls: Vec<_> = candidates.iter().map(|candidate| receipt_call(&candidate.tx)).collect();
                rpc::batch(self.request, &calls)
            });
            return PluginResponse::Needs { actions: actions.collect(), memo: json!(progress) };
        }
        PluginResponse::Done(CallResult::Movements(self.report(progress)))
    }

    /// Finds out what became of payments whose block was replaced.
    fn recheck(&self, progress: &mut Progress) -> Result<(), NodeFailure> {
        let unplaced: Vec<OpenPayment> = progress.unplaced().take(LOOKUPS * LOOKUP_BATCHES).cloned().collect();
        let mut known = Vec::new();
        for (payments, outcome) in unplaced.chunks(LOOKUPS).zip(&self.request.outcomes) {
            let results = rpc::all(Some(outcome), payments.len() * 2)?;
            let (pairs, _) = results.as_chunks::<2>();
            for (payment, [receipt, transaction]) in payments.iter().zip(pairs) {
                let value = Some((payment.address.clone(), payment.units.clone()));
                let placed = if receipt.is_null() { None } else { self.payments(receipt, value)? };
                let again = placed.iter().flatten().find(|found| found.output == payment.output).cloned();
                // Waiting to be mined again; or in a block, but no payment any more.
                let waits = receipt.is_null() && !transaction.is_null();
                known.push(again.or_else(|| waits.then(|| OpenPayment { moved: true, ..payment.clone() })));
            }
        }
        if known.len() != unplaced.len() {
            return Err(NodeFailure::unreadable("responses are missing"));
        }
        for (payment, found) in unplaced.into_iter().zip(known) {
            let Some(place) = progress.cursor.open.iter().position(|open| open.is_same(&payment)) else { continue };
            match found {
                Some(found) => progress.cursor.open[place] = OpenPayment { moved: true, ..found },
                None => progress.gone.push(progress.cursor.open.remove(place)),
            }
        }
        Ok(())
    }

    /// Reads the next blocks: those of the native coin with their transactions, those of a token by its logs.
    fn scan_actions(&self, progress: &Progress) -> Vec<Action> {
        let (first, last) = (progress.read + 1, self.scan_end(progress));
        let EvmCurrency::Token(token) = self.currency else {
            let firsts = (first..=last).step_by(BLOCKS_PER_BATCH as usize);
            let batch = |first: u64| {
                let blocks = first..=last.min(first + BLOCKS_PER_BATCH - 1);
                rpc::batch(self.request, &blocks.map(|number| block_call(number, true)).collect::<Vec<_>>())
            };
            return firsts.map(batch).collect();
        };
        // The last block is read before and after the logs: the same hash twice means that they are of one chain.
        let mut calls = vec![block_call(last, false)];
        let filter = |topics: Value| {
            let range = (values::quantity(first), values::quantity(last));
            let filter =
                json!({ "address": token.contract.lower_case(), "fromBlock": range.0, "toBlock": range.1, "topics": topics });
            ("eth_getLogs", json!([filter]))
        };
        if self.is_filtered() {
            let topics: Vec<String> = self.ours.iter().map(|address| address.word()).collect();
            calls.extend(topics.chunks(TOPICS).map(|topics| filter(json!([TRANSFER, null, topics]))));
        } else {
            calls.push(filter(json!([TRANSFER])));
        }
        calls.push(block_call(last, false));
        vec![rpc::batch(self.request, &calls)]
    }

    fn is_filtered(&self) -> bool {
        self.ours.len() <= TOPICS * TOPIC_QUERIES
    }

    fn scan_end(&self, progress: &Progress) -> u64 {
        let blocks = match self.currency {
            EvmCurrency::Native => BLOCKS_PER_BATCH * BATCHES,
            EvmCurrency::Token(_) if self.is_filtered() => LOG_BLOCKS,
            EvmCurrency::Token(_) => ALL_LOG_BLOCKS,
        };
        progress.head.0.min(progress.read + blocks)
    }

    fn scan(&self, progress: &mut Progress) -> Result<(), NodeFailure> {
        progress.scans += 1;
        let last = self.scan_end(progress);
        match self.currency {
            EvmCurrency::Native => self.scan_blocks(progress, last)?,
            EvmCurrency::Token(token) => self.scan_logs(progress, token, last)?,
        }
        // The chain is changing: continue in the next call.
        if progress.read != last {
            progress.scans = SCAN_ROUNDS;
        }
        Ok(())
    }

    fn scan_blocks(&self, progress: &mut Progress, last: u64) -> Result<(), NodeFailure> {
        let mut number = progress.read;
        for outcome in &self.request.outcomes {
            let count = last.saturating_sub(number).min(BLOCKS_PER_BATCH);
            for block in rpc::all(Some(outcome), count as usize)? {
                number += 1;
                if block.is_null() {
                    return Ok(());
                }
                let (found, hash) = number_and_hash(&block)?;
                let parent =
                    values::hash(&block["parentHash"]).ok_or_else(|| NodeFailure::unreadable("the parent of a block"))?;
                if found != number || progress.cursor.blocks.first().is_some_and(|(_, tip)| *tip != parent) {
                    return Ok(());
                }
                let transactions = block["transactions"].as_array().ok_or_else(|| NodeFailure::unreadable("transactions"))?;
                for transaction in transactions {
                    let to = transaction["to"].as_str().and_then(|to| EvmAddress::parse(&to.to_ascii_lowercase()));
                    let Some(to) = to.filter(|to| self.ours.contains(to)) else { continue };
                    let read = || Some((values::hash(&transaction["hash"])?, values::number(&transaction["value"])?));
                    let (tx, units) = read().ok_or_else(|| NodeFailure::unreadable("a transaction"))?;
                    if units > 0 {
                        let value = Some((to.to_string(), units.to_string()));
                        progress.candidates.push(Candidate { tx, block: number, block_hash: hash.clone(), value });
                    }
                }
                progress.reach((number, hash));
            }
        }
        Ok(())
    }

    fn scan_logs(&self, progress: &mut Progress, token: TokenContract, last: u64) -> Result<(), NodeFailure> {
        let queries = if self.is_filtered() { self.ours.len().div_ceil(TOPICS) } else { 1 };
        let results = rpc::all(self.request.outcomes.first(), queries + 2)?;
        let (Some(before), Some(after)) = (results.first(), results.last()) else { return Ok(()) };
        if before.is_null() || after.is_null() || number_and_hash(before)? != number_and_hash(after)? {
            return Ok(());
        }
        for logs in &results[1..=queries] {
            for log in logs.as_array().ok_or_else(|| NodeFailure::unreadable("logs"))? {
                if log["removed"] == true || self.transfer(log, token).is_none() {
                    continue;
                }
                let candidate = || {
                    let block = values::small(&log["blockNumber"]).filter(|block| (progress.read + 1..=last).contains(block))?;
                    let (tx, block_hash) = (values::hash(&log["transactionHash"])?, values::hash(&log["blockHash"])?);
                    Some(Candidate { tx, block, block_hash, value: None })
                };
                let candidate = candidate().ok_or_else(|| NodeFailure::unreadable("a log"))?;
                if !progress.candidates.iter().rev().take(LOOKUPS).any(|known| known.tx == candidate.tx) {
                    progress.candidates.push(candidate);
                }
            }
        }
        progress.reach(number_and_hash(after)?);
        Ok(())
    }

    /// Reads the receipts of candidates.
    fn receipts(&self, progress: &mut Progress) -> Result<(), NodeFailure> {
        let count = progress.candidates.len().min(LOOKUPS * LOOKUP_BATCHES);
        let candidates: Vec<Candidate> = progress.candidates.drain(..count).collect();
        if candidates.len().div_ceil(LOOKUPS) != self.request.outcomes.len() {
            return Err(NodeFailure::unreadable("responses are missing"));
        }
        for (candidates, outcome) in candidates.chunks(LOOKUPS).zip(&self.request.outcomes) {
            for (candidate, receipt) in candidates.iter().zip(rpc::all(Some(outcome), candidates.len())?) {
                let is_there = values::hash(&receipt["blockHash"]).as_ref() == Some(&candidate.block_hash);
                if !is_there || values::hash(&receipt["transactionHash"]).as_ref() != Some(&candidate.tx) {
                    return Err(NodeFailure::NoResult(
                        "a transaction moved to another block: the chain is being reorganised".to_owned(),
                    ));
                }
                let payments = self.payments(&receipt, candidate.value.clone())?;
                if payments.as_ref().is_some_and(Vec::is_empty) {
                    return Err(NodeFailure::unreadable("a receipt without the payment"));
                }
                for found in payments.into_iter().flatten() {
                    match progress.cursor.open.iter().position(|open| open.is_same(&found)) {
                        Some(place) if progress.cursor.open[place].block == found.block => {}
                        Some(place) => progress.cursor.open[place] = found,
                        None => progress.cursor.open.push(found),
                    }
                }
            }
        }
        Ok(())
    }

    /// The payments to our addresses in a transaction; none if it failed. The output is the place among the
    /// transaction's own logs, which stays the same in another block.
    fn payments(&self, receipt: &Value, value: Option<(String, String)>) -> Result<Option<Vec<OpenPayment>>, NodeFailure> {
        let unreadable = || NodeFailure::unreadable("a receipt");
        let tx = values::hash(&receipt["transactionHash"]).ok_or_else(unreadable)?;
        let block = values::small(&receipt["blockNumber"]).ok_or_else(unreadable)?;
        if values::small(&receipt["status"]).ok_or_else(unreadable)? != 1 {
            return Ok(None);
        }
        let payment = |output: u32, address: String, units: String| OpenPayment {
            tx: tx.clone(),
            output,
            address,
            units,
            block: Some(block),
            moved: true,
        };
        match self.currency {
            EvmCurrency::Native => Ok(Some(value.map(|(address, units)| payment(0, address, units)).into_iter().collect())),
            EvmCurrency::Token(token) => {
                let logs = receipt["logs"].as_array().ok_or_else(unreadable)?;
                let transfers = (0..).zip(logs).filter_map(|(place, log)| {
                    let (to, units) = self.transfer(log, token)?;
                    Some(payment(place, to.to_string(), units.to_string()))
                });
                Ok(Some(transfers.collect()))
            }
        }
    }

    /// Recipient and units of a log, if it is a transfer of the token to one of our addresses.
    fn transfer(&self, log: &Value, token: TokenContract) -> Option<(EvmAddress, u128)> {
        transfer(log, token).map(|(_, to, units)| (to, units)).filter(|(to, units)| self.ours.contains(to) && *units > 0)
    }

    /// How many blocks payments are followed.
    fn window(&self) -> u64 {
        settings::integer(self.request, settings::FINAL_BLOCKS).max(u64::from(self.watch.confirmations) * 2)
    }

    fn report(&self, progress: Progress) -> Movements {
        let Progress { mut cursor, before, head, gone, .. } = progress;
        let required = u64::from(self.watch.confirmations.max(1));
        let at = |head: u64, block: Option<u64>| block.map_or(0, |block| (head + 1).saturating_sub(block));
        let movement = |payment: &OpenPayment, gone: bool| Movement {
            tx_id: payment.tx.clone(),
            output: payment.output,
            address: payment.address.clone(),
            memo: None,
            amount: values::amount(payment.units.parse().unwrap_or(u128::MAX), self.currency.decimals()),
            confirmations: if gone { 0 } else { u32::try_from(at(head.0, payment.block)).unwrap_or(u32::MAX) },
            gone,
        };
        let is_found_again = |payment: &&OpenPayment| !cursor.open.iter().any(|open| open.is_same(payment));
        let mut movements: Vec<Movement> = gone.iter().filter(is_found_again).map(|payment| movement(payment, true)).collect();
        let is_due = |payment: &&OpenPayment| payment.moved || at(before, payment.block) < required;
        movements.extend(cursor.open.iter().filter(is_due).map(|payment| movement(payment, false)));
        let window = self.window();
        cursor.open.retain(|payment| at(head.0, payment.block) <= window);
        cursor.open.iter_mut().for_each(|payment| payment.moved = false);
        cursor.thin_out(window);
        Movements { movements, cursor: json!(cursor).to_string(), height: head.0 }
    }
}

impl Progress {
    fn new(cursor: ChainCursor, before: u64, head: (u64, String), read: u64) -> Self {
        Self { step: Step::Recheck, cursor, before, head, read, scans: 0, candidates: Vec::new(), gone: Vec::new() }
    }

    /// Payments to look up: their block was replaced, and they were not looked up in this call.
    fn unplaced(&self) -> impl Iterator<Item = &OpenPayment> {
        self.cursor.open.iter().filter(|payment| payment.block.is_none() && !payment.moved)
    }

    /// Everything up to this block has been read.
    fn reach(&mut self, block: (u64, String)) {
        self.read = block.0;
        if self.cursor.blocks.first() != Some(&block) {
            self.cursor.blocks.insert(0, block);
        }
    }
}

impl ChainCursor {
    /// Keeps the newest blocks, fewer of the older ones, and one that is older than the window.
    fn thin_out(&mut self, window: u64) {
        let Some((tip, _)) = self.blocks.first().cloned() else { return };
        let mut last = None;
        let mut is_beyond = false;
        self.blocks.retain(|(number, _)| {
            let depth = tip - number;
            let is_kept = !is_beyond && last.is_none_or(|last: u64| last - number >= (depth / 4).max(1));
            if is_kept {
                last = Some(*number);
                is_beyond = depth > window;
            }
            is_kept
        });
    }
}

impl OpenPayment {
    fn is_same(&self, other: &Self) -> bool {
        (&self.tx, self.output) == (&other.tx, other.output)
    }
}

/// Sender, recipient and units of a token's transfer.
pub fn transfer(log: &Value, token: TokenContract) -> Option<(EvmAddress, EvmAddress, u128)> {
    let topics = log["topics"].as_array().filter(|topics| topics.len() == 3)?;
    let is_transfer = topics[0].as_str().is_some_and(|topic| topic.eq_ignore_ascii_case(TRANSFER));
    let is_of_token =
        log["address"].as_str().and_then(|text| EvmAddress::parse(&text.to_ascii_lowercase())) == Some(token.contract);
    let data = log["data"].as_str().filter(|data| data.len() == 66)?;
    let party = |topic: &Value| EvmAddress::of_word(topic.as_str()?);
    (is_transfer && is_of_token).then_some(())?;
    Some((party(&topics[1])?, party(&topics[2])?, values::number(&json!(data))?))
}

fn block_call(number: u64, whole: bool) -> RpcCall {
    ("eth_getBlockByNumber", json!([values::quantity(number), whole]))
}

pub fn receipt_call(tx: &str) -> RpcCall {
    ("eth_getTransactionReceipt", json!([tx]))
}

fn number_and_hash(block: &Value) -> Result<(u64, String), NodeFailure> {
    let read = || Some((values::small(&block["number"])?, values::hash(&block["hash"])?));
    read().ok_or_else(|| NodeFailure::unreadable("a block"))
}
