//! The driver with a fake node that fails, lies and reorganises its chain.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::BTreeSet;

use agio_plugin_evm::{Evm, NETWORKS};
use agio_plugin_sdk::Plugin as _;
use agio_plugin_sdk::harness::{Harness, Server, Storage, http, json_of, lost, spoil};
use agio_plugin_sdk::protocol::{
    ActionResult, AddressRequest, Call, CallResult, HttpRequest, Movements, PayoutRequest, PayoutState, WatchRequest,
};
use serde_json::{Value, json};
use sha3::{Digest as _, Keccak256};

/// The account of the phrase that development nodes publish.
const PHRASE: &str = "test test test test test test test test test test test junk";
/// Its extended public key: `m/44'/60'/0'`.
const XPUB: &str =
    "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";
const TOKEN: &str = "0xdac17f958d2ee523a2206206994597c13d831ec7";
const OTHER_TOKEN: &str = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const CUSTOMER: &str = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const SENDER: &str = "0x00000000219ab540356cbb839cbe05303d7705fa";

fn evm() -> Harness<Evm> {
    Harness::new(Evm::new(&NETWORKS[0])).set("xpub", XPUB).set("secret", PHRASE)
}

fn word(text: impl std::fmt::Display) -> String {
    format!("0x{:0>64}", text.to_string().trim_start_matches("0x").to_lowercase())
}

/// A transaction of the fake chain.
#[derive(Clone)]
struct FakeTransaction {
    hash: String,
    to: String,
    value: String,
    status: Value,
    logs: Vec<Value>,
}

impl FakeTransaction {
    fn coins(id: u32, to: &str, value: &str) -> Self {
        let (hash, to) = (word(format!("7{id:x}")), to.to_lowercase());
        Self { hash, to, value: value.to_owned(), status: json!("0x1"), logs: Vec::new() }
    }

    fn tokens(id: u32, to: &str, units: u64) -> Self {
        Self { logs: vec![transfer(TOKEN, to, &word(format!("{units:x}")))], ..Self::coins(id, TOKEN, "0x0") }
    }
}

fn transfer(contract: &str, to: &str, data: &str) -> Value {
    json!({ "address": contract, "topics": [TRANSFER, word(SENDER), word(to)], "data": data })
}

/// A chain of blocks with a pool of pending transactions.
struct FakeNode {
    chain_id: String,
    blocks: Vec<(String, Vec<FakeTransaction>)>,
    pending: Vec<FakeTransaction>,
    decimals: String,
    balance: String,
    token_result: Result<String, String>,
    nonces: (u64, u64),
    base_fee: String,
    gas: Result<String, String>,
    sent: Vec<String>,
}

impl FakeNode {
    fn new(height: usize) -> Self {
        let mut node = Self {
            chain_id: "0x1".to_owned(),
            blocks: Vec::new(),
            pending: Vec::new(),
            decimals: word("6"),
            balance: "0xde0b6b3a7640000".to_owned(),
            token_result: Ok("0x".to_owned()),
            nonces: (7, 7),
            base_fee: "0x3b9aca00".to_owned(),
            gas: Ok("0x5208".to_owned()),
            sent: Vec::new(),
        };
        node.mine("a", height, &[]);
        node
    }

    /// Adds blocks, the transactions in the first of them.
    fn mine(&mut self, fork: &str, count: usize, transactions: &[FakeTransaction]) {
        for place in 0..count {
            let hash = word(format!("b{fork}{:x}", self.blocks.len()));
            self.blocks.push((hash, if place == 0 { transactions.to_vec() } else { Vec::new() }));
        }
    }

    fn answers(&mut self, batch: &Value) -> Value {
        let calls = batch.as_array().unwrap();
        assert!(calls.len() <= 100, "{} calls in a batch", calls.len());
        calls.iter().map(|call| self.call(call)).collect()
    }

    fn call(&mut self, call: &Value) -> Value {
        let (method, params) = (call["method"].as_str().unwrap(), &call["params"]);
        let head = self.blocks.len() - 1;
        let result = match method {
            "eth_chainId" => Ok(json!(self.chain_id)),
            "eth_blockNumber" => Ok(json!(format!("{head:#x}"))),
            "eth_getBlockByNumber" => Ok(self.block(if params[0] == "latest" { head } else { number(&params[0]) })),
            "eth_getLogs" => {
                let filter = &params[0];
                let blocks = number(&filter["fromBlock"])..=number(&filter["toBlock"]);
                // A careless node returns logs that were not asked for.
                Ok(blocks
                    .flat_map(|number| self.receipts(number))
                    .flat_map(|receipt| receipt["logs"].as_array().unwrap().clone())
                    .collect())
            }
            "eth_getTransactionReceipt" => Ok(self.receipt(&params[0])),
            "eth_getTransactionByHash" => {
                let is_pending = self.pending.iter().any(|pending| pending.hash == params[0]);
                Ok(if is_pending || !self.receipt(&params[0]).is_null() { json!({ "hash": params[0] }) } else { Value::Null })
            }
            "eth_getTransactionCount" => {
                Ok(json!(format!("{:#x}", if params[1] == "pending" { self.nonces.1 } else { self.nonces.0 })))
            }
            "eth_getBalance" => Ok(json!(self.balance)),
            "eth_maxPriorityFeePerGas" => Ok(json!("0x1")),
            "eth_estimateGas" => self.gas.clone().map(Value::from),
            "eth_call" => match &params[0]["data"].as_str().unwrap()[..10] {
                "0x313ce567" => Ok(json!(self.decimals)),
                "0x70a08231" => Ok(json!(word(&self.balance))),
                _ => self.token_result.clone().map(Value::from),
            },
            "eth_sendRawTransaction" => {
                let raw = params[0].as_str().unwrap().to_owned();
                let hash = hash_of(&raw);
                if !self.sent.contains(&raw) {
                    self.sent.push(raw);
                }
                Ok(json!(hash))
            }
            other => panic!("unexpected call of {other}"),
        };
        match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }),
            Err(message) => json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": 3, "message": message } }),
        }
    }

    fn block(&self, number: usize) -> Value {
        let Some((hash, transactions)) = self.blocks.get(number) else { return Value::Null };
        let parent = number.checked_sub(1).map_or_else(|| word("0"), |parent| self.blocks[parent].0.clone());
        let whole = |transaction: &FakeTransaction| {
            let to = if transaction.to.is_empty() { Value::Null } else { json!(transaction.to) };
            json!({ "hash": transaction.hash, "to": to, "value": transaction.value })
        };
        json!({
            "number": format!("{number:#x}"), "hash": hash, "parentHash": parent, "baseFeePerGas": self.base_fee,
            "transactions": transactions.iter().map(whole).collect::<Vec<_>>(),
        })
    }

    fn receipts(&self, number: usize) -> Vec<Value> {
        let Some((hash, transactions)) = self.blocks.get(number) else { return Vec::new() };
        let receipt = |transaction: &FakeTransaction| {
            let mut logs = transaction.logs.clone();
            for log in &mut logs {
                (log["blockNumber"], log["blockHash"]) = (json!(format!("{number:#x}")), json!(hash));
                log["transactionHash"] = json!(transaction.hash);
            }
            json!({
                "transactionHash": transaction.hash, "blockNumber": format!("{number:#x}"), "blockHash": hash,
                "status": transaction.status, "logs": logs, "gasUsed": "0x5208", "effectiveGasPrice": "0x3b9aca00",
            })
        };
        transactions.iter().map(receipt).collect()
    }

    fn receipt(&self, hash: &Value) -> Value {
        let all = (0..self.blocks.len()).flat_map(|number| self.receipts(number));
        all.into_iter().find(|receipt| receipt["transactionHash"] == *hash).unwrap_or_default()
    }
}

impl Server for FakeNode {
    fn respond(&mut self, request: &HttpRequest) -> ActionResult {
        http(200, self.answers(&json_of(request)).to_string())
    }
}

/// Whether a batch begins with a call of this method.
fn is_call(request: &HttpRequest, method: &str) -> bool {
    json_of(request)[0]["method"] == method
}

fn number(value: &Value) -> usize {
    usize::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn hash_of(raw: &str) -> String {
    let bytes: Vec<u8> = (2..raw.len()).step_by(2).map(|at| u8::from_str_radix(&raw[at..at + 2], 16).unwrap()).collect();
    Keccak256::digest(bytes).iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

fn watch(currency: &str) -> WatchRequest {
    WatchRequest { currency: currency.to_owned(), cursor: None, confirmations: 3 }
}

fn watch_call(currency: &str, cursor: Option<&str>) -> Call {
    Call::Watch(WatchRequest { cursor: cursor.map(str::to_owned), ..watch(currency) })
}

/// Polls and returns the report.
fn poll(driver: &mut Harness<Evm>, node: &mut FakeNode, currency: &str, cursor: &mut Option<String>) -> Movements {
    driver.poll(watch(currency), cursor, node)
}

/// Amount, confirmations and whether it is gone, of each movement.
fn shown(report: &Movements) -> Vec<(String, u32, bool)> {
    let mut shown: Vec<_> =
        report.movements.iter().map(|one| (one.amount.normalize().to_string(), one.confirmations, one.gone)).collect();
    shown.sort();
    shown
}

fn payout(key: &str, currency: &str, amount: &str) -> PayoutRequest {
    let text = str::to_owned;
    PayoutRequest {
        key: text(key),
        currency: text(currency),
        address: text(CUSTOMER),
        memo: None,
        amount: amount.parse().unwrap(),
    }
}

fn never_code(state: PayoutState) -> String {
    match state {
        PayoutState::NeverSent { code, .. } => code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_always_has_the_same_address() {
    let mut driver = evm();
    let first = driver.addresses("ETH", &["a-1", "a-2", "a-1"]);
    assert_eq!(first[0], "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    assert_eq!(first[1], "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    assert_eq!(first[0], first[2]);
    assert_eq!(driver.addresses("ETH", &["a-3", "a-2"])[1], first[1]);
    let keys: Vec<String> = (0..300).map(|number| format!("{number:0>64}")).collect();
    let many: BTreeSet<_> = driver.addresses("ETH", &keys.iter().map(String::as_str).collect::<Vec<_>>()).into_iter().collect();
    assert_eq!(many.len(), 300);
    assert!(!many.contains(&first[0]));
    assert_eq!(driver.addresses("ETH", &["a-1"])[0], first[0]);
}

#[test]
fn a_bad_extended_key_gives_no_addresses() {
    for xpub in ["", "xpub", PHRASE, &XPUB.replace('6', "7")] {
        let requests = vec![AddressRequest { key: "a".to_owned(), currency: "ETH".to_owned() }];
        let refused = evm().set("xpub", xpub).call(Call::Addresses { requests }).unwrap_err();
        assert_eq!((refused.code.as_str(), refused.later), ("no_deposit_key", false));
    }
}

#[test]
fn a_currency_of_another_network_gets_no_address() {
    let requests = vec![AddressRequest { key: "a".to_owned(), currency: "BTC".to_owned() }];
    let refused = evm().call(Call::Addresses { requests }).unwrap_err();
    assert_eq!((refused.code.as_str(), refused.later), ("unknown_currency", false));
}

#[test]
fn coins_and_tokens_that_arrive_are_reported_until_they_are_confirmed() {
    for (currency, payment, amount) in [
        ("ETH", FakeTransaction::coins as fn(u32, &str, &str) -> FakeTransaction, "1.5"),
        ("USDTERC20", |id, to, _| FakeTransaction::tokens(id, to, 25_000_001), "25.000001"),
    ] {
        let (mut driver, mut node, mut cursor) = (evm(), FakeNode::new(100), None);
        let address = driver.addresses("ETH", &["a-1"]).remove(0);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), []);
        node.mine("a", 1, &[payment(1, &address, "0x14d1120d7b160000"), payment(2, SENDER, "0x1")]);
        let report = poll(&mut driver, &mut node, currency, &mut cursor);
        assert_eq!((shown(&report), report.height), (vec![(amount.to_owned(), 1, false)], 100));
        assert_eq!((&report.movements[0].address, report.movements[0].output), (&address, 0));
        node.mine("a", 1, &[]);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), [(amount.to_owned(), 2, false)]);
        node.mine("a", 2, &[]);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), [(amount.to_owned(), 4, false)]);
        node.mine("a", 1, &[]);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), []);
    }
}

#[test]
fn only_real_transfers_of_the_configured_contract_count() {
    let (mut driver, mut node, mut cursor) = (evm(), FakeNode::new(10), None);
    let address = driver.addresses("ETH", &["a-1"]).remove(0);
    poll(&mut driver, &mut node, "USDTERC20", &mut cursor);
    let one = word("1");
    let logs = |logs: Vec<Value>| FakeTransaction { hash: word(logs.len()), logs, ..FakeTransaction::coins(9, TOKEN, "0x0") };
    let mut failed = FakeTransaction::tokens(1, &address, 5);
    failed.status = json!("0x0");
    node.mine(
        "a",
        1,
        &[
            failed,
            logs(vec![
                transfer(OTHER_TOKEN, &address, &one),
                transfer(TOKEN, SENDER, &one),
                json!({ "address": TOKEN, "topics": [TRANSFER, word(SENDER), word(&address), one], "data": "0x" }),
                json!({ "address": TOKEN, "topics": [word("1"), word(SENDER), word(&address)], "data": one }),
                json!({ "address": TOKEN, "topics": [TRANSFER, word(SENDER), format!("0x{}{}", "1".repeat(24), &address[2..])], "data": one }),
                transfer(TOKEN, &address, "0x01"),
                transfer(TOKEN, &address, &word("0")),
                // Two payments in one transaction count, each by its place.
                transfer(TOKEN, &address, &word("2")),
                transfer(TOKEN, &address, &word("3")),
            ]),
        ],
    );
    let report = poll(&mut driver, &mut node, "USDTERC20", &mut cursor);
    let found: Vec<_> = report.movements.iter().map(|one| (one.output, one.amount.normalize().to_string())).collect();
    assert_eq!(found, [(7, "0.000002".to_owned()), (8, "0.000003".to_owned())]);
    // An amount beyond all bounds is the largest there is, and nothing breaks.
    node.mine("a", 1, &[logs(vec![transfer(TOKEN, &address, &format!("0x{}", "f".repeat(64)))])]);
    assert_eq!(poll(&mut driver, &mut node, "USDTERC20", &mut cursor).movements.len(), 3);
}

#[test]
fn a_failed_payment_of_coins_is_none() {
    let (mut driver, mut node, mut cursor) = (evm(), FakeNode::new(10), None);
    let address = driver.addresses("ETH", &["a-1"]).remove(0);
    poll(&mut driver, &mut node, "ETH", &mut cursor);
    let failed = FakeTransaction { status: json!("0x0"), ..FakeTransaction::coins(1, &address, "0x5") };
    let created = FakeTransaction { to: String::new(), ..FakeTransaction::coins(2, "", "0x5") };
    node.mine("a", 1, &[failed, created, FakeTransaction::coins(3, &address, "0x0")]);
    assert_eq!(shown(&poll(&mut driver, &mut node, "ETH", &mut cursor)), []);
}

#[test]
fn after_a_reorganisation_every_payment_stands_as_the_chain_has_it() {
    for currency in ["ETH", "USDTERC20"] {
        let (mut driver, mut node, mut cursor) = (evm(), FakeNode::new(50), None);
        let address = driver.addresses("ETH", &["a-1"]).remove(0);
        let payment = |id: u32| match currency {
            "ETH" => FakeTransaction::coins(id, &address, &format!("{:#x}", u128::from(id) * 1_000_000_000_000_000_000)),
            _ => FakeTransaction::tokens(id, &address, u64::from(id) * 1_000_000),
        };
        poll(&mut driver, &mut node, currency, &mut cursor);
        node.mine("a", 2, &[payment(1), payment(2), payment(3), payment(4)]);
        assert_eq!(poll(&mut driver, &mut node, currency, &mut cursor).movements.len(), 4);
        // In the other chain, 1 is a block later, 2 waits again, 3 has failed, 4 was replaced by 5.
        node.blocks.truncate(50);
        node.mine("c", 1, &[]);
        let failed = FakeTransaction { status: json!("0x0"), logs: Vec::new(), ..payment(3) };
        node.mine("c", 2, &[payment(1), failed, payment(5)]);
        node.pending = vec![payment(2)];
        let text = |id: &str, confirmations, gone| (id.to_owned(), confirmations, gone);
        let report = poll(&mut driver, &mut node, currency, &mut cursor);
        assert_eq!(
            shown(&report),
            [text("1", 2, false), text("2", 0, false), text("3", 0, true), text("4", 0, true), text("5", 2, false)]
        );
        let report = poll(&mut driver, &mut node, currency, &mut cursor);
        assert_eq!(shown(&report), [text("1", 2, false), text("2", 0, false), text("5", 2, false)]);
        // 2 is mined, and 4 comes back.
        node.pending.clear();
        node.mine("c", 1, &[payment(2), payment(4)]);
        let report = poll(&mut driver, &mut node, currency, &mut cursor);
        assert_eq!(shown(&report), [text("1", 3, false), text("2", 1, false), text("4", 1, false), text("5", 3, false)]);
        // A reorganisation of everything that was remembered.
        node.blocks.clear();
        node.mine("d", 80, &[]);
        let report = poll(&mut driver, &mut node, currency, &mut cursor);
        assert!(report.movements.iter().all(|one| one.gone) && report.movements.len() == 4, "{report:?}");
    }
}

#[test]
fn blocks_are_caught_up_in_parts() {
    for currency in ["ETH", "USDTERC20"] {
        let (mut driver, mut node, mut cursor) = (evm(), FakeNode::new(10), None);
        let address = driver.addresses("ETH", &["a-1"]).remove(0);
        poll(&mut driver, &mut node, currency, &mut cursor);
        for id in 0..30 {
            let payment = if currency == "ETH" {
                FakeTransaction::coins(id, &address, "0x1")
            } else {
                FakeTransaction::tokens(id, &address, 1)
            };
            node.mine("a", 100, &[payment]);
        }
        let mut found = BTreeSet::new();
        for _ in 0..40 {
            found.extend(poll(&mut driver, &mut node, currency, &mut cursor).movements.into_iter().map(|one| one.tx_id));
        }
        assert_eq!(found.len(), 30);
        assert!(cursor.unwrap().len() < 4_000);
    }
}

#[test]
fn a_node_that_is_wrong_moves_no_cursor() {
    let (mut driver, mut node, mut cursor) = (evm(), FakeNode::new(10), None);
    let address = driver.addresses("ETH", &["a-1"]).remove(0);
    poll(&mut driver, &mut node, "USDTERC20", &mut cursor);
    node.mine("a", 1, &[FakeTransaction::tokens(1, &address, 1)]);
    let known = cursor.clone();
    let call = || watch_call("USDTERC20", known.as_deref());
    for (answer, code) in [
        (http(200, "<html>Login</html>"), "unreachable"),
        (http(502, ""), "unreachable"),
        (http(401, "{}"), "unauthorised"),
        (http(200, "[]"), "unreachable"),
        (http(200, "{}"), "unreachable"),
        (http(200, "null"), "unreachable"),
        (http(200, r#"{"error":{"code":-32005,"message":"limit exceeded"}}"#), "refused"),
        (http(200, r#"[{"id":0},{"id":0},{"id":0},{"id":0}]"#), "unreachable"),
        (lost(true), "unreachable"),
    ] {
        assert_eq!(driver.call_on(call(), &mut |_: &HttpRequest| answer.clone()).unwrap_err().code, code, "{answer:?}");
    }
    node.chain_id = "0x38".to_owned();
    assert_eq!(driver.call_on(call(), &mut node).unwrap_err().code, "wrong_chain");
    node.chain_id = "0x1".to_owned();
    for decimals in [word("12"), "0x".to_owned(), "0x6".to_owned()] {
        node.decimals = decimals;
        assert_eq!(driver.call_on(call(), &mut node).unwrap_err().code, "wrong_decimals");
    }
    node.decimals = word("6");
    // Each field of each response, missing or of another kind.
    let mut spoilt = 0;
    for round in 1..=3 {
        for field in ["number", "hash", "transactionHash", "blockHash", "blockNumber", "status", "logs", "result"] {
            for value in [Value::Null, json!("0x"), json!(1.5), json!([{}])] {
                let mut seen = 0;
                let result = driver.call_on(call(), &mut |request: &HttpRequest| {
                    seen += 1;
                    let mut answers = node.answers(&json_of(request));
                    if seen == round {
                        spoil(&mut answers, field, &value);
                    }
                    http(200, answers.to_string())
                });
                // What does not matter in a response may be wrong. Then the payment is found, now or in the next call.
                if let Ok(CallResult::Movements(report)) = result {
                    let mut next = Some(report.cursor.clone());
                    let later = poll(&mut driver, &mut node, "USDTERC20", &mut next);
                    assert!(!report.movements.is_empty() || !later.movements.is_empty(), "{round} {field} {value}");
                } else {
                    spoilt += 1;
                }
            }
        }
    }
    assert!(spoilt > 30, "{spoilt}");
    assert_eq!(poll(&mut driver, &mut node, "USDTERC20", &mut cursor).movements.len(), 1);
    // A node that is behind is no reorganisation.
    node.blocks.truncate(8);
    let error = driver.call_on(watch_call("USDTERC20", cursor.as_deref()), &mut node).unwrap_err();
    assert_eq!((error.code.as_str(), error.later), ("node_behind", true));
}

#[test]
fn a_payout_is_stored_before_it_is_sent_and_sent_once() {
    for (currency, amount) in [("ETH", "0.5"), ("USDTERC20", "12.5")] {
        let (mut driver, mut node) = (evm(), FakeNode::new(100));
        let request = payout("p-1", currency, amount);
        let call = || Call::SendPayout(request.clone());
        let stored_at_sending = std::cell::Cell::new(false);
        assert!(driver.call_for(call(), &mut node, 2).is_none());
        stored_at_sending.set(driver.stored.keys().any(|name| name.starts_with("payout-")));
        assert!(stored_at_sending.get() && node.sent.is_empty());
        let sent = driver.payout(call(), &mut node);
        let hash = hash_of(&node.sent[0]);
        assert_eq!(sent, PayoutState::Sent { tx_id: hash.clone(), confirmations: 0, fee: None });
        for _ in 0..3 {
            assert_eq!(driver.payout(call(), &mut node), sent);
            assert_eq!(driver.payout(Call::PayoutStatus(request.clone()), &mut node), sent);
        }
        assert_eq!(node.sent.len(), 1);
        let mut mined = FakeTransaction { hash: hash.clone(), ..FakeTransaction::coins(1, CUSTOMER, "0x1") };
        if currency != "ETH" {
            let mut log = transfer(TOKEN, CUSTOMER, &word(format!("{:x}", 12_500_000)));
            log["topics"][1] = json!(word("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"));
            mined.logs = vec![log];
        }
        node.mine("a", 2, &[mined]);
        let fee = (currency == "ETH").then(|| "0.000021".to_owned());
        let status = driver.payout(Call::PayoutStatus(request.clone()), &mut node);
        assert_eq!(status, PayoutState::Sent { tx_id: hash, confirmations: 2, fee });
    }
}

#[test]
fn a_crash_or_a_lost_answer_at_any_point_never_pays_twice() {
    for crash in 0..6 {
        for lost_at in 0..5 {
            let (mut driver, mut node) = (evm(), FakeNode::new(100));
            let request = payout("p-1", "ETH", "0.5");
            let mut seen = 0;
            let mut unreliable = |request: &HttpRequest| {
                let answer = node.respond(request);
                seen += 1;
                if seen == lost_at { lost(true) } else { answer }
            };
            let first = driver.call_for(Call::SendPayout(request.clone()), &mut unreliable, crash);
            let status = driver.payout(Call::PayoutStatus(request.clone()), &mut node);
            match status {
                PayoutState::NeverSent { code, .. } => {
                    assert_eq!((code.as_str(), node.sent.len()), ("not_sent", 0));
                    assert!(!matches!(first, Some(Ok(CallResult::Payout(PayoutState::Sent { .. })))));
                }
                PayoutState::Sent { tx_id, .. } => assert_eq!(hash_of(&node.sent[0]), tx_id),
                other => panic!("{other:?}"),
            }
            assert!(node.sent.len() <= 1, "crash {crash}, lost {lost_at}");
        }
    }
}

#[test]
fn two_payouts_have_different_nonces_even_if_the_node_forgets_the_first() {
    let (mut driver, mut node) = (evm(), FakeNode::new(100));
    for key in ["p-1", "p-2", "p-3"] {
        driver.payout(Call::SendPayout(payout(key, "ETH", "0.1")), &mut node);
    }
    assert_eq!(node.sent.iter().collect::<BTreeSet<_>>().len(), 3);
    let nonces = driver
        .stored
        .iter()
        .filter(|(name, _)| name.starts_with("payout-"))
        .map(|(_, record)| serde_json::from_str::<Value>(record).unwrap()["nonce"].as_u64().unwrap());
    assert_eq!(nonces.collect::<BTreeSet<_>>(), [7, 8, 9].into());
    // Someone else used the account, or the server's data is a restored copy: it does not pay again.
    node.nonces = (12, 12);
    let refused = driver.call_on(Call::SendPayout(payout("p-4", "ETH", "0.1")), &mut node).unwrap_err();
    assert_eq!((refused.code.as_str(), node.sent.len()), ("unknown_transactions", 3));
    let mut driver = evm().set("shared_account", "true");
    driver.payout(Call::SendPayout(payout("p-4", "ETH", "0.1")), &mut node);
    assert_eq!(node.sent.len(), 4);
}

#[test]
fn stored_values_that_are_invisible_for_a_moment_lead_to_no_second_payment() {
    let (mut driver, mut node) = (evm(), FakeNode::new(100));
    driver.storage = Storage::Invisible;
    let request = payout("p-1", "ETH", "0.1");
    let sent = driver.payout(Call::SendPayout(request.clone()), &mut node);
    assert!(matches!(sent, PayoutState::Sent { .. }));
    for call in [Call::SendPayout(request.clone()), Call::PayoutStatus(request)] {
        assert!(matches!(driver.payout(call, &mut node), PayoutState::Unknown { .. }));
    }
    assert_eq!(node.sent.len(), 1);
}

#[test]
fn a_nonce_that_was_taken_meanwhile_is_chosen_anew() {
    let (mut driver, mut node) = (evm(), FakeNode::new(100));
    let state = driver.payout(Call::SendPayout(payout("p-1", "ETH", "0.1")), &mut |request: &HttpRequest| {
        // The transaction of the other node of the server arrives after the first one was signed.
        if is_call(request, "eth_getTransactionCount") {
            node.nonces = (7, 8);
        }
        node.respond(request)
    });
    assert!(matches!(state, PayoutState::Sent { .. }));
    let records: Vec<_> = driver.stored.iter().filter(|(name, _)| name.starts_with("payout-")).collect();
    assert_eq!((node.sent.len(), records.len()), (1, 1));
    assert!(records[0].1.contains(&node.sent[0]) && records[0].1.contains("\"nonce\":8"), "{records:?}");
}

#[test]
fn of_two_payouts_with_the_same_nonce_one_is_paid_and_the_other_is_sent_anew() {
    let (mut here, mut there, mut node) = (evm(), evm(), FakeNode::new(200));
    let (first, second) = (payout("p-1", "ETH", "0.1"), payout("p-2", "ETH", "0.2"));
    here.payout(Call::SendPayout(first), &mut node);
    // The other node of the server does not know the first one yet.
    let refused = http(200, r#"[{"id":0,"error":{"code":-32000,"message":"replacement transaction underpriced"}}]"#);
    let mut without_second = |call: Call, node: &mut FakeNode| {
        there.payout(call, &mut |request: &HttpRequest| match is_call(request, "eth_sendRawTransaction") {
            true => refused.clone(),
            false => node.respond(request),
        })
    };
    for call in [Call::SendPayout(second.clone()), Call::PayoutStatus(second.clone())] {
        assert!(matches!(without_second(call, &mut node), PayoutState::Unknown { .. }));
    }
    node.nonces = (8, 8);
    assert_eq!(never_code(without_second(Call::PayoutStatus(second), &mut node)), "displaced");
}

#[test]
fn a_displaced_or_failed_transaction_is_returned_when_that_is_final() {
    let (mut driver, mut node) = (evm(), FakeNode::new(200));
    let request = payout("p-1", "ETH", "0.5");
    driver.payout(Call::SendPayout(request.clone()), &mut node);
    let hash = hash_of(&node.sent[0]);
    let mut status = |node: &mut FakeNode| driver.payout(Call::PayoutStatus(request.clone()), node);
    // The nonce counts as taken at the final block as well: the fake node has one count for all blocks.
    node.nonces = (8, 8);
    assert_eq!(status(&mut node), PayoutState::Returned { tx_id: hash.clone() });
    node.pending = vec![FakeTransaction { hash: hash.clone(), ..FakeTransaction::coins(1, CUSTOMER, "0x1") }];
    assert!(matches!(status(&mut node), PayoutState::Sent { confirmations: 0, .. }));
    node.pending.clear();
    let failed = FakeTransaction { hash: hash.clone(), status: json!("0x0"), ..FakeTransaction::coins(1, CUSTOMER, "0x1") };
    node.mine("a", 1, &[failed]);
    assert!(matches!(status(&mut node), PayoutState::Unknown { .. }));
    node.mine("a", 64, &[]);
    assert_eq!(status(&mut node), PayoutState::Returned { tx_id: hash });
    assert_eq!(node.sent.len(), 1);
}

#[test]
fn what_cannot_be_paid_is_refused_before_anything_is_signed() {
    let refusal = |change: &dyn Fn(&mut Harness<Evm>, &mut FakeNode, &mut PayoutRequest)| {
        let (mut driver, mut node, mut request) = (evm(), FakeNode::new(100), payout("p-1", "USDTERC20", "0.5"));
        change(&mut driver, &mut node, &mut request);
        let result = driver.call_on(Call::SendPayout(request.clone()), &mut node);
        assert!(driver.stored.is_empty() && node.sent.is_empty());
        match result {
            Err(error) => error.code,
            Ok(CallResult::Payout(state)) => never_code(state),
            other => panic!("{other:?}"),
        }
    };
    let set = |name: &'static str, value: &'static str| {
        move |driver: &mut Harness<Evm>, _: &mut FakeNode, _: &mut PayoutRequest| {
            driver.change_setting(name, value);
        }
    };
    let to = |address: &'static str| {
        move |_: &mut Harness<Evm>, _: &mut FakeNode, request: &mut PayoutRequest| request.address = address.to_owned()
    };
    let of = |currency: &'static str, amount: &'static str| {
        move |_: &mut Harness<Evm>, _: &mut FakeNode, request: &mut PayoutRequest| {
            (request.currency, request.amount) = (currency.to_owned(), amount.parse().unwrap());
        }
    };
    let node = |change: fn(&mut FakeNode)| move |_: &mut Harness<Evm>, node: &mut FakeNode, _: &mut PayoutRequest| change(node);
    assert_eq!(refusal(&node(|node| node.chain_id = "0x38".to_owned())), "wrong_chain");
    assert_eq!(refusal(&node(|node| node.decimals = word("12"))), "wrong_decimals");
    assert_eq!(refusal(&node(|node| node.balance = "0x5".to_owned())), "not_enough_money");
    assert_eq!(refusal(&node(|node| node.token_result = Ok(word("0")))), "would_fail");
    assert_eq!(refusal(&node(|node| node.token_result = Err("execution reverted: blacklisted".to_owned()))), "would_fail");
    assert_eq!(refusal(&node(|node| node.gas = Err("execution reverted".to_owned()))), "would_fail");
    assert_eq!(refusal(&node(|node| node.gas = Ok("0x1000000".to_owned()))), "too_much_gas");
    assert_eq!(refusal(&node(|node| node.base_fee = "0xe8d4a510000".to_owned())), "fee_too_high");
    assert_eq!(refusal(&node(|node| node.base_fee = format!("0x{}", "f".repeat(64)))), "fee_too_high");
    assert_eq!(refusal(&node(|node| node.base_fee = String::new())), "no_fee_market");
    assert_eq!(refusal(&set("secret", "")), "no_payout_key");
    assert_eq!(refusal(&set("secret", "test test test")), "no_payout_key");
    assert_eq!(refusal(&set("tokens", "USDTERC20=0x12:6")), "bad_settings");
    assert_eq!(refusal(&set("max_fee", "much")), "bad_settings");
    assert_eq!(refusal(&to("0x0000000000000000000000000000000000000000")), "bad_address");
    assert_eq!(refusal(&to("0xdAC17F958D2ee523a2206206994597C13D831ec7")), "bad_address");
    assert_eq!(refusal(&to("0x90f79bf6EB2c4f870365E785982E1f101E93b906")), "bad_address");
    assert_eq!(refusal(&of("USDTERC20", "0.0000001")), "bad_amount");
    assert_eq!(refusal(&of("USDTERC20", "0")), "bad_amount");
    assert_eq!(refusal(&of("USDTERC20", "-1")), "bad_amount");
    assert_eq!(refusal(&of("ETH", "79228162514264337593543950335")), "bad_amount");
    assert_eq!(refusal(&of("ETH", "1")), "not_enough_money");
    assert_eq!(refusal(&of("SHIB", "1")), "unknown_currency");
    for answer in [http(200, "<html>"), http(401, ""), http(200, "[]"), lost(true)] {
        let mut driver = evm();
        let result = driver.call_on(Call::SendPayout(payout("p-1", "ETH", "0.5")), &mut |_: &HttpRequest| answer.clone());
        assert!(matches!(result, Err(_) | Ok(CallResult::Payout(PayoutState::NeverSent { .. }))), "{result:?}");
        assert!(driver.stored.is_empty());
        let state = driver.payout(Call::PayoutStatus(payout("p-1", "ETH", "0.5")), &mut |_: &HttpRequest| panic!());
        assert_eq!(never_code(state), "not_sent");
    }
}

#[test]
fn any_answer_to_sending_but_the_hash_leaves_the_outcome_open() {
    for answer in [
        http(200, r#"[{"id":0,"error":{"code":-32000,"message":"insufficient funds for gas * price + value"}}]"#),
        http(200, r#"[{"id":0,"error":{"code":-32000,"message":"nonce too low"}}]"#),
        http(200, format!(r#"[{{"id":0,"result":"{}"}}]"#, word("1"))),
        http(200, "<html>"),
        http(401, ""),
        lost(true),
    ] {
        let (mut driver, mut node) = (evm(), FakeNode::new(100));
        let request = payout("p-1", "ETH", "0.5");
        let mut node_answers = |request: &HttpRequest| match is_call(request, "eth_sendRawTransaction") {
            true => answer.clone(),
            false => node.respond(request),
        };
        let state = driver.payout(Call::SendPayout(request.clone()), &mut node_answers);
        assert!(matches!(state, PayoutState::Unknown { .. }), "{answer:?}");
        // The network has it after all, or gets the same transaction again.
        let again = driver.payout(Call::PayoutStatus(request), &mut node);
        assert!(matches!(again, PayoutState::Sent { .. }) && node.sent.len() == 1);
    }
}

#[test]
fn the_manifests_are_valid_and_the_known_contracts_have_checksums() {
    for driver in Evm::all() {
        driver.manifest().validate().unwrap();
        let tokens = driver.manifest().settings.into_iter().find(|field| field.name == "tokens").unwrap().default.unwrap();
        for token in tokens.split(',').filter(|token| !token.is_empty()) {
            let contract = token.split(['=', ':']).nth(1).unwrap();
            assert!(contract.chars().any(|digit| digit.is_ascii_uppercase()), "{contract}");
            let mut fake = evm().set("tokens", token.trim());
            let code = token.trim().split('=').next().unwrap();
            // A contract with a wrong checksum is a bad setting.
            let refused = fake.call_on(watch_call(code, None), &mut |_: &HttpRequest| http(200, "[]")).unwrap_err();
            assert_eq!(refused.code, "unreachable", "{token}");
        }
    }
}
