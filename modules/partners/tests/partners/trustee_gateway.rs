//! Authentication of Trustee requests, and idempotent orders over unreliable connections.

use std::collections::BTreeSet;

use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::app;
use crate::proxy::UnreliableProxy;
use crate::wallet::{ROOT, Wallet, order_of, wallet_key};

both_engines!(
    a_refusal_says_what_to_change,
    invalid_signatures_are_refused,
    the_trustee_api_needs_its_scope,
    one_order_is_one_claim_over_unreliable_connections
);

/// Number of the partner's unpaid claims.
async fn claims(app: &agio_test_app::TestApp) -> i64 {
    app.server.claims.overview(1).await.unwrap().open
}

/// Both sides compute the published signature.
async fn is_signed_as_published(wallet: &mut Wallet) {
    let body = json!({
        "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "toNetwork": null, "fromAmount": 5e-7, "toAmount": 98123.45,
        "rateType": "FIXED", "toMemo": "", "extraFromFee": 0, "toPaymentDetails": "2200000000000004",
    });
    let input = wallet.run("sign", json!({ "body": body, "now": 1_711_627_200_000_i64, "secret": "agio-secret" })).await;
    let expected = "9f37d11411aecd9d21cf964682c080c23c2b1454d9d7ac0918d1d1295859a764\
        53b20d701cb58f302744eb1b19ecb2d03488dbacb4d0a9e2e9a7fc13864013fe";
    assert_eq!(input["signature"], expected);
}

async fn invalid_signatures_are_refused(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    is_signed_as_published(&mut wallet).await;
    let request = wallet.order_request(0.015).await;
    let first_answer = wallet.create_order(request.clone()).await;
    assert_eq!(first_answer.status, 200);
    for number in 0..300_usize {
        let mut task = order_of(request.clone());
        let changed = match number % 10 {
            0 => json!({ "headers": { "trustee-signature": format!("{number:0128x}") } }),
            1 => json!({ "signedWith": format!("{}{number}", &wallet.partner.secret[..40]) }),
            2 => json!({ "headers": { "trustee-public-key": format!("agio_live_{number:024x}") } }),
            3 => json!({ "asText": request.to_string().replace("2200000000000004", "4111111111111111") }),
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
            // Digits beyond a JavaScript number would be unsigned.
            8 => {
                json!({ "asText": request.to_string().replace("\"fromAmount\":0.015", "\"fromAmount\":0.0150000000000000000001") })
            }
            _ => Value::Null,
        };
        let refused = if changed.is_null() {
            wallet.repeat(&first_answer.call).await
        } else {
            task.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
            wallet.call(task).await
        };
        refused.refused(401, Some("PROVIDER_ERROR"));
        // Only authenticated requests get signed responses.
        assert_eq!(refused.is_signed, matches!(number % 10, 7 | 9), "{number}");
    }
    // A signature covers neither method nor path: it is used up by its first request.
    let id = first_answer.body["id"].as_str().unwrap().to_owned();
    let view = wallet.get_order(&id).await;
    let mut turned = view.call.clone();
    turned["method"] = "POST".into();
    turned["url"] = format!("{}{ROOT}/orders/cancel/", wallet.root).into();
    turned["text"] = json!({ "id": id }).to_string().into();
    turned["headers"]["content-type"] = "application/json".into();
    wallet.repeat(&turned).await.refused(401, None);
    assert_eq!(wallet.status(&id).await, "WAITING");
    // Other nodes know the used signature.
    let there = app.another_node().await;
    wallet.root = there.root.clone();
    wallet.repeat(&view.call).await.refused(401, None);
    let mut elsewhere = view.call.clone();
    elsewhere["url"] = format!("{}{ROOT}/orders/?id={id}", there.root).into();
    wallet.repeat(&elsewhere).await.refused(401, None);
    assert_eq!(wallet.status(&id).await, "WAITING");
    assert_eq!(claims(&app).await, 1);
}

/// In Trustee's format an error is one sentence: it names the field, and nothing that Trustee's requests do not have.
async fn a_refusal_says_what_to_change(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    let mut request = wallet.order_request(0.015).await;
    request.as_object_mut().unwrap().remove("toAmount");
    let incomplete = wallet.create_order(request).await;
    let message = incomplete.refused(400, Some("PROVIDER_ERROR"));
    assert!(message.starts_with("toAmount: "), "{message}");
    let message = wallet.repeat(&incomplete.call).await.refused(401, Some("PROVIDER_ERROR"));
    assert!(!message.contains("nonce"), "{message}");
}

async fn the_trustee_api_needs_its_scope(engine: Engine) {
    let app = app(engine).await;
    let mut key = wallet_key(false);
    key["scopes"] = json!(["read", "quote", "claim"]);
    let request = json!({ "from": "BTC", "to": "SBERRUB", "fromAmount": 0.015 });
    let mut without = Wallet::with(&app, key).await;
    let refused = without.estimate(request.clone()).await;
    assert!(refused.refused(403, Some("PROVIDER_ERROR")).contains("trustee") && refused.is_signed);
    // A Trustee key cannot use the partner API.
    let mut wallet = Wallet::with(&app, json!({ "title": "W", "sandbox": false, "scopes": ["trustee"], "perMinute": 3 })).await;
    wallet.partner.get("/api/partner/v1/pairs/").await.refused(403, "scope_missing");
    for _ in 0..2 {
        wallet.estimate(request.clone()).await.ok();
    }
    wallet.estimate(request.clone()).await.refused(429, Some("PROVIDER_ERROR"));
    let off = json!({ "title": "W", "sandbox": false, "scopes": ["trustee"], "networks": ["198.51.100.0/24"], "perMinute": 60 });
    Wallet::with(&app, off).await.estimate(request.clone()).await.refused(403, Some("PROVIDER_ERROR"));
    let path = format!("/api/admin/v1/partners/{}/keys/{}/revoke", wallet.partner.partner, wallet.partner.key_id);
    app.owner().await.post_empty(&path).await.ok();
    let gone = wallet.estimate(request).await;
    assert!(!gone.is_signed);
    gone.refused(401, Some("PROVIDER_ERROR"));
    app.visitor().get(&format!("{ROOT}/nothing/")).await.text.contains("message");
}

async fn one_order_is_one_claim_over_unreliable_connections(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    // Eight concurrent equal orders.
    let request = wallet.order_request(0.015).await;
    let mut task = order_of(request.clone());
    task["number"] = 8.into();
    let input = wallet.run("together", task).await;
    wallet.now += 8;
    let ids: BTreeSet<_> = input["answers"].as_array().unwrap().iter().map(|answer| answer["body"]["id"].to_string()).collect();
    assert_eq!((ids.len(), claims(&app).await), (1, 1), "{input}");
    // Over unreliable connections each order is retried until there is a response.
    let number = 40;
    let line = UnreliableProxy::to(app.root.trim_start_matches("http://").to_owned(), 23).await;
    let straight = std::mem::replace(&mut wallet.root, format!("http://{}", line.address));
    let mut orders = BTreeSet::new();
    for place in 0..number {
        // Every second one at a floating rate, without a `rateId`.
        let request = if place % 2 == 0 {
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
        let input = wallet.run("insist", order_of(request)).await;
        wallet.now += 60;
        assert_eq!(input["status"], 200, "{input}");
        orders.insert(input["body"]["id"].to_string());
    }
    wallet.root = straight;
    assert!(line.broken.load(std::sync::atomic::Ordering::Relaxed) > 4, "the line was not bad");
    assert_eq!((orders.len(), claims(&app).await), (40, 41));
    // Once paid, cancelled or expired, an equal order is a new one.
    let first: String = serde_json::from_str(ids.first().unwrap()).unwrap();
    wallet.cancel_order(&first).await.ok();
    let second = wallet.create_order(request.clone()).await.ok()["id"].as_str().unwrap().to_owned();
    assert_ne!(second, first);
    assert_eq!(wallet.create_order(request).await.ok()["id"], second.as_str());
    app.assert_ledger_is_clean().await;
}
