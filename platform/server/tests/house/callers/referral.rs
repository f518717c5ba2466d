//! The referral programme: Anna brings others, is looked after at the console, and is paid.

use std::time::Duration;

use serde_json::{Value, json};

use super::table::Need::{May, MayFresh};
use super::table::{Call, Cell, Done, NoToken, Row, Told, desk, get, post, put, site};
use super::world::{World, text};
use crate::examples;

const MINE: &str = "/api/v1/users/me/refferal/";
const DESK: &str = "/api/admin/v1/referral";

const NOTHING: Cell = Told(409, "balance_too_low");
const NOT_ACTIVE: Cell = Told(409, "not_activated");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                 guest    owner other    inactive    banned   staff
    site("countReferralVisit",        [Done,    Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferral",             [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferralHistory",      [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("downloadMyReferralHistory", [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferralDays",         [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("getMyReferralWithdrawals",  [NoToken, Done, Done,    Done,       NoToken, NoToken]),
    site("withdrawMyReferral",        [NoToken, Done, NOTHING, NOT_ACTIVE, NoToken, NoToken]),

    desk("listReferralProgrammes",         May("referral.read"),       Done),
    desk("addReferralProgramme",           MayFresh("referral.terms"), Done),
    desk("changeReferralProgramme",        MayFresh("referral.terms"), Done),
    desk("listReferrers",                  May("referral.read"),       Done),
    desk("getReferrer",                    May("referral.read"),       Done),
    desk("giveReferrerProgramme",          MayFresh("referral.terms"), Done),
    desk("listReferralAccruals",           May("referral.read"),       Done),
    desk("decideReferralAccrual",          May("referral.review"),     Done),
    desk("listReferralWithdrawals",        May("referral.read"),       Done),
    desk("getReferralWithdrawal",          May("referral.read"),       Done),
    desk("moveReferralWithdrawal/refuse",  May("referral.pay"),        Done),
    desk("moveReferralWithdrawal/approve", MayFresh("referral.pay"),   Done),
    desk("moveReferralWithdrawal/pay",     MayFresh("referral.pay"),   Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let desk = |path: &str| format!("{DESK}/{path}");
    Some(match name {
        "countReferralVisit" => post("/api/v1/referral/visits/", json!({ "code": annas_code(world).await })),
        "getMyReferral" => get(MINE),
        "getMyReferralHistory" => get(format!("{MINE}dw/")),
        "downloadMyReferralHistory" => get(format!("{MINE}dw/csv/")),
        "getMyReferralDays" => get(format!("{MINE}days/")),
        "getMyReferralWithdrawals" => get(format!("{MINE}withdrawal/")),
        "withdrawMyReferral" => {
            has_earned(world).await;
            post(format!("{MINE}withdrawal/"), wish(world))
        }
        "listReferralProgrammes" => get(desk("programmes")),
        "addReferralProgramme" => post(desk("programmes"), terms(&format!("Bloggers {}", world.number()))),
        "changeReferralProgramme" => {
            let (path, change) = change_of_terms(world).await;
            put(path, change)
        }
        "listReferrers" => get(desk("referrers")),
        "getReferrer" => get(anna(world).await),
        "giveReferrerProgramme" => put(format!("{}/programme", anna(world).await), json!({ "programmeId": null })),
        "listReferralAccruals" => get(desk("accruals")),
        "decideReferralAccrual" => {
            let verdict = json!({ "decision": "refuse", "words": "The referrer's own claim." });
            post(desk(&format!("accruals/{}/decision", flagged(world).await)), verdict)
        }
        "listReferralWithdrawals" => get(desk("withdrawals")),
        "getReferralWithdrawal" => get(asked(world).await),
        "moveReferralWithdrawal/refuse" => {
            let reason = "The address is not the referrer's.";
            post(format!("{}/steps", asked(world).await), json!({ "action": "refuse", "revision": 1, "reason": reason }))
        }
        "moveReferralWithdrawal/approve" => {
            post(format!("{}/steps", asked(world).await), json!({ "action": "approve", "revision": 1 }))
        }
        "moveReferralWithdrawal/pay" => {
            let steps = format!("{}/steps", asked(world).await);
            let approved = world.owner().post(&steps, json!({ "action": "approve", "revision": 1 })).await.ok();
            let tx = format!("payout-{}", world.number());
            post(steps, json!({ "action": "pay", "revision": approved["revision"], "txId": tx }))
        }
        _ => return None,
    })
}

/// Terms by which much is earned at once, and little is enough for a withdrawal.
fn terms(name: &str) -> Value {
    json!({
        "name": name, "kind": "amount", "tiers": [{ "from": "0", "percent": "10" }],
        "accrualMin": "0.01", "holdHours": 0, "withdrawalMin": "1",
    })
}

/// What gives these terms to everybody.
async fn change_of_terms(world: &World) -> (String, Value) {
    let common = world.owner().get(&format!("{DESK}/programmes")).await.ok()[0].clone();
    let change = json!({ "revision": common["revision"], "terms": terms("Standard") });
    (format!("{DESK}/programmes/{}", text(&common["id"])), change)
}

/// The code in Anna's link.
async fn annas_code(world: &World) -> String {
    text(&world.anna.caller.get(MINE).await.ok()["code"])
}

/// Anna among the referrers.
async fn anna(world: &World) -> String {
    let found = world.owner().get(&format!("{DESK}/referrers?q={}", annas_code(world).await)).await.ok();
    format!("{DESK}/referrers/{}", text(&found["items"][0]["id"]))
}

/// A withdrawal of the least amount.
fn wish(world: &World) -> Value {
    let tether = world.currency("USDTTRC20");
    json!({ "amount": "1", "currencyId": tether, "requisites": { "address": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" } })
}

/// A withdrawal that Anna asked for just now.
async fn asked(world: &World) -> String {
    has_earned(world).await;
    let asked = world.anna.caller.post(&format!("{MINE}withdrawal/"), wish(world)).await.ok();
    format!("{DESK}/withdrawals/{}", text(&asked["id"]))
}

/// Makes sure that Anna has enough for a withdrawal.
async fn has_earned(world: &World) {
    let mine = world.anna.caller.get(MINE).await.ok();
    let balance: rust_decimal::Decimal = text(&mine["balance"]).parse().expect("a balance is a number");
    if balance < rust_decimal::Decimal::ONE {
        let (path, change) = change_of_terms(world).await;
        world.owner().put(&path, change).await.ok();
        comes(world, &world.email()).await;
        world.house.later(Duration::ZERO).await;
    }
}

/// Something Anna earned by herself, so that it waits for a decision. Whoever may not decide leaves it for the next.
async fn flagged(world: &World) -> String {
    let waits = async || world.owner().get(&format!("{DESK}/accruals?tab=open")).await.ok()["items"][0]["id"].clone();
    if waits().await.is_null() {
        comes(world, &world.anna.email).await;
    }
    text(&waits().await)
}

/// Somebody exchanges by Anna's link.
async fn comes(world: &World, email: &str) {
    let visitor = world.house.customer().from_address(&world.address());
    let mut order = examples::order(&world.house, &format!("0.005{:04}", world.number()));
    order["email"] = email.into();
    order["refferal"] = annas_code(world).await.into();
    let claim = text(&visitor.post("/api/v1/claim/", order).await.ok()["id"]);
    for step in ["confirm", "paid"] {
        visitor.post_empty(&format!("/api/v1/claim/{claim}/{step}/")).await.ok();
    }
    world.step(&claim, json!({ "action": "payment_received", "txId": format!("in-{claim}") })).await;
    world.step(&claim, json!({ "action": "take" })).await;
    world.step(&claim, json!({ "action": "payout_sent", "txId": format!("out-{claim}") })).await;
    world.step(&claim, json!({ "action": "complete" })).await;
}
