//! Reviews. Anyone with the link of a claim may write its review.

use serde_json::json;

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, NoToken, Row, admin, get, post, put, site};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                        guest owner other inactive banned staff
    site("getClaimReview",   [Done, Done, Done, Done, NoToken, NoToken]),
    site("writeClaimReview", [Done, Done, Done, Done, NoToken, NoToken]),

    admin("listReviews",   Permission("reviews.read"),          Done),
    admin("decideReview",  Permission("reviews.moderate"),      Done),
    admin("replyToReview", FreshPermission("reviews.moderate"), Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let own = format!("/api/v1/claim/{}/review/", fixtures.completed);
    let path = "/api/admin/v1/reviews";
    Some(match name {
        "getClaimReview" => get(own),
        "writeClaimReview" => put(own, json!({ "rating": 5, "text": "Quick" })),
        "listReviews" => get(path),
        "decideReview" | "replyToReview" => {
            let review = fixtures.owner().get(&format!("{path}?state=published")).await.ok()["items"][0].clone();
            let (path, revision) = (format!("{path}/{}", review["id"].as_str()?), &review["revision"]);
            match name {
                "decideReview" => post(format!("{path}/decision"), json!({ "revision": revision, "decision": "publish" })),
                _ => put(format!("{path}/reply"), json!({ "revision": revision, "reply": "Thank you!" })),
            }
        }
        _ => return None,
    })
}
