//! Texts of the information pages, and writing to support.

use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::table::Need::May;
use super::table::{Call, Cell, Done, NoToken, Row, desk, get, missing, post, site};
use super::world::World;

const NONE: Cell = missing("content_not_found");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                          guest  owner  other  inactive banned   staff
    site("getContent",         [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("getContent/none",    [NONE,  NONE,  NONE,  NONE,    NoToken, NoToken]),
    site("getContactCaptcha",  [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("sendContactMessage", [Done,  Done,  Done,  Done,    NoToken, NoToken]),

    desk("listContent",         May("content.read"),   Done),
    desk("getDeskContent",      May("content.read"),   Done),
    desk("listContentVersions", May("content.read"),   Done),
    desk("previewContent",      May("content.read"),   Done),
    desk("publishContent",      May("content.change"), Done),
    desk("listContactMessages", May("contact.read"),   Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let page = "/api/admin/v1/content/contacts";
    Some(match name {
        "getContent" => get("/api/v1/content/contacts/"),
        "getContent/none" => get("/api/v1/content/prices/"),
        "getContactCaptcha" => get("/api/v1/contact/captcha/"),
        "sendContactMessage" => {
            let message = "When will claim 1024 be paid?";
            let recaptcha = solved(world).await;
            post("/api/v1/contact/", json!({ "email": world.email(), "message": message, "recaptcha": recaptcha }))
        }
        "listContent" => get("/api/admin/v1/content"),
        "getDeskContent" => get(page),
        "listContentVersions" => get(format!("{page}/versions")),
        "previewContent" => post(format!("{page}/preview"), json!({ "locale": "en", "text": words(world) })),
        "publishContent" => {
            let present = world.owner().get(page).await.ok();
            post(
                format!("{page}/versions"),
                json!({ "over": present["version"]["version"], "en": words(world), "note": "Shorter" }),
            )
        }
        "listContactMessages" => get("/api/admin/v1/contact-messages"),
        _ => return None,
    })
}

/// A text the page did not have.
fn words(world: &World) -> Value {
    json!({ "title": "Contacts", "description": "How to write to us.", "markdown": format!("Desk {}.\n", world.number()) })
}

/// An answer to the captcha, which is good for one message of anybody.
async fn solved(world: &World) -> String {
    let visitor = world.house.customer().from_address(&world.address());
    let check = visitor.get("/api/v1/contact/captcha/").await.ok();
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).expect("a challenge");
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).expect("it is solvable").expect("it is solved");
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).expect("it is JSON"))
}
