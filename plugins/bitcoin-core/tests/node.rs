//! The driver with a fake Bitcoin Core node.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::{BTreeMap, VecDeque};

use agio_bitcoin_core::BitcoinCore;
use agio_plugin_sdk::Plugin as _;
use agio_plugin_sdk::protocol::{
    Action, ActionResult, AddressRequest, Body, Call, CallError, CallResult, HttpFailure, HttpRequest, HttpResponse,
    PayoutRequest, PayoutState, PluginRequest, PluginResponse, WatchRequest,
};
use serde_json::{Value, json};

const TX: &str = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
const OTHER_TX: &str = "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb44a74b1efd512098";
const BLOCK: &str = "00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a054";
const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// What the node does with a request.
type FakeNode = Box<dyn FnMut(&Value) -> ActionResult>;

/// Calls the driver, runs its actions on the node, and returns its result and the called methods.
fn ask(call: Call, mut node: FakeNode) -> (Result<CallResult, CallError>, Vec<String>) {
    let settings = [("url", "http://127.0.0.1:8332/"), ("wallet", "hot wallet"), ("user", "agio"), ("password", "s3cret")];
    let settings: BTreeMap<_, _> = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let mut input = PluginRequest { call, now: 0, settings, stored: BTreeMap::new(), memo: Value::Null, outcomes: Vec::new() };
    let mut called = Vec::new();
    for _ in 0..BitcoinCore.manifest().limits.rounds {
        match BitcoinCore.handle(&input) {
            PluginResponse::Done(answer) => return (Ok(answer), called),
            PluginResponse::Failed(refusal) => return (Err(refusal), called),
            PluginResponse::Needs { actions, memo } => {
                input.outcomes = actions.into_iter().map(|action| node(&request(action, &mut called))).collect();
                input.memo = memo;
            }
        }
    }
    panic!("no answer; it called {called:?}");
}

fn request(action: Action, called: &mut Vec<String>) -> Value {
    let Action::Http(HttpRequest { url, headers, body, .. }) = action else { panic!("the driver keeps nothing") };
    assert_eq!(url, "http://127.0.0.1:8332/wallet/hot%20wallet");
    assert!(headers.contains(&("authorization".to_owned(), "Basic YWdpbzpzM2NyZXQ=".to_owned())));
    let request: Value = serde_json::from_slice(body.unwrap().bytes()).unwrap();
    let calls = request.as_array().cloned().unwrap_or_else(|| vec![request.clone()]);
    called.extend(calls.iter().map(|call| call["method"].as_str().unwrap().to_owned()));
    request
}

fn http(status: u16, body: impl Into<String>) -> ActionResult {
    ActionResult::Http(HttpResponse { status, headers: Vec::new(), body: Body::Text(body.into()), received_at: 0 })
}

fn result(result: &str) -> ActionResult {
    http(200, format!(r#"{{"result":{result},"error":null,"id":0}}"#))
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
    http(
        200,
        format!(
            r#"[{{"result":{{"transactions":[{}],"removed":[{}],"lastblock":"{BLOCK}"}},"error":null,"id":0}},
            {{"result":840002,"error":null,"id":1}}]"#,
            transactions.join(","),
            removed.join(",")
        ),
    )
}

fn watch(cursor: Option<&str>) -> Call {
    Call::Watch(WatchRequest { currency: "BTC".into(), cursor: cursor.map(str::to_owned), confirmations: 2 })
}

#[test]
fn an_address_is_found_again_under_its_label_and_made_where_there_is_none() {
    let requests = ["a-1", "a-2"].map(|key| AddressRequest { key: key.into(), currency: "BTC".into() }).to_vec();
    let known = format!(
        r#"[{{"result":null,"error":{{"code":-11,"message":"No addresses with label a-1"}},"id":0}},
        {{"result":{{"{ADDRESS}":{{"purpose":"receive"}}}},"error":null,"id":1}}]"#
    );
    let made = r#"[{"result":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4","error":null,"id":0}]"#;
    let (answer, called) = ask(Call::Addresses { requests }, replay([http(200, known), http(200, made)]));
    let Ok(CallResult::Addresses(addresses)) = answer else { panic!("{answer:?}") };
    let given: Vec<_> = addresses.iter().map(|given| (given.key.as_str(), given.address.as_str())).collect();
    assert_eq!(given, [("a-1", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"), ("a-2", ADDRESS)]);
    assert_eq!(called, ["getaddressesbylabel", "getaddressesbylabel", "getnewaddress"]);
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
fn what_was_replaced_is_gone_and_what_was_undone_stands_as_it_does_now() {
    let back = received_entry(TX, 1, "0.5");
    let (answer, _) = ask(
        watch(Some(BLOCK)),
        replay([watched(&[back, received_entry(OTHER_TX, -2, "0.5")], &[received_entry(TX, -1, "0.5"), sent_entry("x", TX, 0)])]),
    );
    let Ok(CallResult::Movements(report)) = answer else { panic!("{answer:?}") };
    let report: Vec<_> = report.movements.iter().map(|one| (one.tx_id.as_str(), one.confirmations, one.gone)).collect();
    assert_eq!(report, [(TX, 1, false), (OTHER_TX, 0, true)]);
}

#[test]
fn a_block_the_node_does_not_know_makes_it_tell_everything_anew() {
    let unknown =
        r#"[{"result":null,"error":{"code":-5,"message":"Block not found"},"id":0},{"result":840002,"error":null,"id":1}]"#;
    let mut answers = VecDeque::from([http(200, unknown), watched(&[], &[])]);
    let node: FakeNode = Box::new(move |request| {
        let expected = if answers.len() == 2 { BLOCK } else { "" };
        assert_eq!((&request[0]["params"][0], &request[0]["params"][1]), (&json!(expected), &json!(2)));
        answers.pop_front().unwrap()
    });
    assert!(matches!(ask(watch(Some(BLOCK)), node).0, Ok(CallResult::Movements(_))));
}

#[test]
fn money_is_sent_with_its_key_as_the_comment() {
    let mut answers = VecDeque::from([result("[]"), result(&format!("\"{TX}\""))]);
    let node: FakeNode = Box::new(move |request| {
        if request["method"] == "sendtoaddress" {
            assert_eq!(
                request["params"],
                json!({ "address": ADDRESS, "amount": "0.015", "comment": "claim-7", "subtractfeefromamount": false })
            );
        }
        answers.pop_front().unwrap()
    });
    let (answer, called) = ask(Call::SendPayout(payout()), node);
    assert_eq!(answer, Ok(CallResult::Payout(PayoutState::Sent { tx_id: TX.into(), confirmations: 0, fee: None })));
    assert_eq!(called, ["listtransactions", "sendtoaddress"]);
}

#[test]
fn what_was_sent_is_found_and_not_sent_again() {
    let page: Vec<_> = (0..1_000).map(|number| sent_entry(&format!("other-{number}"), OTHER_TX, 9)).collect();
    let last = format!("[{}]", sent_entry("claim-7", TX, 4));
    let (answer, called) = ask(Call::SendPayout(payout()), replay([result(&format!("[{}]", page.join(","))), result(&last)]));
    let sent = PayoutState::Sent { tx_id: TX.into(), confirmations: 4, fee: Some("0.00000141".into()) };
    assert_eq!(answer, Ok(CallResult::Payout(sent)));
    assert_eq!(called, ["listtransactions", "listtransactions"]);
}

#[test]
fn a_replaced_transaction_is_reported_once() {
    let entries = format!("[{},{}]", sent_entry("claim-7", OTHER_TX, -3), sent_entry("claim-7", TX, 3));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([result(&entries)]));
    assert!(
        matches!(answer, Ok(CallResult::Payout(PayoutState::Sent { ref tx_id, confirmations: 3, .. })) if tx_id == TX),
        "{answer:?}"
    );
    let conflicted = format!("[{}]", sent_entry("claim-7", OTHER_TX, -3));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([result(&conflicted)]));
    assert_eq!(answer, Ok(CallResult::Payout(PayoutState::Returned { tx_id: OTHER_TX.into() })));
    let (answer, _) = ask(Call::PayoutStatus(payout()), replay([result("[]")]));
    assert!(matches!(answer, Ok(CallResult::Payout(PayoutState::NeverSent { .. }))), "{answer:?}");
}

#[test]
fn a_refusal_to_send_says_whether_money_may_have_left() {
    let cases = [
        (error(500, -6, "Insufficient funds"), Some("not_enough_money")),
        (error(500, -5, "Invalid Bitcoin address: x"), Some("bad_address")),
        (error(500, -4, "Transaction amount too small"), Some("wallet_refuses")),
        (error(500, -13, "Error: Please enter the wallet passphrase with walletpassphrase first."), Some("wallet_locked")),
        (error(500, -28, "Loading block index…"), Some("warming_up")),
        (http(401, ""), Some("unauthorised")),
        (ActionResult::HttpFailure(HttpFailure { why: "refused".into(), may_have_acted: false }), Some("unreachable")),
        (error(500, -26, "min relay fee not met"), None),
        (error(500, -1, "out of memory"), None),
        (http(502, "<html>Bad Gateway</html>"), None),
        (ActionResult::HttpFailure(HttpFailure { why: "no answer within 30 seconds".into(), may_have_acted: true }), None),
        (result("null"), None),
    ];
    for (answered, certain) in cases {
        let shown = format!("{answered:?}");
        let (answer, _) = ask(Call::SendPayout(payout()), replay([result("[]"), answered]));
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
        (ActionResult::HttpFailure(HttpFailure { why: "late".into(), may_have_acted: true }), "unreachable", true),
        (http(200, "garbage"), "unreachable", true),
    ] {
        for call in [Call::SendPayout(payout()), Call::PayoutStatus(payout())] {
            let (answer, called) = ask(call, replay([answered.clone()]));
            let refusal = answer.unwrap_err();
            assert_eq!((refusal.code.as_str(), refusal.later, called.len()), (code, later, 1));
        }
        assert_eq!(ask(watch(None), replay([answered.clone()])).0.unwrap_err().code, code);
    }
}
