//! Partners at the console. What partners call themselves is of a document of its own, and of keys in place of people.

use serde_json::{Value, json};

use super::table::Need::{May, MayFresh};
use super::table::{Call, Done, Row, desk, get, missing, patch, post, post_empty};
use super::world::{World, text};

const DESK: &str = "/api/admin/v1/partners";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("listPartners",        May("partners.read"),        Done),
    desk("addPartner",          MayFresh("partners.manage"), Done),
    desk("getPartner",          May("partners.read"),        Done),
    desk("changePartner",       MayFresh("partners.manage"), Done),
    desk("changePartnerSecret", MayFresh("partners.manage"), Done),
    desk("addPartnerKey",       MayFresh("partners.manage"), Done),
    desk("revokePartnerKey",    May("partners.manage"),      Done),
    desk("listPartnerNews",     May("partners.read"),        Done),
    // The partner was told nothing so far; only whoever may tell them again learns that.
    desk("resendPartnerNews",   May("partners.manage"),      missing("message_not_found")),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let new = || json!({ "name": format!("Wallet {}", world.number()), "email": world.email(), "callbackUrl": "https://wallet.example/agio" });
    let key = || json!({ "title": "Server", "sandbox": true, "scopes": ["read", "quote", "claim"], "perMinute": 600 });
    Some(match name {
        "listPartners" => get(DESK),
        "addPartner" => post(DESK, new()),
        "getPartner" => get(made(world, new()).await.0),
        "changePartner" => {
            let (path, partner) = made(world, new()).await;
            patch(path, json!({ "revision": partner["revision"], "email": world.email() }))
        }
        "changePartnerSecret" => post_empty(format!("{}/secret", made(world, new()).await.0)),
        "addPartnerKey" => post(format!("{}/keys", made(world, new()).await.0), key()),
        "revokePartnerKey" => {
            let keys = format!("{}/keys", made(world, new()).await.0);
            let given = world.owner().post(&keys, key()).await.ok();
            post_empty(format!("{keys}/{}/revoke", text(&given["key"]["id"])))
        }
        "listPartnerNews" => get(format!("{}/news", made(world, new()).await.0)),
        "resendPartnerNews" => post_empty(format!("{}/news/1/resend", made(world, new()).await.0)),
        _ => return None,
    })
}

/// A partner that is added, and where it is.
async fn made(world: &World, new: Value) -> (String, Value) {
    let partner = world.owner().post(DESK, new).await.ok()["partner"].clone();
    (format!("{DESK}/{}", text(&partner["id"])), partner)
}
