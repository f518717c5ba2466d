//! Many concurrent customers never exceed the reserve.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestClient};
use serde_json::{Value, json};

const CUSTOMERS: usize = 64;

struct Market {
    ids: (i64, i64),
    receive: String,
}

fn claim(market: &Market, email: &str) -> Value {
    json!({
        "email": email,
        "fromPs": market.ids.0, "toPs": market.ids.1, "fromSumma": "0.001", "toSumma": market.receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN IVANOV" },
    })
}

/// A server with a rouble reserve for `claims` claims of 0.001 BTC and no other limits.
async fn app_with_reserve_for(engine: Engine, claims: u64) -> (TestApp, Market) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let open = json!({
        "claims.captcha": "false", "claims.unpaid_per_email": "100000", "claims.unpaid_per_address": "100000",
        "claims.unproven_share_percent": "100",
    });
    owner.put("/api/admin/v1/settings", open).await.ok();
    let directions = owner.get("/api/admin/v1/currencies").await.ok();
    let id = |code: &str| {
        directions.as_array().unwrap().iter().find(|currency| currency["code"] == code).unwrap()["id"].as_i64().unwrap()
    };
    let ids = (id("BTC"), id("SBERRUB"));
    let mut market = Market { ids, receive: "0".into() };
    let shown = app.visitor().post("/api/v1/claim/", claim(&market, "somebody@example.com")).await.refused(409, "rate_changed");
    market.receive = shown["params"]["toSumma"].as_str().unwrap().to_owned();
    let kopecks = |amount: &str| -> u64 {
        let (whole, part) = amount.split_once('.').unwrap_or((amount, ""));
        format!("{whole}{part:0<2}").parse().unwrap()
    };
    let surplus = kopecks(&available(&owner, ids.1).await) - kopecks(&market.receive) * claims;
    let movement = json!({ "amount": format!("-{}.{:02}", surplus / 100, surplus % 100), "reason": "withdrawal", "note": "to a small reserve" });
    owner.post(&format!("/api/admin/v1/reserves/{}/movements", ids.1), movement).await.ok();
    (app, market)
}

async fn available(owner: &TestClient, currency: i64) -> String {
    let reserves = owner.get("/api/admin/v1/reserves").await.ok();
    let row = reserves.as_array().unwrap().iter().find(|row| row["currencyId"] == currency).unwrap().clone();
    row["available"].as_str().unwrap().to_owned()
}

#[derive(Default)]
struct Tally {
    created: AtomicUsize,
    refused: AtomicUsize,
}

/// Customers in sequence: some cancel, some confirm and cancel, some do nothing.
async fn create_and_abandon_claims(
    customer: TestClient,
    market: Arc<Market>,
    numbers: std::ops::Range<usize>,
    tally: Arc<Tally>,
) {
    for number in numbers {
        let answer = customer.post("/api/v1/claim/", claim(&market, &format!("customer{number}@example.com"))).await;
        if [404, 409, 422].contains(&answer.status.as_u16()) {
            // The reserve is used up, according to the pairs, the limit or the ledger.
            tally.refused.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let id = answer.ok()["id"].as_str().unwrap().to_owned();
        tally.created.fetch_add(1, Ordering::Relaxed);
        if number % 3 == 1 {
            customer.post_empty(&format!("/api/v1/claim/{id}/confirm/")).await;
        }
        if number % 3 != 0 {
            customer.post_empty(&format!("/api/v1/claim/{id}/cancel/")).await.ok();
        }
    }
}

async fn thousands_of_claims_never_exceed_a_small_reserve(engine: Engine) {
    let (app, market) = app_with_reserve_for(engine, 100).await;
    let (owner, market) = (app.owner().await, Arc::new(market));
    let before = available(&owner, market.ids.1).await;
    let tally = Arc::new(Tally::default());
    for half in [0..1_000, 1_000..2_000] {
        let each = half.len() / CUSTOMERS + 1;
        let customers: Vec<_> = (0..CUSTOMERS)
            .map(|customer| {
                let first = (half.start + customer * each).min(half.end);
                let numbers = first..(first + each).min(half.end);
                let visitor = app.visitor().repeating_when_overloaded();
                tokio::spawn(create_and_abandon_claims(visitor, market.clone(), numbers, tally.clone()))
            })
            .collect();
        for customer in customers {
            customer.await.unwrap();
        }
        app.assert_ledger_is_clean().await;
        // Abandoned claims lose their hold, which frees the reserve for the next half.
        app.advance_and_run_jobs(Duration::from_secs(60 * 60)).await;
        // A console session does not last an hour without a refresh.
        let owner = app.owner().await;
        assert_eq!(available(&owner, market.ids.1).await, before, "unpaid claims return their reserve");
    }
    let (created, refused) = (tally.created.load(Ordering::Relaxed), tally.refused.load(Ordering::Relaxed));
    assert_eq!(created + refused, 2_000);
    assert!(refused > 0 && created > 200, "created {created}, refused {refused}: the reserve was not contended");
    app.assert_ledger_is_clean().await;
    assert!(
        app.assert_audit_chain_is_intact().await > created as u64,
        "every claim that was created and expired is written down"
    );
}

async fn a_thousand_parallel_requests_with_one_key_make_one_claim(engine: Engine) {
    let (app, market) = app_with_reserve_for(engine, 1).await;
    let market = Arc::new(market);
    let requests: Vec<_> = (0..1_000)
        .map(|_| {
            let customer = app.visitor().repeating_when_overloaded();
            let body = claim(&market, "somebody@example.com");
            tokio::spawn(async move { customer.post_idempotent("/api/v1/claim/", "the-same-key-for-all", body).await })
        })
        .collect();
    let mut answers = Vec::new();
    for request in requests {
        let answer = request.await.unwrap();
        assert_eq!(answer.status, 201, "{}", answer.text);
        answers.push(answer.text);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "every answer is the same to the byte");
    let other = claim(&market, "somebody.else@example.com");
    app.visitor().post_idempotent("/api/v1/claim/", "the-same-key-for-all", other).await.refused(422, "idempotency_mismatch");
    app.assert_ledger_is_clean().await;
}

agio_test_app::both_engines!(
    thousands_of_claims_never_exceed_a_small_reserve,
    a_thousand_parallel_requests_with_one_key_make_one_claim,
);
