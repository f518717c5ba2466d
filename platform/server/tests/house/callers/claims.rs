//! Claims as customers see them. Whoever has a claim's link, which nobody guesses, follows it and goes on with it; its requisites and its
//! address are whole for its owner alone, and only they say where money goes back to.

use serde_json::json;

use super::table::{Call, Cell, Done, Masked, NoToken, Row, Told, Whole, delete, get, missing, post, post_empty, site, upload};
use super::world::World;
use crate::examples;

const UNCONFIRMED: Cell = Told(409, "not_activated");
const NOT_OWNER: Cell = Told(403, "claim_owner_only");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                            guest      owner  other      inactive   banned   staff
    site("createClaim",          [Done,      Done,  Done,      Done,      NoToken, NoToken]),
    site("checkCaptcha",         [Done,      Done,  Done,      Done,      NoToken, NoToken]),
    site("findClaims",           [Done,      Done,  Done,      Done,      NoToken, NoToken]),
    site("getClaimForm",         [Masked,    Whole, Masked,    Masked,    NoToken, NoToken]),
    site("getClaimStatus",       [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("getClaimRequisite",    [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("followClaim",          [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("confirmClaim",         [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("uploadClaimReceipt",   [Done,      Done,  Done,      Done,      NoToken, NoToken]),
    site("claimIsPaid",          [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("cancelClaim",          [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("acceptClaimOffer",     [Masked,    Done,  Masked,    Masked,    NoToken, NoToken]),
    site("refundClaim",          [NOT_OWNER, Done,  NOT_OWNER, NOT_OWNER, NoToken, NoToken]),
    site("getMyClaims",          [NoToken,   Done,  Done,      Done,      NoToken, NoToken]),
    site("getMyRequisites",      [NoToken,   Done,  Done,      Done,      NoToken, NoToken]),
    site("keepMyRequisites",     [NoToken,   Done,  Done,      UNCONFIRMED, NoToken, NoToken]),
    site("openMyRequisites",     [NoToken,   Done,  NOT_KEPT,  NOT_KEPT,  NoToken, NoToken]),
    site("forgetMyRequisites",   [NoToken,   Done,  NOT_KEPT,  NOT_KEPT,  NoToken, NoToken]),
];

const NOT_KEPT: Cell = missing("saved_requisites_not_found");

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let of = |claim: &str, call: &str| format!("/api/v1/claim/{claim}/{call}/");
    Some(match name {
        "createClaim" => {
            let mut order = examples::order(&world.house, "0.005");
            order["email"] = world.email().into();
            post("/api/v1/claim/", order)
        }
        "checkCaptcha" => get("/api/v1/claim/captchacheck"),
        "findClaims" => post("/api/v1/claim/find/", json!({ "email": world.email() })),
        "getClaimForm" => get(of(&world.claim, "form")),
        "getClaimStatus" => get(of(&world.claim, "status")),
        "getClaimRequisite" => get(of(&world.claim, "requisite")),
        "followClaim" => get(of(&world.claim, "events")),
        "confirmClaim" => post_empty(of(&world.new_claim().await, "confirm")),
        "uploadClaimReceipt" => upload(of(&world.confirmed_claim().await, "bill")),
        "claimIsPaid" => post_empty(of(&world.confirmed_claim().await, "paid")),
        "cancelClaim" => post_empty(of(&world.new_claim().await, "cancel")),
        "acceptClaimOffer" => post(of(&world.paid, "accept"), json!({ "fromSumma": "0.005", "toSumma": "1" })),
        "refundClaim" => {
            let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
            post(of(&world.short, "refund"), back)
        }
        "getMyClaims" => get("/api/v1/users/me/claims/"),
        "getMyRequisites" => get("/api/v1/users/me/requisites/"),
        "keepMyRequisites" => post("/api/v1/users/me/requisites/", card(world)),
        "openMyRequisites" => get(kept(world).await),
        "forgetMyRequisites" => delete(kept(world).await),
        _ => return None,
    })
}

fn card(world: &World) -> serde_json::Value {
    let sber = world.house.app.calculator.market().currency_named("SBERRUB").expect("the demonstration has it").id();
    json!({ "currencyId": sber, "values": { "card": "2200000000000004", "holder": "ANNA PETROVA" } })
}

/// The address of requisites that Anna keeps.
async fn kept(world: &World) -> String {
    let kept = world.anna.caller.post("/api/v1/users/me/requisites/", card(world)).await.ok();
    format!("/api/v1/users/me/requisites/{}/", super::world::text(&kept["id"]))
}
