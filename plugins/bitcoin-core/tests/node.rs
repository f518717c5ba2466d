//! The driver with a fake Bitcoin Core node. `platform/server/tests/payment_nodes` has it with a real Litecoin Core node.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::VecDeque;

use agio_bitcoin_core::BitcoinLike;
use agio_plugin_sdk::harness::{Harness, http, json_of, lost};
use agio_plugin_sdk::protocol::{
    ActionResult, AddressRequest, Call, CallError, CallResult, HttpRequest, PayoutRequest, PayoutState, WatchRequest,
};
use serde_json::{Value, json};

const TX: &str = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
const OTHER_TX: &str = "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098";
const BLOCK: &str = "00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a054";
const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// What the node does with a request.
type FakeNode = Box<dyn FnMut(&Value) -> ActionResult>;

/// Calls the driver, and returns its result and the called methods.
fn ask(call: Call, mut node: FakeNode) -> (Result<CallResult, CallError>, Vec<String>) {
    let driver = Harness::new(BitcoinLike::BITCOIN).set("url", "http://127.0.0.1:8332/").set("wallet", "hot wallet");
    let mut driver = driver.set("user", "agio").set("password", "s3cret");
    let mut called = Vec::new();
    let answer = driver.call_on(call, &mut |request: &HttpRequest| {
        assert_eq!(request.url, "http://127.0.0.1:8332/wallet/hot%20wallet");
        assert!(request.headers.contains(&("authorization".to_owned(), "Basic YWdpbzpzM2NyZXQ=".to_owned())));
        let body = json_of(request);
        let calls = body.as_array().cloned().unwrap_or_else(|| vec![body.clone()]);
        called.extend(calls.iter().map(|call| call["method"].as_str().unwrap().to_owned()));
        node(&body)
    });
    assert!(driver.stored.is_empty());
    (answer, called)
}

fn result(result: &str) -> ActionResult {
    http(200, format!(r#"{{"result":{result},"error":null,"id":0}}"#))
}

/// The answer to a batch that begins with the first block of the main network.
fn batch(results: &[&str]) -> ActionResult {
    let genesis = r#""000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f""#;
    let answer = |(id, result): (usize, &str)| format!(r#"{{"result":{result},"error":null,"id":{id}}}"#);
    let answers: Vec<_> = [genesis].into_iter().chain(results.iter().copied()).enumerate().map(answer).collect();
    http(200, format!("[{}]", answers.join(",")))
}

/// A page of the wallet, which can sign.
fn page(entries: &str) -> ActionResult {
    batch(&[entries, r#"{"walletname":"hot wallet","private_keys_enabled":true}"#])
}

/// The answer to a batch in which one call fails.
fn batch_with_error(place: usize, code: i64, message: &str, count: usize) -> ActionResult {
    let ActionResult::Http(answer) = batch(&vec!["null"; count]) else { unreachable!() };
    let mut answers: Value = serde_json::from_slice(answer.body.bytes()).unwrap();
    answers[place]["error"] = json!({ "code": code, "message": message });
    http(200, answers.to_string())
}

fn error(status: u16, code: i64, message: &str) -> ActionResult {
    http(status, json!({ "result": null, "error": { "code": code, "message": message }, "id": 0 }).to_string())
}

/// Returns these answers in order, whatever the request.
fn replay(answers: impl IntoIterator<Item = ActionResult>) -> FakeNode {
    let mut answers: VecDeque<_> = answers.into_iter().collect();
    Box::new(move |request| answers.pop_front().unwrap_or_else(|| panic!("unexpected request {request}")))
}

fn payout() -> PayoutRequest {
    PayoutRequest {
        key: "claim-7".into(),
        currency: "BTC".into(),
        address: ADDRESS.into(),
        memo: None,
        amount: "0.01500000".parse().unwrap(),
    }
}

/// An entry of `listtransactions`, as a node of version 27 writes it.
fn sent_entry(comment: &str, tx_id: &str, confirmations: i64) -> String {
    format!(
        r#"{{"address":"{ADDRESS}","category":"send","amount":-0.01500000,"vout":0,"fee":-0.00000141,"confirmations":{confirmations},
        "blockhash":"{BLOCK}","blockheight":840000,"blockindex":3,"blocktime":1713571767,"txid":"{tx_id}","wtxid":"{tx_id}",
        "walletconflicts":[],"time":1713571700,"timereceived":1713571700,"bip125-replaceable":"no","abandoned":false,"comment":"{comment}"}}"#
    )
}

fn received_entry(tx_id: &str, confirmations: i64, amount: &str) -> String {
    format!(
        r#"{{"address":"{ADDRESS}","parent_descs":[],"category":"receive","amount":{amount},"label":"a-1","vout":1,"abandoned":false,
        "confirmations":{confirmations},"txid":"{tx_id}","wtxid":"{tx_id}","walletconflicts":[],"time":1713571700,"timereceived":1713571700,
        "bip125-replaceable":"no"}}"#
    )
}

fn watched(transactions: &[String], removed: &[String]) -> ActionResult {
    let listed =
        format!(r#"{{"transactions":[{}],"removed":[{}],"lastblock":"{BLOCK}"}}"#, transactions.join(","), removed.join(","));
    batch(&[&listed, "840002"])
}

fn watch(cursor: Option<&Value>) -> Call {
    Call::Watch(WatchRequest { currency: "BTC".into(), cursor: cursor.map(Value::to_string), confirmations: 2 })
}

fn cursor(waiting: &[(&str, u32)]) -> Value {
    json!({ "block": BLOCK, "waiting": waiting })
}

#[test]
fn an_address_is_found_again_under_its_label_and_made_where_there_is_none() {
    let requests = ["a-1", "a-2"].map(|key| AddressRequest { key: key.into(), currency: "BTC".into() }).to_vec();
    let ActionResult::Http(known) = batch(&["null", &format!(r#"{{"{ADDRESS}":{{"purpose":"receive"}}}}"#)]) else {
        unreachable!()
    };
    let mut known: Value = serde_json::from_slice(known.body.bytes()).unwrap();
    known[1]["error"] = json!({ "code": -11, "message": "No addresses with label a-1" });
    let created = r#"[{"result":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4","error":null,"id":0}]"#;
    let (answer, called) = ask(Call::Addresses { requests }, replay([http(200, known.to_string()), http(200, created)]));
    let Ok(CallResult::Addresses(addresses)) = answer else { panic!("{answer:?}") };
    let given: Vec<_> = addresses.iter().map(|given| (given.key.as_str(), given.address.as_str())).collect();
    assert_eq!(given, [("a-1", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"), ("a-2", ADDRESS)]);
    assert_eq!(called, ["getblockhash", "getaddressesbylabel", "getaddressesbylabel", "getnewaddress"]);
}

#[test]
fn amounts_are_read_from_their_digits() {
    for (written, amount) in
        [("0.00000001", "0.00000001"), ("20999999.97690000", "20999999.9769"), ("0.1", "0.1"), ("1e-8", "0.00000001")]
    {
        let (answer, _) = ask(watch(None), replay([watched(&[received_entry(TX, 3, written)], &[])]));
        let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
        assert_eq!(report.movements[0].amount.normalize().to_string(), amount);
        assert_eq!((report.movements[0].output, report.movements[0].confirmations, report.height), (1, 3, 840_002));
    }
}

#[test]
fn what_was_undone_has_its_present_state() {
    let (answer, _) = ask(
        watch(Some(&cursor(&[]))),
        replay([watched(
            &[received_entry(TX, 1, "0.5")],
            &[received_entry(TX, -1, "0.5"), received_entry(OTHER_TX, -2, "0.5"), sent_entry("x", TX, 0)],
        )]),
    );
    let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
    let found: Vec<_> = report.movements.iter().map(|one| (one.tx_id.as_str(), one.confirmations, one.gone)).collect();
    assert_eq!(found, [(TX, 1, false), (OTHER_TX, 0, true)]);
    assert_eq!(serde_json::from_str::<Value>(&report.cursor).unwrap(), cursor(&[(TX, 1)]), "it waits for one more");
}

/// `gettransaction` of version 0.21. A payment that somebody else's transaction replaced has no details.
fn transaction(confirmations: i64, output: u32) -> String {
    format!(
        r#"{{"amount":0.5,"confirmations":{confirmations},"trusted":false,"txid":"{TX}","walletconflicts":[],"details":[],"hex":"",
        "decoded":{{"txid":"{TX}","vout":[{{"value":7.0,"n":0,"scriptPubKey":{{"addresses":["elsewhere"]}}}},
        {{"value":0.50000000,"n":{output},"scriptPubKey":{{"addresses":["{ADDRESS}"]}}}}]}}}}"#
    )
}

fn answers(results: &[String]) -> ActionResult {
    let answer = |(id, result): (usize, &String)| format!(r#"{{"result":{result},"error":null,"id":{id}}}"#);
    http(200, format!("[{}]", results.iter().enumerate().map(answer).collect::<Vec<_>>().join(",")))
}

#[test]
fn a_waiting_payment_that_is_listed_no_more_is_queried() {
    for (confirmations, gone) in [(-1, true), (0, false), (7, false)] {
        let (answer, called) = ask(
            watch(Some(&cursor(&[(TX, 1), (OTHER_TX, 1)]))),
            replay([watched(&[received_entry(OTHER_TX, 0, "0.5")], &[]), answers(&[transaction(confirmations, 1)])]),
        );
        let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
        assert_eq!(called, ["getblockhash", "listsinceblock", "getblockcount", "gettransaction"]);
        let one = report.movements.iter().find(|one| one.tx_id == TX).unwrap();
        assert_eq!((one.output, one.address.as_str(), one.amount), (1, ADDRESS, "0.5".parse().unwrap()));
        assert_eq!((i64::from(one.confirmations), one.gone), (confirmations.max(0), gone));
        let waiting = serde_json::from_str::<Value>(&report.cursor).unwrap()["waiting"].as_array().unwrap().len();
        assert_eq!(waiting, if confirmations == 0 { 2 } else { 1 });
    }
    // Another wallet knows nothing of it.
    let unknown = r#"[{"result":null,"error":{"code":-5,"message":"Invalid or non-wallet transaction id"},"id":0}]"#;
    let (answer, _) = ask(watch(Some(&cursor(&[(TX, 1)]))), replay([watched(&[], &[]), http(200, unknown)]));
    let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
    assert!(report.movements.is_empty());
    assert_eq!(serde_json::from_str::<Value>(&report.cursor).unwrap(), cursor(&[]));
}

#[test]
fn a_block_the_node_does_not_know_makes_it_tell_everything_anew() {
    let mut answers = VecDeque::from([batch_with_error(1, -5, "Block not found", 2), watched(&[], &[])]);
    let node: FakeNode = Box::new(move |request| {
        let expected = if answers.len() == 2 { BLOCK } else { "" };
        assert_eq!((&request[1]["params"][0], &request[1]["params"][1]), (&json!(expected), &json!(2)));
        answers.pop_front().unwrap()
    });
    assert!(matches!(ask(watch(Some(&cursor(&[]))), node).0, Ok(CallResult::Movements(_))));
}

#[test]
fn money_is_sent_with_its_key_as_the_comment() {
    let mut answers = VecDeque::from([page("[]"), result(&format!("\"{TX}\""))]);
    let node: FakeNode = Box::new(move |request| {
        if request["method"] == "sendtoaddress" {
            assert_eq!(
                request["params"],
                json!({
                    "address": ADDRESS, "amount": "0.015", "comment": "claim-7", "subtractfeefromamount": false, "conf_target": 6,
                })
            );
        }
        answers.pop_front().unwrap()
    });
    let (answer, called) = ask(Call::SendPayout(payout()), node);
    assert_eq!(answer, Ok(CallResult::Payout(PayoutState::Sent { tx_id: TX.into(), confirmations: 0, fee: None })));
    assert_eq!(called, ["getblockhash", "listtransactions", "getwalletinfo", "sendtoaddress"]);
}

#[test]
fn what_was_sent_is_found_and_not_sent_again() {
    let newest: Vec<_> = (0..200).map(|number| sent_entry(&format!("other-{number}"), OTHER_TX, 9)).collect();
    let last = format!("[{}]", sent_entry("claim-7", TX, 4));
    let (answer, called) = ask(Call::SendPayout(payout()), replay([page(&format!("[{}]", newest.join(","))), page(&last)]));
    let sent = PayoutState::Sent { tx_id: TX.into(), confirmations: 4, fee: Some("0.00000141".into()) };
    assert_eq!(answer, Ok(CallResult::Payout(sent)));
    assert!(!called.contains(&"sendtoaddress".to_owned()), "{called:?}");
}

#[test]
fn a_replaced_transaction_is_reported_once() {
    let entries = format!("[{},{}]", sent_entry("claim-7", OTHER_TX, -6), sent_entry("claim-7", TX, 3));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([page(&entries)]));
    assert!(
        matches!(answer, Ok(CallResult::Payout(PayoutState::Sent { ref tx_id, confirmations: 3, .. })) if tx_id == TX),
        "{answer:?}"
    );
    let conflicted = |blocks: i64| format!("[{}]", sent_entry("claim-7", OTHER_TX, -blocks));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([page(&conflicted(6))]));
    assert_eq!(answer, Ok(CallResult::Payout(PayoutState::Returned { tx_id: OTHER_TX.into() })));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([page(&conflicted(5))]));
    assert!(
        matches!(answer, Ok(CallResult::Payout(PayoutState::Sent { confirmations: 0, .. }))),
        "five blocks can be reorganised: {answer:?}"
    );
    let abandoned = format!("[{}]", sent_entry("claim-7", TX, 0)).replace(r#""abandoned":false"#, r#""abandoned":true"#);
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([page(&abandoned)]));
    assert_eq!(answer, Ok(CallResult::Payout(PayoutState::Returned { tx_id: TX.into() })));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([page("[]")]));
    assert!(matches!(answer, Ok(CallResult::Payout(PayoutState::NeverSent { .. }))), "{answer:?}");
}

#[test]
fn a_refusal_to_send_says_whether_money_may_have_left() {
    let cases = [
        (error(500, -6, "Insufficient funds"), Some("not_enough_money")),
        (error(500, -5, "Invalid Bitcoin address: x"), Some("bad_address")),
        (error(500, -6, "Transaction amount too small"), Some("amount_too_small")),
        (error(500, -4, "Transaction amount too small"), Some("amount_too_small")),
        (error(500, -6, "Fee estimation failed. Fallbackfee is disabled."), Some("fee_rate")),
        (error(500, -6, "Fee rate (2.000 sat/vB) is lower than the minimum fee rate setting (10.000 sat/vB)"), Some("fee_rate")),
        (error(500, -4, "Error: Private keys are disabled for this wallet"), Some("wallet_refuses")),
        (error(500, -13, "Error: Please enter the wallet passphrase with walletpassphrase first."), Some("wallet_locked")),
        (error(500, -28, "Loading block index…"), Some("warming_up")),
        (http(401, ""), Some("unauthorised")),
        (lost(false), Some("unreachable")),
        (error(500, -26, "min relay fee not met"), None),
        (error(500, -1, "out of memory"), None),
        (http(502, "<html>Bad Gateway</html>"), None),
        (lost(true), None),
        (result("null"), None),
    ];
    for (answered, certain) in cases {
        let shown = format!("{answered:?}");
        let (answer, _) = ask(Call::SendPayout(payout()), replay([page("[]"), answered]));
        match (answer, certain) {
            (Ok(CallResult::Payout(PayoutState::NeverSent { code, .. })), Some(expected)) => {
                assert_eq!(code, expected, "{shown}")
            }
            (Ok(CallResult::Payout(PayoutState::Unknown { .. })), None) => {}
            (answer, _) => panic!("{shown} gives {answer:?}"),
        }
    }
}

#[test]
fn where_the_wallet_cannot_be_looked_through_nothing_is_said_to_be_unsent() {
    for (answered, code, later) in [
        (error(500, -28, "Verifying blocks…"), "warming_up", true),
        (error(404, -18, "Requested wallet does not exist or is not loaded"), "wallet_not_found", false),
        (http(401, ""), "unauthorised", false),
        (lost(true), "unreachable", true),
        (http(200, "garbage"), "unreachable", true),
    ] {
        for call in [Call::SendPayout(payout()), Call::PayoutStatus(payout())] {
            let (answer, called) = ask(call, replay([answered.clone()]));
            let refusal = answer.unwrap_err();
            assert_eq!((refusal.code.as_str(), refusal.later), (code, later));
            assert!(!called.contains(&"sendtoaddress".to_owned()), "{called:?}");
        }
        assert_eq!(ask(watch(None), replay([answered.clone()])).0.unwrap_err().code, code);
    }
}

#[test]
fn a_node_of_another_network_or_coin_is_refused() {
    let elsewhere = r#"[{"result":"12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2","error":null,"id":0},
        {"result":{},"error":null,"id":1},{"result":{},"error":null,"id":2}]"#;
    let address = AddressRequest { key: "a-1".into(), currency: "BTC".into() };
    let addresses = Call::Addresses { requests: vec![address.clone(), address] };
    for call in [addresses, watch(None), Call::SendPayout(payout()), Call::PayoutStatus(payout())] {
        let refusal = ask(call, replay([http(200, elsewhere)])).0.unwrap_err();
        assert_eq!((refusal.code.as_str(), refusal.later), ("other_network", false));
    }
    let other = PayoutRequest { currency: "USDTTRC20".into(), ..payout() };
    assert_eq!(ask(Call::SendPayout(other), replay([])).0.unwrap_err().code, "other_currency");
}

#[test]
fn a_wallet_without_keys_refuses_payouts() {
    let watching = batch(&["[]", r#"{"walletname":"cold","private_keys_enabled":false}"#]);
    let (answer, _) = ask(Call::SendPayout(payout()), replay([watching]));
    let Ok(CallResult::Payout(PayoutState::NeverSent { code, .. })) = answer else { panic!("{answer:?}") };
    assert_eq!(code, "watch_only");
}

#[test]
fn money_of_the_owner_and_private_outputs_are_no_payments() {
    let own = received_entry(OTHER_TX, 3, "7").replace(r#""label":"a-1""#, r#""label":"""#);
    let private = received_entry(OTHER_TX, 3, "8").replace(r#""vout":1"#, &format!(r#""mweb_out":"{TX}""#));
    let mined =
        received_entry(OTHER_TX, 3, "9").replace("receive", "immature").replace(r#""vout""#, r#""generated":true,"vout""#);
    let (answer, _) = ask(watch(None), replay([watched(&[own, private, mined, received_entry(TX, 3, "0.5")], &[])]));
    let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
    assert_eq!(report.movements.iter().map(|one| one.tx_id.as_str()).collect::<Vec<_>>(), [TX]);
}

/// Litecoin Core lists such a payment twice.
#[test]
fn a_payment_from_a_private_balance_counts_once() {
    let sender = received_entry(OTHER_TX, 1, "1").replace(r#""vout":1"#, &format!(r#""mweb_out":"{}""#, "0".repeat(64)));
    for category in ["immature", "hogex"] {
        let output = received_entry(TX, 1, "1").replace("receive", category);
        let (answer, _) = ask(watch(None), replay([watched(&[sender.clone(), output], &[])]));
        let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
        assert_eq!(report.movements.iter().map(|one| one.tx_id.as_str()).collect::<Vec<_>>(), [TX], "{category}");
    }
}
