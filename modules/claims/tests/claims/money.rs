//! Whatever happens to claims, the books agree, and history stays.

use std::time::Duration;

use agio_core::{Error, execute};
use agio_testkit::{Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{ADDRESS, Customer, Operator, reserve};

/// A repeatable choice of one of `count` things.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }
}

/// What an operator says with an action, whatever it needs.
fn said(row: &Value, dice: &mut Dice, step: usize, id: &str) -> Value {
    let mut said = json!({});
    for need in row["needs"].as_array().unwrap() {
        match need.as_str().unwrap() {
            "reason" => said["reason"] = "technical".into(),
            "answerBy" => said["answerBy"] = "2030-01-01T00:00:00Z".into(),
            "txId" => said["txId"] = format!("{step}-{id}").into(),
            "note" => said["note"] = "as agreed".into(),
            "amount" => said["amount"] = ["0.004", "0.0075", "0.011", "900"][dice.throw(4)].into(),
            other => panic!("{other}"),
        }
    }
    said
}

async fn every_way_a_claim_can_go_leaves_clean_books(engine: Engine) {
    let house = House::open(engine).await;
    house
        .owner()
        .await
        .put(
            "/api/admin/v1/settings",
            json!({ "claims.captcha": "false", "claims.unpaid_per_email": "0", "claims.unpaid_per_address": "0" }),
        )
        .await
        .ok();
    let mut operator = Operator::at(&house).await;
    let mut dice = Dice(20_240_328);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..40 {
        let customer = Customer::orders(&house, "0.01").await;
        for step in 0..14 {
            let view = operator.sees(&customer.id).await;
            seen.insert(view["status"].as_str().unwrap().to_owned());
            let status = customer.look("status").await.ok();
            let mut choices: Vec<(bool, Value)> =
                view["transitions"].as_array().unwrap().iter().map(|row| (true, row.clone())).collect();
            choices.extend(status["actions"].as_array().unwrap().iter().map(|action| (false, action.clone())));
            if choices.is_empty() {
                break;
            }
            let (by_staff, choice) = choices.swap_remove(dice.throw(choices.len()));
            if by_staff {
                let body = said(&choice, &mut dice, step, &customer.id);
                operator.tries(&customer.id, choice["action"].as_str().unwrap(), body).await;
            } else {
                customer_does(&customer, choice.as_str().unwrap(), &status).await;
            }
            if dice.throw(12) == 0 {
                house.later(Duration::from_secs(1_300)).await;
                operator = Operator::at(&house).await;
            }
        }
    }
    assert!(seen.len() >= 16, "the walks went everywhere: {seen:?}");
    house.books_are_clean().await;
}

async fn customer_does(customer: &Customer, action: &str, status: &Value) {
    match action {
        "accept" => {
            let offer = &status["offer"];
            customer.says("accept", json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] })).await;
        }
        "refund" => {
            customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await;
        }
        "upload" => {}
        step => {
            customer.does(step).await;
        }
    }
}

async fn a_claim_nothing_is_left_for_is_refused_and_holds_nothing(engine: Engine) {
    let house = House::open(engine).await;
    let before = reserve(&house, "SBERRUB").await;
    let roubles = house.app.calculator.market().currency_named("SBERRUB").unwrap().id();
    let customer = Customer::orders(&house, "0.01").await;
    let rest = reserve(&house, "SBERRUB").await.0;
    let all = json!({ "amount": format!("-{}.{:02}", rest / 100, rest % 100), "reason": "withdrawal", "note": "all of it" });
    house.owner().await.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), all).await.ok();
    let refused = house.customer().post("/api/v1/claim/", json!({
        "email": "late@example.com", "fromPs": customer_pair(&customer).await.0, "toPs": roubles, "fromSumma": "0.01", "toSumma": "1",
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
    })).await;
    assert!(refused.status.is_client_error(), "{}", refused.text);
    customer.does("cancel").await.ok();
    assert_eq!(reserve(&house, "SBERRUB").await, (before.0 - rest, 0));
    house.books_are_clean().await;
}

async fn customer_pair(customer: &Customer) -> (i64, i64) {
    let form = customer.look("form").await.ok();
    (form["from"]["id"].as_i64().unwrap(), form["to"]["id"].as_i64().unwrap())
}

async fn history_is_never_changed(engine: Engine) {
    let house = House::open(engine).await;
    Customer::orders(&house, "0.01").await;
    for statement in ["UPDATE claim_event SET note = 'nothing happened'", "DELETE FROM claim_event"] {
        let refused: Result<u64, Error> =
            house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, statement) })).await;
        assert!(refused.is_err(), "{statement}");
    }
    let unsettled = "UPDATE claim SET state = 'completed'";
    let refused = house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, unsettled) })).await;
    assert!(refused.is_err(), "a claim that holds a reserve cannot be closed behind the books' back");
}

both_engines!(
    every_way_a_claim_can_go_leaves_clean_books,
    a_claim_nothing_is_left_for_is_refused_and_holds_nothing,
    history_is_never_changed,
);
