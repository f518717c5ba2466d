//! Payouts.
//!
//! `monero-wallet-rpc` knows no idempotency keys. So it first builds the transaction without sending it. The
//! transaction is stored, and from then on only this one is ever sent for the key. It spends certain coins, so the
//! network carries it out at most once, whatever happens to requests and responses.
//!
//! What is stored includes all the wallet needs to send the transaction again ("metadata"), in parts. It is deleted when
//! the transaction is in a block; its hash remains.
//!
//! Nodes of the server may build transactions from the same coins at the same moment. The wallet sends one of them, and
//! the other one is built anew.

use agio_plugin_sdk::payouts::{self, done, never, not_stored, record_name, unknown};
use agio_plugin_sdk::protocol::{Action, CallError, PayoutRequest, PayoutState, PluginRequest, PluginResponse};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rpc::{self, WalletFailure, codes};
use crate::units::{amount, units};
use crate::{MAX_FEE, PRIORITY};

/// Characters of a stored part, and the most parts: with the record they are stored in one round.
const PART: usize = 16_000;
const PARTS_MAX: usize = 15;

/// A payout whose preparation took longer, in microseconds, is not sent: its outcome may have been queried by then.
const PREPARATION_MAX: i64 = 60 * 1_000_000;

/// The stored transaction of a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPayout {
    /// The primary address of the wallet that built it. No other wallet can send it.
    wallet: String,
    hash: String,
    /// Network fee in atomic units.
    fee: u64,
    /// How many parts the metadata has; none when it is not needed any more.
    parts: usize,
    /// Key images of the coins it spends.
    coins: Vec<String>,
}

/// The note between the rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// Balance and transaction were requested, at this time.
    Prepare { since: i64 },
    /// The transaction is being stored.
    Store { since: i64 },
    /// It was sent: for the first time, if its preparation began at this time.
    Send { since: Option<i64> },
    /// The wallet did not send it. What it knows of it and of its coins was requested.
    Refused { since: Option<i64>, why: String },
    /// It is being forgotten, and another one prepared.
    Forget { since: i64 },
    /// What the wallet knows of it was requested.
    Look,
    /// Its metadata is being deleted.
    Trim { confirmations: u32 },
    /// The balance was requested: nothing was built yet.
    Balance,
}

/// Sends money, once per key.
pub fn send(input: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(input, payout, true).unwrap_or_else(PluginResponse::Failed)
}

/// What became of a payout. A transaction that the wallet does not know is sent again.
pub fn status(input: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(input, payout, false).unwrap_or_else(PluginResponse::Failed)
}

fn handle(input: &PluginRequest, payout: &PayoutRequest, may_begin: bool) -> Result<PluginResponse, CallError> {
    let stage = match payouts::stage::<Stage>(input) {
        Ok(stage) => stage,
        Err(state) => return Ok(done(state)),
    };
    match stage {
        Some(Stage::Prepare { since }) => return prepare(input, payout, since),
        Some(Stage::Forget { since }) if is_stored(input) => return Ok(begin(input, payout, since)),
        Some(Stage::Forget { .. }) => return Ok(unknown("a transaction that was not sent could not be forgotten")),
        Some(Stage::Store { .. }) if !is_stored(input) => return Ok(unknown("the transaction could not be stored")),
        Some(Stage::Balance) => return balance(input, payout),
        _ => {}
    }
    // What is sent is read from what was stored.
    let stored = match input.stored.get(&record_name(&payout.key)).map(|record| serde_json::from_str::<StoredPayout>(record)) {
        Some(Ok(stored)) => stored,
        Some(Err(_)) => return Ok(unknown("the stored transaction cannot be read")),
        None if stage.is_some() => return Ok(unknown("the stored transaction is missing")),
        None if may_begin => return Ok(begin(input, payout, input.now)),
        None => {
            let balance = rpc::call(input, "get_balance", &json!({ "account_index": 0 }));
            return Ok(needs(vec![rpc::refresh(input), balance], &Stage::Balance));
        }
    };
    match stage {
        Some(Stage::Store { since }) => Ok(relay(input, payout, &stored, Some(since))),
        Some(Stage::Send { since }) => Ok(relayed(input, &stored, since)),
        Some(Stage::Refused { since, why }) => refused(input, payout, &stored, since, &why),
        Some(Stage::Trim { confirmations }) if is_stored(input) => Ok(sent(&stored, confirmations)),
        Some(Stage::Trim { .. }) => Ok(unknown("a transaction in a block could not be noted")),
        Some(Stage::Look) => look(input, payout, &stored),
        _ => {
            let actions = vec![rpc::refresh(input), rpc::primary_address(input), transfer(input, &stored)];
            Ok(needs(actions, &Stage::Look))
        }
    }
}

fn part_name(key: &str, part: usize) -> String {
    format!("{}-{part:02}", record_name(key))
}

fn needs(actions: Vec<Action>, stage: &Stage) -> PluginResponse {
    PluginResponse::Needs { actions, memo: json!(stage) }
}

fn sent(stored: &StoredPayout, confirmations: u32) -> PluginResponse {
    let fee = Some(amount(stored.fee).to_string());
    done(PayoutState::Sent { tx_id: stored.hash.clone(), confirmations, fee })
}

/// Whether the previous round stored everything.
fn is_stored(input: &PluginRequest) -> bool {
    not_stored(input).is_none()
}

fn temporary(failure: WalletFailure) -> CallError {
    failure.into_call_error()
}

/// What is to be sent, as the settings and the request say.
struct Plan {
    units: u64,
    max_fee: u64,
}

impl Plan {
    fn new(input: &PluginRequest, payout: &PayoutRequest) -> Result<Self, CallError> {
        // The wallet would look up anything else as a domain name.
        let is_address = payout.address.bytes().all(|byte| byte.is_ascii_alphanumeric()) && payout.address.len() >= 95;
        if !is_address || payout.memo.as_deref().is_some_and(|memo| !memo.is_empty()) {
            return Err(CallError::permanent("bad_address", "this is no address that can be paid; the network has no memos"));
        }
        let bad_amount = || CallError::permanent("bad_amount", "the amount is zero, too large, or has too many decimals");
        let max_fee = input.setting(MAX_FEE).trim().parse::<Decimal>().ok().and_then(units);
        let bad_settings = || CallError::permanent("bad_settings", "the highest fee of a payout is no amount above zero");
        Ok(Self { units: units(payout.amount).ok_or_else(bad_amount)?, max_fee: max_fee.ok_or_else(bad_settings)? })
    }
}

fn begin(input: &PluginRequest, payout: &PayoutRequest, since: i64) -> PluginResponse {
    let plan = match Plan::new(input, payout) {
        Ok(plan) => plan,
        Err(refusal) => return never(&refusal.code, refusal.why),
    };
    let transfer = json!({
        "destinations": [{ "amount": plan.units, "address": payout.address }], "account_index": 0,
        "priority": input.setting(PRIORITY).parse::<u8>().unwrap_or_default(), "do_not_relay": true, "get_tx_metadata": true,
    });
    let actions = vec![
        rpc::refresh(input),
        rpc::primary_address(input),
        rpc::call(input, "get_balance", &json!({ "account_index": 0 })),
        rpc::call(input, "transfer", &transfer),
    ];
    needs(actions, &Stage::Prepare { since })
}

/// Stores the transaction.
fn prepare(input: &PluginRequest, payout: &PayoutRequest, since: i64) -> Result<PluginResponse, CallError> {
    let (stored, metadata) = match prepared(input, payout) {
        // Nothing can have been sent: a failure that may pass is tried again, another is final.
        Err(failure) if failure.later => return Err(failure),
        Err(refusal) => return Ok(never(&refusal.code, refusal.why)),
        Ok(prepared) => prepared,
    };
    if input.now - since > PREPARATION_MAX {
        return Err(CallError::temporary("too_slow", "the wallet took too long to answer"));
    }
    if input.stored.contains_key(&record_name(&payout.key)) {
        return Ok(unknown("another transaction was stored for this payout meanwhile"));
    }
    let part = |(number, part): (usize, &[u8])| Action::Store {
        name: part_name(&payout.key, number),
        value: Some(String::from_utf8_lossy(part).into_owned()),
    };
    let mut actions: Vec<_> = metadata.as_bytes().chunks(PART).enumerate().map(part).collect();
    actions.push(Action::Store { name: record_name(&payout.key), value: Some(json!(stored).to_string()) });
    Ok(needs(actions, &Stage::Store { since }))
}

/// The transaction that the wallet has built, with its metadata.
fn prepared(input: &PluginRequest, payout: &PayoutRequest) -> Result<(StoredPayout, String), CallError> {
    let plan = Plan::new(input, payout)?;
    rpc::result(input, 0).map_err(temporary)?;
    let wallet = rpc::check_network(input, &rpc::result(input, 1).map_err(temporary)?)?;
    let funds = Funds::of(&rpc::result(input, 2).map_err(temporary)?)?;
    if funds.total < plan.units {
        return Err(not_enough());
    }
    let unreadable = || WalletFailure::unreadable("the transaction").into_call_error();
    let built = match rpc::result(input, 3) {
        Ok(built) => built,
        Err(WalletFailure::Refused(code, why)) => return Err(unbuilt(code, why, funds)),
        Err(failure) => return Err(temporary(failure)),
    };
    let metadata = built["tx_metadata"].as_str().ok_or_else(unreadable)?;
    if metadata.is_empty() {
        return Err(CallError::permanent("watch_only", "the wallet has no keys to spend"));
    }
    if metadata.len() > PART * PARTS_MAX {
        return Err(too_many_coins());
    }
    let fee = built["fee"].as_u64().ok_or_else(unreadable)?;
    if fee > plan.max_fee {
        let why = format!("the network fee would be {}, more than the settings allow", amount(fee));
        return Err(CallError::temporary("fee_too_high", why));
    }
    let hash = built["tx_hash"].as_str().filter(|hash| hash.len() == 64).ok_or_else(unreadable)?.to_owned();
    let coins: Option<Vec<String>> = built["spent_key_images"]["key_images"]
        .as_array()
        .and_then(|coins| coins.iter().map(|coin| coin.as_str().map(str::to_owned)).collect());
    let coins = coins.filter(|coins| !coins.is_empty()).ok_or_else(unreadable)?;
    if built["amount"].as_u64() != Some(plan.units) || !metadata.is_ascii() {
        return Err(unreadable());
    }
    let parts = metadata.len().div_ceil(PART);
    Ok((StoredPayout { wallet, hash, fee, parts, coins }, metadata.to_owned()))
}

fn too_many_coins() -> CallError {
    CallError::permanent("too_many_coins", "the payment would need too many small coins: join them, or pay by hand")
}

/// Why the wallet could not build the transaction.
fn unbuilt(code: i64, why: String, funds: Funds) -> CallError {
    match code {
        codes::NOT_ENOUGH_MONEY | codes::TX_NOT_POSSIBLE | codes::NOT_ENOUGH_UNLOCKED_MONEY if funds.unlocked < funds.total => {
            CallError::temporary("funds_locked", "the wallet has coins that are locked for some more blocks")
        }
        codes::NOT_ENOUGH_MONEY | codes::TX_NOT_POSSIBLE | codes::NOT_ENOUGH_UNLOCKED_MONEY => not_enough(),
        codes::WRONG_ADDRESS => CallError::permanent("bad_address", why),
        codes::TX_TOO_LARGE => too_many_coins(),
        codes::WATCH_ONLY => CallError::permanent("watch_only", why),
        _ => WalletFailure::Refused(code, why).into_call_error(),
    }
}

fn not_enough() -> CallError {
    CallError::permanent("not_enough_money", "the wallet has not enough for the amount and the network fee")
}

/// In atomic units.
#[derive(Clone, Copy)]
struct Funds {
    total: u64,
    unlocked: u64,
}

impl Funds {
    fn of(balance: &Value) -> Result<Self, CallError> {
        let units =
            |field: &str| balance[field].as_u64().ok_or_else(|| WalletFailure::unreadable("the balance").into_call_error());
        Ok(Self { total: units("balance")?, unlocked: units("unlocked_balance")? })
    }
}

/// Nothing was built. While coins are locked that the payout needs, it waits.
fn balance(input: &PluginRequest, payout: &PayoutRequest) -> Result<PluginResponse, CallError> {
    rpc::result(input, 0).map_err(temporary)?;
    let funds = Funds::of(&rpc::result(input, 1).map_err(temporary)?)?;
    let needed = Plan::new(input, payout).map_or(0, |plan| plan.units.saturating_add(plan.max_fee));
    Ok(match funds.unlocked < needed && funds.unlocked < funds.total {
        true => unknown("nothing was sent: waiting for coins that are locked for some more blocks"),
        false => never("not_sent", "no transaction was built for this payout"),
    })
}

/// Sends the stored transaction, and has the wallet saved: it must know the coins as spent after a crash.
fn relay(input: &PluginRequest, payout: &PayoutRequest, stored: &StoredPayout, since: Option<i64>) -> PluginResponse {
    let parts = (0..stored.parts).map(|part| input.stored.get(&part_name(&payout.key, part)).map(String::as_str));
    let metadata = parts.collect::<Option<String>>().filter(|metadata| !metadata.is_empty());
    let Some(metadata) = metadata else { return unknown("what is needed to send the transaction again is missing") };
    let actions = vec![rpc::call(input, "relay_tx", &json!({ "hex": metadata })), rpc::call(input, "store", &json!({}))];
    needs(actions, &Stage::Send { since })
}

/// Only the hash says that it was sent. It may be on its way after any other response.
fn relayed(input: &PluginRequest, stored: &StoredPayout, since: Option<i64>) -> PluginResponse {
    match rpc::result(input, 0) {
        Ok(relayed) if relayed["tx_hash"] == stored.hash.as_str() => sent(stored, 0),
        Ok(_) => unknown("the wallet returned another transaction's hash"),
        // The wallet gives the same error for whatever kept its node from taking the transaction.
        Err(WalletFailure::Refused(code, why)) => {
            let coins = rpc::call(input, "incoming_transfers", &json!({ "transfer_type": "unavailable", "account_index": 0 }));
            let actions = vec![rpc::refresh(input), transfer(input, stored), coins];
            needs(actions, &Stage::Refused { since, why: format!("{code}: {why}") })
        }
        Err(failure) => unknown(failure.why()),
    }
}

/// The node took no transaction that the wallet knows. If another one has its coins, and it was never sent before, it
/// never will be.
fn refused(
    input: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    since: Option<i64>,
    why: &str,
) -> Result<PluginResponse, CallError> {
    let not_sent = || unknown(format!("the wallet did not send the transaction ({why}); it is tried again"));
    if rpc::result(input, 0).is_err() {
        return Ok(not_sent());
    }
    if let Some(state) = known_state(input, 1)? {
        return Ok(follow(payout, stored, state));
    }
    let spent = rpc::result(input, 2).map_err(temporary)?;
    let is_ours = |coin: &&Value| coin["key_image"].as_str().is_some_and(|image| stored.coins.iter().any(|ours| ours == image));
    let is_displaced = spent["transfers"].as_array().into_iter().flatten().filter(is_ours).any(|coin| coin["spent"] == true);
    match since {
        Some(since) if is_displaced && input.now - since <= PREPARATION_MAX => {
            let names = (0..stored.parts).map(|part| part_name(&payout.key, part)).chain([record_name(&payout.key)]);
            let forget = names.map(|name| Action::Store { name, value: None }).collect();
            Ok(needs(forget, &Stage::Forget { since }))
        }
        None if is_displaced => Ok(unknown("another transaction has spent its coins: compare both with the network")),
        _ => Ok(not_sent()),
    }
}

fn transfer(input: &PluginRequest, stored: &StoredPayout) -> Action {
    rpc::call(input, "get_transfer_by_txid", &json!({ "account_index": 0, "txid": stored.hash }))
}

/// Confirmations of the transaction if the wallet knows it: some if it is in a block, none while it waits for one.
fn known_state(input: &PluginRequest, place: usize) -> Result<Option<u32>, CallError> {
    let found = match rpc::result(input, place) {
        Ok(found) => found,
        Err(WalletFailure::Refused(codes::WRONG_TXID, _)) => return Ok(None),
        Err(failure) => return Err(temporary(failure)),
    };
    let unreadable = || WalletFailure::unreadable("a transaction").into_call_error();
    // One that was sent twice is listed twice; one that the network dropped has failed, and is sent again.
    let states = found["transfers"].as_array().ok_or_else(unreadable)?.iter().map(|entry| match entry["type"].as_str() {
        Some("out") => entry["confirmations"].as_u64().map(|count| Some(u32::try_from(count).unwrap_or(u32::MAX))),
        Some("pending") => Some(Some(0)),
        _ => Some(None),
    });
    Ok(states.collect::<Option<Vec<_>>>().ok_or_else(unreadable)?.into_iter().flatten().max())
}

/// What became of the stored transaction.
fn look(input: &PluginRequest, payout: &PayoutRequest, stored: &StoredPayout) -> Result<PluginResponse, CallError> {
    rpc::result(input, 0).map_err(temporary)?;
    if rpc::check_network(input, &rpc::result(input, 1).map_err(temporary)?)? != stored.wallet {
        let why = "the payout was sent from another wallet than this one";
        return Err(CallError::permanent("other_wallet", why));
    }
    Ok(match known_state(input, 2)? {
        Some(confirmations) => follow(payout, stored, confirmations),
        None if stored.parts == 0 => unknown("the transaction was in a block, and the wallet does not know it now"),
        None => relay(input, payout, stored, None),
    })
}

/// Reports it as sent. In a block it need not be sent again, so its metadata is deleted first.
fn follow(payout: &PayoutRequest, stored: &StoredPayout, confirmations: u32) -> PluginResponse {
    if confirmations == 0 || stored.parts == 0 {
        return sent(stored, confirmations);
    }
    let record = json!(StoredPayout { parts: 0, coins: Vec::new(), ..stored.clone() }).to_string();
    let record = Action::Store { name: record_name(&payout.key), value: Some(record) };
    let parts = (0..stored.parts).map(|part| Action::Store { name: part_name(&payout.key, part), value: None });
    needs([record].into_iter().chain(parts).collect(), &Stage::Trim { confirmations })
}
