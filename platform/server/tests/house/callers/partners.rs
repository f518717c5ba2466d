//! Partners at the console, and the partner access of Anna's account. What partners call themselves is of a document of its own, and of keys
//! in place of people.

use agio_testkit::Customer;
use serde_json::{Value, json};

use super::table::Need::{May, MayFresh};
use super::table::Who;
use super::table::{Call, Cell, Done, NoToken, Row, desk, get, missing, patch, post, post_empty, site};
use super::world::{World, text};

const DESK: &str = "/api/admin/v1/partners";
const MINE: &str = "/api/v1/users/me/partner/";

/// Anna and Boris have asked for access, whoever is not activated cannot.
const NOTHING: Cell = missing("partner_not_found");
const NO_KEY: Cell = missing("partner_key_not_found");
const NO_NEWS: Cell = missing("message_not_found");
const NOT_ACTIVE: Cell = Cell::Told(409, "not_activated");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                             guest    owner    other    inactive    banned   staff
    site("getMyPartnerAccess",    [NoToken, Done,    Done,    Done,       NoToken, NoToken]),
    site("askForPartnerAccess",   [NoToken, Done,    Done,    NOT_ACTIVE, NoToken, NoToken]),
    site("changeMyPartnerAccess", [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    site("changeMyPartnerSecret", [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    site("addMyPartnerKey",       [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    site("revokeMyPartnerKey",    [NoToken, Done,    NO_KEY,  NOTHING,    NoToken, NoToken]),
    site("listMyPartnerNews",     [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    // They were told nothing so far.
    site("resendMyPartnerNews",   [NoToken, NO_NEWS, NO_NEWS, NOTHING,    NoToken, NoToken]),

    desk("listPartners",        May("partners.read"),        Done),
    desk("addPartner",          MayFresh("partners.manage"), Done),
    desk("decidePartner",       MayFresh("partners.manage"), Done),
    desk("payPartner",          MayFresh("partners.pay"),    Cell::Told(422, "validation_failed")),
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
    let factor = || json!({ "password": Customer::PASSWORD });
    Some(match name {
        "getMyPartnerAccess" => get(MINE),
        "askForPartnerAccess" => post(MINE, site_of(world)),
        "changeMyPartnerAccess" => {
            asked(world).await;
            patch(MINE, json!({ "email": world.email(), "callbackUrl": "", "password": Customer::PASSWORD }))
        }
        "changeMyPartnerSecret" => {
            asked(world).await;
            post(format!("{MINE}secret/"), factor())
        }
        "addMyPartnerKey" => {
            asked(world).await;
            post(format!("{MINE}keys/"), own_key())
        }
        "revokeMyPartnerKey" => {
            asked(world).await;
            // There are only so many keys at a time.
            let made = world.anna.caller.post(&format!("{MINE}keys/"), own_key()).await.ok();
            post_empty(format!("{MINE}keys/{}/revoke/", text(&made["key"]["id"])))
        }
        "listMyPartnerNews" => {
            asked(world).await;
            get(format!("{MINE}news/"))
        }
        "resendMyPartnerNews" => {
            asked(world).await;
            post_empty(format!("{MINE}news/1/resend/"))
        }
        "decidePartner" => {
            asked(world).await;
            let rows = world.owner().get(DESK).await.ok();
            let row =
                rows.as_array().unwrap().iter().find(|row| row["customerEmail"] == world.anna.email.as_str()).unwrap().clone();
            let decision = json!({ "decision": "decline", "revision": row["revision"], "reason": "The site does not open." });
            post(format!("{DESK}/{}/decision", text(&row["id"])), decision)
        }
        // Nothing was earned so far; only whoever may pay learns that.
        "payPartner" => {
            let payout = json!({ "currency": "NOTHING", "amount": "1", "txId": "tx-1" });
            post(format!("{}/payouts", made(world, new()).await.0), payout)
        }
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

/// Anna and Boris ask for access, again where they were declined.
async fn asked(world: &World) {
    for who in [Who::Owner, Who::Other] {
        world.caller(who).post(MINE, site_of(world)).await.ok();
    }
}

fn site_of(world: &World) -> Value {
    json!({ "name": "Shop", "site": "https://shop.example", "email": world.email(), "callbackUrl": "https://shop.example/agio" })
}

fn own_key() -> Value {
    json!({ "title": "Server", "sandbox": true, "scopes": ["read"] })
}

/// A partner that is added, and where it is.
async fn made(world: &World, new: Value) -> (String, Value) {
    let partner = world.owner().post(DESK, new).await.ok()["partner"].clone();
    (format!("{DESK}/{}", text(&partner["id"])), partner)
}
