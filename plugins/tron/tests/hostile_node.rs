//! The driver with a fake node that answers in the recorded and documented forms of java-tron and TronGrid, and fails,
//! lies and lags like them.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::BTreeSet;

use agio_plugin_sdk::harness::{Harness, Server, http, json_of, lost, spoil};
use agio_plugin_sdk::protocol::{
    ActionResult, AddressRequest, Call, CallResult, HttpRequest, Movements, PayoutRequest, PayoutState, WatchRequest,
};
use agio_plugin_tron::Tron;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const PHRASE: &str = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
/// Its extended public key: `m/44'/195'/0'`.
const XPUB: &str =
    "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd";
/// Its first private key and address, from which payouts are sent.
const KEY: &str = "b5a4cea271ff424d7c31dc12a3e43e401df7a40d7412a15750f3f0b6b5449a28";
const ACCOUNT: &str = "41c8599111f29c1e1e061265b4af93ea1f274ad78a";
const USDT: &str = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c";
const OTHER_TOKEN: &str = "418b22fe33c68c2d82b1ef4e5f7a6d7a0f6a0e5c11";
const TRANSFER: &str = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const CUSTOMER: &str = "TW1dU4L3eNm7Lw8WvieLKEHpXWAussRG9Z";
const CUSTOMER_HEX: &str = "41dbd7c53729b3310e1843083000fa84abad996961";
const SENDER: &str = "415cd0fb0ab3ce40f3051414c604b27756e69e43db";
const GENESIS: &str = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc";
/// The message of a contract that refuses: "REVERT opcode executed".
const REVERTED: &str = "524556455254206f70636f6465206578656375746564";

/// When the first block was produced, in milliseconds.
const START: u64 = 1_711_627_200_000;
/// Blocks that are not solidified.
const UNSOLID: usize = 18;

const URL: &str = "http://127.0.0.1:8090/";

fn tron() -> Harness<Tron> {
    Harness::new(Tron).set("xpub", XPUB).set("secret", KEY)
}

/// A server that gets the path and the body of each request.
fn on_path(mut answer: impl FnMut(&str, &Value) -> ActionResult) -> impl FnMut(&HttpRequest) -> ActionResult {
    move |request| answer(request.url.strip_prefix(URL).unwrap(), &json_of(request))
}

fn word(text: impl std::fmt::Display) -> String {
    format!("{:0>64}", text.to_string())
}

/// The hexadecimal form of an address.
fn hexed(address: &str) -> String {
    bs58::decode(address)
        .with_check(None)
        .into_vec()
        .unwrap()
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// A transaction of the fake chain.
#[derive(Clone)]
struct FakeTransaction {
    id: String,
    kind: &'static str,
    value: Value,
    state: &'static str,
    info: Value,
}

impl FakeTransaction {
    fn coins(id: u32, to: &str, sun: u64) -> Self {
        let value = json!({ "amount": sun, "owner_address": SENDER, "to_address": to });
        let info = json!({ "fee": 267_000, "contractResult": [""], "receipt": { "net_fee": 267_000 } });
        Self { id: word(format!("7{id:x}")), kind: "TransferContract", value, state: "SUCCESS", info }
    }

    fn logs(id: u32, logs: &[Value]) -> Self {
        let info = json!({
            "fee": 1_345_000, "contractResult": [word("")], "contract_address": USDT, "log": logs,
            "receipt": { "energy_usage": 10_727, "energy_usage_total": 14_631, "net_usage": 338, "result": "SUCCESS" },
        });
        let value = json!({ "owner_address": SENDER, "contract_address": USDT, "data": "a9059cbb" });
        Self { info, value, kind: "TriggerSmartContract", ..Self::coins(id, SENDER, 1) }
    }

    fn tokens(id: u32, to: &str, units: u64) -> Self {
        Self::logs(id, &[transfer(USDT, to, &word(format!("{units:x}")))])
    }

    fn failed(self, code: &'static str) -> Self {
        let info = json!({
            "fee": 16_500_120, "contractResult": [""], "result": "FAILED", "resMessage": REVERTED, "log": self.info["log"],
            "receipt": { "energy_fee": 16_500_120, "energy_usage_total": 78_572, "net_usage": 345, "result": code },
        });
        Self { state: code, info, ..self }
    }
}

fn transfer(contract: &str, to: &str, data: &str) -> Value {
    json!({ "address": contract[2..], "topics": [TRANSFER, word(&SENDER[2..]), word(&to[2..])], "data": data })
}

/// A chain of blocks, three seconds apart.
struct FakeNode {
    genesis: String,
    blocks: Vec<(String, Vec<FakeTransaction>)>,
    /// Blocks that the part of the node with the solidified data lacks.
    lag: usize,
    forgets_results: bool,
    decimals: String,
    balance: u64,
    token_balance: String,
    permission: Value,
    resource: Value,
    simulation: Value,
    energy_price: u64,
    taken: Value,
    sent: BTreeSet<String>,
}

impl FakeNode {
    fn new(height: usize) -> Self {
        let mut node = Self {
            genesis: GENESIS.to_owned(),
            blocks: Vec::new(),
            lag: 0,
            forgets_results: false,
            decimals: word(6),
            balance: 100_000_000,
            token_balance: word(format!("{:x}", 1_000_000_000)),
            permission: json!({ "permission_name": "owner", "threshold": 1, "keys": [{ "address": ACCOUNT, "weight": 1 }] }),
            resource: json!({ "freeNetUsed": 441, "freeNetLimit": 600, "TotalEnergyLimit": 180_000_000_000_u64 }),
            // The contract of USDT returns false although it pays.
            simulation: json!({
                "result": { "result": true }, "energy_used": 64_285, "constant_result": [word(0)],
                "transaction": { "ret": [{}] },
            }),
            energy_price: 100,
            taken: json!({ "result": true, "code": "SUCCESS", "message": "", "transaction": "{}" }),
            sent: BTreeSet::new(),
        };
        node.mine("a", height, &[]);
        node
    }

    /// Adds blocks, the transactions in the first of them.
    fn mine(&mut self, fork: &str, count: usize, transactions: &[FakeTransaction]) {
        for place in 0..count {
            let hash = format!("{:016x}{:0>48}", self.blocks.len(), fork);
            self.blocks.push((hash, if place == 0 { transactions.to_vec() } else { Vec::new() }));
        }
    }

    fn head(&self) -> usize {
        self.blocks.len() - 1
    }

    fn solid(&self) -> usize {
        self.blocks.len() - 1 - UNSOLID - self.lag
    }

    /// The time of the newest block, in microseconds.
    fn now(&self) -> i64 {
        i64::try_from((START + self.head() as u64 * 3_000) * 1_000).unwrap()
    }

    fn answer(&mut self, path: &str, body: &Value) -> ActionResult {
        http(200, self.call(path, body).to_string())
    }

    fn call(&mut self, path: &str, body: &Value) -> Value {
        let num = || usize::try_from(body["num"].as_u64().unwrap()).unwrap();
        match path {
            "wallet/getblockbynum" if num() == 0 => json!({ "blockID": self.genesis, "block_header": { "raw_data": {} } }),
            "walletsolidity/getblockbynum" if num() > self.solid() => json!({}),
            "wallet/getblockbynum" | "walletsolidity/getblockbynum" => self.block(num()),
            "wallet/getnowblock" => self.block(self.head()),
            "walletsolidity/getnowblock" => self.block(self.solid()),
            "walletsolidity/getblockbylimitnext" => {
                let bound = |name: &str| usize::try_from(body[name].as_u64().unwrap()).unwrap();
                assert!(bound("endNum") > bound("startNum") && bound("endNum") - bound("startNum") <= 100);
                let blocks: Vec<_> =
                    (bound("startNum")..bound("endNum").min(self.solid() + 1)).map(|at| self.block(at)).collect();
                if blocks.is_empty() { json!({}) } else { json!({ "block": blocks }) }
            }
            "walletsolidity/gettransactioninfobyblocknum" if self.forgets_results => json!([]),
            "walletsolidity/gettransactioninfobyblocknum" => self.infos(num()).into(),
            "wallet/gettransactioninfobyid" => self.info(self.head(), &body["value"]),
            "walletsolidity/gettransactioninfobyid" => self.info(self.solid(), &body["value"]),
            "wallet/getaccount" => {
                assert_eq!(body["address"], ACCOUNT);
                json!({ "address": ACCOUNT, "balance": self.balance, "owner_permission": self.permission })
            }
            "wallet/getaccountresource" => self.resource.clone(),
            "wallet/getchainparameters" => json!({ "chainParameter": [
                { "key": "getTransactionFee", "value": 1000 }, { "key": "getEnergyFee", "value": self.energy_price },
                { "key": "getAllowUpdateAccountName" },
            ] }),
            "wallet/triggerconstantcontract" => {
                let constant = |word: &str| {
                    json!({ "result": { "result": true }, "energy_used": 935, "constant_result": [word],
                        "transaction": { "ret": [{}] } })
                };
                assert_eq!(body["contract_address"], USDT);
                match &body["data"].as_str().unwrap()[..8] {
                    "313ce567" => constant(&self.decimals),
                    "70a08231" => constant(&self.token_balance),
                    _ => self.simulation.clone(),
                }
            }
            "wallet/broadcasthex" => {
                self.sent.insert(body["transaction"].as_str().unwrap().to_owned());
                self.taken.clone()
            }
            other => panic!("unexpected call of {other}"),
        }
    }

    fn block(&self, number: usize) -> Value {
        let Some((hash, transactions)) = self.blocks.get(number) else { return json!({}) };
        let parent = number.checked_sub(1).map_or_else(|| word(0), |parent| self.blocks[parent].0.clone());
        let mut block = json!({
            "blockID": hash,
            "block_header": {
                "raw_data": {
                    "number": number, "txTrieRoot": word(0), "witness_address": SENDER, "parentHash": parent, "version": 34,
                    "timestamp": START + number as u64 * 3_000,
                },
                "witness_signature": "5b3c",
            },
        });
        let whole = |one: &FakeTransaction| {
            json!({
                "ret": [{ "contractRet": one.state }], "txID": one.id, "signature": ["00"], "raw_data_hex": "0a02",
                "raw_data": { "contract": [{ "parameter": {
                    "value": one.value, "type_url": format!("type.googleapis.com/protocol.{}", one.kind),
                }, "type": one.kind }], "ref_block_bytes": "262d", "expiration": 1 },
            })
        };
        if !transactions.is_empty() {
            block["transactions"] = transactions.iter().map(whole).collect();
        }
        block
    }

    fn infos(&self, number: usize) -> Vec<Value> {
        let info = |one: &FakeTransaction| {
            let mut info = one.info.clone();
            (info["id"], info["blockNumber"]) = (json!(one.id), json!(number));
            info
        };
        self.blocks.get(number).map(|(_, transactions)| transactions.iter().map(info).collect()).unwrap_or_default()
    }

    fn info(&self, last: usize, id: &Value) -> Value {
        (0..=last).flat_map(|number| self.infos(number)).find(|info| info["id"] == *id).unwrap_or_else(|| json!({}))
    }
}

impl Server for FakeNode {
    fn respond(&mut self, request: &HttpRequest) -> ActionResult {
        self.answer(request.url.strip_prefix(URL).unwrap(), &json_of(request))
    }
}

fn watch(currency: &str) -> WatchRequest {
    WatchRequest { currency: currency.to_owned(), cursor: None, confirmations: 20 }
}

fn watch_call(currency: &str, cursor: Option<&str>) -> Call {
    Call::Watch(WatchRequest { cursor: cursor.map(str::to_owned), ..watch(currency) })
}

/// Polls and returns the report.
fn poll(driver: &mut Harness<Tron>, node: &mut FakeNode, currency: &str, cursor: &mut Option<String>) -> Movements {
    driver.poll(watch(currency), cursor, node)
}

/// Output, amount and confirmations of each movement.
fn shown(report: &Movements) -> Vec<(u32, String, u32)> {
    assert!(report.movements.iter().all(|one| !one.gone));
    report.movements.iter().map(|one| (one.output, one.amount.normalize().to_string(), one.confirmations)).collect()
}

fn payout(key: &str, currency: &str, amount: &str) -> PayoutRequest {
    let (key, currency, address) = (key.to_owned(), currency.to_owned(), CUSTOMER.to_owned());
    PayoutRequest { key, currency, address, memo: None, amount: amount.parse().unwrap() }
}

fn send(driver: &mut Harness<Tron>, node: &mut FakeNode, payout: &PayoutRequest) -> PayoutState {
    driver.now = node.now();
    driver.payout(Call::SendPayout(payout.clone()), node)
}

fn status(driver: &mut Harness<Tron>, node: &mut FakeNode, payout: &PayoutRequest) -> PayoutState {
    driver.now = node.now();
    driver.payout(Call::PayoutStatus(payout.clone()), node)
}

fn unknown(state: &PayoutState) -> &str {
    match state {
        PayoutState::Unknown { why } => why,
        other => panic!("{other:?}"),
    }
}

fn never(state: &PayoutState) -> (&str, &str) {
    match state {
        PayoutState::NeverSent { code, why } => (code, why),
        other => panic!("{other:?}"),
    }
}

/// The identifier of a sent transaction: the digest of the first field, whose length takes two bytes.
fn id_of(raw: &str) -> String {
    let bytes: Vec<u8> = (0..raw.len()).step_by(2).map(|at| u8::from_str_radix(&raw[at..at + 2], 16).unwrap()).collect();
    let length = usize::from(bytes[1] & 0x7f) | usize::from(bytes[2]) << 7;
    assert!(bytes[0] == 0x0a && bytes[1] >= 0x80);
    Sha256::digest(&bytes[3..3 + length]).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// The only transaction that was sent, as the network carries it out.
fn carried_out(node: &FakeNode, currency: &str) -> FakeTransaction {
    assert_eq!(node.sent.len(), 1);
    let id = id_of(node.sent.first().unwrap());
    let mut log = transfer(USDT, CUSTOMER_HEX, &word(format!("{:x}", 12_500_000)));
    log["topics"][1] = json!(word(&ACCOUNT[2..]));
    let one = if currency == "TRX" { FakeTransaction::coins(1, CUSTOMER_HEX, 1) } else { FakeTransaction::logs(1, &[log]) };
    FakeTransaction { id, ..one }
}

#[test]
fn a_key_always_has_the_same_address() {
    let mut driver = tron();
    let first = driver.addresses("TRX", &["a-1", "a-2", "a-1"]);
    assert_eq!(first[..2], ["TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH", "TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK"]);
    assert_eq!(first[0], first[2]);
    assert_eq!(driver.addresses("TRX", &["a-3", "a-2"]), ["TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx", &first[1]]);
    driver.change_setting("xpub", PHRASE);
    for (currency, code) in [("TRX", "no_deposit_key"), ("BTC", "unknown_currency")] {
        let requests = vec![AddressRequest { key: "a".to_owned(), currency: currency.to_owned() }];
        assert_eq!(driver.call(Call::Addresses { requests }).unwrap_err().code, code);
    }
}

#[test]
fn a_payment_counts_once_its_block_is_solidified() {
    for (currency, payment) in
        [("TRX", FakeTransaction::coins as fn(u32, &str, u64) -> FakeTransaction), ("USDTTRC20", FakeTransaction::tokens)]
    {
        let (mut driver, mut node, mut cursor) = (tron(), FakeNode::new(100), None);
        let address = driver.addresses("TRX", &["a-1"]).remove(0);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), []);
        node.mine("a", 1, &[payment(1, &hexed(&address), 25_000_001), payment(2, SENDER, 1)]);
        node.mine("a", UNSOLID - 1, &[]);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), []);
        node.mine("a", 1, &[]);
        let report = poll(&mut driver, &mut node, currency, &mut cursor);
        assert_eq!((shown(&report), report.height), (vec![(0, "25.000001".to_owned(), 19)], 118));
        assert_eq!((&report.movements[0].address, report.movements[0].tx_id.as_str()), (&address, word("71").as_str()));
        node.mine("a", 1, &[]);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), [(0, "25.000001".to_owned(), 20)]);
        node.mine("a", 1, &[]);
        assert_eq!(shown(&poll(&mut driver, &mut node, currency, &mut cursor)), []);
    }
}

#[test]
fn a_recorded_transfer_is_read() {
    // Transaction 0af7…0953 in block 30864600 of the main network, to an address that this server did not derive.
    let (mut driver, mut node, mut cursor) = (tron(), FakeNode::new(100), None);
    driver.stored.insert("addresses-1-000000".to_owned(), "0x0d0707963952f2fba59dd06f2b425ace40b492fe".to_owned());
    poll(&mut driver, &mut node, "USDTTRC20", &mut cursor);
    let recorded = json!({
        "contractResult": ["0000000000000000000000000000000000000000000000000000000000000000"],
        "contract_address": "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
        "log": [{
            "address": "a614f803b6fd780986a42c78ec9c7f77e6ded13c",
            "data": "000000000000000000000000000000000000000000000000000000001fb6e57f",
            "topics": [
                "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
                "000000000000000000000000e4b8075df69297bc24cc4bbaf48cd17206e1f62c",
                "0000000000000000000000000d0707963952f2fba59dd06f2b425ace40b492fe"
            ]
        }],
        "receipt": {
            "energy_usage": 10727, "energy_usage_total": 14631, "net_usage": 338, "origin_energy_usage": 3904,
            "result": "SUCCESS"
        }
    });
    node.mine("a", UNSOLID + 1, &[FakeTransaction { info: recorded, ..FakeTransaction::logs(1, &[]) }]);
    let report = poll(&mut driver, &mut node, "USDTTRC20", &mut cursor);
    assert_eq!(shown(&report), [(0, "532.079999".to_owned(), 19)]);
    assert_eq!(hexed(&report.movements[0].address), "410d0707963952f2fba59dd06f2b425ace40b492fe");
}

#[test]
fn only_successful_transfers_of_the_configured_contract_count() {
    let (mut driver, mut node, mut cursor) = (tron(), FakeNode::new(100), None);
    let ours = hexed(&driver.addresses("TRX", &["a-1"]).remove(0));
    poll(&mut driver, &mut node, "USDTTRC20", &mut cursor);
    let one = word(1);
    let without_code =
        FakeTransaction { info: json!({ "log": [transfer(USDT, &ours, &one)], "receipt": {} }), ..FakeTransaction::logs(5, &[]) };
    node.mine(
        "a",
        UNSOLID + 1,
        &[
            FakeTransaction::tokens(1, &ours, 5).failed("REVERT"),
            FakeTransaction::tokens(2, &ours, 5).failed("OUT_OF_ENERGY"),
            // The two answers contradict each other.
            FakeTransaction { state: "REVERT", ..FakeTransaction::tokens(3, &ours, 5) },
            FakeTransaction { state: "SUCCESS", ..FakeTransaction::tokens(4, &ours, 5).failed("REVERT") },
            without_code,
            FakeTransaction::logs(
                6,
                &[
                    transfer(OTHER_TOKEN, &ours, &one),
                    transfer(USDT, SENDER, &one),
                    // Nothing, sent to address book entries in the hope that somebody copies the sender.
                    transfer(USDT, &ours, &word(0)),
                    json!({ "address": USDT[2..], "topics": [TRANSFER, word(&SENDER[2..]), word(&ours[2..]), one], "data": "" }),
                    json!({ "address": USDT[2..], "topics": [word(1), word(&SENDER[2..]), word(&ours[2..])], "data": one }),
                    json!({ "address": USDT[2..], "topics": [TRANSFER, word(&SENDER[2..]), "1".repeat(24) + &ours[2..]], "data": one }),
                    transfer(USDT, &ours, "01"),
                    json!({ "address": USDT[2..], "data": one }),
                    // Two payments in one transaction count, each by its place.
                    transfer(USDT, &ours, &word(2)),
                    transfer(USDT, &ours, &word(3)),
                ],
            ),
        ],
    );
    let report = poll(&mut driver, &mut node, "USDTTRC20", &mut cursor);
    assert_eq!(shown(&report), [(8, "0.000002".to_owned(), 19), (9, "0.000003".to_owned(), 19)]);
}

#[test]
fn only_transfers_of_trx_count_as_trx() {
    let (mut driver, mut node, mut cursor) = (tron(), FakeNode::new(100), None);
    let ours = hexed(&driver.addresses("TRX", &["a-1"]).remove(0));
    poll(&mut driver, &mut node, "TRX", &mut cursor);
    let other = |id, kind| FakeTransaction { kind, ..FakeTransaction::coins(id, &ours, 5) };
    node.mine(
        "a",
        UNSOLID + 1,
        &[
            FakeTransaction::coins(1, &ours, 5).failed("FAILED"),
            FakeTransaction::coins(2, &ours, 0),
            FakeTransaction::coins(3, SENDER, 5),
            // A token of the older kind has the same fields, and may be worth nothing.
            other(4, "TransferAssetContract"),
            other(5, "AccountPermissionUpdateContract"),
            FakeTransaction::tokens(6, &ours, 5),
            FakeTransaction::coins(7, &ours, 6),
        ],
    );
    let report = poll(&mut driver, &mut node, "TRX", &mut cursor);
    assert_eq!(shown(&report), [(0, "0.000006".to_owned(), 19)]);
}

#[test]
fn blocks_are_caught_up_in_parts_and_none_is_skipped() {
    for currency in ["TRX", "USDTTRC20"] {
        let (mut driver, mut node, mut cursor) = (tron(), FakeNode::new(100), None);
        let ours = hexed(&driver.addresses("TRX", &["a-1"]).remove(0));
        poll(&mut driver, &mut node, currency, &mut cursor);
        for id in 0..30 {
            let payment = if currency == "TRX" { FakeTransaction::coins } else { FakeTransaction::tokens };
            node.mine("a", 10, &[payment(id, &ours, 1)]);
        }
        node.mine("a", UNSOLID, &[]);
        let (mut found, mut polls) = (BTreeSet::new(), 0);
        while found.len() < 30 {
            // The part with the solidified data is behind for a while.
            node.lag = if polls == 2 { 10 } else { 0 };
            let mut answer = |request: &HttpRequest| {
                let lags = polls == 1 && request.url.ends_with("limitnext");
                if lags { http(200, "{}") } else { node.respond(request) }
            };
            let report = driver.poll(watch(currency), &mut cursor, &mut answer);
            found.extend(report.movements.into_iter().map(|one| one.tx_id));
            polls += 1;
            assert!(polls < 20 && cursor.as_ref().unwrap().len() < 4_000);
        }
    }
}

#[test]
fn a_node_that_is_wrong_moves_no_cursor() {
    let (mut driver, mut node, mut cursor) = (tron(), FakeNode::new(100), None);
    let ours = hexed(&driver.addresses("TRX", &["a-1"]).remove(0));
    poll(&mut driver, &mut node, "USDTTRC20", &mut cursor);
    node.mine("a", UNSOLID + 1, &[FakeTransaction::tokens(1, &ours, 5)]);
    let call = || watch_call("USDTTRC20", cursor.as_deref());
    for (answer, code) in [
        (http(200, "<html>Checking your browser</html>"), "unreachable"),
        (http(502, ""), "unreachable"),
        (http(503, "{}"), "unreachable"),
        (http(401, r#"{"Error":"ApiKey not exists"}"#), "unauthorised"),
        (http(429, "{}"), "rate_limited"),
        (
            http(403, r#"{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 2s"}"#),
            "rate_limited",
        ),
        (
            http(200, r#"{"Error":"request rate exceeded the allowed_rps(3), and the query server is suspended for 1 s"}"#),
            "rate_limited",
        ),
        (http(200, r#"{"Error":"class java.lang.NullPointerException : null"}"#), "refused"),
        (http(200, "{}"), "wrong_chain"),
        (http(200, "null"), "wrong_chain"),
        (lost(true), "unreachable"),
    ] {
        assert_eq!(driver.call_on(call(), &mut |_: &HttpRequest| answer.clone()).unwrap_err().code, code, "{answer:?}");
        // The same later, when blocks are read.
        for part in ["walletsolidity/getblockbylimitnext", "walletsolidity/gettransactioninfobyblocknum"] {
            let mut spoilt =
                |request: &HttpRequest| if request.url.ends_with(part) { answer.clone() } else { node.respond(request) };
            match driver.call_on(call(), &mut spoilt) {
                Err(_) => {}
                // No blocks yet.
                Ok(CallResult::Movements(report)) => assert_eq!(Some(&report.cursor), cursor.as_ref(), "{part} {answer:?}"),
                other => panic!("{other:?}"),
            }
        }
    }
    let code = |driver: &mut Harness<Tron>, node: &mut FakeNode| driver.call_on(call(), node).unwrap_err().code;
    node.forgets_results = true;
    assert_eq!(code(&mut driver, &mut node), "unreachable");
    node.forgets_results = false;
    // Another network, another token.
    node.genesis = "0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc".to_owned();
    assert_eq!(code(&mut driver, &mut node), "wrong_chain");
    node.genesis = GENESIS.to_owned();
    for decimals in [word("12"), String::new(), "06".to_owned()] {
        node.decimals = decimals;
        assert_eq!(code(&mut driver, &mut node), "wrong_decimals");
    }
    node.decimals = word(6);
    // Behind what was read, or on another branch.
    node.lag = 30;
    assert_eq!(code(&mut driver, &mut node), "node_behind");
    node.lag = 0;
    let kept = node.blocks.split_off(70);
    node.mine("b", kept.len(), &[]);
    assert_eq!(code(&mut driver, &mut node), "chain_changed");
    node.blocks.truncate(70);
    node.blocks.extend(kept);
    let unlinked = driver.call_on(
        call(),
        &mut on_path(|path, body| {
            let mut answer = node.call(path, body);
            if let Some(block) = answer.get_mut("block").and_then(|blocks| blocks.get_mut(3)) {
                block["block_header"]["raw_data"]["parentHash"] = json!(word(1));
            }
            http(200, answer.to_string())
        }),
    );
    assert_eq!(unlinked.unwrap_err().code, "chain_changed");
    // Each field of each answer, missing or of another kind: an error or nothing, but no other payment.
    let fields = ["blockID", "number", "parentHash", "timestamp", "transactions", "txID", "id", "blockNumber", "log", "amount"];
    for field in fields {
        for value in [Value::Null, json!("x"), json!([]), json!(-1), json!({})] {
            let result = driver.call_on(
                call(),
                &mut on_path(|path, body| {
                    let mut answer = node.call(path, body);
                    spoil(&mut answer, field, &value);
                    http(200, answer.to_string())
                }),
            );
            if let Ok(CallResult::Movements(report)) = result {
                assert!(report.movements.iter().all(|one| one.amount.to_string() == "0.000005"), "{field} {value}");
            }
        }
    }
    assert_eq!(shown(&poll(&mut driver, &mut node, "USDTTRC20", &mut cursor)), [(0, "0.000005".to_owned(), 19)]);
    let broken = driver.call_on(watch_call("USDTTRC20", Some("{}")), &mut |_: &HttpRequest| panic!()).unwrap_err();
    assert_eq!(broken.code, "bad_cursor");
}

#[test]
fn a_payout_is_stored_before_it_is_sent_and_counts_when_it_is_final() {
    for (currency, amount) in [("TRX", "12.5"), ("USDTTRC20", "12.5")] {
        let (mut driver, mut node) = (tron(), FakeNode::new(100));
        let request = payout("p-1", currency, amount);
        driver.now = node.now();
        let send_call = || Call::SendPayout(request.clone());
        assert!(driver.call_for(send_call(), &mut node, 2).is_none());
        assert!(driver.stored.keys().any(|name| name.starts_with("payout-")) && node.sent.is_empty());
        let id = unknown(&send(&mut driver, &mut node, &request)).split(' ').next().unwrap().to_owned();
        for _ in 0..3 {
            assert!(unknown(&send(&mut driver, &mut node, &request)).contains(&id));
            assert!(unknown(&status(&mut driver, &mut node, &request)).contains(&id));
        }
        let one = carried_out(&node, currency);
        assert_eq!(one.id, id);
        node.mine("a", UNSOLID, &[one]);
        assert!(unknown(&status(&mut driver, &mut node, &request)).contains("is in block 100"));
        node.mine("a", 1, &[]);
        let fee = (currency == "TRX").then(|| "0.267".to_owned());
        assert_eq!(status(&mut driver, &mut node, &request), PayoutState::Sent { tx_id: id, confirmations: 19, fee });
        assert_eq!(node.sent.len(), 1);
    }
}

#[test]
fn the_signed_transaction_says_what_was_requested() {
    let (mut driver, mut node) = (tron(), FakeNode::new(100));
    send(&mut driver, &mut node, &payout("p-1", "USDTTRC20", "12.5"));
    let raw = node.sent.first().unwrap();
    let call = format!("a9059cbb{}{}", word(&CUSTOMER_HEX[2..]), word(format!("{:x}", 12_500_000)));
    let contract = format!("0a15{ACCOUNT}1215{USDT}2244{call}");
    assert!(raw.contains(&contract), "{raw}");
    // The solidified block 81, and a limit of 30 TRX.
    assert!(raw.contains("0a02005122080000000000000000") && raw.contains("90018087a70e"), "{raw}");
    let (mut driver, mut node) = (tron(), FakeNode::new(100));
    send(&mut driver, &mut node, &payout("p-1", "TRX", "12.5"));
    assert!(node.sent.first().unwrap().contains(&format!("0a15{ACCOUNT}1215{CUSTOMER_HEX}18a0f8fa05")));
}

#[test]
fn equal_payouts_are_different_transactions() {
    let (mut driver, mut node) = (tron(), FakeNode::new(100));
    for key in 0..50 {
        send(&mut driver, &mut node, &payout(&format!("p-{key}"), "TRX", "1"));
    }
    assert_eq!(node.sent.len(), 50);
}

#[test]
fn a_crash_or_a_lost_answer_at_any_point_never_pays_twice() {
    for crash in 0..5 {
        for lost_at in 0..9 {
            let (mut driver, mut node) = (tron(), FakeNode::new(100));
            let request = payout("p-1", "USDTTRC20", "12.5");
            let mut seen = 0;
            driver.now = node.now();
            let mut unreliable = |request: &HttpRequest| {
                let answer = node.respond(request);
                seen += 1;
                if seen == lost_at || lost_at == 8 && request.url.ends_with("broadcasthex") { lost(true) } else { answer }
            };
            driver.call_for(Call::SendPayout(request.clone()), &mut unreliable, crash);
            match status(&mut driver, &mut node, &request) {
                PayoutState::NeverSent { code, .. } => assert_eq!((code.as_str(), node.sent.len()), ("not_sent", 0)),
                PayoutState::Unknown { why } => assert!(why.starts_with(&id_of(node.sent.first().unwrap()))),
                other => panic!("{other:?}"),
            }
            assert!(node.sent.len() <= 1, "crash {crash}, lost {lost_at}");
        }
    }
}

#[test]
fn a_payout_was_never_sent_only_when_no_block_until_its_expiration_has_it() {
    let (mut driver, mut node) = (tron(), FakeNode::new(100));
    let request = payout("p-1", "USDTTRC20", "12.5");
    send(&mut driver, &mut node, &request);
    let one = carried_out(&node, "USDTTRC20");
    // Five to six minutes later the newest block is after the expiration, but it is not final.
    node.mine("a", 121, &[]);
    assert!(unknown(&status(&mut driver, &mut node, &request)).contains("has expired; waiting"));
    let expired = node.blocks.clone();
    node.mine("a", UNSOLID, &[]);
    // A part of the provider does not know the results, or the blocks, that another one has.
    let is_scan = |request: &HttpRequest| request.url.ends_with("walletsolidity/getblockbylimitnext");
    let mut hidden = FakeNode::new(100);
    hidden.blocks = [&node.blocks[..105], &[(node.blocks[105].0.clone(), vec![one.clone()])], &node.blocks[106..]].concat();
    let found = driver.payout(Call::PayoutStatus(request.clone()), &mut |request: &HttpRequest| match is_scan(request) {
        true => hidden.respond(request),
        false => node.respond(request),
    });
    assert!(unknown(&found).contains("is in block 105"), "{found:?}");
    for answer in [http(200, "{}"), http(200, "<html>"), http(429, ""), http(200, r#"{"block":[{}]}"#), lost(true)] {
        let result = driver.payout(Call::PayoutStatus(request.clone()), &mut |request: &HttpRequest| match is_scan(request) {
            true => answer.clone(),
            false => node.respond(request),
        });
        unknown(&result);
    }
    // Another chain says nothing about this one.
    let blocks = std::mem::take(&mut node.blocks);
    node.mine("b", blocks.len(), &[]);
    unknown(&status(&mut driver, &mut node, &request));
    node.genesis = word(1);
    unknown(&status(&mut driver, &mut node, &request));
    unknown(&send(&mut driver, &mut node, &request));
    node.genesis = GENESIS.to_owned();
    node.blocks = blocks;
    let sent_before = node.sent.len();
    assert_eq!(never(&status(&mut driver, &mut node, &request)).0, "expired");
    assert_eq!(never(&send(&mut driver, &mut node, &request)).0, "expired");
    // It is not sent again after its expiration.
    assert_eq!(node.sent.len(), sent_before);
    // In the last block that could contain it.
    node.blocks = expired;
    let last = node.blocks.len() - 1;
    node.blocks[last].1 = vec![one];
    node.mine("a", UNSOLID, &[]);
    assert!(matches!(status(&mut driver, &mut node, &request), PayoutState::Sent { .. }));
}

#[test]
fn a_payout_that_failed_on_the_network_says_why() {
    for (code, reason) in [("OUT_OF_ENERGY", "out_of_energy"), ("REVERT", "reverted")] {
        let (mut driver, mut node) = (tron(), FakeNode::new(100));
        let request = payout("p-1", "USDTTRC20", "12.5");
        send(&mut driver, &mut node, &request);
        let one = carried_out(&node, "USDTTRC20");
        node.mine("a", UNSOLID, &[one.clone().failed(code)]);
        assert!(unknown(&status(&mut driver, &mut node, &request)).contains(code));
        node.mine("a", 1, &[]);
        let failed = status(&mut driver, &mut node, &request);
        let (known, why) = never(&failed);
        assert_eq!(known, reason);
        assert!(why.contains("REVERT opcode executed") && why.contains("16.50012 TRX"), "{why}");
        // What is neither success nor failure is never paid again.
        let (unclear, place) = (json!({ "receipt": { "energy_usage": 1 } }), node.blocks.len() - 1 - UNSOLID);
        for info in [unclear.clone(), json!({ "result": "FAILED", "receipt": {} }), json!({ "receipt": { "result": "REVERT" } })]
        {
            node.blocks[place].1 = vec![FakeTransaction { info, ..one.clone() }];
            unknown(&status(&mut driver, &mut node, &request));
        }
        // The transaction succeeded, and the token stayed.
        node.blocks[place].1 = vec![FakeTransaction { id: one.id.clone(), ..FakeTransaction::tokens(1, SENDER, 5) }];
        assert!(unknown(&status(&mut driver, &mut node, &request)).contains("did not move"));
    }
}

#[test]
fn what_cannot_be_paid_is_refused_before_anything_is_signed() {
    let refusal = |change: &dyn Fn(&mut Harness<Tron>, &mut FakeNode, &mut PayoutRequest)| {
        let (mut driver, mut node, mut request) = (tron(), FakeNode::new(100), payout("p-1", "USDTTRC20", "0.5"));
        driver.now = node.now();
        change(&mut driver, &mut node, &mut request);
        let result = driver.call_on(Call::SendPayout(request.clone()), &mut node);
        assert!(driver.stored.is_empty() && node.sent.is_empty());
        match result {
            Err(error) => error.code,
            Ok(CallResult::Payout(state)) => never(&state).0.to_owned(),
            other => panic!("{other:?}"),
        }
    };
    let set = |name: &'static str, value: &'static str| {
        move |driver: &mut Harness<Tron>, _: &mut FakeNode, _: &mut PayoutRequest| {
            driver.change_setting(name, value);
        }
    };
    let to = |address: &'static str| {
        move |_: &mut Harness<Tron>, _: &mut FakeNode, request: &mut PayoutRequest| request.address = address.to_owned()
    };
    let of = |currency: &'static str, amount: &'static str| {
        move |_: &mut Harness<Tron>, _: &mut FakeNode, request: &mut PayoutRequest| {
            (request.currency, request.amount) = (currency.to_owned(), amount.parse().unwrap());
        }
    };
    let node = |change: fn(&mut FakeNode)| move |_: &mut Harness<Tron>, node: &mut FakeNode, _: &mut PayoutRequest| change(node);
    assert_eq!(refusal(&node(|node| node.genesis = word(1))), "wrong_chain");
    assert_eq!(refusal(&node(|node| node.decimals = word(12))), "wrong_decimals");
    assert_eq!(refusal(&node(|node| node.token_balance = word(5))), "not_enough_money");
    assert_eq!(refusal(&node(|node| node.balance = 1_000_000)), "not_enough_money");
    assert_eq!(refusal(&node(|node| node.energy_price = 1_000)), "fee_too_high");
    let reverted = |node: &mut FakeNode| node.simulation["result"]["message"] = json!(REVERTED);
    assert_eq!(refusal(&node(reverted)), "would_fail");
    assert_eq!(refusal(&node(|node| node.simulation["transaction"]["ret"][0]["ret"] = json!("FAILED"))), "would_fail");
    let disabled = |node: &mut FakeNode| node.simulation = json!({ "result": { "code": "CONTRACT_VALIDATE_ERROR" } });
    assert_eq!(refusal(&node(disabled)), "would_fail");
    // The thief of a key made the account need another key as well, or one of his own instead.
    let two = |node: &mut FakeNode| node.permission["threshold"] = json!(2);
    assert_eq!(refusal(&node(two)), "permission_changed");
    assert_eq!(refusal(&node(|node| node.permission["keys"][0]["address"] = json!(SENDER))), "permission_changed");
    assert_eq!(refusal(&node(|node| node.permission = json!({ "keys": [] }))), "permission_changed");
    assert_eq!(refusal(&|driver, _, _| driver.now += 240_000_000), "node_behind");
    assert_eq!(refusal(&|driver, _, _| driver.now -= 240_000_000), "node_behind");
    assert_eq!(refusal(&set("secret", "")), "no_payout_key");
    assert_eq!(refusal(&set("tokens", "USDTTRC20=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u:6")), "bad_settings");
    assert_eq!(refusal(&set("fee_limit", "much")), "bad_settings");
    assert_eq!(refusal(&to("TW1dU4L3eNm7Lw8WvieLKEHpXWAussRG9z")), "bad_address");
    assert_eq!(refusal(&to(CUSTOMER_HEX)), "bad_address");
    assert_eq!(refusal(&to("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")), "bad_address");
    assert_eq!(refusal(&to("TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH")), "bad_address");
    assert_eq!(refusal(&to("T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb")), "bad_address");
    assert_eq!(refusal(&of("USDTTRC20", "0.0000001")), "bad_amount");
    assert_eq!(refusal(&of("USDTTRC20", "0")), "bad_amount");
    assert_eq!(refusal(&of("TRX", "-1")), "bad_amount");
    assert_eq!(refusal(&of("TRX", "9223372036854.775808")), "bad_amount");
    assert_eq!(refusal(&of("TRX", "99")), "not_enough_money");
    assert_eq!(refusal(&of("SHIB", "1")), "unknown_currency");
    for answer in [http(200, "<html>"), http(401, ""), http(429, ""), http(200, "[]"), lost(true)] {
        let mut driver = tron();
        let result = driver.call_on(Call::SendPayout(payout("p-1", "TRX", "0.5")), &mut |_: &HttpRequest| answer.clone());
        assert!(matches!(result, Err(_) | Ok(CallResult::Payout(PayoutState::NeverSent { .. }))), "{result:?}");
        assert!(driver.stored.is_empty());
    }
}

#[test]
fn staked_energy_pays_for_tokens() {
    let (mut driver, mut node) = (tron(), FakeNode::new(100));
    node.balance = 600_000;
    node.resource = json!({ "EnergyUsed": 1_000, "EnergyLimit": 70_000 });
    unknown(&send(&mut driver, &mut node, &payout("p-1", "USDTTRC20", "1")));
    assert_eq!(node.sent.len(), 1);
}

#[test]
fn a_slow_node_gets_nothing_signed() {
    let (mut driver, mut node) = (tron(), FakeNode::new(100));
    (driver.now, driver.round_time) = (node.now(), 61_000_000);
    let error = driver.call_on(Call::SendPayout(payout("p-1", "TRX", "1")), &mut node).unwrap_err();
    assert_eq!((error.code.as_str(), error.later), ("too_slow", true));
}

#[test]
fn any_answer_to_sending_leaves_the_outcome_open() {
    for answer in [
        json!({ "result": false, "code": "DUP_TRANSACTION_ERROR", "message": "Transaction already exists.", "txid": "00" }),
        json!({ "code": "CONTRACT_VALIDATE_ERROR", "message": "436f6e74726163742076616c6964617465206572726f72" }),
        json!({ "code": "TRANSACTION_EXPIRATION_ERROR", "message": "Transaction expired" }),
        json!({ "Error": "class java.lang.NullPointerException : null" }),
        json!([]),
    ] {
        let (mut driver, mut node) = (tron(), FakeNode::new(100));
        node.taken = answer;
        let request = payout("p-1", "TRX", "0.5");
        let refused = send(&mut driver, &mut node, &request);
        assert!(!unknown(&refused).contains("436f"), "{refused:?}");
        // The network has it after all.
        let one = carried_out(&node, "TRX");
        node.mine("a", UNSOLID + 1, &[one]);
        assert!(matches!(status(&mut driver, &mut node, &request), PayoutState::Sent { .. }));
    }
}

#[test]
fn solidified_data_may_have_an_address_of_its_own() {
    let mut driver = tron().set("url", "https://node.example:8090/").set("token", "key");
    driver.change_setting("solidity_url", "https://node.example:8091");
    driver.call_on(watch_call("TRX", None), &mut |_: &HttpRequest| lost(true)).unwrap_err();
    let urls = driver.requests().iter().map(|request| {
        assert!(request.headers.contains(&("TRON-PRO-API-KEY".to_owned(), "key".to_owned())));
        request.url.as_str()
    });
    let expected = [
        "https://node.example:8090/wallet/getblockbynum",
        "https://node.example:8091/walletsolidity/getnowblock",
        "https://node.example:8090/wallet/getnowblock",
    ];
    assert_eq!(urls.collect::<Vec<_>>(), expected);
}
