//! Admin API of discounts.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADMIN, add_promo, claimed, completed, open, order, pair, promo, reference_value, set_tiers};

async fn tiers_are_replaced_as_a_whole_and_concurrent_updates_conflict(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let empty = owner.get(ADMIN).await.ok();
    assert_eq!(
        (&empty["tiers"], &empty["ticker"], &empty["base"], &empty["most"]),
        (&json!([]), &Value::Null, &json!("USDT"), &json!("5"))
    );
    let table = set_tiers(&owner, &[("1000", "0.1"), ("10000.5", "0.25")]).await;
    assert_eq!(table["tiers"], json!([{ "min": "1000", "percent": "0.1" }, { "min": "10000.5", "percent": "0.25" }]));
    let path = format!("{ADMIN}/tiers");
    let change = |revision: &Value, tiers: Value| json!({ "revision": revision, "tiers": tiers });
    owner.put(&path, change(&empty["revision"], json!([]))).await.refused(409, "discounts_changed");
    let wrong = json!([{ "min": "5", "percent": "1" }, { "min": "5", "percent": "0.001" }]);
    let refused = owner.put(&path, change(&table["revision"], wrong)).await.refused(422, "validation_failed");
    assert!(refused["errors"]["tiers.1.percent"].is_array(), "{refused}");
    let extra = json!({ "revision": 1, "tiers": [], "more": 1 });
    owner.put(&path, extra).await.refused(400, "malformed_body");

    let view = app.visitor().get("/en/api/v1/discounts/").await.ok();
    assert_eq!((&view["tiers"], &view["mine"]), (&table["tiers"], &Value::Null));
    let entries = owner.get("/api/admin/v1/audit?aboutKind=discounts&aboutId=tiers").await.ok();
    assert_eq!(entries["items"][0]["action"], "discounts.tiers_changed", "{entries}");
    app.assert_audit_chain_is_intact().await;
}

async fn viewers_cannot_change_discounts(engine: Engine) {
    let app = open(engine).await;
    let (operator, auditor, editor) =
        (app.staff(Role::Operator).await, app.staff(Role::Auditor).await, app.staff(Role::Editor).await);
    add_promo(&editor, "SPRING", "0.5", json!({})).await;
    let tiers = json!({ "revision": 1, "tiers": [] });
    let code = json!({ "code": "OTHER", "percent": "1" });
    for reader in [&operator, &auditor] {
        for path in ["", "/promos", "/promos/SPRING", "/customers"] {
            reader.get(&format!("{ADMIN}{path}")).await.ok();
        }
        reader.put(&format!("{ADMIN}/tiers"), tiers.clone()).await.refused(403, "forbidden");
        reader.post(&format!("{ADMIN}/promos"), code.clone()).await.refused(403, "forbidden");
        reader.post_empty(&format!("{ADMIN}/promos/SPRING/stop")).await.refused(403, "forbidden");
    }
    app.visitor().get(ADMIN).await.refused(401, "token_not_valid");
    let tired = app.staff_unconfirmed(Role::Editor).await;
    app.advance_clock(std::time::Duration::from_secs(60 * 6));
    tired.put(&format!("{ADMIN}/tiers"), tiers).await.refused(403, "fresh_second_factor_needed");
    tired.post(&format!("{ADMIN}/promos"), code).await.refused(403, "fresh_second_factor_needed");
}

async fn a_promo_code_is_created_listed_and_stopped(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let path = format!("{ADMIN}/promos");
    let new = json!({
        "code": "Spring-24", "percent": "1.25", "usesMax": 3, "perCustomer": 1, "min": "50",
        "startsAt": "2024-03-28T12:00:00Z", "endsAt": "2024-04-28T12:00:00Z", "note": "Newsletter",
    });
    let created = owner.post_idempotent(&path, "the-same-key", new.clone()).await.ok();
    assert_eq!(owner.post_idempotent(&path, "the-same-key", new.clone()).await.ok(), created);
    assert_eq!(
        (&created["code"], &created["state"], &created["minTicker"]),
        (&json!("SPRING-24"), &json!("active"), &json!("USDT"))
    );
    owner.post(&path, new).await.refused(409, "promo_exists");
    let wrong = json!({
        "code": "я", "percent": "51", "usesMax": 0, "perCustomer": -1, "min": "0", "endsAt": "2024-03-28T11:00:00Z",
        "note": "x".repeat(201),
    });
    let refused = owner.post(&path, wrong).await.refused(422, "validation_failed");
    let fields: Vec<&String> = refused["errors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["code", "endsAt", "min", "note", "perCustomer", "percent", "usesMax"]);

    add_promo(&owner, "SECOND", "1", json!({})).await;
    let first = owner.get(&format!("{path}?size=1")).await.ok();
    let next = first["nextCursor"].as_str().unwrap();
    let second = owner.get(&format!("{path}?size=1&cursor={next}")).await.ok();
    let mut codes = [first["items"][0]["code"].as_str().unwrap(), second["items"][0]["code"].as_str().unwrap()];
    codes.sort_unstable();
    assert_eq!(codes, ["SECOND", "SPRING-24"]);
    for wrong in ["size=0", "size=101", "cursor=x", "cursor=1"] {
        owner.get(&format!("{path}?{wrong}")).await.refused(400, "malformed_parameter");
    }

    owner.post_empty(&format!("{path}/second/stop")).await;
    owner.post_empty(&format!("{path}/SECOND/stop")).await;
    assert_eq!(promo(&owner, "SECOND").await["state"], "stopped");
    for unknown in ["NOSUCH", "%00", "x"] {
        owner.get(&format!("{path}/{unknown}")).await.refused(404, "promo_not_found");
        owner.post_empty(&format!("{path}/{unknown}/stop")).await.refused(404, "promo_not_found");
    }
    let entries = owner.get("/api/admin/v1/audit?aboutKind=promo&aboutId=SECOND").await.ok();
    let actions: Vec<&str> = entries["items"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["promo.stopped", "promo.created"], "stopping twice is one change");
}

async fn staff_find_customer_discounts(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    set_tiers(&owner, &[("500", "0.5"), ("1500", "1")]).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await.caller;
    let guest = app.visitor();
    let plain = pair(&app, &guest, ("BTC", "SBERRUB"), "").await;
    for (caller, send) in [(&ivan, "0.01"), (&guest, "0.02")] {
        let id = claimed(caller, order(&plain, "ivan@example.com", send)).await;
        completed(caller, &operator, &id).await;
    }
    let everybody = operator.get(&format!("{ADMIN}/customers?size=1")).await.ok();
    let greatest = &everybody["items"][0];
    assert_eq!((&greatest["customerId"], &greatest["exchanges"]), (&Value::Null, &json!(1)), "{greatest}");
    assert_eq!(greatest["volume"], json!(reference_value(&app, "BTC", "0.02").to_string()));
    let next = everybody["nextCursor"].as_str().unwrap();
    let others = operator.get(&format!("{ADMIN}/customers?size=1&cursor={next}")).await.ok();
    assert!(others["items"][0]["customerId"].is_string(), "{others}");

    let found = operator.get(&format!("{ADMIN}/customers?email=%20IVAN@example.com")).await.ok();
    assert_eq!(found["items"].as_array().unwrap().len(), 2);
    let sum = reference_value(&app, "BTC", "0.01") + reference_value(&app, "BTC", "0.02");
    assert_eq!((&found["account"]["volume"], &found["account"]["percent"]), (&json!(sum.normalize().to_string()), &json!("1")));
    let nobody = operator.get(&format!("{ADMIN}/customers?email=nobody@example.com")).await.ok();
    assert_eq!((&nobody["items"], &nobody["account"]), (&json!([]), &Value::Null));
}

both_engines!(
    tiers_are_replaced_as_a_whole_and_concurrent_updates_conflict,
    viewers_cannot_change_discounts,
    a_promo_code_is_created_listed_and_stopped,
    staff_find_customer_discounts,
);
