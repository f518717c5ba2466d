//! Solidified blocks: nineteen of the twenty-seven producers have built on them, so they are never replaced.

use agio_plugin_sdk::protocol::CallError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::node::{self, NodeCall, unreadable};

/// Blocks in one request.
pub const BLOCKS_PER_CALL: u64 = 8;

/// The place of a block in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockId {
    pub number: u64,
    pub hash: String,
}

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub id: BlockId,
    pub parent: String,
    /// When it was produced, in milliseconds since 1970-01-01 UTC.
    pub time: i64,
    pub transactions: Vec<Value>,
}

impl Block {
    /// # Errors
    /// `unreachable`: it cannot be read.
    pub fn read(block: &Value) -> Result<Self, CallError> {
        let header = &block["block_header"]["raw_data"];
        let read = || {
            let hash = node::hash(&block["blockID"])?;
            let number = header["number"].as_u64()?;
            // The hash begins with the number.
            (u64::from_str_radix(&hash[..16], 16).ok()? == number).then_some(())?;
            let transactions = match &block["transactions"] {
                Value::Null => Vec::new(),
                transactions => transactions.as_array()?.clone(),
            };
            let (parent, time) = (node::hash(&header["parentHash"])?, header["timestamp"].as_i64()?);
            Some(Self { id: BlockId { number, hash }, parent, time, transactions })
        };
        read().ok_or_else(|| unreadable("a block"))
    }
}

/// The newest solidified block.
pub fn newest_solid_call() -> NodeCall {
    ("walletsolidity/getnowblock", json!({}))
}

/// The newest block.
pub fn newest_call() -> NodeCall {
    ("wallet/getnowblock", json!({}))
}

/// Solidified blocks after one, up to another.
pub fn after_call(number: u64, last: u64) -> NodeCall {
    let end = last.min(number + BLOCKS_PER_CALL) + 1;
    ("walletsolidity/getblockbylimitnext", json!({ "startNum": number + 1, "endNum": end }))
}

/// The blocks that follow `known` in an answer to [`after_call`]. There may be fewer than were requested: the node that
/// answered is behind. The hash before the first one may be unknown.
///
/// # Errors
/// `chain_changed`: they do not follow; `unreachable`: they cannot be read.
pub fn following(known: (u64, Option<&str>), answer: &Value) -> Result<Vec<Block>, CallError> {
    let listed = match &answer["block"] {
        Value::Null if answer.is_object() => &[][..],
        blocks => blocks.as_array().ok_or_else(|| unreadable("blocks"))?,
    };
    let (mut number, mut hash) = (known.0, known.1.map(str::to_owned));
    let mut blocks = Vec::new();
    for block in listed.iter().take(BLOCKS_PER_CALL as usize) {
        let block = Block::read(block)?;
        if block.id.number != number + 1 || hash.is_some_and(|hash| hash != block.parent) {
            return Err(changed(number));
        }
        (number, hash) = (block.id.number, Some(block.id.hash.clone()));
        blocks.push(block);
    }
    Ok(blocks)
}

/// The node has another chain than was read.
pub fn changed(number: u64) -> CallError {
    let why = format!("the node has another solidified chain than was read, at block {number}");
    CallError::temporary("chain_changed", why)
}
