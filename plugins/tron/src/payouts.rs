//! Payouts.
//!
//! A payout is signed once. The signed transaction is stored before it is sent, and from then on only this transaction
//! is ever sent for the key. The network carries it out at most once, and not at all after its expiration. It counts as
//! sent when it succeeded in a solidified block, and as never sent when it failed in one, or when every solidified block
//! until its expiration was read and it is in none of them. Until then its outcome is not known.

use agio_plugin_evm::values::{self, EvmAddress, bytes};
use agio_plugin_evm::{TokenContract, keys};
use agio_plugin_sdk::payouts::{self, done, never, not_stored, record_name, unknown};
use agio_plugin_sdk::protocol::{Action, CallError, PayoutRequest, PayoutState, PluginRequest, PluginResponse};
use k256::ecdsa::SigningKey;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::address;
use crate::blocks::{self, Block, BlockId};
use crate::node::{self, NodeCall, Outcome, unreadable};
use crate::settings::{self, NATIVE_DECIMALS};
use crate::transaction::{Contract, SignedTronTransaction, TronTransaction};

/// The coin type of TRON in derivation paths (SLIP-44).
const COIN: u32 = 195;

/// `transfer(address,uint256)` and `balanceOf(address)`.
const TRANSFER_SELECTOR: &str = "a9059cbb";
const BALANCE_SELECTOR: &str = "70a08231";

/// How long the network may carry out a transaction, in milliseconds. Up to a minute is added.
const LIFETIME: u64 = 5 * 60_000;

/// The clocks of the node's blocks and of the server may differ by this, in milliseconds.
const CLOCK_DIFFERENCE_MAX: u64 = 3 * 60_000;

/// A payout whose preparation took longer, in microseconds, is not sent: its outcome may have been queried by then.
const PREPARATION_MAX: i64 = 60 * 1_000_000;

/// TRX that the account must keep for a payment of TRX, in sun: the bandwidth, and the fee for a new account.
const TRANSFER_RESERVE: u64 = 2_000_000;

/// The same for the bandwidth of a token payment.
const BANDWIDTH_RESERVE: u64 = 500_000;

/// Requests for blocks in one round.
const SCAN_CALLS: u64 = 2;

/// The stored transaction of a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPayout {
    from: String,
    tx: String,
    raw: String,
    /// The solidified block that precedes it.
    reference: BlockId,
    /// In milliseconds since 1970-01-01 UTC.
    expiration: u64,
}

/// The note between the rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// What the payment needs was requested, at this time.
    Prepare { since: i64 },
    /// The signed transaction is being stored.
    Store(StoredPayout),
    /// It was sent.
    Send(StoredPayout),
    /// What the node knows of it was requested.
    Look,
    /// The blocks until its expiration are being read; this one was the last.
    Scan { read: BlockId },
}

/// Sends money, once per key.
pub fn send(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(request, payout, true)
}

/// What became of a payout. A transaction that the network does not have yet is sent again.
pub fn status(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(request, payout, false)
}

fn handle(request: &PluginRequest, payout: &PayoutRequest, may_begin: bool) -> PluginResponse {
    let stage = match payouts::stage::<Stage>(request) {
        Ok(stage) => stage,
        Err(state) => return done(state),
    };
    match stage {
        Some(Stage::Prepare { since }) => prepare(request, payout, since),
        Some(Stage::Store(stored)) => match not_stored(request) {
            None => broadcast(request, stored),
            Some(_) => unknown("the signed transaction could not be stored"),
        },
        Some(Stage::Send(stored)) => broadcasted(request, &stored),
        stage => match payouts::stored::<StoredPayout>(request, payout, stage.is_none(), may_begin) {
            // Whatever fails here, the transaction may be on the network.
            Ok(Some(stored)) => follow(request, payout, &stored, stage).unwrap_or_else(|failure| unknown(failure.why)),
            Ok(None) => begin(request, payout),
            Err(state) => done(state),
        },
    }
}

/// What is to be sent, as the settings and the request say.
struct Plan {
    token: Option<TokenContract>,
    key: SigningKey,
    from: EvmAddress,
    recipient: EvmAddress,
    units: u128,
    fee_limit: u64,
}

impl Plan {
    fn new(request: &PluginRequest, payout: &PayoutRequest) -> Result<Self, CallError> {
        let refused = CallError::permanent;
        let token = settings::token(request, &payout.currency)?;
        let tokens = settings::tokens(request)?;
        let key = keys::signing_key(request.setting(settings::SECRET), COIN);
        let key =
            key.ok_or_else(|| refused("no_payout_key", "set the recovery phrase or the private key of the payout account"))?;
        let from = keys::address_of(key.verifying_key());
        let recipient = address::decode(payout.address.trim()).filter(|recipient| {
            *recipient != EvmAddress([0; 20])
                && *recipient != from
                && tokens.iter().all(|(_, token)| token.contract != *recipient)
        });
        let recipient = recipient.ok_or_else(|| refused("bad_address", "this is no address that can be paid"))?;
        if payout.memo.as_deref().is_some_and(|memo| !memo.is_empty()) {
            return Err(refused("bad_address", "payouts have no memos"));
        }
        let units = values::units(payout.amount, settings::decimals(token));
        // Amounts of TRX are signed numbers of 64 bits.
        let units = units.filter(|units| token.is_some() || i64::try_from(*units).is_ok());
        let units = units.ok_or_else(|| refused("bad_amount", "the amount is zero, too large, or has too many decimals"))?;
        Ok(Self { token, key, from, recipient, units, fee_limit: settings::fee_limit(request)? })
    }

    /// The call of the token's contract that pays.
    fn data(&self) -> String {
        format!("{TRANSFER_SELECTOR}{}{:064x}", &self.recipient.word()[2..], self.units)
    }

    fn calls(&self) -> Vec<NodeCall> {
        let account = || json!({ "address": address::to_hex(self.from) });
        let mut calls = node::identity_calls(self.token);
        calls.extend([blocks::newest_solid_call(), blocks::newest_call(), ("wallet/getaccount", account())]);
        if let Some(token) = self.token {
            calls.extend([
                ("wallet/getaccountresource", account()),
                ("wallet/getchainparameters", json!({})),
                node::constant_call(self.from, token, &format!("{BALANCE_SELECTOR}{}", &self.from.word()[2..])),
                node::constant_call(self.from, token, &self.data()),
            ]);
        }
        calls
    }
}

fn begin(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    match Plan::new(request, payout) {
        Ok(plan) => {
            let actions = plan.calls().iter().map(|call| node::request(request, call)).collect();
            PluginResponse::Needs { actions, memo: json!(Stage::Prepare { since: request.now }) }
        }
        Err(refusal) => never(&refusal.code, refusal.why),
    }
}

/// Signs the transaction and stores it.
fn prepare(request: &PluginRequest, payout: &PayoutRequest, since: i64) -> PluginResponse {
    let stored = match Plan::new(request, payout).and_then(|plan| prepared(request, payout, &plan)) {
        // Nothing was signed: a failure that may pass is tried again, another is final.
        Err(failure) if failure.later => return PluginResponse::Failed(failure),
        Err(refusal) => return never(&refusal.code, refusal.why),
        Ok(stored) => stored,
    };
    if request.now - since > PREPARATION_MAX {
        return PluginResponse::Failed(CallError::temporary("too_slow", "the node took too long to answer"));
    }
    let record = Action::Store { name: record_name(&payout.key), value: Some(json!(stored).to_string()) };
    PluginResponse::Needs { actions: vec![record], memo: json!(Stage::Store(stored)) }
}

fn prepared(request: &PluginRequest, payout: &PayoutRequest, plan: &Plan) -> Result<StoredPayout, CallError> {
    let identity = node::identity_calls(plan.token).len();
    let answer = |place: usize| node::answer(request, identity + place);
    node::check_identity(request, plan.token)?;
    let (solid, head) = (Block::read(&answer(0)?)?, Block::read(&answer(1)?)?);
    let now = u64::try_from(request.now / 1_000).unwrap_or_default();
    let is_recent = |block: &Block| u64::try_from(block.time).is_ok_and(|time| time.abs_diff(now) <= CLOCK_DIFFERENCE_MAX);
    if !is_recent(&solid) || !is_recent(&head) {
        return Err(CallError::temporary("node_behind", "the newest blocks of the node are not of this time"));
    }
    check_money(plan, &answer)?;

    let contract = match plan.token {
        Some(token) => Contract::Trigger {
            contract: token.contract,
            data: bytes(&format!("0x{}", plan.data())).ok_or_else(|| unreadable("the call"))?,
        },
        None => {
            Contract::Transfer { to: plan.recipient, amount: u64::try_from(plan.units).map_err(|_| unreadable("the amount"))? }
        }
    };
    // Payouts of the same amount to the same address at the same moment must not be the same transaction: the network
    // would carry it out once.
    let digest = Sha256::digest(payout.key.as_bytes());
    let (earlier, later) = digest[..16].split_at(8);
    let spread = |part: &[u8], range: u64| part.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)) % range;
    let expiration = now + LIFETIME + spread(later, 60_000);
    let hash = bytes(&format!("0x{}", solid.id.hash)).and_then(|hash| hash.try_into().ok());
    let transaction = TronTransaction {
        reference: (solid.id.number, hash.ok_or_else(|| unreadable("a block"))?),
        expiration,
        timestamp: now.saturating_sub(spread(earlier, 3_600_000)),
        owner: plan.from,
        contract,
        fee_limit: if plan.token.is_some() { plan.fee_limit } else { 0 },
    };
    let SignedTronTransaction { raw, id } =
        transaction.sign(&plan.key).ok_or_else(|| CallError::permanent("no_payout_key", "the key cannot sign"))?;
    Ok(StoredPayout { from: address::encode(plan.from), tx: id, raw, reference: solid.id, expiration })
}

/// Whether the account may sign alone, and has what the payment and its fee need.
fn check_money(plan: &Plan, answer: &dyn Fn(usize) -> Result<Value, CallError>) -> Result<(), CallError> {
    let refused = CallError::permanent;
    let account = answer(2)?;
    let from = address::encode(plan.from);
    if !may_sign(&account, plan.from) {
        let why = format!("the key may no longer sign for the account {from} alone: its permissions were changed");
        return Err(refused("permission_changed", why));
    }
    let poor = |what: String| refused("not_enough_money", format!("the payout account {from} has not enough {what}"));
    let coins = u128::from(account["balance"].as_u64().unwrap_or_default());
    let trx = |sun: u128| values::amount(sun, NATIVE_DECIMALS).normalize();
    let Some(_) = plan.token else {
        return match plan.units.checked_add(TRANSFER_RESERVE.into()) {
            Some(needed) if needed <= coins => Ok(()),
            _ => Err(poor(format!("TRX: it has {}, and must keep {} for fees", trx(coins), trx(TRANSFER_RESERVE.into())))),
        };
    };
    let (resource, parameters) = (answer(3)?, answer(4)?);
    if node::word(&answer(5)?).ok_or_else(|| unreadable("the balance"))? < plan.units {
        return Err(poor("of the token".to_owned()));
    }
    let energy = node::simulated(&answer(6)?)?;
    let parameters = parameters["chainParameter"].as_array().into_iter().flatten();
    let price = parameters.into_iter().find(|parameter| parameter["key"] == "getEnergyFee");
    let price = price.and_then(|price| price["value"].as_u64()).ok_or_else(|| unreadable("the price of energy"))?;
    let cost = |energy: u64| u128::from(energy) * u128::from(price);
    if cost(energy) > plan.fee_limit.into() {
        let why = format!("the payment needs energy for {} TRX, more than the settings allow", trx(cost(energy)));
        return Err(CallError::temporary("fee_too_high", why));
    }
    // Staked energy is used first; the account pays for the rest.
    let of = |name: &str| resource[name].as_u64().unwrap_or_default();
    let staked = of("EnergyLimit").saturating_sub(of("EnergyUsed"));
    let fee = cost(energy.saturating_sub(staked)) + u128::from(BANDWIDTH_RESERVE);
    if fee > coins {
        return Err(poor(format!("TRX for energy: it has {}, and needs {}", trx(coins), trx(fee))));
    }
    Ok(())
}

/// Whether the key of an account suffices to sign for it. An account that never changed its permissions has its own key.
fn may_sign(account: &Value, from: EvmAddress) -> bool {
    let owner = &account["owner_permission"];
    let weight = |key: &Value| Some(key["weight"].as_u64()?).filter(|_| key["address"] == address::to_hex(from));
    let weights = owner["keys"].as_array().into_iter().flatten().filter_map(weight).fold(0, u64::saturating_add);
    owner.is_null() || owner["threshold"].as_u64().is_some_and(|threshold| weights >= threshold)
}

fn broadcast(request: &PluginRequest, stored: StoredPayout) -> PluginResponse {
    let call = ("wallet/broadcasthex", json!({ "transaction": stored.raw }));
    PluginResponse::Needs { actions: vec![node::request(request, &call)], memo: json!(Stage::Send(stored)) }
}

/// The network may carry it out after any response.
fn broadcasted(request: &PluginRequest, stored: &StoredPayout) -> PluginResponse {
    match node::answer(request, 0) {
        Ok(answer) if answer["result"] == true => unknown(format!("{} was sent; waiting until that is final", stored.tx)),
        Ok(answer) => {
            let (code, message) = (answer["code"].as_str().unwrap_or("unknown"), answer["message"].as_str().unwrap_or_default());
            let message = node::text_of(message);
            unknown(format!("the node did not take {}: {code} {message}; waiting until it has expired", stored.tx))
        }
        Err(failure) => unknown(failure.why),
    }
}

/// What became of the stored transaction.
fn follow(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    stage: Option<Stage>,
) -> Result<PluginResponse, CallError> {
    match stage {
        None => {
            let id = || json!({ "value": stored.tx });
            let mut calls = node::identity_calls(None);
            calls.extend([
                blocks::newest_solid_call(),
                blocks::newest_call(),
                ("walletsolidity/gettransactioninfobyid", id()),
                ("wallet/gettransactioninfobyid", id()),
            ]);
            let actions = calls.iter().map(|call| node::request(request, call)).collect();
            Ok(PluginResponse::Needs { actions, memo: json!(Stage::Look) })
        }
        Some(Stage::Scan { read }) => scan(request, stored, read),
        Some(_) => look(request, payout, stored),
    }
}

fn look(request: &PluginRequest, payout: &PayoutRequest, stored: &StoredPayout) -> Result<PluginResponse, CallError> {
    node::check_identity(request, None)?;
    let (solid, head) = (Block::read(&node::answer(request, 1)?)?, Block::read(&node::answer(request, 2)?)?);
    let known = |place: usize| Ok::<_, CallError>(Some(node::answer(request, place)?).filter(|info| info["id"] == stored.tx));
    let (finally, lately) = (known(3)?, known(4)?);
    let block_of = |info: &Value| info["blockNumber"].as_u64().ok_or_else(|| unreadable("the results of a transaction"));
    if let Some(info) = finally {
        let confirmations = (head.id.number.max(solid.id.number) + 1).saturating_sub(block_of(&info)?).max(1);
        return Ok(settled(request, payout, stored, &info, u32::try_from(confirmations).unwrap_or(u32::MAX)));
    }
    if let Some(info) = lately {
        let how = match node::outcome(&info, payout.currency != settings::NATIVE) {
            Outcome::Failed(why) => format!("failed ({why})"),
            Outcome::Succeeded | Outcome::Unclear => "is".to_owned(),
        };
        return Ok(unknown(format!("{} {how} in block {}; waiting until that is final", stored.tx, block_of(&info)?)));
    }
    if has_expired(&solid, stored) {
        return Ok(scan_on(request, stored.reference.clone()));
    }
    Ok(if has_expired(&head, stored) {
        unknown(format!("{} has expired; waiting until that is final", stored.tx))
    } else {
        broadcast(request, stored.clone())
    })
}

/// Whether no block after this one can contain the transaction.
fn has_expired(block: &Block, stored: &StoredPayout) -> bool {
    u64::try_from(block.time).is_ok_and(|time| time > stored.expiration)
}

/// The state of a transaction in a solidified block.
fn settled(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    info: &Value,
    confirmations: u32,
) -> PluginResponse {
    let token = match settings::token(request, &payout.currency) {
        Ok(token) => token,
        Err(error) => return unknown(error.why),
    };
    let sun = info["fee"].as_u64().unwrap_or_default();
    let fee = values::amount(sun.into(), NATIVE_DECIMALS).normalize();
    match node::outcome(info, token.is_some()) {
        Outcome::Succeeded => {}
        Outcome::Failed(why) => {
            let code = if why.starts_with("OUT_OF_ENERGY") { "out_of_energy" } else { "reverted" };
            return never(code, format!("{} failed: {why}; the network took {fee} TRX", stored.tx));
        }
        // Only an explicit failure may be paid again.
        Outcome::Unclear => return unknown(format!("whether {} succeeded is not clear from its results", stored.tx)),
    }
    let has_moved = |token: TokenContract| {
        let parties = (address::decode(&stored.from), address::decode(payout.address.trim()));
        let transfers = info["log"].as_array().into_iter().flatten().filter_map(|log| node::transfer(log, token));
        transfers.into_iter().any(|(from, to, units)| (Some(from), Some(to)) == parties && units > 0)
    };
    if token.is_some_and(|token| !has_moved(token)) {
        return unknown(format!("{} succeeded, but the token did not move", stored.tx));
    }
    let fee = token.is_none().then(|| fee.to_string());
    done(PayoutState::Sent { tx_id: stored.tx.clone(), confirmations, fee })
}

fn scan_on(request: &PluginRequest, read: BlockId) -> PluginResponse {
    let calls = (0..SCAN_CALLS).map(|place| blocks::after_call(read.number + place * blocks::BLOCKS_PER_CALL, u64::MAX - 1));
    let actions = calls.map(|call| node::request(request, &call)).collect();
    PluginResponse::Needs { actions, memo: json!(Stage::Scan { read }) }
}

/// Whether the transaction is in no block until its expiration. A node may be behind another one of the same provider and
/// not know a transaction that the other knows: only the blocks themselves, each linked to the one before, are certain.
fn scan(request: &PluginRequest, stored: &StoredPayout, mut read: BlockId) -> Result<PluginResponse, CallError> {
    let first = read.number;
    for place in 0..request.outcomes.len() {
        let blocks = blocks::following((read.number, Some(&read.hash)), &node::answer(request, place)?)?;
        for block in &blocks {
            for transaction in &block.transactions {
                if node::hash(&transaction["txID"]).ok_or_else(|| unreadable("a transaction"))? == stored.tx {
                    return Ok(unknown(format!("{} is in block {}; waiting for its results", stored.tx, block.id.number)));
                }
            }
            if has_expired(block, stored) {
                let why = format!("{} expired before a block contained it", stored.tx);
                return Ok(never("expired", why));
            }
        }
        match blocks.last() {
            Some(last) => read = last.id.clone(),
            None => break,
        }
    }
    Ok(if read.number > first {
        scan_on(request, read)
    } else {
        unknown("the node does not return the blocks until the expiration")
    })
}
