//! The referral program: Anna refers others, staff manage her, and she is paid.

use std::time::Duration;

use agio_test_app::TestCustomer;
use serde_json::{Value, json};

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, NoToken, Refused, Row, admin, get, post, put, site};
use crate::examples;

const MINE: &str = "/api/v1/users/me/refferal/";
const ADMIN: &str = "/api/admin/v1/referral";

const NOTHING: Expected = Refused(409, "balance_too_low");
const NOT_ACTIVE: Expected = Refused(409, "not_activated");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                 guest    owner other    inactive    banned   staff
    site("recordReferralVisit",       [Done,    Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferral",             [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferralHistory",      [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("downloadMyReferralHistory", [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferralStatistics",   [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("listMyReferralWithdrawals", [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("requestReferralWithdrawal", [NoToken, Done, NOTHING, NOT_ACTIVE, NoToken, NoToken]),

    admin("listReferralPlans",                 Permission("referral.read"),       Done),
    admin("createReferralPlan",                FreshPermission("referral.terms"), Done),
    admin("updateReferralPlan",                FreshPermission("referral.terms"), Done),
    admin("listReferrers",                     Permission("referral.read"),       Done),
    admin("getReferrer",                       Permission("referral.read"),       Done),
    admin("assignReferralPlan",                FreshPermission("referral.terms"), Done),
    admin("listReferralCommissions",           Permission("referral.read"),       Done),
    admin("reviewReferralCommission/refuse",   Permission("referral.review"),     Done),
    admin("reviewReferralCommission/approve",  FreshPermission("referral.review"), Done),
    admin("listReferralWithdrawals",           Permission("referral.read"),       Done),
    admin("getReferralWithdrawal",             Permission("referral.read"),       Done),
    admin("processReferralWithdrawal/refuse",  Permission("referral.pay"),        Done),
    admin("processReferralWithdrawal/approve", FreshPermission("referral.pay"),   Done),
    admin("processReferralWithdrawal/pay",     FreshPermission("referral.pay"),   Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let admin = |path: &str| format!("{ADMIN}/{path}");
    Some(match name {
        "recordReferralVisit" => post("/api/v1/referral/visits/", json!({ "code": referral_code_of_anna(fixtures).await })),
        "getMyReferral" => get(MINE),
        "getMyReferralHistory" => get(format!("{MINE}dw/")),
        "downloadMyReferralHistory" => get(format!("{MINE}dw/csv/")),
        "getMyReferralStatistics" => get(format!("{MINE}days/")),
        "listMyReferralWithdrawals" => get(format!("{MINE}withdrawal/")),
        "requestReferralWithdrawal" => {
            earn_commission(fixtures).await;
            post(format!("{MINE}withdrawal/"), withdrawal_request(fixtures))
        }
        "listReferralPlans" => get(admin("plans")),
        "createReferralPlan" => post(admin("plans"), terms(&format!("Bloggers {}", fixtures.number()))),
        "updateReferralPlan" => {
            let (path, change) = change_of_terms(fixtures).await;
            put(path, change)
        }
        "listReferrers" => get(admin("referrers")),
        "getReferrer" => get(anna(fixtures).await),
        "assignReferralPlan" => put(format!("{}/plan", anna(fixtures).await), json!({ "planId": null })),
        "listReferralCommissions" => get(admin("commissions")),
        "reviewReferralCommission/refuse" => {
            let verdict = json!({ "decision": "refuse", "comment": "The referrer's own claim." });
            post(admin(&format!("commissions/{}/decision", flagged(fixtures).await)), verdict)
        }
        "reviewReferralCommission/approve" => {
            post(admin(&format!("commissions/{}/decision", flagged(fixtures).await)), json!({ "decision": "approve" }))
        }
        "listReferralWithdrawals" => get(admin("withdrawals")),
        "getReferralWithdrawal" => get(create_withdrawal(fixtures).await),
        "processReferralWithdrawal/refuse" => {
            let reason = "The address is not the referrer's.";
            post(
                format!("{}/steps", create_withdrawal(fixtures).await),
                json!({ "action": "refuse", "revision": 1, "reason": reason }),
            )
        }
        "processReferralWithdrawal/approve" => {
            post(format!("{}/steps", create_withdrawal(fixtures).await), json!({ "action": "approve", "revision": 1 }))
        }
        "processReferralWithdrawal/pay" => {
            let steps = format!("{}/steps", create_withdrawal(fixtures).await);
            let approved = fixtures.owner().post(&steps, json!({ "action": "approve", "revision": 1 })).await.ok();
            let tx = format!("payout-{}", fixtures.number());
            post(steps, json!({ "action": "pay", "revision": approved["revision"], "txId": tx }))
        }
        _ => return None,
    })
}

/// Terms by which much is earned at once, and little is enough for a withdrawal.
fn terms(name: &str) -> Value {
    json!({
        "name": name, "kind": "amount", "tiers": [{ "from": "0", "percent": "10" }],
        "minCommission": "0.01", "holdHours": 0, "withdrawalMin": "1",
    })
}

/// A plan with these terms for all customers.
async fn change_of_terms(fixtures: &Fixtures) -> (String, Value) {
    let common = fixtures.owner().get(&format!("{ADMIN}/plans")).await.ok()[0].clone();
    let change = json!({ "revision": common["revision"], "terms": terms("Standard") });
    (format!("{ADMIN}/plans/{}", text(&common["id"])), change)
}

/// The code in Anna's link.
async fn referral_code_of_anna(fixtures: &Fixtures) -> String {
    text(&fixtures.anna.caller.get(MINE).await.ok()["code"])
}

/// Anna among the referrers.
async fn anna(fixtures: &Fixtures) -> String {
    let found = fixtures.owner().get(&format!("{ADMIN}/referrers?q={}", referral_code_of_anna(fixtures).await)).await.ok();
    format!("{ADMIN}/referrers/{}", text(&found["items"][0]["id"]))
}

/// A withdrawal of the least amount.
fn withdrawal_request(fixtures: &Fixtures) -> Value {
    let tether = fixtures.currency("USDTTRC20");
    json!({ "amount": "1", "currencyId": tether, "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" }, "password": TestCustomer::PASSWORD })
}

/// A withdrawal that Anna has just requested.
async fn create_withdrawal(fixtures: &Fixtures) -> String {
    earn_commission(fixtures).await;
    let created = fixtures.anna.caller.post(&format!("{MINE}withdrawal/"), withdrawal_request(fixtures)).await.ok();
    format!("{ADMIN}/withdrawals/{}", text(&created["id"]))
}

/// Makes sure that Anna has enough for a withdrawal.
async fn earn_commission(fixtures: &Fixtures) {
    let mine = fixtures.anna.caller.get(MINE).await.ok();
    let balance: rust_decimal::Decimal = text(&mine["balance"]).parse().expect("a balance is a number");
    if balance < rust_decimal::Decimal::ONE {
        let (path, change) = change_of_terms(fixtures).await;
        fixtures.owner().put(&path, change).await.ok();
        exchange_as_referred(fixtures, &fixtures.email()).await;
        fixtures.app.advance_and_run_jobs(Duration::ZERO).await;
    }
}

/// A commission of Anna's own claim, which waits for a decision. Callers without the permission leave it pending.
async fn flagged(fixtures: &Fixtures) -> String {
    let waits = async || fixtures.owner().get(&format!("{ADMIN}/commissions?tab=open")).await.ok()["items"][0]["id"].clone();
    if waits().await.is_null() {
        exchange_as_referred(fixtures, &fixtures.anna.email).await;
    }
    text(&waits().await)
}

/// Somebody exchanges by Anna's link.
async fn exchange_as_referred(fixtures: &Fixtures, email: &str) {
    let visitor = fixtures.app.visitor().from_address(&fixtures.address());
    let mut order = examples::order(&fixtures.app, &format!("0.005{:04}", fixtures.number()));
    order["email"] = email.into();
    order["refferal"] = referral_code_of_anna(fixtures).await.into();
    let claim = text(&visitor.post("/api/v1/claim/", order).await.ok()["id"]);
    for step in ["confirm", "paid"] {
        visitor.post_empty(&format!("/api/v1/claim/{claim}/{step}/")).await.ok();
    }
    fixtures.step(&claim, json!({ "action": "payment_received", "txId": format!("in-{claim}") })).await;
    fixtures.step(&claim, json!({ "action": "take" })).await;
    fixtures.step(&claim, json!({ "action": "payout_sent", "txId": format!("out-{claim}") })).await;
    fixtures.step(&claim, json!({ "action": "complete" })).await;
}
