//! Texts of the information pages, and writing to support.

use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::fixtures::Fixtures;
use super::row::Access::Permission;
use super::row::{Call, Done, Expected, NoToken, Row, admin, get, not_found, post, site};

const NONE: Expected = not_found("content_not_found");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                          guest owner other inactive banned staff
    site("getContent",         [Done, Done, Done, Done, NoToken, NoToken]),
    site("getContent/none",    [NONE, NONE, NONE, NONE, NoToken, NoToken]),
    site("getContactCaptcha",  [Done, Done, Done, Done, NoToken, NoToken]),
    site("sendContactMessage", [Done, Done, Done, Done, NoToken, NoToken]),

    admin("listContentPages",    Permission("content.read"),   Done),
    admin("getContentVersion",   Permission("content.read"),   Done),
    admin("listContentVersions", Permission("content.read"),   Done),
    admin("previewContent",      Permission("content.read"),   Done),
    admin("publishContent",      Permission("content.change"), Done),
    admin("listContactMessages", Permission("contact.read"),   Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let page = "/api/admin/v1/content/contacts";
    Some(match name {
        "getContent" => get("/api/v1/content/contacts/"),
        "getContent/none" => get("/api/v1/content/prices/"),
        "getContactCaptcha" => get("/api/v1/contact/captcha/"),
        "sendContactMessage" => {
            let message = "When will claim 1024 be paid?";
            let recaptcha = solved(fixtures).await;
            post("/api/v1/contact/", json!({ "email": fixtures.email(), "message": message, "recaptcha": recaptcha }))
        }
        "listContentPages" => get("/api/admin/v1/content"),
        "getContentVersion" => get(page),
        "listContentVersions" => get(format!("{page}/versions")),
        "previewContent" => post(format!("{page}/preview"), json!({ "locale": "en", "text": words(fixtures) })),
        "publishContent" => {
            let present = fixtures.owner().get(page).await.ok();
            post(
                format!("{page}/versions"),
                json!({ "over": present["version"]["version"], "en": words(fixtures), "note": "Shorter" }),
            )
        }
        "listContactMessages" => get("/api/admin/v1/contact-messages"),
        _ => return None,
    })
}

/// A text the page did not have.
fn words(fixtures: &Fixtures) -> Value {
    json!({ "title": "Contacts", "description": "How to write to us.", "markdown": format!("Office {}.\n", fixtures.number()) })
}

/// A captcha solution, valid for one message.
async fn solved(fixtures: &Fixtures) -> String {
    let visitor = fixtures.app.visitor().from_address(&fixtures.address());
    let check = visitor.get("/api/v1/contact/captcha/").await.ok();
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).expect("a challenge");
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).expect("it is solvable").expect("it is solved");
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).expect("it is JSON"))
}
