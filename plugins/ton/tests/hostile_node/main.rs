//! The driver with a fake network, whose node answers in the documented forms of TON Center, and fails, lies and lags like
//! one.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod network;
mod payouts;
mod recorded;

use agio_plugin_sdk::harness::{Harness, Server, http, json_of, lost};
use agio_plugin_sdk::protocol::{
    ActionResult, AddressRequest, Call, CallError, CallResult, DepositAddress, HttpRequest, Movements, WatchRequest,
};
use agio_plugin_ton::Ton;
use network::{FakeNetwork, USDT, address, address_of, comment, internal_transfer, jetton_wallet, operation};
use serde_json::{Value, json};
use tycho_types::cell::CellBuilder;
use tycho_types::models::StdAddr;

/// A key that nobody uses, and its wallet.
const KEY: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

/// When the tests begin, in seconds: the clock of the harness.
const START: u32 = 1_711_627_200;

fn ton() -> Harness<Ton> {
    Harness::new(Ton).set("secret", KEY)
}

impl Server for FakeNetwork {
    fn respond(&mut self, request: &HttpRequest) -> ActionResult {
        assert_eq!(request.url, "https://toncenter.com/api/v2/jsonRPC");
        let (status, answer) = self.answer(&json_of(request));
        http(status, answer.to_string())
    }
}

fn deposit(driver: &mut Harness<Ton>, currency: &str, key: &str) -> DepositAddress {
    let request = AddressRequest { key: key.to_owned(), currency: currency.to_owned() };
    match driver.call(Call::Addresses { requests: vec![request] }) {
        Ok(CallResult::Addresses(mut addresses)) => addresses.remove(0),
        other => panic!("{other:?}"),
    }
}

fn wallet() -> StdAddr {
    address(&deposit(&mut ton(), "TON", "any").address)
}

fn watch(currency: &str) -> WatchRequest {
    WatchRequest { currency: currency.to_owned(), cursor: None, confirmations: 3 }
}

/// Polls and returns the report.
fn poll(driver: &mut Harness<Ton>, network: &mut FakeNetwork, currency: &str, cursor: &mut Option<String>) -> Movements {
    driver.now = network.now();
    driver.poll(watch(currency), cursor, network)
}

/// What a poll says that fails.
fn fault(driver: &mut Harness<Ton>, server: &mut impl Server, currency: &str, cursor: Option<&String>) -> CallError {
    driver.call_on(Call::Watch(WatchRequest { cursor: cursor.cloned(), ..watch(currency) }), server).unwrap_err()
}

/// Amount, comment and confirmations of each movement.
fn shown(report: &Movements) -> Vec<(String, Option<String>, u32)> {
    let address = wallet().display_base64_url(false).to_string();
    assert!(report.movements.iter().all(|one| !one.gone && one.output == 0 && one.address == address));
    report.movements.iter().map(|one| (one.amount.normalize().to_string(), one.memo.clone(), one.confirmations)).collect()
}

fn amounts(report: &Movements) -> Vec<String> {
    shown(report).into_iter().map(|(amount, ..)| amount).collect()
}

#[test]
fn each_claim_has_a_comment_of_its_own() {
    let mut driver = ton();
    let first = deposit(&mut driver, "TON", "a-1");
    assert_eq!(first, deposit(&mut driver, "TON", "a-1"));
    let second = deposit(&mut driver, "USDTTON", "a-2");
    assert_eq!(first.address, second.address);
    let (first, second) = (first.memo.unwrap(), second.memo.unwrap());
    assert!(first != second && [&first, &second].iter().all(|memo| memo.len() == 12 && memo.parse::<u64>().is_ok()));

    // Another wallet can take the deposits, in any form of its address.
    let other = address_of("owner");
    for text in [other.to_string(), other.display_base64_url(true).to_string(), other.display_base64(false).to_string()] {
        driver.change_setting("address", &text);
        assert_eq!(deposit(&mut driver, "TON", "a-1").address, other.display_base64_url(false).to_string());
    }
    let refused = |driver: &mut Harness<Ton>, currency: &str| {
        let requests = vec![AddressRequest { key: "a-1".to_owned(), currency: currency.to_owned() }];
        driver.call(Call::Addresses { requests }).unwrap_err().code
    };
    assert_eq!(refused(&mut driver, "BTC"), "unknown_currency");
    driver.change_setting("address", "UQnonsense");
    assert_eq!(refused(&mut driver, "TON"), "no_deposit_address");
    driver.change_setting("tokens", "USDTTON=nonsense:6");
    assert_eq!(refused(&mut driver, "USDTTON"), "no_deposit_address");
    driver.change_setting("address", "");
    assert_eq!(refused(&mut driver, "USDTTON"), "bad_settings");
}

#[test]
fn a_payment_of_toncoin_counts_once_and_with_its_confirmations() {
    let (mut driver, mut network, mut cursor) = (ton(), FakeNetwork::new(START), None);
    let tx = network.pay("customer", &wallet(), 12_500_000_001, comment(" 123456789012\n"));
    let report = poll(&mut driver, &mut network, "TON", &mut cursor);
    let memo = Some("123456789012".to_owned());
    assert_eq!(shown(&report), [("12.500000001".to_owned(), memo.clone(), 1)]);
    assert_eq!((report.movements[0].tx_id.as_str(), report.height), (tx.as_str(), network.head));
    network.mine(1);
    assert_eq!(shown(&poll(&mut driver, &mut network, "TON", &mut cursor)), [("12.500000001".to_owned(), memo.clone(), 2)]);
    network.mine(5);
    assert_eq!(shown(&poll(&mut driver, &mut network, "TON", &mut cursor)), [("12.500000001".to_owned(), memo, 7)]);
    network.pay("customer", &wallet(), 1_000_000_000, comment("2"));
    assert_eq!(amounts(&poll(&mut driver, &mut network, "TON", &mut cursor)), ["1"]);
    network.mine(2);
    poll(&mut driver, &mut network, "TON", &mut cursor);
    assert!(poll(&mut driver, &mut network, "TON", &mut cursor).movements.is_empty());
}

#[test]
fn only_toncoin_that_stays_is_a_payment() {
    let (mut driver, mut network, mut cursor) = (ton(), FakeNetwork::new(START), None);
    let owner = wallet();
    assert!(poll(&mut driver, &mut network, "TON", &mut cursor).movements.is_empty());
    // What comes back, what jettons and NFTs bring along, what is too little to be a payment.
    network.bounce("customer", &owner, 2_000_000_000);
    for number in [0xd532_76db, 0x7362_d09c, 0x0513_8d91] {
        network.pay("customer", &owner, 2_000_000_000, operation(number));
    }
    network.pay("customer", &owner, 9_999_999, comment("a gift for you"));
    network.refuse(&owner, true);
    network.pay("customer", &owner, 2_000_000_000, comment("1"));
    network.refuse(&owner, false);
    assert!(poll(&mut driver, &mut network, "TON", &mut cursor).movements.is_empty());

    // Whatever else came is reported, with the comment if there is a text.
    let bytes = |bytes: &[u8]| {
        let mut body = CellBuilder::new();
        body.store_u32(0).unwrap();
        body.store_raw(bytes, u16::try_from(bytes.len() * 8).unwrap()).unwrap();
        body.build().unwrap()
    };
    let long = "д".repeat(200);
    for (nanotons, body) in [
        (10_000_000, CellBuilder::new().build().unwrap()),
        (1_000_000_001, operation(0x2167_da4b)),
        (1_000_000_002, bytes(b"\xff\xfe1\0")),
        (1_000_000_003, bytes(b"\xcf\xf0\xe8\xe2\xe5\xf2")),
        (1_000_000_004, bytes(b"1\x002")),
        (1_000_000_005, comment(&long)),
        (1_000_000_006, comment(&"5".repeat(2_000))),
        (u128::from(u64::MAX), comment("9")),
    ] {
        network.pay("customer", &owner, nanotons, body);
    }
    let mut report = shown(&poll(&mut driver, &mut network, "TON", &mut cursor));
    report.reverse();
    let report: Vec<_> = report.iter().map(|(amount, memo, _)| (amount.as_str(), memo.as_deref())).collect();
    assert_eq!(
        report,
        [
            ("0.01", None),
            ("1.000000001", None),
            ("1.000000002", None),
            ("1.000000003", None),
            ("1.000000004", None),
            ("1.000000005", Some(long.as_str())),
            ("1.000000006", None),
            ("18446744073.709551615", Some("9")),
        ]
    );
}

#[test]
fn only_jettons_of_the_configured_issuer_count() {
    let (mut driver, mut network, mut cursor) = (ton(), FakeNetwork::new(START), None);
    let (owner, usdt, forged) = (wallet(), address(USDT), address_of("USDT"));
    network.pay_jettons(&usdt, "customer", &owner, 25_000_000, Some(comment("123456789012")));
    let report = poll(&mut driver, &mut network, "USDTTON", &mut cursor);
    assert_eq!(shown(&report), [("25".to_owned(), Some("123456789012".to_owned()), 1)]);
    network.mine(3);
    poll(&mut driver, &mut network, "USDTTON", &mut cursor);

    // Jettons of another issuer, whatever they are called.
    network.pay_jettons(&forged, "thief", &owner, 25_000_000, Some(comment("123456789012")));
    // A transfer that no jetton wallet of the issuer sent.
    let own = jetton_wallet(&usdt, &owner);
    network.pay(
        "thief",
        &own,
        100_000_000,
        internal_transfer(25_000_000, &address_of("customer"), Some(comment("123456789012"))),
    );
    // The message that tells of jettons which never came.
    network.pay("thief", &owner, 100_000_000, operation(0x7362_d09c));
    // Toncoin to the jetton wallet, and a transfer that fails.
    network.pay("thief", &own, 100_000_000, comment("123456789012"));
    network.refuse(&own, true);
    network.pay_jettons(&usdt, "thief", &owner, 25_000_000, Some(comment("123456789012")));
    network.refuse(&own, false);
    assert!(poll(&mut driver, &mut network, "USDTTON", &mut cursor).movements.is_empty());
    assert!(poll(&mut driver, &mut network, "TON", &mut None).movements.is_empty());

    // Without a comment they are reported all the same.
    network.pay_jettons(&usdt, "customer", &owner, 1_000_001, None);
    assert_eq!(shown(&poll(&mut driver, &mut network, "USDTTON", &mut cursor)), [("1.000001".to_owned(), None, 1)]);

    driver.change_setting("tokens", &format!("USDTTON={}:6", address_of("nobody's contract")));
    let mut other = |request: &HttpRequest| match json_of(request)["method"].as_str().unwrap() {
        "runGetMethod" => http(200, json!({ "ok": true, "result": { "stack": [], "exit_code": -13 } }).to_string()),
        _ => network.respond(request),
    };
    assert_eq!(fault(&mut driver, &mut other, "USDTTON", None).code, "wrong_jetton");
}

#[test]
fn no_payment_is_lost_or_counted_twice_however_many_there_are() {
    for page in [1, 3, 100] {
        let (mut driver, mut network, mut cursor) = (ton(), FakeNetwork::new(START), None);
        network.page = page;
        // What is older than the route was no payment for it.
        network.pay("customer", &wallet(), 7_000_000_000, comment("old"));
        network.mine(200);
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for batch in [1, 70, 0, 30] {
            for _ in 0..batch {
                expected.push(network.pay("customer", &wallet(), 1_000_000_000, comment("1")));
            }
            seen.extend(poll(&mut driver, &mut network, "TON", &mut cursor).movements);
            network.mine(3);
        }
        for _ in 0..6 {
            seen.extend(poll(&mut driver, &mut network, "TON", &mut cursor).movements);
            network.mine(3);
        }
        let mut ids: Vec<_> = seen.iter().map(|movement| movement.tx_id.clone()).collect();
        ids.sort();
        let reports = ids.len();
        ids.dedup();
        expected.sort();
        assert_eq!(ids, expected, "pages of {page}");
        // Each at most twice: without the confirmations, and with them.
        assert!(reports <= 2 * expected.len());
    }
}

#[test]
fn a_node_that_fails_or_lies_moves_nothing() {
    let (mut driver, mut network, mut cursor) = (ton(), FakeNetwork::new(START), None);
    network.pay("customer", &wallet(), 1_000_000_000, comment("1"));
    poll(&mut driver, &mut network, "TON", &mut cursor);
    let before = network.clone();
    for _ in 0..3 {
        network.pay("customer", &wallet(), 1_000_000_000, comment("1"));
    }
    let cursor = cursor.unwrap();

    for (answer, code) in [
        (lost(true), "unreachable"),
        (http(200, "<html>"), "unreachable"),
        (http(200, "{}"), "refused"),
        (http(401, json!({ "ok": false, "error": "API key does not exist", "code": 401 }).to_string()), "unauthorised"),
        (http(429, json!({ "ok": false, "result": "Ratelimit exceed", "code": 429 }).to_string()), "rate_limited"),
        (http(504, json!({ "ok": false, "error": "LITE_SERVER_NETWORK", "code": 504 }).to_string()), "refused"),
    ] {
        for failing in ["getMasterchainInfo", "getAddressInformation", "getTransactions"] {
            let mut server = |request: &HttpRequest| {
                if json_of(request)["method"] == failing { answer.clone() } else { network.respond(request) }
            };
            assert_eq!(fault(&mut driver, &mut server, "TON", Some(&cursor)).code, code, "{failing}");
        }
    }

    let mut other = network.clone();
    other.genesis = "gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg=".to_owned();
    assert_eq!(fault(&mut driver, &mut other, "TON", Some(&cursor)).code, "wrong_chain");
    let mut behind = before.clone();
    let mut later = Some(cursor.clone());
    poll(&mut driver, &mut network, "TON", &mut later);
    assert_eq!(fault(&mut driver, &mut behind, "TON", later.as_ref()).code, "node_behind");
    let mut empty = FakeNetwork::new(START);
    for _ in 0..8 {
        empty.pay("customer", &wallet(), 5_000_000_000, comment("1"));
    }
    assert_eq!(fault(&mut driver, &mut empty, "TON", later.as_ref()).code, "chain_changed");

    // A transaction is left out, repeated, or changed.
    type Change<'a> = &'a dyn Fn(&mut Vec<Value>);
    let changes: [Change<'_>; 6] = [
        &|listed| {
            listed.remove(1);
        },
        &|listed| listed.insert(1, listed[0].clone()),
        &|listed| listed.clear(),
        &|listed| listed[0]["data"] = json!("te6cckEBAQEAAgAAAEysuc0="),
        &|listed| listed[0]["data"] = json!(null),
        &|listed| listed.swap(0, 1),
    ];
    for change in changes {
        let mut server = |request: &HttpRequest| {
            let call = json_of(request);
            let (status, mut answer) = network.answer(&call);
            if call["method"] == "getTransactions" {
                change(answer["result"].as_array_mut().unwrap());
            }
            http(status, answer.to_string())
        };
        assert_eq!(fault(&mut driver, &mut server, "TON", Some(&cursor)).code, "unreachable");
    }
}

#[test]
fn another_address_begins_anew_and_another_jetton_wallet_is_a_fault() {
    let (mut driver, mut network) = (ton(), FakeNetwork::new(START));
    let other = address_of("owner");
    let mut cursor = None;
    network.pay("customer", &wallet(), 1_000_000_000, comment("1"));
    poll(&mut driver, &mut network, "TON", &mut cursor);
    driver.change_setting("address", &other.to_string());
    network.pay("customer", &other, 2_000_000_000, comment("1"));
    driver.now = network.now();
    let report = driver.poll(watch("TON"), &mut cursor, &mut network);
    assert_eq!(report.movements.iter().map(|one| one.amount.normalize().to_string()).collect::<Vec<_>>(), ["2"]);

    let mut cursor = None;
    network.pay_jettons(&address(USDT), "customer", &other, 1_000_000, None);
    driver.poll(watch("USDTTON"), &mut cursor, &mut network);
    let mut lying = |request: &HttpRequest| {
        let mut call = json_of(request);
        if call["method"] == "runGetMethod" {
            call["params"]["address"] = json!(address_of("another issuer").to_string());
        }
        let (status, answer) = network.answer(&call);
        http(status, answer.to_string())
    };
    assert_eq!(fault(&mut driver, &mut lying, "USDTTON", cursor.as_ref()).code, "chain_changed");
}
