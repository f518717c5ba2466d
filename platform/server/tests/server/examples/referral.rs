//! Referrers, their commissions and withdrawals.

use std::time::Duration;

use agio_test_app::{TestApp, TestClient, TestCustomer};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Recorder, order};

const MINE: &str = "/api/v1/users/me/refferal/";
const ADMIN: &str = "/api/admin/v1/referral";

/// A completed exchange with a referral link.
async fn exchange_as_referred(app: &TestApp, operator: &TestClient, code: &str, email: &str, from: &str) {
    let customer = app.visitor().from_address(from);
    let mut order = order(app, "0.019");
    order["email"] = email.into();
    order["refferal"] = code.into();
    let id = customer.post("/api/v1/claim/", order).await.ok()["id"].as_str().unwrap().to_owned();
    for step in ["confirm", "paid"] {
        customer.post_empty(&format!("/api/v1/claim/{id}/{step}/")).await.ok();
    }
    let path = format!("/api/admin/v1/claims/{id}");
    for (action, tx) in [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")] {
        let mut step = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
        if !tx.is_empty() {
            step["txId"] = format!("{tx}-{id}").into();
        }
        operator.post(&format!("{path}/transitions"), step).await.ok();
    }
}

/// The default plan and a special one.
async fn terms(owner: &TestClient, recorder: &mut Recorder) -> Value {
    let terms = |name: &str, percent: &str| {
        json!({
            "name": name, "kind": "amount", "tiers": [{ "from": "0", "percent": percent }, { "from": "10000", "percent": "3" }],
            "minCommission": "0.01", "holdHours": 0, "withdrawalMin": "10",
        })
    };
    let common = recorder.get(owner, "listReferralPlans", &format!("{ADMIN}/plans")).await[0].clone();
    let path = format!("{ADMIN}/plans/{}", common["id"].as_str().unwrap());
    let change = json!({ "revision": common["revision"], "terms": terms("Standard", "1") });
    recorder.call(owner, "updateReferralPlan", Method::PUT, &path, Some(change)).await;
    recorder.post(owner, "createReferralPlan", &format!("{ADMIN}/plans"), terms("Bloggers", "2")).await
}

/// From the first visit of a link to the payment of the commission.
pub async fn refer_customers(app: &TestApp, owner: &TestClient, operator: &TestClient, recorder: &mut Recorder) {
    let bloggers = terms(owner, recorder).await;
    let maria = TestCustomer::registered(app, "maria@example.com").await;
    let code = maria.caller.get(MINE).await.ok()["code"].as_str().unwrap().to_owned();
    recorder.post(&app.visitor(), "recordReferralVisit", "/api/v1/referral/visits/", json!({ "code": code })).await;
    let listed = recorder.get(owner, "listReferrers", &format!("{ADMIN}/referrers")).await;
    let referrer = format!("{ADMIN}/referrers/{}", listed["items"][0]["id"].as_str().unwrap());
    let plan = json!({ "planId": bloggers["id"] });
    recorder.call(owner, "assignReferralPlan", Method::PUT, &format!("{referrer}/plan"), Some(plan)).await;
    exchange_as_referred(app, operator, &code, "petr@example.com", "203.0.113.20").await;
    exchange_as_referred(app, operator, &code, "maria@example.com", "203.0.113.21").await;
    let open = recorder.get(operator, "listReferralCommissions", &format!("{ADMIN}/commissions?tab=open")).await;
    let verdict = json!({ "decision": "refuse", "comment": "The referrer's own claim." });
    let path = format!("{ADMIN}/commissions/{}/decision", open["items"][0]["id"].as_str().unwrap());
    recorder.post(operator, "reviewReferralCommission", &path, verdict).await;
    app.advance_and_run_jobs(Duration::ZERO).await;
    let tether = app.server.calculator.market().currency_named("USDTTRC20").expect("the demonstration has it").id();
    let withdrawal = json!({
        "amount": "10", "currencyId": tether, "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" },
        "password": maria.password,
    });
    let request = recorder.post(&maria.caller, "requestReferralWithdrawal", &format!("{MINE}withdrawal/"), withdrawal).await;
    recorder.get(&maria.caller, "getMyReferral", MINE).await;
    recorder.get(&maria.caller, "getMyReferralHistory", &format!("{MINE}dw/?page=1&size=20&date_from=2024-03-01")).await;
    recorder.get(&maria.caller, "getMyReferralStatistics", &format!("{MINE}days/?date_from=2024-03-27&date_to=2024-03-28")).await;
    recorder.get(&maria.caller, "listMyReferralWithdrawals", &format!("{MINE}withdrawal/")).await;
    recorder.get(owner, "getReferrer", &referrer).await;
    recorder.get(operator, "listReferralWithdrawals", &format!("{ADMIN}/withdrawals")).await;
    let path = format!("{ADMIN}/withdrawals/{}", request["id"].as_str().unwrap());
    let withdrawal = recorder.get(operator, "getReferralWithdrawal", &path).await;
    let step = json!({ "action": "approve", "revision": withdrawal["revision"] });
    recorder.post(operator, "processReferralWithdrawal", &format!("{path}/steps"), step).await;
}
