//! Claims as customers see them. Anyone with the link of a claim may act on it. Only its owner sees the whole payment
//! details and email address, and only the owner may request a refund or the return of a surplus.

use serde_json::json;

use super::fixtures::Fixtures;
use super::row::{
    Call, Done, Expected, Masked, NoToken, Refused, Row, Unmasked, delete, get, not_found, post, post_empty, site, upload,
};
use crate::examples;

const UNCONFIRMED: Expected = Refused(409, "not_activated");
const NOT_OWNER: Expected = Refused(403, "claim_owner_only");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                              guest      owner     other      inactive     banned   staff
    site("createClaim",            [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("checkCaptcha",           [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("getPaymentAvailability", [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("findClaims",             [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("getClaimForm",           [Masked,    Unmasked, Masked,    Masked,      NoToken, NoToken]),
    site("getClaimStatus",         [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("getClaimPaymentDetails", [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("streamClaimEvents",      [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("confirmClaim",           [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("uploadClaimReceipt",     [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("reportClaimPayment",     [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("cancelClaim",            [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("acceptClaimOffer",       [Masked,    Done,     Masked,    Masked,      NoToken, NoToken]),
    site("requestClaimRefund",     [NOT_OWNER, Done,     NOT_OWNER, NOT_OWNER,   NoToken, NoToken]),
    site("returnClaimSurplus",     [NOT_OWNER, Done,     NOT_OWNER, NOT_OWNER,   NoToken, NoToken]),
    site("getPushKey",             [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("createClaimPushSubscription", [Done, Done,     Done,      Done,        NoToken, NoToken]),
    site("getClaimPushSubscription", [Done,    Done,     Done,      Done,        NoToken, NoToken]),
    site("deleteClaimPushSubscription", [Done, Done,     Done,      Done,        NoToken, NoToken]),
    site("createMyPushSubscription", [NoToken, Done,     Done,      Done,        NoToken, NoToken]),
    site("getMyPushSubscription",  [NoToken,   Done,     NOT_SUBSCRIBED, NOT_SUBSCRIBED, NoToken, NoToken]),
    site("deleteMyPushSubscription", [NoToken, Done,     NOT_SUBSCRIBED, NOT_SUBSCRIBED, NoToken, NoToken]),
    site("createClaimChatLink",    [NO_MESSENGER, NO_MESSENGER, NO_MESSENGER, NO_MESSENGER, NoToken, NoToken]),
    site("listClaimChats",         [Done,      Done,     Done,      Done,        NoToken, NoToken]),
    site("createMyChatLink",       [NoToken,   NO_MESSENGER, NO_MESSENGER, NO_MESSENGER, NoToken, NoToken]),
    site("listMyChats",            [NoToken,   Done,     Done,      Done,        NoToken, NoToken]),
    site("listMyClaims",           [NoToken,   Done,     Done,      Done,        NoToken, NoToken]),
    site("listSavedRequisites",    [NoToken,   Done,     Done,      Done,        NoToken, NoToken]),
    site("saveRequisites",         [NoToken,   Done,     Done,      UNCONFIRMED, NoToken, NoToken]),
    site("getSavedRequisites",     [NoToken,   Done,     NOT_SAVED,  NOT_SAVED,    NoToken, NoToken]),
    site("deleteSavedRequisites",  [NoToken,   Done,     NOT_SAVED,  NOT_SAVED,    NoToken, NoToken]),
];

const NO_MESSENGER: Expected = not_found("messenger_not_found");
const NOT_SUBSCRIBED: Expected = not_found("push_subscription_not_found");
const NOT_SAVED: Expected = not_found("saved_requisites_not_found");

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let of = |claim: &str, call: &str| format!("/api/v1/claim/{claim}/{call}/");
    Some(match name {
        "createClaim" => {
            let mut order = examples::order(&fixtures.app, "0.005");
            order["email"] = fixtures.email().into();
            post("/api/v1/claim/", order)
        }
        "checkCaptcha" => get("/api/v1/claim/captchacheck"),
        "getPaymentAvailability" => get(format!("/api/v1/claim/availability?currencyId={}", fixtures.currency("BTC"))),
        "findClaims" => post("/api/v1/claim/find/", json!({ "email": fixtures.email() })),
        "getClaimForm" => get(of(&fixtures.claim, "form")),
        "getClaimStatus" => get(of(&fixtures.claim, "status")),
        "getClaimPaymentDetails" => get(of(&fixtures.claim, "requisite")),
        "streamClaimEvents" => get(of(&fixtures.claim, "events")),
        "confirmClaim" => post_empty(of(&fixtures.new_claim().await, "confirm")),
        "uploadClaimReceipt" => upload(of(&fixtures.confirmed_claim().await, "bill")),
        "reportClaimPayment" => post_empty(of(&fixtures.confirmed_claim().await, "paid")),
        "cancelClaim" => post_empty(of(&fixtures.new_claim().await, "cancel")),
        "acceptClaimOffer" => post(of(&fixtures.paid, "accept"), json!({ "fromSumma": "0.005", "toSumma": "1" })),
        "requestClaimRefund" => {
            let back = json!({ "requisites": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } });
            post(of(&fixtures.short, "refund"), back)
        }
        "returnClaimSurplus" => post(of(&fixtures.overpaid, "surplus"), fixtures.surplus_choice.clone()),
        "getPushKey" => get("/api/v1/push/key/"),
        "createClaimPushSubscription" => post(of(&fixtures.new_claim().await, "push"), examples::push_subscription()),
        "getClaimPushSubscription" => {
            let path = of(&fixtures.new_claim().await, "push");
            get(create_push_subscription(fixtures, &path).await)
        }
        "deleteClaimPushSubscription" => {
            let path = of(&fixtures.new_claim().await, "push");
            delete(create_push_subscription(fixtures, &path).await)
        }
        "createMyPushSubscription" => post(MY_PUSH, examples::push_subscription()),
        "getMyPushSubscription" => get(create_push_subscription(fixtures, MY_PUSH).await),
        "deleteMyPushSubscription" => delete(create_push_subscription(fixtures, MY_PUSH).await),
        "createClaimChatLink" => post_empty(of(&fixtures.new_claim().await, "messengers/telegram")),
        "listClaimChats" => get(of(&fixtures.new_claim().await, "chats")),
        "createMyChatLink" => post_empty("/api/v1/users/me/messengers/telegram/"),
        "listMyChats" => get("/api/v1/users/me/chats/"),
        "listMyClaims" => get("/api/v1/users/me/claims/"),
        "listSavedRequisites" => get("/api/v1/users/me/requisites/"),
        "saveRequisites" => post("/api/v1/users/me/requisites/", card(fixtures)),
        "getSavedRequisites" => get(create_saved_requisites(fixtures).await),
        "deleteSavedRequisites" => delete(create_saved_requisites(fixtures).await),
        _ => return None,
    })
}

const MY_PUSH: &str = "/api/v1/users/me/push/";

/// The path of a subscription that Anna's browser has made.
async fn create_push_subscription(fixtures: &Fixtures, path: &str) -> String {
    let made = fixtures.anna.caller.post(path, examples::push_subscription()).await.ok();
    format!("{path}{}/", super::fixtures::text(&made["id"]))
}

fn card(fixtures: &Fixtures) -> serde_json::Value {
    let sber = fixtures.app.server.calculator.market().currency_named("SBERRUB").expect("the demonstration has it").id();
    json!({ "currencyId": sber, "values": { "card": "2200000000000004", "holder": "ANNA PETROVA" } })
}

/// The path of Anna's saved payment details.
async fn create_saved_requisites(fixtures: &Fixtures) -> String {
    let saved = fixtures.anna.caller.post("/api/v1/users/me/requisites/", card(fixtures)).await.ok();
    format!("/api/v1/users/me/requisites/{}/", super::fixtures::text(&saved["id"]))
}
