//! Payouts.

use agio_plugin_sdk::harness::{Harness, Storage, http, json_of, lost};
use agio_plugin_sdk::protocol::{ActionResult, Call, HttpRequest, PayoutRequest, PayoutState};
use agio_plugin_ton::Ton;
use tycho_types::models::{Base64StdAddrFlags, DisplayBase64StdAddr, StdAddr};

use super::{START, ton, wallet};
use crate::network::{FEE, FakeNetwork, USDT, address, address_of, comment, jetton_wallet};

/// How long a message is valid, in blocks of the fake network.
const LIFETIME: u64 = 180 / 5;

fn recipient() -> StdAddr {
    address_of("recipient")
}

fn payout(key: &str, currency: &str, amount: &str) -> PayoutRequest {
    let (key, currency) = (key.to_owned(), currency.to_owned());
    let address = recipient().display_base64_url(true).to_string();
    PayoutRequest { key, currency, address, memo: Some("77".to_owned()), amount: amount.parse().unwrap() }
}

/// A wallet with 100 TON and 500 USDT.
fn network() -> FakeNetwork {
    let mut network = FakeNetwork::new(START);
    network.fill(&wallet(), 100_000_000_000);
    network.fill_jettons(&address(USDT), &wallet(), 500_000_000);
    network
}

fn send(driver: &mut Harness<Ton>, network: &mut FakeNetwork, payout: &PayoutRequest) -> PayoutState {
    driver.now = network.now();
    driver.payout(Call::SendPayout(payout.clone()), network)
}

fn status(driver: &mut Harness<Ton>, network: &mut FakeNetwork, payout: &PayoutRequest) -> PayoutState {
    driver.now = network.now();
    driver.payout(Call::PayoutStatus(payout.clone()), network)
}

fn unknown(state: &PayoutState) -> &str {
    match state {
        PayoutState::Unknown { why } => why,
        other => panic!("{other:?}"),
    }
}

fn never(state: &PayoutState) -> &str {
    match state {
        PayoutState::NeverSent { code, .. } => code,
        other => panic!("{other:?}"),
    }
}

/// The different messages that were sent.
fn messages(network: &FakeNetwork) -> usize {
    let mut sent = network.sent.clone();
    sent.sort();
    sent.dedup();
    sent.len()
}

#[test]
fn toncoin_arrives_once_with_its_comment() {
    let (mut driver, mut network) = (ton(), network());
    let payout = payout("p-1", "TON", "12.5");
    assert!(unknown(&send(&mut driver, &mut network, &payout)).contains("was sent"));
    assert_eq!((network.balance(&recipient()), network.sent.len()), (0, 1));
    network.mine(1);
    let tx_id = network.last(&wallet());
    let fee = Some("0.0054".to_owned());
    assert_eq!(
        status(&mut driver, &mut network, &payout),
        PayoutState::Sent { tx_id: tx_id.clone(), confirmations: 1, fee: fee.clone() }
    );
    network.mine(LIFETIME * 2);
    for _ in 0..3 {
        let confirmations = 1 + u32::try_from(LIFETIME).unwrap() * 2;
        assert_eq!(
            status(&mut driver, &mut network, &payout),
            PayoutState::Sent { tx_id: tx_id.clone(), confirmations, fee: fee.clone() }
        );
        assert_eq!(send(&mut driver, &mut network, &payout), status(&mut driver, &mut network, &payout));
    }
    assert_eq!((network.balance(&recipient()), network.sent.len()), (12_500_000_000, 1));
    assert_eq!(network.balance(&wallet()), 100_000_000_000 - 12_500_000_000 - FEE);
    assert_eq!(network.received_comments(&recipient()), ["77"]);

    // The next one has the next number.
    let next = PayoutRequest { memo: None, ..self::payout("p-2", "TON", "1") };
    send(&mut driver, &mut network, &next);
    network.mine(1);
    assert!(matches!(status(&mut driver, &mut network, &next), PayoutState::Sent { .. }));
    assert_eq!(network.balance(&recipient()), 13_500_000_000);
}

#[test]
fn jettons_arrive_once_with_their_comment() {
    let (mut driver, mut network, usdt) = (ton(), network(), address(USDT));
    let payout = payout("p-1", "USDTTON", "25.5");
    unknown(&send(&mut driver, &mut network, &payout));
    network.mine(1);
    let tx_id = network.accounts_transaction(&wallet(), 0);
    assert_eq!(status(&mut driver, &mut network, &payout), PayoutState::Sent { tx_id, confirmations: 1, fee: None });
    assert_eq!((network.jettons(&usdt, &recipient()), network.jettons(&usdt, &wallet())), (25_500_000, 474_500_000));
    assert_eq!(network.received_comments(&jetton_wallet(&usdt, &recipient())), ["77"]);
    network.mine(LIFETIME * 2);
    status(&mut driver, &mut network, &payout);
    assert_eq!((network.jettons(&usdt, &recipient()), network.sent.len()), (25_500_000, 1));
}

#[test]
fn a_payout_is_paid_at_most_once_wherever_the_server_stops() {
    for currency in ["TON", "USDTTON"] {
        for rounds in 0..6 {
            for mined in [0, 1, LIFETIME + 1] {
                let (mut driver, mut network) = (ton(), network());
                let payout = payout("p-1", currency, "10");
                driver.now = network.now();
                let ended = driver.call_for(Call::SendPayout(payout.clone()), &mut network, rounds).is_some();
                network.mine(mined);
                let mut state = status(&mut driver, &mut network, &payout);
                for _ in 0..3 {
                    network.mine(LIFETIME / 2);
                    state = status(&mut driver, &mut network, &payout);
                }
                let arrived = match currency {
                    "TON" => network.balance(&recipient()) / 10_000_000_000,
                    _ => network.jettons(&address(USDT), &recipient()) / 10_000_000,
                };
                match state {
                    PayoutState::Sent { .. } => assert_eq!(arrived, 1, "{currency} {rounds} {mined}"),
                    PayoutState::NeverSent { .. } => assert!(arrived == 0 && !ended, "{currency} {rounds} {mined}"),
                    other => panic!("{currency} {rounds} {mined}: {other:?}"),
                }
                assert!(messages(&network) <= 1);
            }
        }
    }
}

#[test]
fn a_payout_whose_answer_is_lost_is_found_again() {
    for status_of_answer in [None, Some(500), Some(429), Some(200)] {
        let (mut driver, mut network) = (ton(), network());
        let payout = payout("p-1", "TON", "10");
        driver.now = network.now();
        let mut server = |request: &HttpRequest| -> ActionResult {
            let call = json_of(request);
            let (status, answer) = network.answer(&call);
            match status_of_answer {
                _ if call["method"] != "sendBoc" => http(status, answer.to_string()),
                None => lost(true),
                Some(status) => http(status, "<html>"),
            }
        };
        unknown(&driver.payout(Call::SendPayout(payout.clone()), &mut server));
        network.mine(1);
        assert!(matches!(status(&mut driver, &mut network, &payout), PayoutState::Sent { .. }));
        assert_eq!(network.sent.len(), 1);
    }
}

#[test]
fn a_payout_was_never_sent_only_when_its_message_has_expired() {
    let (mut driver, mut network) = (ton(), network());
    let payout = payout("p-1", "TON", "10");
    network.loses_messages = true;
    unknown(&send(&mut driver, &mut network, &payout));
    // The same message is sent again.
    network.mine(LIFETIME);
    unknown(&status(&mut driver, &mut network, &payout));
    assert_eq!((network.sent.len(), messages(&network)), (2, 1));
    network.mine(1);
    assert_eq!(never(&status(&mut driver, &mut network, &payout)), "expired");
    // Nobody can have it carried out any more.
    network.loses_messages = false;
    let call = serde_json::json!({ "id": "1", "method": "sendBoc", "params": { "boc": network.sent[0] } });
    assert_eq!(network.answer(&call).0, 500);
    network.mine(1);
    assert_eq!(network.balance(&recipient()), 0);
}

#[test]
fn a_node_that_is_behind_does_not_make_a_payout_unsent() {
    let (mut driver, mut network) = (ton(), network());
    let payout = payout("p-1", "TON", "10");
    network.pay("owner", &wallet(), 1_000_000_000, comment("fill"));
    let mut behind = network.clone();
    network.pay("owner", &wallet(), 1_000_000_000, comment("fill"));
    send(&mut driver, &mut network, &payout);
    let mut before = network.clone();
    network.mine(LIFETIME * 2);
    // One that does not have the block yet, and one that is even older.
    driver.now = network.now();
    unknown(&driver.payout(Call::PayoutStatus(payout.clone()), &mut before));
    assert!(unknown(&driver.payout(Call::PayoutStatus(payout.clone()), &mut behind)).contains("behind"));
    // One that hides the transaction.
    let mut hiding = |request: &HttpRequest| {
        let (status, mut answer) = network.answer(&json_of(request));
        if let Some(listed) = answer["result"].as_array_mut() {
            listed.remove(0);
        }
        http(status, answer.to_string())
    };
    unknown(&driver.payout(Call::PayoutStatus(payout.clone()), &mut hiding));
    assert!(matches!(status(&mut driver, &mut network, &payout), PayoutState::Sent { .. }));
}

#[test]
fn another_message_with_the_same_number_displaces_a_payout() {
    let (mut here, mut there, mut network) = (ton(), ton(), network());
    let (first, second) = (payout("p-1", "TON", "10"), payout("p-2", "TON", "20"));
    network.loses_messages = true;
    unknown(&send(&mut here, &mut network, &first));
    network.loses_messages = false;
    unknown(&send(&mut there, &mut network, &second));
    network.mine(1);
    assert!(matches!(status(&mut there, &mut network, &second), PayoutState::Sent { .. }));
    assert_eq!(never(&status(&mut here, &mut network, &first)), "displaced");
    network.mine(1);
    assert_eq!(network.balance(&recipient()), 20_000_000_000);
}

#[test]
fn the_wallet_takes_one_payout_after_the_other() {
    let (mut driver, mut network) = (ton(), network());
    let (first, second) = (payout("p-1", "TON", "10"), payout("p-2", "USDTTON", "20"));
    unknown(&send(&mut driver, &mut network, &first));
    driver.now = network.now();
    let refused = driver.call_on(Call::SendPayout(second.clone()), &mut network).unwrap_err();
    assert_eq!((refused.code.as_str(), refused.later, network.sent.len()), ("busy", true, 1));
    network.mine(1);
    unknown(&send(&mut driver, &mut network, &second));
    network.mine(1);
    assert!(matches!(status(&mut driver, &mut network, &second), PayoutState::Sent { .. }));
    // One that has expired is not under way.
    let (third, fourth) = (payout("p-3", "TON", "1"), payout("p-4", "TON", "2"));
    network.loses_messages = true;
    unknown(&send(&mut driver, &mut network, &third));
    network.mine(LIFETIME + 1);
    network.loses_messages = false;
    unknown(&send(&mut driver, &mut network, &fourth));
    network.mine(1);
    assert!(matches!(status(&mut driver, &mut network, &fourth), PayoutState::Sent { .. }));
    assert_eq!(never(&status(&mut driver, &mut network, &third)), "displaced");
}

#[test]
fn a_wallet_without_enough_pays_nothing() {
    let usdt = address(USDT);
    for (currency, coins, jettons, amount) in [
        ("TON", 10_049_999_999, 0, "10"),
        ("USDTTON", 100_000_000_000, 9_999_999, "10"),
        ("USDTTON", 149_999_999, 10_000_000, "10"),
    ] {
        let (mut driver, mut network) = (ton(), network());
        network.fill(&wallet(), coins);
        network.fill_jettons(&usdt, &wallet(), jettons);
        let payout = payout("p-1", currency, amount);
        assert_eq!(never(&send(&mut driver, &mut network, &payout)), "not_enough_money");
        network.fill(&wallet(), coins + 1);
        network.fill_jettons(&usdt, &wallet(), jettons + 1);
        unknown(&send(&mut driver, &mut network, &payout));
        assert_eq!(network.sent.len(), 1);
    }
    // The money is gone when the message arrives: the wallet sends nothing, and uses the number up.
    let (mut driver, mut network) = (ton(), network());
    let payout = payout("p-1", "TON", "10");
    unknown(&send(&mut driver, &mut network, &payout));
    network.fill(&wallet(), 1_000_000_000);
    network.mine(1);
    assert_eq!(never(&status(&mut driver, &mut network, &payout)), "not_carried_out");
    network.fill(&wallet(), 100_000_000_000);
    network.mine(1);
    assert_eq!(network.balance(&recipient()), 0);
}

#[test]
fn jettons_that_do_not_arrive_may_be_paid_again() {
    let usdt = address(USDT);
    for (refusing, code) in [(wallet(), "would_fail"), (recipient(), "refused_by_recipient")] {
        let (mut driver, mut network) = (ton(), network());
        let payout = payout("p-1", "USDTTON", "10");
        unknown(&send(&mut driver, &mut network, &payout));
        network.refuse(&jetton_wallet(&usdt, &refusing), true);
        network.fill_jettons(&usdt, &recipient(), 0);
        network.mine(1);
        assert_eq!(never(&status(&mut driver, &mut network, &payout)), code);
        assert_eq!((network.jettons(&usdt, &wallet()), network.jettons(&usdt, &recipient())), (500_000_000, 0));
    }
}

#[test]
fn what_cannot_be_paid_is_refused_before_anything_is_sent() {
    let (mut driver, mut network) = (ton(), network());
    let mut refused = |change: &dyn Fn(&mut PayoutRequest)| {
        let mut payout = payout("p-1", "TON", "1");
        change(&mut payout);
        never(&send(&mut driver, &mut network, &payout)).to_owned()
    };
    let testnet = Base64StdAddrFlags { testnet: true, base64_url: true, bounceable: true };
    for address in [
        wallet().to_string(),
        USDT.to_owned(),
        StdAddr::ZERO.to_string(),
        "UQnonsense".to_owned(),
        DisplayBase64StdAddr { addr: &recipient(), flags: testnet }.to_string(),
        "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t".to_owned(),
    ] {
        assert_eq!(refused(&|payout| payout.address.clone_from(&address)), "bad_address", "{address}");
    }
    assert_eq!(refused(&|payout| payout.memo = Some("м".repeat(61))), "bad_address");
    for amount in ["0", "-1", "0.0000000001", "79228162514264337593543950335"] {
        let code = refused(&|payout| payout.amount = amount.parse().unwrap());
        assert!(["bad_amount", "not_enough_money"].contains(&code.as_str()), "{amount}: {code}");
    }
    assert_eq!(refused(&|payout| payout.currency = "BTC".to_owned()), "unknown_currency");
    assert!(network.sent.is_empty() && driver.stored.is_empty());

    // The contract at the address has another key; the key is missing; the clocks differ; nothing can be stored.
    let plain = payout("p-1", "TON", "1");
    network.mine(1);
    driver.now = network.now() + 121_000_000;
    assert_eq!(driver.call_on(Call::SendPayout(plain.clone()), &mut network).unwrap_err().code, "node_behind");
    driver.storage = Storage::Failing;
    assert!(unknown(&send(&mut driver, &mut network, &plain)).contains("could not be stored"));
    driver.storage = Storage::Immediate;
    network.replace_wallet(&wallet());
    assert_eq!(never(&send(&mut driver, &mut network, &plain)), "wrong_wallet");
    driver.change_setting("secret", "");
    assert_eq!(never(&send(&mut driver, &mut network, &plain)), "no_payout_key");
    assert!(network.sent.is_empty());
}
