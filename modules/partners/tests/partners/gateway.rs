//! Authentication of partner requests.

use std::time::Duration;

use agio_test_app::{Engine, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::fixtures::{Partner, app, key_order, unique};

both_engines!(
    a_thousand_invalid_requests_are_refused,
    a_key_allows_its_scopes_and_networks,
    a_revoked_key_is_refused,
    every_operation_needs_its_scope,
    malformed_headers_are_named,
    nodes_share_nonces,
    technical_mode_is_told_from_an_outage,
    the_rate_limit_counts_all_nodes
);

const CLAIMS: &str = "/api/partner/v1/claims/";

/// Invalid requests of every kind: unknown key, forged, modified, stale, replayed.
async fn a_thousand_invalid_requests_are_refused(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let order = partner.order("0.015", "order-1").await.to_string();
    let good = || {
        let mut call = partner.signed(&Method::POST, CLAIMS, order.as_bytes());
        call.set("idempotency-key", "a-key-of-the-first-order");
        call
    };
    let received = good();
    let created = partner.send(&received).await.ok();
    let now: i64 = received.header("x-agio-timestamp").parse().unwrap();
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
                call = received.clone();
                "nonce_reused"
            }
        };
        expect_refusal(&partner, &call, code).await;
    }
    let list = partner.get("/api/partner/v1/claims/").await.ok();
    assert_eq!((list["total"].as_i64(), &list["items"][0]["id"]), (Some(1), &created["id"]));
}

/// Headers that are wrong for any key are named; nothing is for a wrong secret.
async fn malformed_headers_are_named(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let wrong = [
        ("x-agio-nonce", "short", Some("X-Agio-Nonce")),
        ("x-agio-timestamp", "2024-03-28T12:00:00Z", Some("X-Agio-Timestamp")),
        ("x-agio-signature", "0f", Some("X-Agio-Signature")),
        ("x-agio-key", "agio_live_unknown", None),
    ];
    for (header, value, named) in wrong {
        let mut call = partner.signed(&Method::GET, CLAIMS, b"");
        call.set(header, value.to_owned());
        let refused = partner.send(&call).await.refused(401, "signature_invalid");
        let errors: Vec<_> = refused["errors"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(errors, Vec::from_iter(named), "{header}");
    }
    // In milliseconds, but with the right signature.
    let mut call = partner.signed(&Method::GET, CLAIMS, b"");
    let seconds = call.header("x-agio-timestamp").to_owned();
    call.set("x-agio-timestamp", format!("{seconds}000"));
    call.sign(&partner.secret);
    partner.send(&call).await.refused(401, "signature_stale");
}

async fn expect_refusal(partner: &Partner, call: &crate::fixtures::SignedRequest, code: &str) {
    // This client cannot send headers that are not text.
    if call.header("x-agio-nonce").is_ascii() {
        partner.send(call).await.refused(401, code);
    }
}

async fn the_rate_limit_counts_all_nodes(engine: Engine) {
    let app = app(engine).await;
    let mut order = key_order(false);
    order["perMinute"] = json!(4);
    let here = Partner::with(&app, "", order).await;
    let (second, third) = (app.another_node().await, app.another_node().await);
    let there = Partner { caller: second.visitor(), ..here.clone() };
    for partner in [&here, &there, &here, &there] {
        partner.get("/api/partner/v1/key/").await.ok();
    }
    // A node without requests so far also counts those of the others.
    let new = Partner { caller: third.visitor(), ..here.clone() };
    for partner in [&here, &there, &new] {
        let spent = partner.get("/api/partner/v1/key/").await;
        assert_eq!(spent.headers["ratelimit-remaining"], "0");
        spent.refused(429, "too_many_requests");
    }
    app.advance_clock(Duration::from_secs(60));
    new.get("/api/partner/v1/key/").await.ok();
}

/// Every operation publishes the code. What a request asks for is not looked at.
async fn every_operation_needs_its_scope(engine: Engine) {
    let app = app(engine).await;
    let mut order = key_order(true);
    order["scopes"] = json!(["trustee"]);
    let partner = Partner::with(&app, "", order).await;
    let claim = format!("{CLAIMS}00000000-0000-0000-0000-000000000000/");
    for path in [CLAIMS, &claim, "/api/partner/v1/currencies/", "/api/partner/v1/pairs/", "/api/partner/v1/statistics/"] {
        partner.get(path).await.refused(403, "scope_missing");
    }
    for action in ["cancel", "paid"] {
        partner.post_empty(&format!("{claim}{action}/")).await.refused(403, "scope_missing");
    }
    let new = json!({
        "from": "BTC", "to": "SBERRUB", "fromSumma": "0.01", "toSumma": "1", "email": "anna@example.com", "toRequisites": {},
    });
    let bodies = [
        (CLAIMS.to_owned(), new),
        ("/api/partner/v1/quotes/".to_owned(), json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.01" })),
        (format!("{claim}accept/"), json!({ "fromSumma": "0.01", "toSumma": "1" })),
        (format!("{claim}refund/"), json!({ "requisites": {} })),
        (format!("{claim}surplus/"), json!({ "fromSumma": "0.01", "toSumma": "1", "requisites": {} })),
        (claim.replace("/claims/", "/sandbox/claims/") + "advance/", json!({ "to": "paid" })),
    ];
    for (path, body) in bodies {
        partner.post(&path, &body).await.refused(403, "scope_missing");
    }
}

async fn technical_mode_is_told_from_an_outage(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let order = partner.order("0.015", "order-1").await;
    app.owner().await.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(503, "technical_mode");
}

async fn a_key_allows_its_scopes_and_networks(engine: Engine) {
    let app = app(engine).await;
    let mut order = key_order(false);
    order["scopes"] = json!(["read"]);
    order["networks"] = json!(["198.51.100.0/24", "2001:db8::/32"]);
    order["perMinute"] = json!(5);
    let mut reader = Partner::with(&app, "", order).await;
    reader.get("/api/partner/v1/key/").await.refused(403, "address_not_allowed");
    reader.caller = reader.caller.clone().from_address("198.51.100.7");
    let answer = reader.get("/en/api/partner/v1/key/").await;
    assert_eq!(answer.headers["ratelimit-limit"], "5");
    assert_eq!(answer.headers["ratelimit-remaining"], "4");
    assert_eq!(answer.ok()["scopes"], json!(["read"]));
    let request = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.01" });
    assert_eq!(reader.post("/api/partner/v1/quotes/", &request).await.refused(403, "scope_missing")["params"]["scope"], "quote");
    for _ in 0..3 {
        reader.get("/api/partner/v1/pairs/?to=sberrub&from=btc").await.ok();
    }
    let spent = reader.get("/api/partner/v1/pairs/").await;
    assert_eq!(
        (&spent.headers["retry-after"], &spent.headers["ratelimit-remaining"]),
        (&"60".parse().unwrap(), &"0".parse().unwrap())
    );
    spent.refused(429, "too_many_requests");
    app.advance_clock(Duration::from_secs(60));
    reader.get("/api/partner/v1/pairs/").await.ok();
    // Only the server time is available without a signature.
    let time = app.visitor().get("/api/partner/v1/time/").await.ok();
    assert_eq!(time["seconds"], app.now().as_seconds());
    app.visitor().get("/api/partner/v1/currencies/").await.refused(401, "signature_invalid");
    app.visitor().get("/api/partner/v1/nothing/").await.refused(401, "signature_invalid");
    reader.sync_clock(&app);
    reader.get("/api/partner/v1/nothing/").await.refused(404, "not_found");
}

async fn a_revoked_key_is_refused(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    partner.get("/api/partner/v1/key/").await.ok();
    let owner = app.owner().await;
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
    app.assert_audit_chain_is_intact().await;
}

/// A nonce used on one node is refused on another, and so is a key revoked there, notified or not.
async fn nodes_share_nonces(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let other = app.another_node().await;
    let there = Partner { caller: other.visitor(), ..partner.clone() };
    let call = partner.signed(&Method::GET, "/api/partner/v1/key/", b"");
    partner.send(&call).await.ok();
    there.send(&call).await.refused(401, "nonce_reused");
    there.get("/api/partner/v1/key/").await.ok();
    let path = format!("/api/admin/v1/partners/{}/keys/{}/revoke", partner.partner, partner.key_id);
    app.owner().await.post_empty(&path).await.ok();
    there.get("/api/partner/v1/key/").await.refused(401, "signature_invalid");
}
