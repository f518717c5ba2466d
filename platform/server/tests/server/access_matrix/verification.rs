//! What customers have shown by photos, as they see it and as staff do. The verification of an account is its owner's
//! alone.

use serde_json::json;

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, NoToken, Refused, Row, admin, get, not_found, post, site, upload};

const NONE: Expected = not_found("verification_not_found");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                               guest    owner other inactive banned staff
    site("getVerification",         [NONE,    Done, NONE, NONE, NoToken, NoToken]),
    site("uploadVerificationPhoto", [NONE,    Done, NONE, NONE, NoToken, NoToken]),
    site("listMyVerifications",     [NoToken, Done, Done, Done, NoToken, NoToken]),

    admin("listVerifications",      Permission("verification.read"), Done),
    admin("getVerificationDetails", Permission("verification.read"), Done),
    admin("createVerification",     Permission("claims.verify"),     Refused(409, "verification_open")),
    admin("getVerificationPhoto",   Permission("claims.verify"),     Done),
    admin("decideVerification",     FreshPermission("claims.verify"), Refused(409, "verification_changed")),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let admin_path = format!("/api/admin/v1/verifications/{}", fixtures.verification);
    Some(match name {
        "getVerification" => get(format!("/api/v1/verify/{}/", fixtures.verification)),
        "uploadVerificationPhoto" => upload(format!("/api/v1/verify/{}/photos/", fixtures.verification)),
        "listMyVerifications" => get("/api/v1/users/me/verifications/"),
        "listVerifications" => get("/api/admin/v1/verifications"),
        "getVerificationDetails" => get(admin_path),
        "createVerification" => post("/api/admin/v1/verifications", json!({ "email": fixtures.anna.email })),
        "getVerificationPhoto" => get(format!("{admin_path}/photos/{}", fixtures.photo)),
        "decideVerification" => post(format!("{admin_path}/decision"), json!({ "decision": "accept", "revision": 0 })),
        _ => return None,
    })
}
