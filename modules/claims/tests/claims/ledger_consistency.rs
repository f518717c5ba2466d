//! Whatever happens to claims, the books agree, and history stays.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use agio_core::{Error, execute};
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer, reserve, units};

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
            // What an operator was shown before they press; nothing where it cannot be shown.
            "terms" => {}
            other => panic!("{other}"),
        }
    }
    said
}

async fn every_way_a_claim_can_go_leaves_clean_books(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner()
        .await
        .put(
            "/api/admin/v1/settings",
            json!({ "claims.captcha": "false", "claims.unpaid_per_email": "0", "claims.unpaid_per_address": "0" }),
        )
        .await
        .ok();
    let mut operator = Operator::at(&app).await;
    let mut dice = Dice(20_240_328);
    let mut seen = BTreeSet::new();
    let mut kinds = BTreeMap::<String, usize>::new();
    for _ in 0..80 {
        let customer = TestCustomer::orders(&app, "0.01").await;
        for step in 0..22 {
            let view = operator.sees(&customer.id).await;
            seen.insert(view["status"].as_str().unwrap().to_owned());
            let status = customer.look("status").await.ok();
            let mut choices: Vec<(bool, Value)> =
                view["transitions"].as_array().unwrap().iter().map(|row| (true, row.clone())).collect();
            choices.extend(status["actions"].as_array().unwrap().iter().map(|action| (false, action.clone())));
            if choices.is_empty() {
                break;
            }
            // Among so many choices these are hardly ever made.
            let rare = ["payout_partial", "recalculate", "amount_mismatch", "late_payment", "return_surplus"].map(Value::from);
            let is_rare = |(_, choice): &(bool, Value)| rare.contains(&choice["action"]) || rare.contains(choice);
            let place = choices.iter().position(is_rare).filter(|_| dice.throw(3) == 0);
            let (by_staff, choice) = choices.swap_remove(place.unwrap_or_else(|| dice.throw(choices.len())));
            // Chance alone ends most claims before much has happened to them.
            let name = if by_staff { &choice["action"] } else { &choice };
            let ends_early = matches!(name.as_str().unwrap(), "cancel" | "reject" | "refund" | "hold" | "upload");
            if ends_early && dice.throw(5) != 0 {
                continue;
            }
            if by_staff {
                let mut body = said(&choice, &mut dice, step, &customer.id);
                if choice["action"] == "recalculate" {
                    let preview = operator.0.get(&format!("/api/admin/v1/claims/{}/recalculation", customer.id)).await.json();
                    body["terms"] = json!({ "came": preview["came"], "receive": preview["receive"] });
                }
                operator.tries(&customer.id, choice["action"].as_str().unwrap(), body).await;
            } else {
                customer_does(&customer, choice.as_str().unwrap(), &status).await;
            }
            if dice.throw(12) == 0 {
                app.advance_and_run_jobs(Duration::from_secs(1_300)).await;
                operator = Operator::at(&app).await;
            }
        }
        for kind in adds_up(&app, &operator, &customer).await {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    assert!(seen.len() >= 16, "the walks went everywhere: {seen:?}");
    let wanted = ["amount_mismatch", "late_payment", "recalculate", "accept", "return_surplus", "payout_partial", "complete"];
    for kind in wanted.into_iter().chain(["refund_done"]) {
        assert!(kinds.get(kind).is_some_and(|count| *count >= 2), "{kind}: {kinds:?}");
    }
    app.assert_ledger_is_clean().await;
}

/// What came for a claim is what its customer received, what was earned and what is still held, by its entries in the books. Gives what
/// happened to the claim.
async fn adds_up(app: &TestApp, operator: &Operator, customer: &TestCustomer) -> BTreeSet<String> {
    let view = operator.sees(&customer.id).await;
    let claim = app.server.claims.claim(customer.id.parse().unwrap()).await.unwrap();
    let mut balances = BTreeMap::<(String, bool), i64>::new();
    for entry in view["ledger"].as_array().unwrap() {
        let is_sent = entry["currency"] == "BTC";
        let sum = units(&entry["amount"], if is_sent { 8 } else { 2 });
        for (side, sign) in [("debit", -1), ("credit", 1)] {
            *balances.entry((entry[side].as_str().unwrap().to_owned(), is_sent)).or_default() += sign * sum;
        }
    }
    let balance = |account: &str, is_sent| balances.get(&(account.to_owned(), is_sent)).copied().unwrap_or(0);
    let exchanged = balance("reserve", true);
    let (here, leaving) = (balance("claim_in", true), balance("claim_out", true));
    assert_eq!(claim.balances.received.units(), here + leaving + claim.balances.returned.units() + exchanged, "{view}");
    assert_eq!(-balance("external", true), claim.balances.received.units() - claim.balances.returned.units(), "{view}");
    let (paid, under_way, held) = (balance("external", false), balance("claim_out", false), balance("hold", false));
    assert_eq!(-balance("reserve", false), paid + under_way + held, "{view}");
    let fees = balance("income_fee", true);
    let earned = balance("income_fee", false) + balance("income_spread", false);
    let share =
        |units: i64, part: i64, whole: i64| i64::try_from(i128::from(units) * i128::from(part) / i128::from(whole)).unwrap();
    let worth = share(claim.terms.market_value.units(), exchanged, claim.give.amount.units());
    assert_eq!(worth, paid + earned + share(claim.terms.market_value.units(), fees, claim.give.amount.units()), "{view}");
    assert!(paid <= claim.receive.amount.units(), "{view}");
    let steps = view["timeline"].as_array().unwrap().iter();
    steps.map(|step| step["action"].as_str().unwrap().to_owned()).collect()
}

async fn customer_does(customer: &TestCustomer, action: &str, status: &Value) {
    match action {
        "accept" => {
            let offer = &status["offer"];
            customer.says("accept", json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] })).await;
        }
        "return_surplus" => {
            let offer = &status["surplus"]["offer"];
            let requisites = json!({ "address": ADDRESS });
            let choice = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"], "requisites": requisites });
            customer.says("surplus", choice).await;
        }
        "refund" | "refund_to" => {
            customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await;
        }
        "upload" => {}
        step => {
            customer.does(step).await;
        }
    }
}

async fn a_claim_nothing_is_left_for_is_refused_and_holds_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let before = reserve(&app, "SBERRUB").await;
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let customer = TestCustomer::orders(&app, "0.01").await;
    let rest = reserve(&app, "SBERRUB").await.0;
    let all = json!({ "amount": format!("-{}.{:02}", rest / 100, rest % 100), "reason": "withdrawal", "note": "all of it" });
    app.owner().await.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), all).await.ok();
    let refused = app.visitor().post("/api/v1/claim/", json!({
        "email": "late@example.com", "fromPs": customer_pair(&customer).await.0, "toPs": roubles, "fromSumma": "0.01", "toSumma": "1",
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
    })).await;
    assert!(refused.status.is_client_error(), "{}", refused.text);
    customer.does("cancel").await.ok();
    assert_eq!(reserve(&app, "SBERRUB").await, (before.0 - rest, 0));
    app.assert_ledger_is_clean().await;
}

async fn customer_pair(customer: &TestCustomer) -> (i64, i64) {
    let form = customer.look("form").await.ok();
    (form["from"]["id"].as_i64().unwrap(), form["to"]["id"].as_i64().unwrap())
}

async fn history_is_never_changed(engine: Engine) {
    let app = TestApp::start(engine).await;
    TestCustomer::orders(&app, "0.01").await;
    for statement in ["UPDATE claim_event SET note = 'nothing happened'", "DELETE FROM claim_event"] {
        let refused: Result<u64, Error> =
            app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, statement) })).await;
        assert!(refused.is_err(), "{statement}");
    }
    let unsettled = "UPDATE claim SET state = 'completed'";
    let refused = app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, unsettled) })).await;
    assert!(refused.is_err(), "a claim that holds a reserve cannot be closed behind the books' back");
}

both_engines!(
    every_way_a_claim_can_go_leaves_clean_books,
    a_claim_nothing_is_left_for_is_refused_and_holds_nothing,
    history_is_never_changed,
);
