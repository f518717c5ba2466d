//! Visitors who wait for a direction. The link of an entry is enough to use it.

use serde_json::json;

use super::content::solved;
use super::fixtures::Fixtures;
use super::row::Access::Permission;
use super::row::{Call, Done, NoToken, Row, admin, get, post, post_empty, site};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                               guest owner other inactive banned staff
    site("getWaitlistCaptcha",      [Done, Done, Done, Done, NoToken, NoToken]),
    site("joinWaitlist",            [Done, Done, Done, Done, NoToken, NoToken]),
    site("getWaitlistEntry",        [Done, Done, Done, Done, NoToken, NoToken]),
    site("confirmWaitlistEntry",    [Done, Done, Done, Done, NoToken, NoToken]),
    site("unsubscribeFromWaitlist", [Done, Done, Done, Done, NoToken, NoToken]),

    admin("listWaitlistDirections", Permission("waitlist.read"), Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let path = "/api/v1/waitlist";
    Some(match name {
        "getWaitlistCaptcha" => get(format!("{path}/captcha/")),
        "joinWaitlist" => post(format!("{path}/"), request(fixtures, &fixtures.email()).await),
        "getWaitlistEntry" => get(format!("{path}/{}/", entry(fixtures).await)),
        "confirmWaitlistEntry" => post_empty(format!("{path}/{}/confirm/", entry(fixtures).await)),
        "unsubscribeFromWaitlist" => post_empty(format!("{path}/{}/unsubscribe/", entry(fixtures).await)),
        "listWaitlistDirections" => get("/api/admin/v1/waitlist"),
        _ => return None,
    })
}

async fn request(fixtures: &Fixtures, email: &str) -> serde_json::Value {
    let recaptcha = solved(fixtures, "/api/v1/waitlist/captcha/").await;
    json!({ "email": email, "give": "BTC", "receive": "SBERRUB", "rate": "900000000", "recaptcha": recaptcha })
}

/// The id of a new entry, from the link in its email.
async fn entry(fixtures: &Fixtures) -> String {
    let email = fixtures.email();
    let visitor = fixtures.app.visitor().from_address(&fixtures.address());
    visitor.post("/api/v1/waitlist/", request(fixtures, &email).await).await.ok();
    let sent = fixtures.app.emails_to(&email).await;
    let (_, rest) = sent.last().expect("an email was sent").text.split_once("/waitlist/").expect("it has a link");
    rest[..36].to_owned()
}
