//! Claims as staff work them, and where customers pay.

use serde_json::json;

use super::table::Need::{May, MayFresh};
use super::table::{Call, Cell, Done, Row, Told, desk, get, patch, post, post_empty};
use super::world::{World, text};

/// The claim is not where the step begins, which is only said to those who may make it.
const NOT_NOW: Cell = Told(409, "transition_not_allowed");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("listClaims",       May("claims.read"),              Done),
    desk("getClaim",         May("claims.read"),              Done),
    desk("getReceipt",       May("claims.read"),              Done),
    desk("followHouse",      May("claims.read"),              Done),
    desk("lockClaim",        May("claims.process"),           Done),
    desk("unlockClaim",      May("claims.process"),           Done),
    desk("noteClaim",        May("claims.process"),           Done),
    desk("moveClaim",        May("claims.process"),           Done),
    desk("moveClaim/payout", MayFresh("claims.process"),      NOT_NOW),
    desk("moveClaim/refund", MayFresh("claims.refund"),       NOT_NOW),
    desk("previewRecalculation", May("claims.read"),          NOT_NOW),
    desk("setRefundDestination", MayFresh("claims.refund"),   NOT_NOW),
    desk("listRequisites",   May("requisites.read"),          Done),
    desk("addRequisite",     MayFresh("reserves.requisites"), Done),
    desk("changeRequisite",  MayFresh("reserves.requisites"), Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let claim = |id: &str| format!("/api/admin/v1/claims/{id}");
    Some(match name {
        "listClaims" => get("/api/admin/v1/claims?group=open"),
        "getClaim" => get(claim(&world.claim)),
        "getReceipt" => {
            let whole = world.owner().get(&claim(&world.claim)).await.ok();
            get(format!("{}/receipts/{}", claim(&world.claim), text(&whole["receipts"][0]["id"])))
        }
        "followHouse" => get("/api/admin/v1/live"),
        "lockClaim" => post_empty(format!("{}/lock", claim(&world.new_claim().await))),
        "unlockClaim" => post_empty(format!("{}/unlock", claim(&world.new_claim().await))),
        "noteClaim" => post(format!("{}/notes", claim(&world.claim)), json!({ "text": "The bank was asked." })),
        "moveClaim" => moving(world, json!({ "action": "payment_seen", "txId": world.email() })).await,
        "moveClaim/payout" => moving(world, json!({ "action": "payout_sent", "txId": world.email() })).await,
        "moveClaim/refund" => moving(world, json!({ "action": "refund", "reason": "customer_choice" })).await,
        "previewRecalculation" => get(format!("{}/recalculation", claim(&world.confirmed_claim().await))),
        "setRefundDestination" => {
            let path = claim(&world.confirmed_claim().await);
            let revision = world.owner().get(&path).await.ok()["revision"].clone();
            let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
            let body = json!({ "revision": revision, "requisites": { "address": address }, "note": "by mail" });
            post(format!("{path}/refund-destination"), body)
        }
        "listRequisites" => get("/api/admin/v1/requisites"),
        "addRequisite" => {
            let new = json!({ "currencyId": world.currency("SBERRUB"), "value": card(world), "holder": "IVAN PETROV", "dailyLimit": "200000" });
            post("/api/admin/v1/requisites", new)
        }
        "changeRequisite" => {
            patch(format!("/api/admin/v1/requisites/{}", world.requisite), json!({ "holder": "IVAN PETROV", "memo": "17" }))
        }
        _ => return None,
    })
}

/// A step of a claim that waits for its payment.
async fn moving(world: &World, mut step: serde_json::Value) -> Call {
    let path = format!("/api/admin/v1/claims/{}", world.confirmed_claim().await);
    step["revision"] = world.owner().get(&path).await.ok()["revision"].clone();
    post(format!("{path}/transitions"), step)
}

/// The number of a card nobody has been given yet: its last digit makes the sum of Luhn whole.
fn card(world: &World) -> String {
    let body = format!("22020{:010}", world.number());
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            if place % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}
