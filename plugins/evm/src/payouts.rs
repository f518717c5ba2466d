//! Payouts.
//!
//! A payout is signed once. The signed transaction is stored before it is sent, and from then on only this transaction
//! is ever sent for the key. It can be mined once, whatever happens to requests and responses. If another transaction
//! takes its nonce, it can never be mined. Once that is final, the payout is reported as returned, or as never sent if
//! no node ever had it.
//!
//! Nodes of the server may choose the same nonce. It is compared with the network once more before the transaction is
//! sent. If both do that at the same moment, one of the two payouts is displaced, and sent anew.

use agio_plugin_sdk::payouts::{self, done, never, not_stored, record_name, unknown};
use agio_plugin_sdk::protocol::{Action, ActionResult, CallError, PayoutRequest, PayoutState, PluginRequest, PluginResponse};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::chain;
use crate::incoming_payments::{receipt_call, transfer};
use crate::keys;
use crate::rpc::{self, NodeFailure};
use crate::settings::{self, EvmCurrency, TokenContract};
use crate::transaction::{FeeMarketTransaction, SignedTransaction};
use crate::values::{self, EvmAddress, NATIVE_DECIMALS, bytes, hex, keccak};

/// `transfer(address,uint256)` and `balanceOf(address)`.
const TRANSFER_SELECTOR: &str = "0xa9059cbb";
const BALANCE_SELECTOR: &str = "0x70a08231";

/// Gas of a payment to an account without code.
const PLAIN_GAS: u64 = 21_000;

/// A payout whose preparation took longer, in microseconds, is not sent: its outcome may have been queried by then.
const PREPARATION_MAX: i64 = 60 * 1_000_000;

/// The stored transaction of a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPayout {
    chain: u64,
    from: String,
    nonce: u64,
    hash: String,
    raw: String,
    /// Whether it was reported as sent.
    #[serde(default)]
    reported: bool,
}

/// The note between the rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// Balances, fees and nonce were requested, at this time.
    Prepare { since: i64 },
    /// The signed transaction is being stored. Its preparation began at this time.
    Store { since: i64, stored: StoredPayout },
    /// Whether its nonce is still free was requested.
    Check { since: i64, stored: StoredPayout },
    /// It was not: what was never sent is being forgotten, and another one prepared.
    Forget { since: i64 },
    /// It was sent.
    Send(StoredPayout),
    /// What the node knows of it was requested.
    Look,
    /// Whether another transaction finally has its nonce was requested; with the newest block.
    Displaced { head: u64 },
    /// That it is reported as sent is being stored.
    Report { stored: StoredPayout, confirmations: u32, fee: Option<String> },
}

/// Sends money, once per key.
pub fn send(request: &PluginRequest, payout: &PayoutRequest) -> PluginResponse {
    handle(request, payout, true)
}

/// What became of a payout. A transaction that the node does not know is sent again.
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
        Some(Stage::Store { since, stored }) => match not_stored(request) {
            None => {
                let call = ("eth_getTransactionCount", json!([stored.from, "pending"]));
                PluginResponse::Needs { actions: vec![rpc::batch(request, &[call])], memo: json!(Stage::Check { since, stored }) }
            }
            Some(ActionResult::HttpFailure(failure)) => {
                unknown(format!("the signed transaction could not be stored: {}", failure.why))
            }
            Some(_) => unknown("the signed transaction could not be stored"),
        },
        Some(Stage::Check { since, stored }) => check(request, payout, since, stored),
        Some(Stage::Forget { since }) => match not_stored(request) {
            None => begin(request, payout, since),
            Some(_) => unknown("a transaction whose nonce was taken could not be forgotten"),
        },
        Some(Stage::Send(stored)) => broadcasted(request, payout, &stored),
        Some(Stage::Report { stored, confirmations, fee }) => match not_stored(request) {
            None => sent(payout, stored, confirmations, fee),
            Some(_) => unknown("that the payout was sent could not be stored"),
        },
        stage => match payouts::stored::<StoredPayout>(request, payout, stage.is_none(), may_begin) {
            Ok(Some(stored)) => follow(request, payout, &stored, stage),
            Ok(None) => begin(request, payout, request.now),
            Err(state) => done(state),
        },
    }
}

fn nonce_name(chain: u64, from: EvmAddress) -> String {
    let digest = keccak(format!("{chain} {from}").as_bytes());
    format!("nonce-{}", hex(&digest[..20]).split_off(2))
}

/// What is to be sent, as the settings and the request say.
struct Plan {
    currency: EvmCurrency,
    key: k256::ecdsa::SigningKey,
    from: EvmAddress,
    recipient: EvmAddress,
    units: u128,
    max_fee: Decimal,
}

impl Plan {
    fn new(request: &PluginRequest, payout: &PayoutRequest) -> Result<Self, CallError> {
        let refused = CallError::permanent;
        let currency = settings::currency(request, &payout.currency)?;
        let tokens = settings::tokens(request.setting(settings::TOKENS), EvmAddress::parse)?;
        let key = keys::signing_key(request.setting(settings::SECRET), keys::ETHEREUM);
        let key =
            key.ok_or_else(|| refused("no_payout_key", "set the recovery phrase or the private key of the payout account"))?;
        let recipient = EvmAddress::parse(payout.address.trim()).filter(|recipient| {
            *recipient != EvmAddress([0; 20]) && tokens.iter().all(|(_, token)| token.contract != *recipient)
        });
        let recipient = recipient.ok_or_else(|| refused("bad_address", "this is no address that can be paid"))?;
        if payout.memo.as_deref().is_some_and(|memo| !memo.is_empty()) {
            return Err(refused("bad_address", "the network has no memos"));
        }
        let units = values::units(payout.amount, currency.decimals());
        let units = units.ok_or_else(|| refused("bad_amount", "the amount is zero, too large, or has too many decimals"))?;
        let from = keys::address_of(key.verifying_key());
        Ok(Self { currency, key, from, recipient, units, max_fee: settings::max_fee(request)? })
    }

    /// Recipient, value and data of the transaction.
    fn content(&self) -> (EvmAddress, u128, Vec<u8>) {
        match self.currency {
            EvmCurrency::Native => (self.recipient, self.units, Vec::new()),
            EvmCurrency::Token(token) => {
                let data = format!("{TRANSFER_SELECTOR}{}{:064x}", &self.recipient.word()[2..], self.units);
                (token.contract, 0, bytes(&data).unwrap_or_default())
            }
        }
    }

    fn calls(&self) -> Vec<rpc::RpcCall> {
        let (to, value, data) = self.content();
        let from = self.from.lower_case();
        let transaction = json!({ "from": from, "to": to.lower_case(), "value": values::quantity(value), "data": hex(&data) });
        let mut calls = chain::identity_calls(self.currency);
        calls.extend([
            ("eth_getBlockByNumber", json!(["latest", false])),
            ("eth_maxPriorityFeePerGas", json!([])),
            ("eth_getTransactionCount", json!([from, "pending"])),
            ("eth_getBalance", json!([from, "latest"])),
            ("eth_getBalance", json!([from, "pending"])),
            ("eth_estimateGas", json!([transaction])),
        ]);
        if let EvmCurrency::Token(token) = self.currency {
            let balance =
                json!({ "to": token.contract.lower_case(), "data": format!("{BALANCE_SELECTOR}{}", &self.from.word()[2..]) });
            calls.extend([
                ("eth_call", json!([balance, "latest"])),
                ("eth_call", json!([balance, "pending"])),
                ("eth_call", json!([transaction, "latest"])),
            ]);
        }
        calls
    }
}

fn begin(request: &PluginRequest, payout: &PayoutRequest, since: i64) -> PluginResponse {
    match Plan::new(request, payout) {
        Ok(plan) => {
            PluginResponse::Needs { actions: vec![rpc::batch(request, &plan.calls())], memo: json!(Stage::Prepare { since }) }
        }
        Err(refusal) => never(&refusal.code, refusal.why),
    }
}

/// Signs the transaction and stores it.
fn prepare(request: &PluginRequest, payout: &PayoutRequest, since: i64) -> PluginResponse {
    let prepared = Plan::new(request, payout).and_then(|plan| prepared(request, &plan));
    let (transaction, stored, signed_by) = match prepared {
        // Nothing was signed: a failure that may pass is tried again, another is final.
        Err(failure) if failure.later => return PluginResponse::Failed(failure),
        Err(refusal) => return never(&refusal.code, refusal.why),
        Ok(prepared) => prepared,
    };
    if request.now - since > PREPARATION_MAX {
        return PluginResponse::Failed(CallError::temporary("too_slow", "the node took too long to answer"));
    }
    let next =
        Action::Store { name: nonce_name(transaction.chain_id, signed_by), value: Some((transaction.nonce + 1).to_string()) };
    let record = Action::Store { name: record_name(&payout.key), value: Some(json!(stored).to_string()) };
    PluginResponse::Needs { actions: vec![record, next], memo: json!(Stage::Store { since, stored }) }
}

fn prepared(request: &PluginRequest, plan: &Plan) -> Result<(FeeMarketTransaction, StoredPayout, EvmAddress), CallError> {
    let unreadable = |what: &str| NodeFailure::unreadable(what).into_call_error();
    let results = rpc::results(request.outcomes.first(), plan.calls().len()).map_err(NodeFailure::into_call_error)?;
    let identity = chain::identity_calls(plan.currency).len();
    let result = |place: usize| results[place].clone().map_err(NodeFailure::into_call_error);
    let known: Vec<Value> = (0..identity).map(result).collect::<Result<_, _>>()?;
    chain::check_identity(request, plan.currency, &known)?;

    let block = result(identity)?;
    let base_fee = values::number(&block["baseFeePerGas"])
        .ok_or_else(|| CallError::permanent("no_fee_market", "the network has no fees of EIP-1559"))?;
    let tip = values::number(&result(identity + 1)?).ok_or_else(|| unreadable("the priority fee"))?;
    let pending = values::small(&result(identity + 2)?).ok_or_else(|| unreadable("the nonce"))?;
    let chain_id = settings::integer(request, settings::CHAIN_ID);
    let nonce = next_nonce(request, chain_id, plan.from, pending)?;

    // The balance after pending transactions, where the node tells it.
    let balance = |latest: usize| {
        let latest_units = values::number(&result(latest)?).ok_or_else(|| unreadable("a balance"))?;
        Ok::<_, CallError>(
            result(latest + 1).ok().as_ref().and_then(values::number).map_or(latest_units, |units| units.min(latest_units)),
        )
    };
    let coins = balance(identity + 3)?;
    let poor =
        |what: &str| CallError::permanent("not_enough_money", format!("the payout account {} has not enough {what}", plan.from));
    if let EvmCurrency::Token(_) = plan.currency {
        if balance(identity + 6)? < plan.units {
            return Err(poor("of the token"));
        }
        check_simulation(&results[identity + 8])?;
    } else if coins < plan.units {
        return Err(poor("coins"));
    }

    let (to, value, data) = plan.content();
    let gas = match &results[identity + 5] {
        Ok(gas) => values::small(gas).ok_or_else(|| unreadable("the gas"))?,
        Err(NodeFailure::Refused(code, why)) => {
            return Err(CallError::permanent("would_fail", format!("the network would refuse the payment: {code}: {why}")));
        }
        Err(failure) => return Err(failure.clone().into_call_error()),
    };
    let gas = if gas == PLAIN_GAS { gas } else { gas.saturating_add(gas / 5) };
    if gas > settings::integer(request, settings::MAX_GAS) {
        return Err(CallError::permanent(
            "too_much_gas",
            format!("the payment would need {gas} gas, more than the settings allow"),
        ));
    }
    let max_fee_per_gas = fee_per_gas(base_fee, tip, gas, plan.max_fee)?;
    let transaction = FeeMarketTransaction { chain_id, nonce, tip, max_fee_per_gas, gas, to, value, data };
    let cost = transaction.max_fee_per_gas.checked_mul(gas.into()).and_then(|fee| fee.checked_add(value));
    if cost.is_none_or(|cost| cost > coins) {
        return Err(poor("coins for the network fee"));
    }
    let SignedTransaction { raw, hash } =
        transaction.sign(&plan.key).ok_or_else(|| CallError::permanent("no_payout_key", "the key cannot sign"))?;
    let stored = StoredPayout { chain: chain_id, from: plan.from.to_string(), nonce, hash, raw, reported: false };
    Ok((transaction, stored, plan.from))
}

/// The next free nonce: of the node, or after the last transaction that was signed here.
fn next_nonce(request: &PluginRequest, chain: u64, from: EvmAddress, pending: u64) -> Result<u64, CallError> {
    let Some(stored) = request.stored.get(&nonce_name(chain, from)) else { return Ok(pending) };
    let stored = stored.parse().map_err(|_| CallError::permanent("unreadable", "the stored nonce cannot be read"))?;
    if pending > stored && request.setting(settings::SHARED_ACCOUNT) != "true" {
        let why = format!(
            "the account {from} has sent transactions that this server does not know: its data may be older than the network"
        );
        // Another node of this server may have sent one a moment ago.
        return Err(CallError::temporary("unknown_transactions", why));
    }
    Ok(pending.max(stored))
}

/// A token may refuse by an error or by returning false.
fn check_simulation(result: &Result<Value, NodeFailure>) -> Result<(), CallError> {
    let refused = |why: String| CallError::permanent("would_fail", format!("the token would refuse the payment: {why}"));
    match result {
        Ok(Value::String(empty)) if empty == "0x" => Ok(()),
        Ok(word) if values::number(word).is_some_and(|word| word != 0) => Ok(()),
        Ok(_) => Err(refused("it returns false".to_owned())),
        Err(NodeFailure::Refused(code, why)) => Err(refused(format!("{code}: {why}"))),
        Err(failure) => Err(failure.clone().into_call_error()),
    }
}

/// Twice the base fee and the tip, or less if that exceeds the highest fee. It must suffice for the next block at
/// least, whose base fee is up to an eighth higher.
fn fee_per_gas(base_fee: u128, tip: u128, gas: u64, max_fee: Decimal) -> Result<u128, CallError> {
    let dear = || CallError::temporary("fee_too_high", "the network fee is higher than the settings allow");
    let least = base_fee.checked_add(base_fee / 8 + 1).and_then(|fee| fee.checked_add(tip)).ok_or_else(dear)?;
    let usual = base_fee.saturating_mul(2).saturating_add(tip).max(least);
    let allowed = max_fee.trunc_with_scale(NATIVE_DECIMALS);
    let highest = values::units(allowed, NATIVE_DECIMALS).unwrap_or_default() / u128::from(gas.max(1));
    if highest < least { Err(dear()) } else { Ok(usual.min(highest)) }
}

/// Sends it, unless another node of the server took the nonce meanwhile. Nobody else has the transaction yet.
fn check(request: &PluginRequest, payout: &PayoutRequest, since: i64, stored: StoredPayout) -> PluginResponse {
    match rpc::all(request.outcomes.first(), 1).map(|results| results.first().and_then(values::small)) {
        Ok(Some(count)) if count <= stored.nonce => broadcast(request, stored),
        Ok(Some(_)) if request.now - since <= PREPARATION_MAX => PluginResponse::Needs {
            actions: vec![Action::Store { name: record_name(&payout.key), value: None }],
            memo: json!(Stage::Forget { since }),
        },
        Ok(_) => unknown("whether the nonce is free is not known"),
        Err(failure) => unknown(failure.why()),
    }
}

fn broadcast(request: &PluginRequest, stored: StoredPayout) -> PluginResponse {
    let action = rpc::batch(request, &[("eth_sendRawTransaction", json!([stored.raw]))]);
    PluginResponse::Needs { actions: vec![action], memo: json!(Stage::Send(stored)) }
}

/// Only the confirmation of the hash says that it was sent. It may be on its way after any other response.
fn broadcasted(request: &PluginRequest, payout: &PayoutRequest, stored: &StoredPayout) -> PluginResponse {
    match rpc::all(request.outcomes.first(), 1) {
        Ok(results) if results.first().and_then(values::hash).as_ref() == Some(&stored.hash) => {
            sent(payout, stored.clone(), 0, None)
        }
        Ok(_) => unknown("the node returned another transaction's hash"),
        Err(failure) => unknown(failure.why()),
    }
}

/// Reports it as sent, after that was stored: from then on it may be returned, but not be called never sent.
fn sent(payout: &PayoutRequest, stored: StoredPayout, confirmations: u32, fee: Option<String>) -> PluginResponse {
    if stored.reported {
        return done(PayoutState::Sent { tx_id: stored.hash, confirmations, fee });
    }
    let stored = StoredPayout { reported: true, ..stored };
    let store = Action::Store { name: record_name(&payout.key), value: Some(json!(stored).to_string()) };
    PluginResponse::Needs { actions: vec![store], memo: json!(Stage::Report { stored, confirmations, fee }) }
}

/// What became of the stored transaction.
fn follow(request: &PluginRequest, payout: &PayoutRequest, stored: &StoredPayout, stage: Option<Stage>) -> PluginResponse {
    let followed = match stage {
        None => {
            let calls = [
                ("eth_chainId", json!([])),
                ("eth_blockNumber", json!([])),
                receipt_call(&stored.hash),
                ("eth_getTransactionByHash", json!([stored.hash])),
                ("eth_getTransactionCount", json!([stored.from, "latest"])),
            ];
            return PluginResponse::Needs { actions: vec![rpc::batch(request, &calls)], memo: json!(Stage::Look) };
        }
        Some(Stage::Displaced { head }) => displaced(request, payout, stored, head),
        Some(_) => look(request, payout, stored),
    };
    followed.unwrap_or_else(|failure| PluginResponse::Failed(failure.into_call_error()))
}

fn look(request: &PluginRequest, payout: &PayoutRequest, stored: &StoredPayout) -> Result<PluginResponse, NodeFailure> {
    let results = rpc::all(request.outcomes.first(), 5)?;
    if values::small(&results[0]) != Some(stored.chain) {
        let why = format!("the payout was sent on chain {}, and the node is on another", stored.chain);
        return Ok(PluginResponse::Failed(CallError::permanent("wrong_chain", why)));
    }
    let head = values::small(&results[1]).ok_or_else(|| NodeFailure::unreadable("the newest block"))?;
    if !results[2].is_null() {
        return mined(request, payout, stored, &results[2], head);
    }
    if !results[3].is_null() {
        return Ok(sent(payout, stored.clone(), 0, None));
    }
    let count = values::small(&results[4]).ok_or_else(|| NodeFailure::unreadable("the nonce"))?;
    if count <= stored.nonce {
        return Ok(broadcast(request, stored.clone()));
    }
    let Some(final_block) = head.checked_sub(settings::integer(request, settings::FINAL_BLOCKS)) else { return Ok(waiting()) };
    let calls = [
        ("eth_getTransactionCount", json!([stored.from, values::quantity(final_block)])),
        receipt_call(&stored.hash),
        ("eth_getTransactionByHash", json!([stored.hash])),
    ];
    Ok(PluginResponse::Needs { actions: vec![rpc::batch(request, &calls)], memo: json!(Stage::Displaced { head }) })
}

fn waiting() -> PluginResponse {
    unknown("another transaction has taken its nonce; waiting until that is final")
}

/// Whether another transaction has its nonce for good.
fn displaced(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    head: u64,
) -> Result<PluginResponse, NodeFailure> {
    let results = rpc::all(request.outcomes.first(), 3)?;
    if !results[1].is_null() {
        return mined(request, payout, stored, &results[1], head);
    }
    let count = values::small(&results[0]).ok_or_else(|| NodeFailure::unreadable("the nonce"))?;
    if count <= stored.nonce || !results[2].is_null() {
        return Ok(waiting());
    }
    Ok(match stored.reported {
        true => done(PayoutState::Returned { tx_id: stored.hash.clone() }),
        false => never("displaced", "another transaction has the nonce, and this one never was on the network"),
    })
}

/// The state of a transaction with a receipt.
fn mined(
    request: &PluginRequest,
    payout: &PayoutRequest,
    stored: &StoredPayout,
    receipt: &Value,
    head: u64,
) -> Result<PluginResponse, NodeFailure> {
    let unreadable = || NodeFailure::unreadable("a receipt");
    let block = values::small(&receipt["blockNumber"]).ok_or_else(unreadable)?;
    let is_ours = values::hash(&receipt["transactionHash"]).as_ref() == Some(&stored.hash);
    let status = values::small(&receipt["status"]).filter(|_| is_ours).ok_or_else(unreadable)?;
    let confirmations = (head + 1).saturating_sub(block).max(1);
    if status != 1 {
        let is_final = confirmations > settings::integer(request, settings::FINAL_BLOCKS);
        let returned = || done(PayoutState::Returned { tx_id: stored.hash.clone() });
        return Ok(if is_final { returned() } else { unknown("the transaction failed; waiting until that is final") });
    }
    let fee = match settings::currency(request, &payout.currency) {
        Ok(EvmCurrency::Native) => fee(receipt),
        Ok(EvmCurrency::Token(token)) if !has_moved(receipt, token, stored, payout) => {
            return Ok(unknown("the transaction succeeded, but the token did not move"));
        }
        _ => None,
    };
    Ok(sent(payout, stored.clone(), u32::try_from(confirmations).unwrap_or(u32::MAX), fee))
}

fn has_moved(receipt: &Value, token: TokenContract, stored: &StoredPayout, payout: &PayoutRequest) -> bool {
    let parties = (EvmAddress::parse(&stored.from), EvmAddress::parse(payout.address.trim()));
    let transfers = receipt["logs"].as_array().into_iter().flatten().filter_map(|log| transfer(log, token));
    transfers.into_iter().any(|(from, to, units)| (Some(from), Some(to)) == parties && units > 0)
}

fn fee(receipt: &Value) -> Option<String> {
    let of = |field: &str| values::number(&receipt[field]);
    // Some networks charge for the chain below them as well.
    let below = of("l1Fee").unwrap_or_default();
    let fee = of("gasUsed")?.checked_mul(of("effectiveGasPrice")?)?.checked_add(below)?;
    Some(values::amount(fee, NATIVE_DECIMALS).normalize().to_string())
}
