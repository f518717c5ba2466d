//! Partners at the console, and the partner access of Anna's account. What partners call themselves is of a document of
//! its own, and of keys in place of people.

use agio_test_app::TestCustomer;
use serde_json::{Value, json};

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, Permission};
use super::row::CallerKind;
use super::row::{Call, Done, Expected, NoToken, Row, admin, get, not_found, patch, post, post_empty, site};

const ADMIN: &str = "/api/admin/v1/partners";
const MINE: &str = "/api/v1/users/me/partner/";

/// Anna and Boris have requested access; inactive customers cannot.
const NOTHING: Expected = not_found("partner_not_found");
const NO_KEY: Expected = not_found("partner_key_not_found");
const NO_NEWS: Expected = not_found("message_not_found");
const NOT_ACTIVE: Expected = Expected::Refused(409, "not_activated");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                      guest    owner    other    inactive    banned   staff
    site("getMyPartnerAccess",             [NoToken, Done,    Done,    Done,       NoToken, NoToken]),
    site("requestPartnerAccess",           [NoToken, Done,    Done,    NOT_ACTIVE, NoToken, NoToken]),
    site("updateMyPartnerAccess",          [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    site("rotateMyPartnerWebhookSecret",   [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    site("createMyPartnerKey",             [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    site("revokeMyPartnerKey",             [NoToken, Done,    NO_KEY,  NOTHING,    NoToken, NoToken]),
    site("listMyPartnerWebhookDeliveries", [NoToken, Done,    Done,    NOTHING,    NoToken, NoToken]),
    // There are no deliveries yet.
    site("redeliverMyPartnerWebhook",      [NoToken, NO_NEWS, NO_NEWS, NOTHING,    NoToken, NoToken]),

    admin("listPartners",                 Permission("partners.read"),        Done),
    admin("createPartner",                FreshPermission("partners.manage"), Done),
    admin("decidePartnerAccess",          FreshPermission("partners.manage"), Done),
    admin("createPartnerPayout",          FreshPermission("partners.pay"),    Expected::Refused(422, "validation_failed")),
    admin("getPartner",                   Permission("partners.read"),        Done),
    admin("updatePartner",                FreshPermission("partners.manage"), Done),
    admin("rotatePartnerWebhookSecret",   FreshPermission("partners.manage"), Done),
    admin("createPartnerKey",             FreshPermission("partners.manage"), Done),
    admin("revokePartnerKey",             Permission("partners.manage"),      Done),
    admin("listPartnerWebhookDeliveries", Permission("partners.read"),        Done),
    // There are no deliveries yet, which only callers with the permission learn.
    admin("redeliverPartnerWebhook",      Permission("partners.manage"),      not_found("message_not_found")),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let new = || json!({ "name": format!("Wallet {}", fixtures.number()), "email": fixtures.email(), "callbackUrl": "https://wallet.example/agio" });
    let key = || json!({ "title": "Server", "sandbox": true, "scopes": ["read", "quote", "claim"], "perMinute": 600 });
    let factor = || json!({ "password": TestCustomer::PASSWORD });
    Some(match name {
        "getMyPartnerAccess" => get(MINE),
        "requestPartnerAccess" => post(MINE, site_of(fixtures)),
        "updateMyPartnerAccess" => {
            request_access(fixtures).await;
            patch(MINE, json!({ "email": fixtures.email(), "callbackUrl": "", "password": TestCustomer::PASSWORD }))
        }
        "rotateMyPartnerWebhookSecret" => {
            request_access(fixtures).await;
            post(format!("{MINE}secret/"), factor())
        }
        "createMyPartnerKey" => {
            request_access(fixtures).await;
            post(format!("{MINE}keys/"), own_key())
        }
        "revokeMyPartnerKey" => {
            request_access(fixtures).await;
            // The number of keys is limited.
            let created = fixtures.anna.caller.post(&format!("{MINE}keys/"), own_key()).await.ok();
            post_empty(format!("{MINE}keys/{}/revoke/", text(&created["key"]["id"])))
        }
        "listMyPartnerWebhookDeliveries" => {
            request_access(fixtures).await;
            get(format!("{MINE}webhook-deliveries/"))
        }
        "redeliverMyPartnerWebhook" => {
            request_access(fixtures).await;
            post_empty(format!("{MINE}webhook-deliveries/1/resend/"))
        }
        "decidePartnerAccess" => {
            request_access(fixtures).await;
            let rows = fixtures.owner().get(ADMIN).await.ok();
            let row =
                rows.as_array().unwrap().iter().find(|row| row["customerEmail"] == fixtures.anna.email.as_str()).unwrap().clone();
            let decision = json!({ "decision": "decline", "revision": row["revision"], "reason": "The site does not open." });
            post(format!("{ADMIN}/{}/decision", text(&row["id"])), decision)
        }
        // Nothing was earned yet, which only callers with the permission learn.
        "createPartnerPayout" => {
            let payout = json!({ "currency": "NOTHING", "amount": "1", "txId": "tx-1" });
            post(format!("{}/payouts", create_partner(fixtures, new()).await.0), payout)
        }
        "listPartners" => get(ADMIN),
        "createPartner" => post(ADMIN, new()),
        "getPartner" => get(create_partner(fixtures, new()).await.0),
        "updatePartner" => {
            let (path, partner) = create_partner(fixtures, new()).await;
            patch(path, json!({ "revision": partner["revision"], "email": fixtures.email() }))
        }
        "rotatePartnerWebhookSecret" => post_empty(format!("{}/secret", create_partner(fixtures, new()).await.0)),
        "createPartnerKey" => post(format!("{}/keys", create_partner(fixtures, new()).await.0), key()),
        "revokePartnerKey" => {
            let keys = format!("{}/keys", create_partner(fixtures, new()).await.0);
            let given = fixtures.owner().post(&keys, key()).await.ok();
            post_empty(format!("{keys}/{}/revoke", text(&given["key"]["id"])))
        }
        "listPartnerWebhookDeliveries" => get(format!("{}/webhook-deliveries", create_partner(fixtures, new()).await.0)),
        "redeliverPartnerWebhook" => {
            post_empty(format!("{}/webhook-deliveries/1/resend", create_partner(fixtures, new()).await.0))
        }
        _ => return None,
    })
}

/// Anna and Boris ask for access, again where they were declined.
async fn request_access(fixtures: &Fixtures) {
    for kind in [CallerKind::Owner, CallerKind::Other] {
        fixtures.caller(kind).post(MINE, site_of(fixtures)).await.ok();
    }
}

fn site_of(fixtures: &Fixtures) -> Value {
    json!({ "name": "Shop", "site": "https://shop.example", "email": fixtures.email(), "callbackUrl": "https://shop.example/agio" })
}

fn own_key() -> Value {
    json!({ "title": "Server", "sandbox": true, "scopes": ["read"] })
}

/// A partner that is added, and where it is.
async fn create_partner(fixtures: &Fixtures, new: Value) -> (String, Value) {
    let partner = fixtures.owner().post(ADMIN, new).await.ok()["partner"].clone();
    (format!("{ADMIN}/{}", text(&partner["id"])), partner)
}
