//! Who is let in with the contract's signatures, and that an order is made once over bad lines.

use std::collections::BTreeSet;

use agio_testkit::{Engine, both_engines};
use serde_json::{Value, json};

use crate::people::house;
use crate::proxy::BadLine;
use crate::wallet::{ROOT, Wallet, order_of, wallet_key};

both_engines!(bad_signatures_are_all_refused, a_key_speaks_the_contract_if_it_may, one_order_is_one_claim_over_bad_lines);

/// How many claims the wallet has had made: those of its partner that wait.
async fn claims(house: &agio_testkit::House) -> i64 {
    house.app.claims.overview(1).await.unwrap().open
}

/// The wallet's signature is what the house computes too: both are held against the same value of the contract's language.
async fn is_signed_as_published(wallet: &mut Wallet) {
    let body = json!({
        "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "toNetwork": null, "fromAmount": 5e-7, "toAmount": 98123.45,
        "rateType": "FIXED", "toMemo": "", "extraFromFee": 0, "toPaymentDetails": "2200000000000004",
    });
    let said = wallet.does("sign", json!({ "body": body, "now": 1_711_627_200_000_i64, "secret": "agio-secret" })).await;
    let expected = "9f37d11411aecd9d21cf964682c080c23c2b1454d9d7ac0918d1d1295859a764\
        53b20d701cb58f302744eb1b19ecb2d03488dbacb4d0a9e2e9a7fc13864013fe";
    assert_eq!(said["signature"], expected);
}

async fn bad_signatures_are_all_refused(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    is_signed_as_published(&mut wallet).await;
    let wish = wallet.wish(0.015).await;
    let heard = wallet.orders(wish.clone()).await;
    assert_eq!(heard.status, 200);
    for number in 0..300_usize {
        let mut task = order_of(wish.clone());
        let changed = match number % 10 {
            0 => json!({ "headers": { "trustee-signature": format!("{number:0128x}") } }),
            1 => json!({ "signedWith": format!("{}{number}", &wallet.partner.secret[..40]) }),
            2 => json!({ "headers": { "trustee-public-key": format!("agio_live_{number:024x}") } }),
            3 => json!({ "asText": wish.to_string().replace("2200000000000004", "4111111111111111") }),
            4 => json!({ "asQuery": format!("?page={number}") }),
            5 => json!({ "headers": { "trustee-timestamp": (wallet.now + 2).to_string() } }),
            6 => {
                let names = ["trustee-public-key", "trustee-timestamp", "trustee-signature"];
                json!({ "without": [names[number / 10 % 3]] })
            }
            7 => {
                let away = 61_000 + i64::try_from(number).unwrap();
                json!({ "now": wallet.now + if number % 20 == 7 { -away } else { away } })
            }
            // Digits that the contract's language does not read are signed by nothing.
            8 => json!({ "asText": wish.to_string().replace("\"fromAmount\":0.015", "\"fromAmount\":0.0150000000000000000001") }),
            _ => Value::Null,
        };
        let refused = if changed.is_null() {
            wallet.again(&heard.call).await
        } else {
            task.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
            wallet.calls(task).await
        };
        refused.refused(401, Some("PROVIDER_ERROR"));
        // Only who has shown the key is answered with it.
        assert_eq!(refused.is_signed, matches!(number % 10, 7 | 9), "{number}");
    }
    // A signature names neither method nor path: it is used up by the first call it comes with, whichever that is.
    let id = heard.body["id"].as_str().unwrap().to_owned();
    let seen = wallet.checks(&id).await;
    let mut turned = seen.call.clone();
    turned["method"] = "POST".into();
    turned["url"] = format!("{}{ROOT}/orders/cancel/", wallet.root).into();
    turned["text"] = json!({ "id": id }).to_string().into();
    turned["headers"]["content-type"] = "application/json".into();
    wallet.again(&turned).await.refused(401, None);
    assert_eq!(wallet.status(&id).await, "WAITING");
    // Another node knows what was used.
    let there = house.another_node().await;
    wallet.root = there.root.clone();
    wallet.again(&seen.call).await.refused(401, None);
    let mut elsewhere = seen.call.clone();
    elsewhere["url"] = format!("{}{ROOT}/orders/?id={id}", there.root).into();
    wallet.again(&elsewhere).await.refused(401, None);
    assert_eq!(wallet.status(&id).await, "WAITING");
    assert_eq!(claims(&house).await, 1);
}

async fn a_key_speaks_the_contract_if_it_may(engine: Engine) {
    let house = house(engine).await;
    let mut key = wallet_key(false);
    key["scopes"] = json!(["read", "quote", "claim"]);
    let wish = json!({ "from": "BTC", "to": "SBERRUB", "fromAmount": 0.015 });
    let mut without = Wallet::with(&house, key).await;
    let refused = without.estimates(wish.clone()).await;
    assert!(refused.refused(403, Some("PROVIDER_ERROR")).contains("trustee") && refused.is_signed);
    // And who speaks the contract alone may nothing else.
    let mut wallet = Wallet::with(&house, json!({ "title": "W", "sandbox": false, "scopes": ["trustee"], "perMinute": 3 })).await;
    wallet.partner.get("/api/partner/v1/pairs/").await.refused(403, "scope_missing");
    for _ in 0..2 {
        wallet.estimates(wish.clone()).await.ok();
    }
    wallet.estimates(wish.clone()).await.refused(429, Some("PROVIDER_ERROR"));
    let off = json!({ "title": "W", "sandbox": false, "scopes": ["trustee"], "networks": ["198.51.100.0/24"], "perMinute": 60 });
    Wallet::with(&house, off).await.estimates(wish.clone()).await.refused(403, Some("PROVIDER_ERROR"));
    let path = format!("/api/admin/v1/partners/{}/keys/{}/revoke", wallet.partner.partner, wallet.partner.key_id);
    house.owner().await.post_empty(&path).await.ok();
    let gone = wallet.estimates(wish).await;
    assert!(!gone.is_signed);
    gone.refused(401, Some("PROVIDER_ERROR"));
    house.customer().get(&format!("{ROOT}/nothing/")).await.text.contains("message");
}

async fn one_order_is_one_claim_over_bad_lines(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    // At once, the same order eight times.
    let wish = wallet.wish(0.015).await;
    let mut task = order_of(wish.clone());
    task["number"] = 8.into();
    let said = wallet.does("together", task).await;
    wallet.now += 8;
    let ids: BTreeSet<_> = said["answers"].as_array().unwrap().iter().map(|answer| answer["body"]["id"].to_string()).collect();
    assert_eq!((ids.len(), claims(&house).await), (1, 1), "{said}");
    // Over a line that breaks: each order is sent until it is answered.
    let number = 40;
    let line = BadLine::to(house.root.trim_start_matches("http://").to_owned(), 23).await;
    let straight = std::mem::replace(&mut wallet.root, format!("http://{}", line.address));
    let mut orders = BTreeSet::new();
    for place in 0..number {
        // Every other one at a floating rate, without a promise to know it by.
        let wish = if place % 2 == 0 {
            json!({
                "from": "BTC", "to": "SBERRUB", "fromAmount": f64::from(160 + place) / 10_000.0, "toAmount": 1,
                "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV",
            })
        } else {
            json!({
                "from": "XMR", "to": "SBERRUB", "fromAmount": 1 + place, "toAmount": 1, "toPaymentDetails": "2200000000000004",
                "toMemo": "IVAN PETROV", "rateType": "FLOATING",
            })
        };
        let said = wallet.does("insist", order_of(wish)).await;
        wallet.now += 60;
        assert_eq!(said["status"], 200, "{said}");
        orders.insert(said["body"]["id"].to_string());
    }
    wallet.root = straight;
    assert!(line.broken.load(std::sync::atomic::Ordering::Relaxed) > 4, "the line was not bad");
    assert_eq!((orders.len(), claims(&house).await), (40, 41));
    // Paid, given up or too late: then the same order is another one.
    let first: String = serde_json::from_str(ids.first().unwrap()).unwrap();
    wallet.cancels(&first).await.ok();
    let second = wallet.orders(wish.clone()).await.ok()["id"].as_str().unwrap().to_owned();
    assert_ne!(second, first);
    assert_eq!(wallet.orders(wish).await.ok()["id"], second.as_str());
    house.books_are_clean().await;
}
