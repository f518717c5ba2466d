//! Somebody who brings others, what they earn, and how they are paid.

use std::time::Duration;

use agio_testkit::{Caller, Customer, House};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Recorder, order};

const MINE: &str = "/api/v1/users/me/refferal/";
const DESK: &str = "/api/admin/v1/referral";

/// An exchange by somebody's link, done.
async fn comes(house: &House, operator: &Caller, code: &str, email: &str, from: &str) {
    let customer = house.customer().from_address(from);
    let mut order = order(house, "0.019");
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

/// The terms: a common programme and one for somebody special.
async fn terms(owner: &Caller, recorder: &mut Recorder) -> Value {
    let terms = |name: &str, percent: &str| {
        json!({
            "name": name, "kind": "amount", "tiers": [{ "from": "0", "percent": percent }, { "from": "10000", "percent": "3" }],
            "accrualMin": "0.01", "holdHours": 0, "withdrawalMin": "10",
        })
    };
    let common = recorder.get(owner, "listReferralProgrammes", &format!("{DESK}/programmes")).await[0].clone();
    let path = format!("{DESK}/programmes/{}", common["id"].as_str().unwrap());
    let change = json!({ "revision": common["revision"], "terms": terms("Standard", "1") });
    recorder.call(owner, "changeReferralProgramme", Method::PUT, &path, Some(change)).await;
    recorder.post(owner, "addReferralProgramme", &format!("{DESK}/programmes"), terms("Bloggers", "2")).await
}

/// The way of a link from the first visit to the payment.
pub async fn bring_others(house: &House, owner: &Caller, operator: &Caller, recorder: &mut Recorder) {
    let bloggers = terms(owner, recorder).await;
    let maria = Customer::at(house, "maria@example.com").await;
    let code = maria.caller.get(MINE).await.ok()["code"].as_str().unwrap().to_owned();
    recorder.post(&house.customer(), "countReferralVisit", "/api/v1/referral/visits/", json!({ "code": code })).await;
    let listed = recorder.get(owner, "listReferrers", &format!("{DESK}/referrers")).await;
    let referrer = format!("{DESK}/referrers/{}", listed["items"][0]["id"].as_str().unwrap());
    let gift = json!({ "programmeId": bloggers["id"] });
    recorder.call(owner, "giveReferrerProgramme", Method::PUT, &format!("{referrer}/programme"), Some(gift)).await;
    comes(house, operator, &code, "petr@example.com", "203.0.113.20").await;
    comes(house, operator, &code, "maria@example.com", "203.0.113.21").await;
    let open = recorder.get(operator, "listReferralAccruals", &format!("{DESK}/accruals?tab=open")).await;
    let verdict = json!({ "decision": "refuse", "words": "The referrer's own claim." });
    let path = format!("{DESK}/accruals/{}/decision", open["items"][0]["id"].as_str().unwrap());
    recorder.post(operator, "decideReferralAccrual", &path, verdict).await;
    house.later(Duration::ZERO).await;
    let tether = house.app.calculator.market().currency_named("USDTTRC20").expect("the demonstration has it").id();
    let wish = json!({ "amount": "10", "currencyId": tether, "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" } });
    let asked = recorder.post(&maria.caller, "withdrawMyReferral", &format!("{MINE}withdrawal/"), wish).await;
    recorder.get(&maria.caller, "getMyReferral", MINE).await;
    recorder.get(&maria.caller, "getMyReferralHistory", &format!("{MINE}dw/?page=1&size=20&date_from=2024-03-01")).await;
    recorder.get(&maria.caller, "getMyReferralDays", &format!("{MINE}days/?date_from=2024-03-27&date_to=2024-03-28")).await;
    recorder.get(&maria.caller, "getMyReferralWithdrawals", &format!("{MINE}withdrawal/")).await;
    recorder.get(owner, "getReferrer", &referrer).await;
    recorder.get(operator, "listReferralWithdrawals", &format!("{DESK}/withdrawals")).await;
    let path = format!("{DESK}/withdrawals/{}", asked["id"].as_str().unwrap());
    let seen = recorder.get(operator, "getReferralWithdrawal", &path).await;
    let step = json!({ "action": "approve", "revision": seen["revision"] });
    recorder.post(operator, "moveReferralWithdrawal", &format!("{path}/steps"), step).await;
}
