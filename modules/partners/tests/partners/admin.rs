//! Partner administration.

use agio_core::identity::Role;
use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Partner, app, key_order, unique};

both_engines!(staff_manage_partners, secrets_are_shown_once);

const PARTNERS: &str = "/api/admin/v1/partners";

async fn staff_manage_partners(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let (owner, auditor, operator) = (app.owner().await, app.staff(Role::Auditor).await, app.operator().await);
    let path = format!("{PARTNERS}/{}", partner.partner);
    assert_eq!(auditor.get(PARTNERS).await.ok()[0]["name"], "Wallet");
    auditor.get(&path).await.ok();
    for caller in [&auditor, &operator] {
        caller.post(PARTNERS, json!({ "name": "A", "email": "a@b.example" })).await.refused(403, "forbidden");
        caller.patch(&path, json!({ "revision": 1, "name": "B" })).await.refused(403, "forbidden");
        caller.post(&format!("{path}/keys"), key_order(false)).await.refused(403, "forbidden");
        caller.post_empty(&format!("{path}/secret")).await.refused(403, "forbidden");
        caller.post_empty(&format!("{path}/keys/{}/revoke", partner.key_id)).await.refused(403, "forbidden");
    }
    // Creating keys needs a recent second-factor check.
    let left = app.staff_unconfirmed(Role::Owner).await;
    for (path, body) in
        [(PARTNERS.to_owned(), json!({ "name": "A", "email": "a@b.example" })), (format!("{path}/keys"), key_order(false))]
    {
        left.post(&path, body).await.refused(403, "fresh_second_factor_needed");
    }
    left.post_empty(&format!("{path}/secret")).await.refused(403, "fresh_second_factor_needed");
    let changed =
        owner.patch(&path, json!({ "revision": 1, "name": " Shop ", "callbackUrl": "http://127.0.0.1:9/x" })).await.ok();
    assert_eq!((&changed["name"], &changed["revision"]), (&json!("Shop"), &json!(2)));
    owner.patch(&path, json!({ "revision": 1, "name": "C" })).await.refused(409, "partner_changed");
    let wrong = owner.patch(&path, json!({ "revision": 2, "name": "", "email": "x", "callbackUrl": "ftp://a.example" })).await;
    let wrong = wrong.refused(422, "validation_failed");
    assert_eq!(wrong["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), ["callbackUrl", "email", "name"]);
    let keys = format!("{path}/keys");
    let bad = json!({ "title": "", "sandbox": false, "scopes": [], "networks": ["1.2.3"], "perMinute": 0 });
    let bad = owner.post(&keys, bad).await.refused(422, "validation_failed");
    assert_eq!(bad["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), ["networks", "perMinute", "scopes", "title"]);
    for _ in 1..20 {
        owner.post(&keys, key_order(true)).await.ok();
    }
    owner.post(&keys, key_order(true)).await.refused(409, "too_many_keys");
    owner.get(&format!("{PARTNERS}/00000000-0000-4000-8000-000000000000")).await.refused(404, "partner_not_found");
    owner
        .post("/api/admin/v1/partners/00000000-0000-4000-8000-000000000000/keys", key_order(true))
        .await
        .refused(404, "partner_not_found");
    app.assert_audit_chain_is_intact().await;
}

/// A secret appears only in the response that creates it and its idempotent repetitions; never elsewhere, nor in the
/// database or the log.
async fn secrets_are_shown_once(engine: Engine) {
    let app = app(engine).await;
    let owner = app.owner().await;
    let new = json!({ "name": "Wallet", "email": "dev@wallet.example" });
    let once = unique();
    let created = owner.post_idempotent(PARTNERS, &once, new.clone()).await.ok();
    assert_eq!(owner.post_idempotent(PARTNERS, &once, new).await.ok(), created);
    let path = format!("{PARTNERS}/{}", created["partner"]["id"].as_str().unwrap());
    let once = unique();
    let key = owner.post_idempotent(&format!("{path}/keys"), &once, key_order(false)).await.ok();
    assert_eq!(owner.post_idempotent(&format!("{path}/keys"), &once, key_order(false)).await.ok(), key);
    let replaced = owner.post_empty(&format!("{path}/secret")).await.ok();
    assert_ne!(replaced["secret"], created["secret"]);
    let shown = [owner.get(&path).await.text, owner.get(PARTNERS).await.text, owner.get("/api/admin/v1/audit").await.text];
    for secret in [&created["secret"], &key["secret"], &replaced["secret"]].map(Value::as_str) {
        let secret = secret.unwrap();
        assert!(secret.len() >= 43 && shown.iter().all(|text| !text.contains(secret)));
    }
    assert_eq!(owner.get(&path).await.ok()["keys"].as_array().unwrap().len(), 1);
}
