//! Who is let in.

use std::time::Duration;

use agio_testkit::{Engine, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::people::{Partner, house, key_order, unique};

both_engines!(
    a_thousand_bad_calls_are_all_refused,
    a_key_opens_what_it_may,
    a_revoked_key_opens_nothing,
    nodes_share_nonces,
    the_calls_of_a_minute_are_those_of_all_nodes
);

const CLAIMS: &str = "/api/partner/v1/claims/";

/// Calls of every bad kind: nobody's, forged, changed on the way, too old or too new, heard and sent again.
async fn a_thousand_bad_calls_are_all_refused(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    let order = partner.order("0.015", "order-1").await.to_string();
    let good = || {
        let mut call = partner.signed(&Method::POST, CLAIMS, order.as_bytes());
        call.set("idempotency-key", "a-key-of-the-first-order");
        call
    };
    let heard = good();
    let made = partner.send(&heard).await.ok();
    let now: i64 = heard.header("x-agio-timestamp").parse().unwrap();
    for number in 0..1_000 {
        let mut call = good();
        let code = match number % 10 {
            0 => {
                call.set("x-agio-signature", format!("v1={number:064x}"));
                "signature_invalid"
            }
            1 => {
                call.sign(&format!("{}{number}", &partner.secret[..40]));
                "signature_invalid"
            }
            2 => {
                call.set("x-agio-key", format!("agio_live_{number:024x}"));
                "signature_invalid"
            }
            3 => {
                let place = number % call.body.len();
                call.body[place] ^= 1;
                "signature_invalid"
            }
            4 => {
                call.path = format!("{CLAIMS}?page={number}");
                "signature_invalid"
            }
            5 => {
                call.set("x-agio-nonce", unique());
                "signature_invalid"
            }
            6 => {
                let name = ["x-agio-key", "x-agio-timestamp", "x-agio-nonce", "x-agio-signature"][number / 10 % 4];
                call.headers.retain(|(header, _)| *header != name);
                "signature_invalid"
            }
            7 => {
                let away = 61 + i64::try_from(number).unwrap();
                let away = if number % 20 == 7 { -away } else { away };
                call.set("x-agio-timestamp", (now + away).to_string());
                call.sign(&partner.secret);
                "signature_stale"
            }
            8 => {
                call.set(
                    "x-agio-nonce",
                    ["short", "nonce with spaces in it", "имя-которое-не-подходит"][number / 10 % 3].to_owned(),
                );
                call.sign(&partner.secret);
                "signature_invalid"
            }
            _ => {
                call = heard.clone();
                "nonce_reused"
            }
        };
        partner_is_refused(&partner, &call, code).await;
    }
    let list = partner.get("/api/partner/v1/claims/").await.ok();
    assert_eq!((list["total"].as_i64(), &list["items"][0]["id"]), (Some(1), &made["id"]));
}

async fn partner_is_refused(partner: &Partner, call: &crate::people::Signed, code: &str) {
    // A header that is no text cannot be sent by this client at all.
    if call.header("x-agio-nonce").is_ascii() {
        partner.send(call).await.refused(401, code);
    }
}

async fn the_calls_of_a_minute_are_those_of_all_nodes(engine: Engine) {
    let house = house(engine).await;
    let mut order = key_order(false);
    order["perMinute"] = json!(4);
    let here = Partner::with(&house, "", order).await;
    let (second, third) = (house.another_node().await, house.another_node().await);
    let there = Partner { caller: second.customer(), ..here.clone() };
    for partner in [&here, &there, &here, &there] {
        partner.get("/api/partner/v1/key/").await.ok();
    }
    // A node that was asked nothing so far knows of the others' calls as well.
    let new = Partner { caller: third.customer(), ..here.clone() };
    for partner in [&here, &there, &new] {
        let spent = partner.get("/api/partner/v1/key/").await;
        assert_eq!(spent.headers["ratelimit-remaining"], "0");
        spent.refused(429, "too_many_requests");
    }
    house.wait(Duration::from_secs(60));
    new.get("/api/partner/v1/key/").await.ok();
}

async fn a_key_opens_what_it_may(engine: Engine) {
    let house = house(engine).await;
    let mut order = key_order(false);
    order["scopes"] = json!(["read"]);
    order["networks"] = json!(["198.51.100.0/24", "2001:db8::/32"]);
    order["perMinute"] = json!(5);
    let mut reader = Partner::with(&house, "", order).await;
    reader.get("/api/partner/v1/key/").await.refused(403, "address_not_allowed");
    reader.caller = reader.caller.clone().from_address("198.51.100.7");
    let answer = reader.get("/en/api/partner/v1/key/").await;
    assert_eq!(answer.headers["ratelimit-limit"], "5");
    assert_eq!(answer.headers["ratelimit-remaining"], "4");
    assert_eq!(answer.ok()["scopes"], json!(["read"]));
    let wish = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.01" });
    assert_eq!(reader.post("/api/partner/v1/quotes/", &wish).await.refused(403, "scope_missing")["params"]["scope"], "quote");
    for _ in 0..3 {
        reader.get("/api/partner/v1/pairs/?to=sberrub&from=btc").await.ok();
    }
    let spent = reader.get("/api/partner/v1/pairs/").await;
    assert_eq!(
        (&spent.headers["retry-after"], &spent.headers["ratelimit-remaining"]),
        (&"60".parse().unwrap(), &"0".parse().unwrap())
    );
    spent.refused(429, "too_many_requests");
    house.wait(Duration::from_secs(60));
    reader.get("/api/partner/v1/pairs/").await.ok();
    // Without a signature there is the time, and nothing else.
    let time = house.customer().get("/api/partner/v1/time/").await.ok();
    assert_eq!(time["seconds"], house.now().as_seconds());
    house.customer().get("/api/partner/v1/currencies/").await.refused(401, "signature_invalid");
    house.customer().get("/api/partner/v1/nothing/").await.refused(401, "signature_invalid");
    reader.look_at_the_clock(&house);
    reader.get("/api/partner/v1/nothing/").await.refused(404, "not_found");
}

async fn a_revoked_key_opens_nothing(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    partner.get("/api/partner/v1/key/").await.ok();
    let owner = house.owner().await;
    let path = format!("/api/admin/v1/partners/{}", partner.partner);
    let revision = owner.get(&path).await.ok()["partner"]["revision"].clone();
    let off = owner.patch(&path, json!({ "revision": revision, "enabled": false })).await.ok();
    partner.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
    owner.patch(&path, json!({ "revision": off["revision"], "enabled": true })).await.ok();
    partner.get("/api/partner/v1/key/").await.ok();
    let revoked = owner.post_empty(&format!("{path}/keys/{}/revoke", partner.key_id)).await.ok();
    assert!(revoked["revokedAt"].is_string());
    partner.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
    owner.post_empty(&format!("{path}/keys/{}/revoke", partner.key_id)).await.ok();
    house.audit_is_whole().await;
}

/// What one node has seen, another refuses; and what was revoked at one is revoked at the other, heard of or not.
async fn nodes_share_nonces(engine: Engine) {
    let house = house(engine).await;
    let partner = Partner::of(&house, "").await;
    let other = house.another_node().await;
    let there = Partner { caller: other.customer(), ..partner.clone() };
    let call = partner.signed(&Method::GET, "/api/partner/v1/key/", b"");
    partner.send(&call).await.ok();
    there.send(&call).await.refused(401, "nonce_reused");
    there.get("/api/partner/v1/key/").await.ok();
    let path = format!("/api/admin/v1/partners/{}/keys/{}/revoke", partner.partner, partner.key_id);
    house.owner().await.post_empty(&path).await.ok();
    there.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
}
