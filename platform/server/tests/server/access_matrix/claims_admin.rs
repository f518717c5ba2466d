//! Claims and requisites in the console.

use serde_json::json;

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, Refused, Row, admin, get, patch, post, post_empty, put};

/// The claim is in another state, which only callers with the permission learn.
const NOT_NOW: Expected = Refused(409, "transition_not_allowed");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("listClaims",                Permission("claims.read"),              Done),
    admin("getClaim",                  Permission("claims.read"),              Done),
    admin("getClaimReceipt",           Permission("claims.read"),              Done),
    admin("streamChanges",             Permission("claims.read"),              Done),
    admin("lockClaim",                 Permission("claims.process"),           Done),
    admin("unlockClaim",               Permission("claims.process"),           Done),
    admin("addClaimNote",              Permission("claims.process"),           Done),
    admin("transitionClaim",           Permission("claims.process"),           Done),
    admin("transitionClaim/amount",    FreshPermission("claims.process"),      NOT_NOW),
    admin("transitionClaim/payout",    FreshPermission("claims.process"),      NOT_NOW),
    admin("transitionClaim/refund",    FreshPermission("claims.refund"),       NOT_NOW),
    admin("previewClaimRecalculation", Permission("claims.read"),              NOT_NOW),
    admin("setClaimRefundDestination", FreshPermission("claims.refund"),       NOT_NOW),
    admin("listRequisites",            Permission("requisites.read"),          Done),
    admin("createRequisite",           FreshPermission("reserves.requisites"), Done),
    admin("updateRequisite",           FreshPermission("reserves.requisites"), Done),
    admin("importRequisites",          FreshPermission("reserves.requisites"), Done),
    admin("listRequisitePools",        Permission("requisites.read"),          Done),
    admin("updateRequisitePool",       FreshPermission("reserves.requisites"), Done),
    admin("listRequisiteClaims",       Permission("requisites.read"),          Done),
    admin("getRequisiteTotals",        Permission("requisites.read"),          Done),
    admin("downloadRequisiteStatement", Permission("requisites.read"),         Done),
    admin("getTurnover",               Permission("claims.read"),              Done),
    admin("downloadTurnover",          Permission("claims.read"),              Done),
    admin("getTodaysTotals",           Permission("claims.read"),              Done),
    admin("downloadClaims",            Permission("claims.read"),              Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let claim = |id: &str| format!("/api/admin/v1/claims/{id}");
    Some(match name {
        "listClaims" => get("/api/admin/v1/claims?group=open"),
        "getClaim" => get(claim(&fixtures.claim)),
        "getClaimReceipt" => {
            let whole = fixtures.owner().get(&claim(&fixtures.claim)).await.ok();
            get(format!("{}/receipts/{}", claim(&fixtures.claim), text(&whole["receipts"][0]["id"])))
        }
        "streamChanges" => get("/api/admin/v1/live"),
        "lockClaim" => post_empty(format!("{}/lock", claim(&fixtures.new_claim().await))),
        "unlockClaim" => post_empty(format!("{}/unlock", claim(&fixtures.new_claim().await))),
        "addClaimNote" => post(format!("{}/notes", claim(&fixtures.claim)), json!({ "text": "We called the bank." })),
        "transitionClaim" => moving(fixtures, json!({ "action": "payment_seen", "txId": fixtures.email() })).await,
        "transitionClaim/amount" => moving(fixtures, json!({ "action": "amount_mismatch", "amount": "0.01" })).await,
        "transitionClaim/payout" => moving(fixtures, json!({ "action": "payout_sent", "txId": fixtures.email() })).await,
        "transitionClaim/refund" => moving(fixtures, json!({ "action": "refund", "reason": "customer_choice" })).await,
        "previewClaimRecalculation" => get(format!("{}/recalculation", claim(&fixtures.confirmed_claim().await))),
        "setClaimRefundDestination" => {
            let path = claim(&fixtures.confirmed_claim().await);
            let revision = fixtures.owner().get(&path).await.ok()["revision"].clone();
            let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
            let body = json!({ "revision": revision, "requisites": { "address": address }, "note": "by mail" });
            post(format!("{path}/refund-destination"), body)
        }
        "listRequisites" => get("/api/admin/v1/requisites"),
        "createRequisite" => {
            let new = json!({ "currencyId": fixtures.currency("SBERRUB"), "value": agio_test_app::card_number(fixtures.number().into()), "holder": "IVAN PETROV", "dailyLimit": "200000" });
            post("/api/admin/v1/requisites", new)
        }
        "updateRequisite" => {
            patch(format!("/api/admin/v1/requisites/{}", fixtures.requisite), json!({ "holder": "IVAN PETROV", "memo": "17" }))
        }
        "importRequisites" => {
            let text = agio_test_app::card_number(fixtures.number().into());
            post("/api/admin/v1/requisites/import", json!({ "currencyId": fixtures.currency("SBERRUB"), "text": text }))
        }
        "listRequisitePools" => get("/api/admin/v1/requisite-pools"),
        "updateRequisitePool" => {
            let path = format!("/api/admin/v1/requisite-pools/{}", fixtures.currency("SBERRUB"));
            put(path, json!({ "rotation": "priority" }))
        }
        "listRequisiteClaims" => get(format!("/api/admin/v1/requisites/{}/statement", fixtures.requisite)),
        "getRequisiteTotals" => get(format!("/api/admin/v1/requisites/{}/totals", fixtures.requisite)),
        "downloadRequisiteStatement" => get(format!("/api/admin/v1/requisites/{}/statement/csv", fixtures.requisite)),
        "getTurnover" => get("/api/admin/v1/turnover"),
        "downloadTurnover" => get("/api/admin/v1/turnover/csv"),
        "getTodaysTotals" => get("/api/admin/v1/turnover/today"),
        "downloadClaims" => get("/api/admin/v1/claims/csv"),
        _ => return None,
    })
}

/// A transition of a claim that waits for its payment.
async fn moving(fixtures: &Fixtures, mut step: serde_json::Value) -> Call {
    let path = format!("/api/admin/v1/claims/{}", fixtures.confirmed_claim().await);
    step["revision"] = fixtures.owner().get(&path).await.ok()["revision"].clone();
    post(format!("{path}/transitions"), step)
}
