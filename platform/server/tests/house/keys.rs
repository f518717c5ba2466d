//! Requests that are sent more than once with one key.

use agio_server::openapi::WITHOUT_KEY;
use agio_testkit::{Answer, Caller, Customer, Engine, House, both_engines};
use futures_util::future::join_all;
use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use crate::examples::order;

/// How many send the same at one moment.
const AT_ONCE: usize = 8;

/// How often: what goes wrong here goes wrong between two steps of a commit.
const ROUNDS: usize = 12;

/// Sends the same so many times at once; nobody is refused.
async fn all_send(caller: &Caller, path: &str, key: &str, body: &Value) {
    let answers = join_all((0..AT_ONCE).map(|_| caller.post_once(path, key, body.clone()))).await;
    answers.into_iter().for_each(|answer| drop(answer.ok()));
}

/// A step is only right from the revision that was seen, so whoever comes second would be refused if they were not known by their key.
async fn a_step_sent_many_times_at_once_is_made_once(engine: Engine) {
    let house = House::open(engine).await;
    let operator = house.operator().await;
    for round in 0..ROUNDS {
        let customer = house.customer().from_address(&format!("10.0.0.{round}"));
        let mut order = order(&house, &format!("0.005{round:03}"));
        order["email"] = format!("customer{round}@example.com").into();
        let made = customer.post("/api/v1/claim/", order).await.ok();
        let id = made["id"].as_str().unwrap();
        customer.post_empty(&format!("/api/v1/claim/{id}/confirm/")).await.ok();
        let path = format!("/api/admin/v1/claims/{id}");
        let revision = operator.get(&path).await.ok()["revision"].as_i64().unwrap();
        let step = json!({ "action": "payment_seen", "revision": revision, "txId": format!("round-{round}") });
        all_send(&operator, &format!("{path}/transitions"), &format!("the-key-of-round-{round}"), &step).await;
        assert_eq!(operator.get(&path).await.ok()["revision"], revision + 1);
    }
}

/// Nothing but the key tells these from one another.
async fn money_sent_many_times_at_once_moves_once(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    let currency = house.app.calculator.market().currency_named("BTC").unwrap().id();
    let movements = format!("/api/admin/v1/reserves/{currency}/movements");
    let count = || async { owner.get(&movements).await.ok()["items"].as_array().unwrap().len() };
    let before = count().await;
    for round in 0..ROUNDS {
        let deposit = json!({ "amount": "0.001", "reason": "deposit", "note": "Bought at the market" });
        all_send(&owner, &movements, &format!("the-key-of-round-{round}"), &deposit).await;
        assert_eq!(count().await, before + round + 1);
    }
    house.books_are_clean().await;
}

/// Every call that could do something twice takes a key, and says so in the published documents.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_post_declares_its_key_or_says_why_it_needs_none() {
    let house = House::open(Engine::Sqlite).await;
    let documents = house.app.documents();
    let (mut keyed, mut without) = (0, Vec::new());
    for (_, document) in documents.files() {
        for operation in document["paths"].as_object().unwrap().values().map(|path| &path["post"]).filter(|post| post.is_object())
        {
            let id = operation["operationId"].as_str().unwrap();
            let declared = operation["parameters"].as_array().into_iter().flatten();
            let keys: Vec<_> = declared.filter(|parameter| parameter["name"] == "Idempotency-Key").collect();
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
    assert_eq!(without, reasoned, "those without a key are those with a reason, and each of them is there");
    assert!(keyed > 70 && without.len() < keyed / 2, "{keyed} with a key, {} without", without.len());
}

async fn a_malformed_key_is_refused_and_never_left_out_of_account(engine: Engine) {
    let house = House::open(engine).await;
    let operator = house.operator().await;
    let made = house.customer().post("/api/v1/claim/", order(&house, "0.01")).await.ok();
    let notes = format!("/api/admin/v1/claims/{}/notes", made["id"].as_str().unwrap());
    let claim = order(&house, "0.02");
    let customer = house.customer().from_address("10.0.0.2");
    let sends = async |caller: &Caller, path: &str, keys: &[&[u8]], body: &Value| {
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

/// Whoever guesses a key learns nothing by it and is not kept from anything.
async fn a_key_is_its_callers_own(engine: Engine) {
    let house = House::open(engine).await;
    let (owner, stranger) = (house.customer().from_address("10.0.0.1"), house.customer().from_address("10.0.0.2"));
    let body = order(&house, "0.01");
    let claims = "/api/v1/claim/";
    let cookie = |answer: &Answer| answer.headers.get("set-cookie").map(|value| value.to_str().unwrap().to_owned());
    let first = owner.post_once(claims, "the-same-key", body.clone()).await;
    let (id, secret) = (first.json()["id"].clone(), cookie(&first).unwrap());
    // Another content under this key, and the very same content, by somebody else.
    let other = stranger.post_once(claims, "the-same-key", order(&house, "0.02")).await;
    assert_ne!(other.json()["id"], id, "{}", other.text);
    let third = house.customer().from_address("10.0.0.3").post_once(claims, "the-same-key", body.clone()).await;
    assert_ne!(third.json()["id"], id, "{}", third.text);
    assert!(cookie(&third).unwrap() != secret && cookie(&other).unwrap() != secret);
    // The owner asks again: in the same browser, which has the cookie by now, and in one that lost the first answer.
    assert_eq!(owner.post_once(claims, "the-same-key", body.clone()).await.ok()["id"], id);
    let again = house.customer().from_address("10.0.0.1").post_once(claims, "the-same-key", body.clone()).await;
    assert_eq!((&again.json()["id"], cookie(&again)), (&id, Some(secret)));
    owner.post_once(claims, "the-same-key", order(&house, "0.03")).await.refused(422, "idempotency_mismatch");
    // A browser keeps its keys when its address changes, and so does an account in whatever browser.
    let moved = owner.clone().from_address("10.0.0.9");
    let known = moved.post_once(claims, "another-key", order(&house, "0.04")).await.ok();
    assert_eq!(owner.post_once(claims, "another-key", order(&house, "0.04")).await.ok()["id"], known["id"]);
    let ivan = Customer::at(&house, "ivan@example.com").await;
    let mine = ivan.caller.post_once(claims, "the-same-key", body.clone()).await.ok();
    assert_ne!(mine["id"], id);
    let token = ivan.caller.clone().from_address("10.0.0.8");
    assert_eq!(token.post_once(claims, "the-same-key", body).await.ok()["id"], mine["id"]);
}

/// Calls of several steps, and those that store no answer themselves.
async fn any_other_call_is_carried_out_once_too(engine: Engine) {
    let house = House::open(engine).await;
    let operator = house.operator().await;
    let made = house.customer().post("/api/v1/claim/", order(&house, "0.01")).await.ok();
    let claim = format!("/api/admin/v1/claims/{}", made["id"].as_str().unwrap());
    let notes = format!("{claim}/notes");
    let count = async || {
        let timeline = operator.get(&claim).await.ok()["timeline"].as_array().unwrap().clone();
        timeline.iter().filter(|step| step["note"].is_string()).count()
    };
    let note = |text: &str| json!({ "text": text });
    let first = operator.post_once(&notes, "one-key-for-a-note", note("Called the bank")).await;
    let again = operator.post_once(&notes, "one-key-for-a-note", note("Called the bank")).await;
    assert_eq!((first.status, &first.text), (again.status, &again.text));
    assert_eq!(count().await, 1);
    operator.post_once(&notes, "one-key-for-a-note", note("Called again")).await.refused(422, "idempotency_mismatch");
    // A colleague's key is the colleague's; what was refused may be corrected under the same key.
    house.owner().await.post_once(&notes, "one-key-for-a-note", note("Called the bank")).await.ok();
    assert_eq!(count().await, 2);
    operator.post_once(&notes, "a-key-for-nothing", note("")).await.refused(422, "validation_failed");
    operator.post_once(&notes, "a-key-for-nothing", note("Now with words")).await.ok();
    assert_eq!(count().await, 3);
    // Of many at once one is carried out; the others get its answer, or hear that it is on its way.
    let at_once = join_all((0..AT_ONCE).map(|_| operator.post_once(&notes, "many-at-once", note("Only once")))).await;
    for answer in &at_once {
        assert!(answer.status.is_success() || answer.json()["code"] == "idempotency_in_progress", "{}", answer.text);
    }
    assert!(at_once.iter().any(|answer| answer.status.is_success()));
    assert_eq!(count().await, 4);
    // Neither what was asked nor what was answered can be read where it is kept.
    let kept = "SELECT scope, key, answer FROM idempotency WHERE scope LIKE 'call %'";
    let kept = agio_core::fetch_all!(&mut house.app.platform.db.read().await.unwrap(), (String, String, String), kept).unwrap();
    assert_eq!(kept.len(), 4, "{kept:?}");
    assert!(!format!("{kept:?}").contains("one-key") && !format!("{kept:?}").contains("Called"), "{kept:?}");
}

both_engines!(
    a_step_sent_many_times_at_once_is_made_once,
    money_sent_many_times_at_once_moves_once,
    a_malformed_key_is_refused_and_never_left_out_of_account,
    a_key_is_its_callers_own,
    any_other_call_is_carried_out_once_too,
);
