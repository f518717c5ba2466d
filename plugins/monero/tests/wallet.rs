//! The driver with a fake wallet. `platform/server/tests/payment_nodes` has it with a real one.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::BTreeMap;

use agio_plugin_monero::Monero;
use agio_plugin_sdk::harness::{Harness, Server, Storage, json_of, lost};
use agio_plugin_sdk::protocol::{
    ActionResult, AddressRequest, Body, Call, CallError, CallResult, HttpRequest, HttpResponse, Movement, Movements,
    PayoutRequest, PayoutState, WatchRequest,
};
use serde_json::{Value, json};

const PRIMARY: &str = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A";
const DEPOSIT: &str = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H";
const TX: &str = "c7fcc29cd2ec07b45dcc1eae827aa04d0877db7b45436455dd76dfc025926ca6";
const OTHER_TX: &str = "1100f86c3891b031c1349c9a01dbb522d908a6bead5e1004fc5c5ba884d1b41b";
const COIN: &str = "dfe584107c74d45d1379b4027527fc22b9bb4b4a9063336a4755ce776081cbc7";

/// Several parts.
const METADATA_LENGTH: usize = 35_512;

/// The driver, and what the wallet answers to each method.
struct Fake {
    driver: Harness<Monero>,
    wallet: Wallet,
}

#[derive(Default)]
struct Wallet {
    answers: BTreeMap<&'static str, Vec<ActionResult>>,
    /// Methods with their parameters.
    called: Vec<(String, Value)>,
}

impl Server for Wallet {
    fn respond(&mut self, request: &HttpRequest) -> ActionResult {
        assert_eq!(request.url, "http://127.0.0.1:18083/json_rpc");
        let body = json_of(request);
        let method = body["method"].as_str().unwrap().to_owned();
        let answers = self.answers.get_mut(method.as_str()).unwrap_or_else(|| panic!("no answer to {body}"));
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        self.called.push((method, body["params"].clone()));
        answer
    }
}

impl Fake {
    fn new() -> Self {
        let mut fake = Self { driver: Harness::new(Monero), wallet: Wallet::default() };
        fake.answer("refresh", json!({ "blocks_fetched": 0 }));
        fake.answer("store", json!({}));
        fake.answer("get_address", json!({ "address": PRIMARY, "addresses": [] }));
        fake.answer("get_height", json!({ "height": 1_000 }));
        fake.answer("get_balance", json!({ "balance": 9_000_000_000_000_u64, "unlocked_balance": 9_000_000_000_000_u64 }));
        fake.answer("transfer", built(TX));
        fake
    }

    /// Answers to a method in this order; the last one goes on.
    fn answers(&mut self, method: &'static str, answers: Vec<ActionResult>) {
        self.wallet.answers.insert(method, answers);
    }

    fn answer(&mut self, method: &'static str, result: Value) {
        self.answers(method, vec![ok(result)]);
    }

    fn refuse(&mut self, method: &'static str, code: i64) {
        self.answers(method, vec![refusal(code)]);
    }

    fn count(&self, method: &str) -> usize {
        self.wallet.called.iter().filter(|(called, _)| called == method).count()
    }

    fn call(&mut self, call: Call) -> Result<CallResult, CallError> {
        self.driver.call_on(call, &mut self.wallet)
    }

    fn payout(&mut self, call: fn(PayoutRequest) -> Call) -> PayoutState {
        self.driver.payout(call(payout()), &mut self.wallet)
    }

    fn watch(&mut self, mut cursor: Option<String>) -> Movements {
        let request = WatchRequest { currency: "XMR".to_owned(), cursor: None, confirmations: 3 };
        self.driver.poll(request, &mut cursor, &mut self.wallet)
    }

    /// The code of a payout that was never sent, or of the error.
    fn failure_code(&mut self, call: Call) -> String {
        match self.call(call) {
            Ok(CallResult::Payout(PayoutState::NeverSent { code, .. })) | Err(CallError { code, .. }) => code,
            other => panic!("{other:?}"),
        }
    }
}

fn http(body: &Value, status: u16, headers: Vec<(String, String)>) -> ActionResult {
    ActionResult::Http(HttpResponse { status, headers, body: Body::Text(body.to_string()), received_at: 0 })
}

fn ok(result: Value) -> ActionResult {
    http(&json!({ "id": 0, "jsonrpc": "2.0", "result": result }), 200, Vec::new())
}

fn refusal(code: i64) -> ActionResult {
    http(&json!({ "id": 0, "jsonrpc": "2.0", "error": { "code": code, "message": "as the wallet says" } }), 200, Vec::new())
}

fn built(tx: &str) -> Value {
    let metadata = tx.repeat(METADATA_LENGTH.div_ceil(64));
    json!({
        "amount": 1_500_000_000_000_u64, "fee": 2_605_200_000_u64, "tx_hash": tx, "tx_metadata": &metadata[..METADATA_LENGTH],
        "spent_key_images": { "key_images": [COIN] },
    })
}

fn known(entries: &[(&str, u64)]) -> ActionResult {
    let entry = |(kind, confirmations): &(&str, u64)| json!({ "type": kind, "confirmations": confirmations, "txid": TX });
    ok(json!({ "transfers": entries.iter().map(entry).collect::<Vec<_>>() }))
}

fn payout() -> PayoutRequest {
    PayoutRequest {
        key: "claim-7".to_owned(),
        currency: "XMR".to_owned(),
        address: DEPOSIT.to_owned(),
        memo: None,
        amount: "1.50000000".parse().unwrap(),
    }
}

fn sent(confirmations: u32) -> PayoutState {
    PayoutState::Sent { tx_id: TX.to_owned(), confirmations, fee: Some("0.0026052".to_owned()) }
}

fn entry(tx: &str, minor: u32, units: u64, height: u64) -> Value {
    let confirmations = if height == 0 { 0 } else { 1_000 - height };
    json!({
        "address": DEPOSIT, "amount": units, "confirmations": confirmations, "height": height, "locked": confirmations < 10,
        "subaddr_index": { "major": 0, "minor": minor }, "txid": tx, "unlock_time": 0,
    })
}

fn states(movements: &[Movement]) -> Vec<(&str, u32, u32, bool)> {
    movements.iter().map(|one| (one.tx_id.as_str(), one.output, one.confirmations, one.gone)).collect()
}

#[test]
fn a_payout_is_stored_before_it_is_sent() {
    let mut fake = Fake::new();
    fake.answers("relay_tx", vec![lost(true)]);
    assert!(matches!(fake.payout(Call::SendPayout), PayoutState::Unknown { .. }));
    let metadata = built(TX)["tx_metadata"].clone();
    assert_eq!(fake.wallet.called.iter().find(|(method, _)| method == "relay_tx").unwrap().1["hex"], metadata);
    assert_eq!(fake.driver.stored.len(), 1 + METADATA_LENGTH.div_ceil(16_000));
    // The wallet has it: nothing is sent again.
    fake.answers("get_transfer_by_txid", vec![known(&[("pending", 0)])]);
    assert_eq!(fake.payout(Call::PayoutStatus), sent(0));
    assert_eq!(fake.payout(Call::SendPayout), sent(0));
    assert_eq!((fake.count("transfer"), fake.count("relay_tx")), (1, 1));
}

#[test]
fn only_the_stored_transaction_is_sent_again() {
    let mut fake = Fake::new();
    fake.answers("relay_tx", vec![lost(true), ok(json!({ "tx_hash": TX }))]);
    fake.payout(Call::SendPayout);
    fake.answer("transfer", built(OTHER_TX));
    fake.answers("get_transfer_by_txid", vec![refusal(-8)]);
    assert_eq!(fake.payout(Call::PayoutStatus), sent(0));
    let sent_again: Vec<_> = fake.wallet.called.iter().filter(|(method, _)| method == "relay_tx").collect();
    assert_eq!(sent_again.len(), 2);
    assert_eq!(sent_again[0], sent_again[1]);
    assert_eq!(fake.count("transfer"), 1);
    fake.answers("get_transfer_by_txid", vec![known(&[("failed", 0)])]);
    assert_eq!(fake.payout(Call::PayoutStatus), sent(0));
    assert_eq!((fake.count("transfer"), fake.count("relay_tx")), (1, 3));
}

#[test]
fn a_transaction_in_a_block_needs_little_space() {
    let mut fake = Fake::new();
    fake.answer("relay_tx", json!({ "tx_hash": TX }));
    assert_eq!(fake.payout(Call::SendPayout), sent(0));
    fake.answers("get_transfer_by_txid", vec![known(&[("pending", 0), ("out", 1)])]);
    assert_eq!(fake.payout(Call::PayoutStatus), sent(1));
    assert_eq!(fake.driver.stored.len(), 1);
    // A reorganisation that the wallet has not followed: it is neither sent again nor called never sent.
    fake.answers("get_transfer_by_txid", vec![refusal(-8)]);
    assert!(matches!(fake.payout(Call::PayoutStatus), PayoutState::Unknown { .. }));
    assert!(matches!(fake.payout(Call::SendPayout), PayoutState::Unknown { .. }));
    assert_eq!((fake.count("transfer"), fake.count("relay_tx")), (1, 1));
}

#[test]
fn what_cannot_be_stored_is_not_sent() {
    let mut fake = Fake::new();
    fake.driver.storage = Storage::Failing;
    assert!(matches!(fake.payout(Call::SendPayout), PayoutState::Unknown { .. }));
    assert_eq!(fake.count("relay_tx"), 0);
    fake.driver.storage = Storage::Immediate;
    assert!(matches!(fake.payout(Call::PayoutStatus), PayoutState::NeverSent { .. }));
}

#[test]
fn a_slow_preparation_is_not_sent() {
    let mut fake = Fake::new();
    fake.driver.round_time = 61_000_000;
    let error = fake.call(Call::SendPayout(payout())).unwrap_err();
    assert_eq!((error.code.as_str(), error.later), ("too_slow", true));
}

#[test]
fn payouts_that_chose_the_same_coins_are_both_paid() {
    let mut fake = Fake::new();
    fake.answers("transfer", vec![ok(built(OTHER_TX)), ok(built(TX))]);
    fake.answers("relay_tx", vec![refusal(-4), ok(json!({ "tx_hash": TX }))]);
    fake.answers("get_transfer_by_txid", vec![refusal(-8)]);
    fake.answer("incoming_transfers", json!({ "transfers": [{ "key_image": COIN, "spent": true }] }));
    assert_eq!(fake.payout(Call::SendPayout), sent(0));
    assert_eq!((fake.count("transfer"), fake.count("relay_tx")), (2, 2));
}

#[test]
fn a_refused_transaction_that_may_have_been_sent_before_is_for_staff() {
    let mut fake = Fake::new();
    fake.answers("relay_tx", vec![lost(true), refusal(-4)]);
    fake.payout(Call::SendPayout);
    fake.answers("get_transfer_by_txid", vec![refusal(-8)]);
    for spent in [true, false] {
        fake.answer("incoming_transfers", json!({ "transfers": [{ "key_image": COIN, "spent": spent }] }));
        assert!(matches!(fake.payout(Call::PayoutStatus), PayoutState::Unknown { .. }));
        assert!(matches!(fake.payout(Call::SendPayout), PayoutState::Unknown { .. }));
    }
    assert_eq!(fake.count("transfer"), 1);
}

#[test]
fn another_wallet_sends_nothing() {
    let mut fake = Fake::new();
    fake.answers("relay_tx", vec![lost(false)]);
    fake.payout(Call::SendPayout);
    fake.answers("get_transfer_by_txid", vec![refusal(-8)]);
    fake.answer("get_address", json!({ "address": PRIMARY.replace("44AFF", "44BFF") }));
    assert_eq!(fake.failure_code(Call::PayoutStatus(payout())), "other_wallet");
    assert_eq!(fake.count("relay_tx"), 1);
}

#[test]
fn a_payout_waits_for_locked_coins_and_for_nothing_else() {
    let mut fake = Fake::new();
    for (code, unlocked, expected) in
        [(-37, 1, "funds_locked"), (-17, 9_000_000_000_000_u64, "not_enough_money"), (-16, 9_000_000_000_000, "not_enough_money")]
    {
        fake.answer("get_balance", json!({ "balance": 9_000_000_000_000_u64, "unlocked_balance": unlocked }));
        fake.refuse("transfer", code);
        assert_eq!(fake.failure_code(Call::SendPayout(payout())), expected);
    }
    fake.answer("get_balance", json!({ "balance": 9_000_000_000_000_u64, "unlocked_balance": 1 }));
    assert!(matches!(fake.payout(Call::PayoutStatus), PayoutState::Unknown { .. }));
    fake.answer("get_balance", json!({ "balance": 1, "unlocked_balance": 1 }));
    assert_eq!(fake.failure_code(Call::PayoutStatus(payout())), "not_sent");
    assert_eq!(fake.failure_code(Call::SendPayout(payout())), "not_enough_money");
}

#[test]
fn what_cannot_be_paid_is_refused_before_anything_is_built() {
    let mut fake = Fake::new();
    let with = |change: fn(&mut PayoutRequest)| {
        let mut request = payout();
        change(&mut request);
        Call::SendPayout(request)
    };
    for (request, code) in [
        (with(|request| request.address = "donate.getmonero.org".to_owned()), "bad_address"),
        (with(|request| request.address = format!("{}.org", &DEPOSIT[..93])), "bad_address"),
        (with(|request| request.memo = Some("1".to_owned())), "bad_address"),
        (with(|request| request.amount = "0.0000000000001".parse().unwrap()), "bad_amount"),
        (with(|request| request.amount = "0".parse().unwrap()), "bad_amount"),
        (with(|request| request.currency = "BTC".to_owned()), "other_currency"),
    ] {
        assert_eq!(fake.failure_code(request), code);
    }
    fake.driver.change_setting("max_fee", "cheap");
    assert_eq!(fake.failure_code(Call::SendPayout(payout())), "bad_settings");
    assert!(fake.wallet.called.is_empty());
}

#[test]
fn a_built_transaction_is_checked() {
    let checked = |change: fn(&mut Value)| {
        let mut fake = Fake::new();
        let mut transaction = built(TX);
        change(&mut transaction);
        fake.answer("transfer", transaction);
        let code = fake.failure_code(Call::SendPayout(payout()));
        assert!(fake.driver.stored.is_empty() && fake.count("relay_tx") == 0);
        code
    };
    assert_eq!(checked(|built| built["fee"] = json!(10_000_000_001_u64)), "fee_too_high");
    assert_eq!(checked(|built| built["amount"] = json!(1_500_000_000_001_u64)), "unreachable");
    assert_eq!(checked(|built| built["tx_hash"] = json!("")), "unreachable");
    assert_eq!(checked(|built| built["tx_metadata"] = json!("")), "watch_only");
    assert_eq!(checked(|built| built["tx_metadata"] = json!("a".repeat(300_000))), "too_many_coins");
    assert_eq!(checked(|built| built["spent_key_images"] = json!({})), "unreachable");
}

#[test]
fn locked_coins_are_no_payment() {
    let mut fake = Fake::new();
    let mut locked = entry(TX, 1, 5, 980);
    (locked["unlock_time"], locked["locked"]) = (json!(2_000), json!(true));
    let mut waiting = entry(OTHER_TX, 1, 5, 0);
    waiting["unlock_time"] = json!(1);
    fake.answer("get_transfers", json!({ "in": [locked], "pool": [waiting] }));
    let report = fake.watch(None);
    assert_eq!(report.movements, []);
    // A wallet that does not say so does not count as one that says no.
    locked.as_object_mut().unwrap().remove("locked");
    fake.answer("get_transfers", json!({ "in": [locked] }));
    assert_eq!(fake.watch(Some(report.cursor.clone())).movements, []);
    locked["locked"] = json!(false);
    fake.answer("get_transfers", json!({ "in": [locked] }));
    assert_eq!(states(&fake.watch(Some(report.cursor)).movements), [(TX, 1, 20, false)]);
}

#[test]
fn a_payment_is_followed_as_long_as_the_chain_may_change() {
    let mut fake = Fake::new();
    let change = entry(OTHER_TX, 0, 7, 999);
    fake.answer("get_transfers", json!({ "pool": [entry(TX, 1, 5, 0)], "in": [change] }));
    let report = fake.watch(None);
    assert_eq!(states(&report.movements), [(TX, 1, 0, false)]);
    assert_eq!((report.height, &*report.movements[0].amount.to_string()), (999, "0.000000000005"));
    assert_eq!(fake.wallet.called.last().unwrap().1["min_height"], 1_000 - 100 - 3);

    fake.answer("get_transfers", json!({ "in": [entry(TX, 1, 5, 998), entry(TX, 2, 6, 998)] }));
    let report = fake.watch(Some(report.cursor));
    assert_eq!(states(&report.movements), [(TX, 1, 2, false), (TX, 2, 2, false)]);
    fake.answer("get_transfers", json!({ "in": [entry(TX, 1, 5, 990), entry(TX, 2, 6, 990)] }));
    let report = fake.watch(Some(report.cursor));
    assert_eq!(states(&report.movements), [(TX, 1, 10, false), (TX, 2, 10, false)]);
    // What is certain is reported once, unless it moves or disappears.
    let report = fake.watch(Some(report.cursor));
    assert_eq!(report.movements, []);
    fake.answer("get_transfers", json!({ "in": [entry(TX, 1, 5, 992)] }));
    let report = fake.watch(Some(report.cursor));
    assert_eq!(states(&report.movements), [(TX, 2, 0, true), (TX, 1, 8, false)]);
    // What is too old to be listed has not disappeared.
    fake.answer("get_height", json!({ "height": 1_200 }));
    fake.answer("get_transfers", json!({}));
    let report = fake.watch(Some(report.cursor));
    let report = fake.watch(Some(report.cursor));
    assert_eq!(report.movements, []);
}

#[test]
fn a_wallet_that_is_wrong_moves_no_cursor() {
    let mut fake = Fake::new();
    fake.answer("get_transfers", json!({ "in": [entry(TX, 1, 5, 998)] }));
    let cursor = fake.watch(None).cursor;
    let watch = |cursor: &str| {
        Call::Watch(WatchRequest { currency: "XMR".to_owned(), cursor: Some(cursor.to_owned()), confirmations: 3 })
    };
    fake.answer("get_height", json!({ "height": 10 }));
    assert_eq!(fake.failure_code(watch(&cursor)), "wallet_behind");
    fake.answer("get_height", json!({ "height": 1_000 }));
    fake.refuse("refresh", -38);
    assert_eq!(fake.failure_code(watch(&cursor)), "no_daemon");
    fake.answer("refresh", json!({}));
    fake.answer("get_transfers", json!({ "in": [{ "txid": TX }] }));
    assert_eq!(fake.failure_code(watch(&cursor)), "unreachable");
    fake.answer("get_address", json!({ "address": "9uhnk5k1j5NBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaB" }));
    assert_eq!(fake.failure_code(watch(&cursor)), "other_network");
    fake.refuse("get_address", -13);
    assert_eq!(fake.failure_code(watch(&cursor)), "no_wallet");
    assert_eq!(fake.failure_code(watch("nonsense")), "bad_cursor");
    let digest = vec![("www-authenticate".to_owned(), "Digest qop=\"auth\",algorithm=MD5".to_owned())];
    fake.answers("refresh", vec![http(&Value::Null, 401, digest)]);
    assert_eq!(fake.failure_code(watch(&cursor)), "digest_login");
    fake.answers("refresh", vec![http(&Value::Null, 401, Vec::new())]);
    assert_eq!(fake.failure_code(watch(&cursor)), "unauthorised");
}

#[test]
fn a_key_has_one_address() {
    let mut fake = Fake::new();
    let address = |index: u64, label: &str| json!({ "address": format!("8{index}"), "address_index": index, "label": label });
    let list = |addresses: Vec<Value>| ok(json!({ "address": PRIMARY, "addresses": addresses }));
    let known = || vec![address(0, "b"), address(1, "a"), address(2, "a")];
    let request = |key: &str| AddressRequest { key: key.to_owned(), currency: "XMR".to_owned() };
    let call = || Call::Addresses { requests: vec![request("a"), request("b")] };
    fake.answers("get_address", vec![list(known()), list([known(), vec![address(3, "b")]].concat())]);
    fake.answer("create_address", json!({ "address": "83", "address_index": 3 }));
    let Ok(CallResult::Addresses(addresses)) = fake.call(call()) else { panic!("there are addresses") };
    assert_eq!(addresses.iter().map(|one| one.address.as_str()).collect::<Vec<_>>(), ["81", "83"]);
    assert_eq!(fake.wallet.called[1].1, json!({ "account_index": 0, "label": "b" }));
    // The wallet is saved before anybody learns of an address.
    let methods: Vec<_> = fake.wallet.called.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(methods, ["get_address", "create_address", "store", "get_address"]);
    fake.call(call()).unwrap();
    assert_eq!(fake.count("create_address"), 1);

    fake.answers("get_address", vec![list(known())]);
    assert_eq!(fake.failure_code(call()), "unreadable");
    fake.refuse("store", -1);
    assert_eq!(fake.failure_code(call()), "refused");
}
