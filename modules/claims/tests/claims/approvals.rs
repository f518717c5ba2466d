//! Money and requisites by two people's word: what one proposes, another decides.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{ADDRESS, Operator, TestCustomer};

const APPROVALS: &str = "/api/admin/v1/approvals";

/// A server where payouts and refunds above 100 need two people. 0.01 BTC has a value of 700.
async fn careful(engine: Engine) -> TestApp {
    limited(engine, 100).await
}

/// A server where payouts and refunds above a limit need two people.
async fn limited(engine: Engine, limit: u32) -> TestApp {
    let app = TestApp::start(engine).await;
    let rule = json!({
        "approvals.two_person": true, "approvals.payout_limit": limit, "approvals.refund_limit": limit,
        "claims.late_tolerance_bps": 0,
    });
    app.owner().await.put("/api/admin/v1/settings", rule).await.ok();
    app.advance_clock(Duration::from_secs(1));
    app
}

/// A claim that is about to be paid out.
async fn in_payout(app: &TestApp, operator: &Operator) -> TestCustomer {
    let customer = TestCustomer::orders(app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    operator.does(&customer.id, "payment_received", json!({ "txId": format!("in-{}", customer.id) })).await;
    operator.does(&customer.id, "take", json!({})).await;
    customer
}

/// A step that is proposed in place of being made; gives the approval request.
async fn proposes(operator: &Operator, claim: &str, action: &str, said: Value) -> Value {
    let answer = operator.tries(claim, action, said).await;
    assert_eq!(answer.status.as_u16(), 202, "{}", answer.text);
    answer.json()
}

fn decision(approval: &Value, word: &str) -> String {
    format!("{APPROVALS}/{}/{word}", approval["id"].as_str().unwrap())
}

fn step<'v>(claim: &'v Value, action: &str) -> &'v Value {
    claim["transitions"].as_array().unwrap().iter().find(|step| step["action"] == action).unwrap()
}

async fn waiting(caller: &TestClient) -> i64 {
    caller.get(APPROVALS).await.ok()["waiting"].as_i64().unwrap()
}

async fn a_large_payout_leaves_when_a_staff_member_has_agreed(engine: Engine) {
    let app = careful(engine).await;
    let operator = Operator::at(&app).await;
    let customer = in_payout(&app, &operator).await;
    let seen = operator.sees(&customer.id).await;
    assert_eq!((&step(&seen, "payout_sent")["consent"], &step(&seen, "payout_sent")["needs"]), (&json!(true), &json!([])));

    let approval = proposes(&operator, &customer.id, "payout_sent", json!({ "note": "the usual bank" })).await;
    assert_eq!((approval["kind"].as_str(), approval["state"].as_str()), (Some("claim_payout"), Some("waiting")));
    let facts = approval["facts"].as_array().unwrap();
    let told = |value: &str| facts.iter().any(|fact| fact["after"].as_str().is_some_and(|after| after.contains(value)));
    assert!(told("SBERRUB") && told("2200000000000004") && told("100 USDT") && told("the usual bank"), "{approval}");
    assert!(facts.iter().all(|fact| !fact["label"].as_str().unwrap().starts_with("approval_fact.")), "{approval}");
    operator.tries(&customer.id, "payout_sent", json!({})).await.refused(409, "approval_waits");
    let seen = operator.sees(&customer.id).await;
    assert_eq!((seen["status"].as_str(), seen["consent"]["mayWithdraw"].as_bool()), (Some("processing"), Some(true)));

    operator.0.post_empty(&decision(&approval, "approve")).await.refused(403, "approval_own");
    app.staff(Role::Auditor).await.post_empty(&decision(&approval, "approve")).await.refused(403, "forbidden");
    let cashier = app.staff(Role::Cashier).await;
    assert_eq!(waiting(&cashier).await, 1);
    for (caller, yours) in [(&cashier, 1), (&operator.0, 0)] {
        let dashboard = caller.get("/api/admin/v1/dashboard").await.ok();
        assert_eq!(dashboard["approvals"], json!({ "waiting": 1, "yours": yours }));
    }
    let seen = cashier.get(APPROVALS).await.ok()["items"][0].clone();
    assert_eq!((seen["mayDecide"].as_bool(), seen["mayWithdraw"].as_bool()), (Some(true), Some(false)));
    let approved = cashier.post_empty(&decision(&approval, "approve")).await.ok();
    assert_eq!((approved["state"].as_str(), approved["decidedBy"]["name"].as_str()), (Some("approved"), Some("cashier")));
    assert_eq!(waiting(&cashier).await, 0);

    let seen = operator.sees(&customer.id).await;
    assert_eq!((seen["status"].as_str(), seen["consent"]["state"].as_str()), (Some("processing"), Some("approved")));
    assert_eq!(step(&seen, "payout_sent")["consent"], false);
    let agreed = seen["timeline"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((agreed["action"].as_str(), agreed["actor"]["name"].as_str()), (Some("agreed"), Some("cashier")));
    // What was agreed on is the payment, so a claim that changed hands and notes since is the same.
    cashier.post_empty(&format!("/api/admin/v1/claims/{}/lock", customer.id)).await.ok();
    cashier.post_empty(&format!("/api/admin/v1/claims/{}/unlock", customer.id)).await.ok();
    operator.tries(&customer.id, "payout_sent", json!({})).await.refused(422, "validation_failed");
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    assert_eq!(operator.does(&customer.id, "complete", json!({})).await["status"], "completed");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
    let about = format!("/api/admin/v1/audit?aboutKind=approval&aboutId={}", approval["id"].as_str().unwrap());
    let log = cashier.get(&about).await.ok();
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["approval.approved", "approval.proposed"]);
}

async fn a_payout_below_the_limit_leaves_by_one_word_and_one_of_unknown_worth_by_two(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let rule = json!({ "approvals.two_person": true, "approvals.payout_limit": 1_000_000 });
    owner.put("/api/admin/v1/settings", rule).await.ok();
    let operator = Operator::at(&app).await;
    let customer = in_payout(&app, &operator).await;
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    assert!(operator.sees(&customer.id).await["consent"].is_null());

    let unpriced = owner.put("/api/admin/v1/settings", json!({ "rates.base": "XAU" })).await;
    assert_eq!(unpriced.status.as_u16(), 202, "the base gives the limit its meaning");
    let member = app.staff(Role::Editor).await;
    member.post_empty(&decision(&unpriced.json(), "approve")).await.ok();
    let customer = in_payout(&app, &operator).await;
    proposes(&operator, &customer.id, "payout_sent", json!({})).await;
}

async fn two_who_approve_at_once_let_one_payment_go(engine: Engine) {
    let app = careful(engine).await;
    let operator = Operator::at(&app).await;
    let customer = in_payout(&app, &operator).await;
    let approval = proposes(&operator, &customer.id, "payout_sent", json!({ "txId": "prepared-1" })).await;
    let (owner, cashier) = (app.owner().await, app.staff(Role::Cashier).await);
    let path = decision(&approval, "approve");
    let (one, two) = tokio::join!(owner.post_empty(&path), cashier.post_empty(&path));
    let mut answers = [one.status.as_u16(), two.status.as_u16()];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
    let seen = operator.sees(&customer.id).await;
    assert_eq!((seen["status"].as_str(), seen["txOut"].as_str()), (Some("payout_sent"), Some("prepared-1")));
    let sent = seen["ledger"].as_array().unwrap().iter().filter(|entry| entry["reason"] == "payout_sent").count();
    assert_eq!(sent, 1);
    let by: Vec<_> =
        seen["timeline"].as_array().unwrap().iter().rev().take(2).map(|step| step["actor"]["name"].clone()).collect();
    assert_eq!(by[0], "operator", "who proposed it sent it");
    app.assert_ledger_is_clean().await;
}

async fn a_claim_that_moved_on_is_not_paid_by_an_old_approval(engine: Engine) {
    let app = careful(engine).await;
    let operator = Operator::at(&app).await;
    let customer = in_payout(&app, &operator).await;
    let approval = proposes(&operator, &customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
    operator.does(&customer.id, "refund", json!({ "reason": "customer_asked" })).await;
    let cashier = app.staff(Role::Cashier).await;
    cashier.post_empty(&decision(&approval, "approve")).await.refused(409, "approval_outdated");
    assert_eq!(operator.sees(&customer.id).await["status"], "refund_pending");
    assert_eq!(waiting(&cashier).await, 1, "it stays undecided");

    cashier.post(&decision(&approval, "reject"), json!({ "reason": " " })).await.refused(422, "validation_failed");
    let refused = cashier.post(&decision(&approval, "reject"), json!({ "reason": "The customer wants it back." })).await.ok();
    assert_eq!((refused["state"].as_str(), refused["reason"].as_str()), (Some("rejected"), Some("The customer wants it back.")));
    cashier.post_empty(&decision(&approval, "approve")).await.refused(409, "approval_decided");
    let decided = cashier.get(&format!("{APPROVALS}?decided=true")).await.ok();
    assert_eq!(decided["items"].as_array().unwrap().iter().filter(|row| row["id"] == approval["id"]).count(), 1);
    app.assert_ledger_is_clean().await;
}

async fn each_large_refund_needs_its_own_agreement(engine: Engine) {
    let app = careful(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.is_too_late(&app).await;
    let operator = Operator::at(&app).await;
    operator.does(&customer.id, "late_payment", json!({ "amount": "0.01", "txId": "late-1" })).await;
    customer.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    let owner = app.owner().await;

    let approval = proposes(&operator, &customer.id, "refund_sent", json!({})).await;
    assert_eq!(approval["kind"], "claim_refund");
    owner.post_empty(&decision(&approval, "approve")).await.ok();
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back-1" })).await;
    operator.does(&customer.id, "refund_bounced", json!({ "reason": "refund_returned" })).await;
    let again = proposes(&operator, &customer.id, "refund_sent", json!({})).await;
    assert_ne!(again["id"], approval["id"]);
    owner.post_empty(&decision(&again, "approve")).await.ok();
    operator.does(&customer.id, "refund_sent", json!({ "txId": "back-2" })).await;
    assert_eq!(operator.does(&customer.id, "refund_done", json!({})).await["status"], "refunded");
    app.assert_ledger_is_clean().await;
}

async fn each_transfer_of_the_rest_of_a_large_payout_needs_its_own_approval(engine: Engine) {
    let app = careful(engine).await;
    let (operator, owner) = (Operator::at(&app).await, app.owner().await);
    let customer = in_payout(&app, &operator).await;
    let first = proposes(&operator, &customer.id, "payout_sent", json!({})).await;
    owner.post_empty(&decision(&first, "approve")).await.ok();
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;

    let seen = operator.does(&customer.id, "payout_partial", json!({ "amount": "0.01" })).await;
    assert_eq!(step(&seen, "payout_sent")["consent"], true);
    let second = proposes(&operator, &customer.id, "payout_sent", json!({ "txId": "out-2" })).await;
    assert_ne!(second["id"], first["id"]);
    let facts = second["facts"].as_array().unwrap();
    let told = |value: &Value| facts.iter().any(|fact| fact["after"] == format!("{} SBERRUB", value.as_str().unwrap()));
    assert!(told(&seen["paidOut"]["left"]) && told(&seen["to"]["amount"]), "{second}");
    assert_eq!(operator.sees(&customer.id).await["txOut"], "out-1");
    operator.0.post_empty(&decision(&second, "approve")).await.refused(403, "approval_own");
    owner.post_empty(&decision(&second, "approve")).await.ok();
    let seen = operator.sees(&customer.id).await;
    assert_eq!((seen["status"].as_str(), seen["txOut"].as_str()), (Some("payout_sent"), Some("out-2")));

    // No approval serves twice, and a rest below the limit is still a part of a large payout.
    operator.does(&customer.id, "payout_partial", json!({ "amount": "0.02" })).await;
    let third = proposes(&operator, &customer.id, "payout_sent", json!({})).await;
    owner.post_empty(&decision(&third, "approve")).await.ok();
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-3" })).await;
    let most: f64 = seen["to"]["amount"].as_str().unwrap().parse().unwrap();
    operator.does(&customer.id, "payout_partial", json!({ "amount": format!("{:.2}", most - 1.0) })).await;
    let last = proposes(&operator, &customer.id, "payout_sent", json!({})).await;
    operator.tries(&customer.id, "payout_sent", json!({ "txId": "out-4" })).await.refused(409, "approval_waits");
    owner.post_empty(&decision(&last, "approve")).await.ok();
    operator.does(&customer.id, "payout_sent", json!({ "txId": "out-4" })).await;
    assert_eq!(operator.does(&customer.id, "complete", json!({})).await["status"], "completed");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

/// Below any limit, one person could invent debts of the exchange to themselves, claim by claim.
async fn what_rests_on_the_word_of_staff_is_sent_by_two_whatever_its_amount(engine: Engine) {
    let app = limited(engine, 1_000_000).await;
    let (operator, owner) = (Operator::at(&app).await, app.owner().await);
    let destination = json!({ "requisites": { "address": ADDRESS } });

    let paid = in_payout(&app, &operator).await;
    operator.does(&paid.id, "payout_sent", json!({ "txId": "out-1" })).await;
    operator.does(&paid.id, "payout_partial", json!({ "amount": "0.01" })).await;
    let rest = proposes(&operator, &paid.id, "payout_sent", json!({ "txId": "out-2" })).await;
    owner.post_empty(&decision(&rest, "approve")).await.ok();
    operator.does(&paid.id, "complete", json!({})).await;

    let returned = in_payout(&app, &operator).await;
    operator.does(&returned.id, "payout_sent", json!({ "txId": "out-3" })).await;
    operator.does(&returned.id, "complete", json!({})).await;
    operator.does(&returned.id, "payout_returned", json!({ "reason": "payout_returned" })).await;
    returned.says("refund", destination.clone()).await.ok();
    let invented = proposes(&operator, &returned.id, "refund_sent", json!({ "txId": "back-1" })).await;
    operator.0.post_empty(&decision(&invented, "approve")).await.refused(403, "approval_own");
    owner.post_empty(&decision(&invented, "approve")).await.ok();
    operator.does(&returned.id, "refund_done", json!({})).await;

    let bounced = in_payout(&app, &operator).await;
    operator.does(&bounced.id, "refund", json!({ "reason": "customer_asked" })).await;
    bounced.says("refund", destination).await.ok();
    operator.does(&bounced.id, "refund_sent", json!({ "txId": "back-2" })).await;
    operator.does(&bounced.id, "refund_bounced", json!({ "reason": "refund_returned" })).await;
    let again = proposes(&operator, &bounced.id, "refund_sent", json!({ "txId": "back-3" })).await;
    owner.post_empty(&decision(&again, "approve")).await.ok();
    operator.does(&bounced.id, "refund_done", json!({})).await;

    let typed = in_payout(&app, &operator).await;
    operator.does(&typed.id, "refund", json!({ "reason": "customer_asked" })).await;
    let revision = operator.sees(&typed.id).await["revision"].clone();
    let own = json!({ "revision": revision, "requisites": { "address": ADDRESS }, "note": "by telephone" });
    operator.0.post(&format!("/api/admin/v1/claims/{}/refund-destination", typed.id), own).await.ok();
    proposes(&operator, &typed.id, "refund_sent", json!({ "txId": "back-4" })).await;
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

fn hold(reason: &str, minute: u8) -> Value {
    json!({ "reason": reason, "answerBy": format!("2024-03-28T15:{minute:02}:00Z") })
}

async fn an_aml_check_ends_by_two_and_another_hold_by_one(engine: Engine) {
    let app = careful(engine).await;
    let (operator, owner) = (Operator::at(&app).await, app.owner().await);
    let customer = in_payout(&app, &operator).await;
    operator.does(&customer.id, "hold", hold("wrong_requisites", 0)).await;
    let seen = operator.does(&customer.id, "release_hold", json!({ "note": "the card is theirs" })).await;
    assert_eq!(seen["status"], "processing");

    let seen = operator.does(&customer.id, "hold", hold("aml_check", 0)).await;
    let release = step(&seen, "release_hold");
    assert_eq!((&release["consent"], &release["needs"]), (&json!(true), &json!(["note"])));
    operator.tries(&customer.id, "release_hold", json!({})).await.refused(422, "validation_failed");
    let said = json!({ "note": "the documents are right" });
    let approval = proposes(&operator, &customer.id, "release_hold", said.clone()).await;
    assert_eq!(approval["kind"], "claim_hold");
    let facts = approval["facts"].to_string();
    assert!(facts.contains("0.01 BTC") && facts.contains("the documents are right"), "{facts}");
    assert!(!facts.contains("approval_") && !facts.contains("claim_reason"), "{facts}");
    operator.tries(&customer.id, "release_hold", said).await.refused(409, "approval_waits");
    operator.0.post_empty(&decision(&approval, "approve")).await.refused(403, "approval_own");
    let seen = operator.sees(&customer.id).await;
    assert_eq!((seen["status"].as_str(), seen["consent"]["state"].as_str()), (Some("on_hold"), Some("waiting")));

    owner.post_empty(&decision(&approval, "approve")).await.ok();
    let seen = operator.sees(&customer.id).await;
    assert_eq!((seen["status"].as_str(), seen["consent"].is_null()), (Some("processing"), true));
    let steps = seen["timeline"].as_array().unwrap().iter().rev().take(2);
    let by: Vec<_> = steps.map(|step| (step["action"].as_str().unwrap(), step["actor"]["name"].as_str().unwrap())).collect();
    assert_eq!(by, [("release_hold", "operator"), ("agreed", "owner")]);
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn a_claim_on_hold_is_rejected_by_two(engine: Engine) {
    let app = careful(engine).await;
    let (operator, owner) = (Operator::at(&app).await, app.owner().await);
    let customer = TestCustomer::reports(&app, "0.01").await;
    let refusal = json!({ "reason": "rules_violation" });
    operator.does(&customer.id, "hold", hold("wrong_sender", 0)).await;
    let first = proposes(&operator, &customer.id, "reject", refusal.clone()).await;
    // A later hold is another one to decide on.
    operator.does(&customer.id, "release_hold", json!({ "note": "a relative paid" })).await;
    owner.post_empty(&decision(&first, "approve")).await.refused(409, "approval_outdated");
    operator.does(&customer.id, "hold", hold("wrong_sender", 1)).await;
    owner.post_empty(&decision(&first, "approve")).await.refused(409, "approval_outdated");
    operator.0.post_empty(&decision(&first, "withdraw")).await.ok();

    let second = proposes(&operator, &customer.id, "reject", refusal).await;
    owner.post_empty(&decision(&second, "approve")).await.ok();
    let status = customer.look("status").await.ok();
    assert_eq!((status["status"].as_str(), status["reason"]["code"].as_str()), (Some("rejected"), Some("rules_violation")));
    app.assert_ledger_is_clean().await;
}

async fn a_approval_is_withdrawn_by_its_author_or_runs_out(engine: Engine) {
    let app = careful(engine).await;
    let operator = Operator::at(&app).await;
    let customer = in_payout(&app, &operator).await;
    let first = proposes(&operator, &customer.id, "payout_sent", json!({})).await;
    let owner = app.owner().await;
    owner.post_empty(&decision(&first, "withdraw")).await.refused(403, "approval_not_own");
    assert_eq!(operator.0.post_empty(&decision(&first, "withdraw")).await.ok()["state"], "withdrawn");
    owner.post_empty(&decision(&first, "approve")).await.refused(409, "approval_decided");

    let second = proposes(&operator, &customer.id, "payout_sent", json!({})).await;
    app.advance_and_run_jobs(Duration::from_secs(3 * 24 * 60 * 60)).await;
    let owner = app.owner().await;
    owner.post_empty(&decision(&second, "approve")).await.refused(409, "approval_decided");
    let decided = owner.get(&format!("{APPROVALS}?decided=true")).await.ok();
    assert_eq!(decided["items"][0]["state"], "expired");
    owner.post_empty(&format!("{APPROVALS}/{}/approve", uuid())).await.refused(404, "approval_not_found");
}

fn uuid() -> &'static str {
    "00000000-0000-4000-8000-000000000000"
}

/// The requisite customers pay bitcoin to.
async fn bitcoin(app: &TestApp, caller: &TestClient) -> (i64, Value) {
    let id = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let pool = caller.get("/api/admin/v1/requisites").await.ok();
    (id, pool.as_array().unwrap().iter().find(|row| row["currencyId"] == id).unwrap().clone())
}

async fn where_customers_pay_is_changed_by_two_and_switched_off_by_one(engine: Engine) {
    let app = careful(engine).await;
    let (owner, cashier) = (app.owner().await, app.staff(Role::Cashier).await);
    let (currency, old) = bitcoin(&app, &owner).await;
    let path = format!("/api/admin/v1/requisites/{}", old["id"].as_str().unwrap());
    let all = || async { owner.get("/api/admin/v1/requisites").await.ok().as_array().unwrap().len() };
    let before = all().await;

    let added = cashier.post("/api/admin/v1/requisites", json!({ "currencyId": currency, "value": ADDRESS })).await;
    assert_eq!((added.status.as_u16(), all().await), (202, before));
    cashier
        .post("/api/admin/v1/requisites", json!({ "currencyId": currency, "value": "x" }))
        .await
        .refused(422, "validation_failed");
    owner.post_empty(&decision(&added.json(), "approve")).await.ok();
    assert_eq!(all().await, before + 1);

    let other = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy";
    let changed = cashier.patch(&path, json!({ "value": other })).await;
    assert_eq!(changed.status.as_u16(), 202);
    let approval = changed.json();
    assert!(approval["facts"].as_array().unwrap().iter().any(|fact| fact["before"] == old["value"] && fact["after"] == other));
    assert_eq!(bitcoin(&app, &owner).await.1["value"], old["value"], "nothing has changed yet");

    // A requisite that was lost is out of use at once, and the approval request is about what was there before.
    let off = cashier.patch(&path, json!({ "enabled": false })).await;
    assert_eq!((off.status.as_u16(), off.json()["enabled"].as_bool()), (200, Some(false)));
    owner.post_empty(&decision(&approval, "approve")).await.refused(409, "approval_outdated");
    cashier.post_empty(&decision(&approval, "withdraw")).await.ok();
    assert_eq!(cashier.patch(&path, json!({ "enabled": true })).await.status.as_u16(), 202, "back in use by two");

    let log = owner.get("/api/admin/v1/audit?action=requisite.added&actorKind=staff").await.ok();
    assert_eq!(log["items"][0]["actor"]["name"], "cashier", "who proposed it did it");
    assert!(!log.to_string().contains(ADDRESS));
    app.assert_audit_chain_is_intact().await;
}

both_engines!(
    a_large_payout_leaves_when_a_staff_member_has_agreed,
    a_payout_below_the_limit_leaves_by_one_word_and_one_of_unknown_worth_by_two,
    two_who_approve_at_once_let_one_payment_go,
    a_claim_that_moved_on_is_not_paid_by_an_old_approval,
    each_large_refund_needs_its_own_agreement,
    each_transfer_of_the_rest_of_a_large_payout_needs_its_own_approval,
    what_rests_on_the_word_of_staff_is_sent_by_two_whatever_its_amount,
    an_aml_check_ends_by_two_and_another_hold_by_one,
    a_claim_on_hold_is_rejected_by_two,
    a_approval_is_withdrawn_by_its_author_or_runs_out,
    where_customers_pay_is_changed_by_two_and_switched_off_by_one,
);
