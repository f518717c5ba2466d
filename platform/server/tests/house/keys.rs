//! Requests that are sent more than once with one key.

use agio_testkit::{Caller, Engine, House, both_engines};
use futures_util::future::join_all;
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

both_engines!(a_step_sent_many_times_at_once_is_made_once, money_sent_many_times_at_once_moves_once);
