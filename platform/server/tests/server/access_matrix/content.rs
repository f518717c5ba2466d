//! Texts of the information pages, and writing to support.

use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, NoToken, Row, admin, get, not_found, post, put, site};

const NEWS: &str = "/api/admin/v1/news";
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
    admin("publishContent",      FreshPermission("content.change"), Done),
    admin("listContactMessages", Permission("contact.read"),   Done),
    admin("listNews",            Permission("content.read"),   Done),
    admin("getNews",             Permission("content.read"),   Done),
    admin("previewNews",         Permission("content.read"),   Done),
    admin("createNews",          Permission("content.change"), Done),
    admin("createNews/published", FreshPermission("content.change"), Done),
    admin("updateNews",          FreshPermission("content.change"), Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let page = "/api/admin/v1/content/contacts";
    Some(match name {
        "getContent" => get("/api/v1/content/contacts/"),
        "getContent/none" => get("/api/v1/content/prices/"),
        "getContactCaptcha" => get("/api/v1/contact/captcha/"),
        "sendContactMessage" => {
            let message = "When will claim 1024 be paid?";
            let recaptcha = solved(fixtures, "/api/v1/contact/captcha/").await;
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
        "listNews" => get(NEWS),
        "previewNews" => post(format!("{NEWS}/preview"), json!({ "locale": "en", "text": words(fixtures) })),
        "createNews" => post(NEWS, post_of(fixtures, "draft")),
        "createNews/published" => post(NEWS, post_of(fixtures, "published")),
        "getNews" | "updateNews" => {
            let created = fixtures.owner().post(NEWS, post_of(fixtures, "draft")).await.ok();
            let path = format!("{NEWS}/{}", created["post"]["id"].as_str()?);
            match name {
                "getNews" => get(path),
                _ => {
                    let mut changed = post_of(fixtures, "published");
                    changed.as_object_mut()?.remove("slug");
                    changed["over"] = 1.into();
                    put(path, changed)
                }
            }
        }
        "listContactMessages" => get("/api/admin/v1/contact-messages"),
        _ => return None,
    })
}

/// A news post with an address of its own.
fn post_of(fixtures: &Fixtures, state: &str) -> Value {
    json!({ "slug": format!("post-{}", fixtures.number()), "state": state, "ru": words(fixtures), "en": words(fixtures) })
}

/// A text the page did not have.
fn words(fixtures: &Fixtures) -> Value {
    json!({ "title": "Contacts", "description": "How to write to us.", "markdown": format!("Office {}.\n", fixtures.number()) })
}

/// A captcha solution, valid for one message.
pub async fn solved(fixtures: &Fixtures, captcha: &str) -> String {
    let visitor = fixtures.app.visitor().from_address(&fixtures.address());
    let check = visitor.get(captcha).await.ok();
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).expect("a challenge");
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).expect("it is solvable").expect("it is solved");
    STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).expect("it is JSON"))
}
