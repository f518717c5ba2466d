//! Claims go on while the mail server is down, and their letters come when it is back.

use std::time::Duration;

use agio_core::needs::{Asked, Quotes as _};
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};

use crate::house_with;
use crate::peer::{Manner, Peer};

const MINUTE: Duration = Duration::from_secs(60);

/// An order of roubles for bitcoin at the terms of this moment.
fn order(house: &House, email: &str) -> Value {
    let market = house.app.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let asked = Asked::plainly(id("BTC"), id("SBERRUB"), "0.01".parse().unwrap());
    let receive = house.app.calculator.agree(&asked).unwrap().receive.to_string();
    json!({
        "email": email, "fromPs": asked.from, "toPs": asked.to, "fromSumma": "0.01", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

/// A claim from the order to the end; gives its number.
async fn exchange(house: &House, email: &str) -> i64 {
    let customer = house.customer();
    let made = customer.post("/en/api/v1/claim/", order(house, email)).await.ok();
    let id = made["id"].as_str().unwrap();
    customer.post_empty(&format!("/en/api/v1/claim/{id}/confirm/")).await.ok();
    customer.post_empty(&format!("/en/api/v1/claim/{id}/paid/")).await.ok();
    let claim = format!("/api/admin/v1/claims/{id}");
    let steps = [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")];
    for (action, tx) in steps {
        house.later(2 * MINUTE).await;
        // Signs in anew: a confirmation does not hold for the whole of a claim.
        let operator = house.operator().await;
        let mut step = json!({ "action": action, "revision": operator.get(&claim).await.ok()["revision"] });
        if !tx.is_empty() {
            step["txId"] = format!("{tx}-{id}").into();
        }
        operator.post(&format!("{claim}/transitions"), step).await.ok();
    }
    assert_eq!(house.operator().await.get(&claim).await.ok()["status"], "completed", "it did not wait for its letters");
    made["publicId"].as_i64().unwrap()
}

async fn claims_go_on_without_a_mail_server_and_every_letter_comes_once_and_in_order(engine: Engine) {
    let peer = Peer::start(Manner::Down).await;
    let house = house_with(engine, &peer).await;
    let (anna, boris) = ("anna@example.com", "boris@example.com");
    let mut numbers = Vec::new();
    for email in [anna, boris, anna] {
        numbers.push((email, exchange(&house, email).await));
        house.later(10 * MINUTE).await;
    }
    assert!(peer.calls() > 0 && peer.received().is_empty());
    let dashboard = house.operator().await.get("/api/admin/v1/dashboard").await.ok();
    assert_eq!((dashboard["mail"]["queued"].as_i64(), dashboard["mail"]["dead"].as_i64()), (Some(15), Some(0)));

    peer.behave(Manner::Takes);
    house.later(61 * MINUTE).await;
    for email in [anna, boris] {
        let to = format!("RCPT TO:<{email}>");
        let came: Vec<_> = peer.received().iter().filter(|mail| mail.to == to).map(|mail| mail.header("Subject")).collect();
        let due: Vec<_> = numbers
            .iter()
            .filter(|(of, _)| *of == email)
            .flat_map(|(_, number)| {
                ["is made", "waits for your payment", "payment received", "payout has been sent", "is complete"]
                    .map(|end| (number, end))
            })
            .collect();
        assert_eq!(came.len(), due.len(), "{came:?}");
        for (subject, (number, end)) in came.iter().zip(due) {
            assert!(subject.contains(&number.to_string()) && subject.contains(end), "{subject} is not {number} {end}");
        }
    }
    house.books_are_clean().await;
}

both_engines!(claims_go_on_without_a_mail_server_and_every_letter_comes_once_and_in_order);
