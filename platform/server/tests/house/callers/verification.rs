//! What customers have shown by photos, as they see it and as staff do. The verification of an account is its owner's alone.

use serde_json::json;

use super::table::Need::May;
use super::table::{Call, Cell, Done, NoToken, Row, Told, desk, get, missing, post, site, upload};
use super::world::World;

const NONE: Cell = missing("verification_not_found");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                             guest    owner  other  inactive banned   staff
    site("getVerification",       [NONE,    Done,  NONE,  NONE,    NoToken, NoToken]),
    site("sendVerificationPhoto", [NONE,    Done,  NONE,  NONE,    NoToken, NoToken]),
    site("getMyVerifications",    [NoToken, Done,  Done,  Done,    NoToken, NoToken]),

    desk("listVerifications",    May("verification.read"), Done),
    desk("getDeskVerification",  May("verification.read"), Done),
    desk("askVerification",      May("claims.verify"),     Told(409, "verification_open")),
    desk("getVerificationPhoto", May("claims.verify"),     Done),
    desk("decideVerification",   May("claims.verify"),     Told(409, "verification_changed")),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let at_desk = format!("/api/admin/v1/verifications/{}", world.verification);
    Some(match name {
        "getVerification" => get(format!("/api/v1/verify/{}/", world.verification)),
        "sendVerificationPhoto" => upload(format!("/api/v1/verify/{}/photos/", world.verification)),
        "getMyVerifications" => get("/api/v1/users/me/verifications/"),
        "listVerifications" => get("/api/admin/v1/verifications"),
        "getDeskVerification" => get(at_desk),
        "askVerification" => post("/api/admin/v1/verifications", json!({ "email": world.anna.email })),
        "getVerificationPhoto" => get(format!("{at_desk}/photos/{}", world.photo)),
        "decideVerification" => post(format!("{at_desk}/decision"), json!({ "decision": "accept", "revision": 0 })),
        _ => return None,
    })
}
