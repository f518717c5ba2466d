//! Idempotency keys.

use agio_server::openapi::WITHOUT_KEY;
use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, TestResponse, both_engines};
use futures_util::future::join_all;
use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use crate::examples::order;

/// The number of concurrent equal requests.
const AT_ONCE: usize = 8;

/// Repetitions, because a race is rare.
const ROUNDS: usize = 12;

/// Sends equal requests at once; all succeed.
async fn send_concurrently(caller: &TestClient, path: &str, key: &str, body: &Value) {
    let answers = join_all((0..AT_ONCE).map(|_| caller.post_idempotent(path, key, body.clone()))).await;
    answers.into_iter().for_each(|answer| drop(answer.ok()));
}

/// A transition needs the current revision, so a repetition would be refused without its key.
async fn a_transition_sent_many_times_at_once_happens_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = app.operator().await;
    for round in 0..ROUNDS {
        let customer = app.visitor().from_address(&format!("10.0.0.{round}"));
        let mut order = order(&app, &format!("0.005{round:03}"));
        order["email"] = format!("customer{round}@example.com").into();
        let created = customer.post("/api/v1/claim/", order).await.ok();
        let id = created["id"].as_str().unwrap();
        customer.post_empty(&format!("/api/v1/claim/{id}/confirm/")).await.ok();
        let path = format!("/api/admin/v1/claims/{id}");
        let revision = operator.get(&path).await.ok()["revision"].as_i64().unwrap();
        let step = json!({ "action": "payment_seen", "revision": revision, "txId": format!("round-{round}") });
        send_concurrently(&operator, &format!("{path}/transitions"), &format!("the-key-of-round-{round}"), &step).await;
        assert_eq!(operator.get(&path).await.ok()["revision"], revision + 1);
    }
}

/// These requests differ only in their key.
async fn money_sent_many_times_at_once_moves_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let currency = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let movements = format!("/api/admin/v1/reserves/{currency}/movements");
    let count = || async { owner.get(&movements).await.ok()["items"].as_array().unwrap().len() };
    let before = count().await;
    for round in 0..ROUNDS {
        let deposit = json!({ "amount": "0.001", "reason": "deposit", "note": "Bought at the market" });
        send_concurrently(&owner, &movements, &format!("the-key-of-round-{round}"), &deposit).await;
        assert_eq!(count().await, before + round + 1);
    }
    app.assert_ledger_is_clean().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_post_operation_declares_an_idempotency_key_or_is_exempt() {
    let app = TestApp::start(Engine::Sqlite).await;
    let documents = app.server.generate_documents();
    let (mut keyed, mut without) = (0, Vec::new());
    for (_, document) in documents.files() {
        for operation in document["paths"].as_object().unwrap().values().map(|path| &path["post"]).filter(|post| post.is_object())
        {
            let id = operation["operationId"].as_str().unwrap();
            let declared = operation["parameters"].as_array().into_iter().flatten();
            let resolved = declared.map(|parameter| match parameter["$ref"].as_str() {
                Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
                None => parameter,
            });
            let keys: Vec<_> = resolved.filter(|parameter| parameter["name"] == "Idempotency-Key").collect();
            match keys[..] {
                [] => without.push(id.to_owned()),
                [key] => {
                    let bounds = json!({ "type": "string", "minLength": 8, "maxLength": 255, "pattern": "^[!-~]+$" });
                    assert_eq!((&key["in"], &key["schema"]), (&json!("header"), &bounds), "{id}");
                    keyed += 1;
                }
                _ => panic!("{id} declares its key twice"),
            }
        }
    }
    let mut reasoned: Vec<_> =
        WITHOUT_KEY.iter().flat_map(|(_, operations)| operations.iter().map(|id| (*id).to_owned())).collect();
    without.sort();
    reasoned.sort();
    assert_eq!(without, reasoned, "exactly the exempt operations have no key");
    assert!(keyed > 70 && without.len() < keyed / 2, "{keyed} with a key, {} without", without.len());
}

async fn malformed_idempotency_keys_are_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = app.operator().await;
    let created = app.visitor().post("/api/v1/claim/", order(&app, "0.01")).await.ok();
    let notes = format!("/api/admin/v1/claims/{}/notes", created["id"].as_str().unwrap());
    let claim = order(&app, "0.02");
    let customer = app.visitor().from_address("10.0.0.2");
    let sends = async |caller: &TestClient, path: &str, keys: &[&[u8]], body: &Value| {
        let mut request = caller.request(Method::POST, path).json(body);
        for key in keys {
            request = request.header("Idempotency-Key", HeaderValue::from_bytes(key).unwrap());
        }
        caller.send(request).await
    };
    let long = [b'k'; 256];
    for keys in
        [&[&b""[..]][..], &[b"1234567"], &[&long], &["ключ-повтора".as_bytes()], &[b"with a space"], &[b"12345678", b"12345678"]]
    {
        sends(&customer, "/api/v1/claim/", keys, &claim).await.refused(422, "idempotency_key_invalid");
        sends(&operator, &notes, keys, &json!({ "text": "Called" })).await.refused(422, "idempotency_key_invalid");
    }
    sends(&customer, "/api/v1/claim/", &[&long[..255]], &claim).await.ok();
}

/// Guessing a key reveals nothing and blocks nothing.
async fn idempotency_keys_are_separate_per_caller(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, other_guest) = (app.visitor().from_address("10.0.0.1"), app.visitor().from_address("10.0.0.2"));
    let body = order(&app, "0.01");
    let claims = "/api/v1/claim/";
    let cookie = |answer: &TestResponse| answer.headers.get("set-cookie").map(|value| value.to_str().unwrap().to_owned());
    let first = owner.post_idempotent(claims, "the-same-key", body.clone()).await;
    let (id, secret) = (first.json()["id"].clone(), cookie(&first).unwrap());
    // Another caller uses this key with different and with the same content.
    let other = other_guest.post_idempotent(claims, "the-same-key", order(&app, "0.02")).await;
    assert_ne!(other.json()["id"], id, "{}", other.text);
    let third = app.visitor().from_address("10.0.0.3").post_idempotent(claims, "the-same-key", body.clone()).await;
    assert_ne!(third.json()["id"], id, "{}", third.text);
    assert!(cookie(&third).unwrap() != secret && cookie(&other).unwrap() != secret);
    // The owner retries in the same browser, which now has the cookie, and in one that lost the first response.
    assert_eq!(owner.post_idempotent(claims, "the-same-key", body.clone()).await.ok()["id"], id);
    let again = app.visitor().from_address("10.0.0.1").post_idempotent(claims, "the-same-key", body.clone()).await;
    assert_eq!((&again.json()["id"], cookie(&again)), (&id, Some(secret)));
    owner.post_idempotent(claims, "the-same-key", order(&app, "0.03")).await.refused(422, "idempotency_mismatch");
    // Keys belong to the browser, not its address, and to the account, not its browser.
    let moved = owner.clone().from_address("10.0.0.9");
    let known = moved.post_idempotent(claims, "another-key", order(&app, "0.04")).await.ok();
    assert_eq!(owner.post_idempotent(claims, "another-key", order(&app, "0.04")).await.ok()["id"], known["id"]);
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mine = ivan.caller.post_idempotent(claims, "the-same-key", body.clone()).await.ok();
    assert_ne!(mine["id"], id);
    let token = ivan.caller.clone().from_address("10.0.0.8");
    assert_eq!(token.post_idempotent(claims, "the-same-key", body).await.ok()["id"], mine["id"]);
}

/// Requests whose handlers do not store their response.
async fn every_post_operation_is_idempotent(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = app.operator().await;
    let created = app.visitor().post("/api/v1/claim/", order(&app, "0.01")).await.ok();
    let claim = format!("/api/admin/v1/claims/{}", created["id"].as_str().unwrap());
    let notes = format!("{claim}/notes");
    let count = async || {
        let timeline = operator.get(&claim).await.ok()["timeline"].as_array().unwrap().clone();
        timeline.iter().filter(|step| step["note"].is_string()).count()
    };
    let note = |text: &str| json!({ "text": text });
    let first = operator.post_idempotent(&notes, "one-key-for-a-note", note("Called the bank")).await;
    let again = operator.post_idempotent(&notes, "one-key-for-a-note", note("Called the bank")).await;
    assert_eq!((first.status, &first.text), (again.status, &again.text));
    assert_eq!(count().await, 1);
    operator.post_idempotent(&notes, "one-key-for-a-note", note("Called again")).await.refused(422, "idempotency_mismatch");
    // Keys are separate per staff member, and a refused request may be corrected under the same key.
    app.owner().await.post_idempotent(&notes, "one-key-for-a-note", note("Called the bank")).await.ok();
    assert_eq!(count().await, 2);
    operator.post_idempotent(&notes, "a-key-for-nothing", note("")).await.refused(422, "validation_failed");
    operator.post_idempotent(&notes, "a-key-for-nothing", note("Now with words")).await.ok();
    assert_eq!(count().await, 3);
    // One of many concurrent requests is carried out; the others get its response or learn that it is running.
    let at_once = join_all((0..AT_ONCE).map(|_| operator.post_idempotent(&notes, "many-at-once", note("Only once")))).await;
    for answer in &at_once {
        assert!(answer.status.is_success() || answer.json()["code"] == "idempotency_in_progress", "{}", answer.text);
    }
    assert!(at_once.iter().any(|answer| answer.status.is_success()));
    assert_eq!(count().await, 4);
    // The stored request and response are not readable.
    let retained = "SELECT scope, key, answer FROM idempotency WHERE scope LIKE 'call %'";
    let retained =
        agio_core::fetch_all!(&mut app.server.platform.db.read().await.unwrap(), (String, String, String), retained).unwrap();
    assert_eq!(retained.len(), 4, "{retained:?}");
    assert!(!format!("{retained:?}").contains("one-key") && !format!("{retained:?}").contains("Called"), "{retained:?}");
}

both_engines!(
    a_transition_sent_many_times_at_once_happens_once,
    money_sent_many_times_at_once_moves_once,
    malformed_idempotency_keys_are_refused,
    idempotency_keys_are_separate_per_caller,
    every_post_operation_is_idempotent,
);
