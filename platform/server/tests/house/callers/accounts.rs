//! Customers' accounts. The sign-in calls know nobody yet, so that a page whose token has just ended can use them; what is mailed is for
//! whoever has the mail.

use agio_testkit::{Caller, Customer};
use serde_json::{Value, json};

use super::table::{Call, Cell, Done, NoToken, Row, Told, Who, delete, get, missing, post, post_empty, site};
use super::world::{World, text};

const WRONG: Cell = Told(401, "wrong_credentials");
const BANNED: Cell = Told(403, "account_banned");
const NO_SESSION: Cell = missing("session_not_found");
const NOT_ACTIVE: Cell = Told(409, "not_activated");
const NOT_BEGUN: Cell = Told(409, "totp_not_begun");
const NOT_ON: Cell = Told(422, "otp_invalid");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                          guest    owner      other       inactive    banned   staff
    site("getSignInCaptcha",   [Done,    Done,      Done,       Done,       Done,    Done]),
    site("login",              [WRONG,   Done,      Done,       Done,       BANNED,  WRONG]),
    // The browsers of those who signed in just now have a newer cookie than the session they call in, and so go on after `logout`.
    site("refresh",            [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("logout",             [Done,    Done,      Done,       Done,       Done,    Done]),
    site("signUp",             [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("activate",           [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("reactivate",         [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("restore",            [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("finishRestore",      [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("getMe",              [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("changePassword",     [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("getSessions",        [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("endSession",         [NoToken, Done,      NO_SESSION, NO_SESSION, NoToken, NoToken]),
    site("endOtherSessions",   [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("confirmTotp",        [NoToken, NOT_BEGUN, NOT_BEGUN,  NOT_BEGUN,  NoToken, NoToken]),
    site("renewRecoveryCodes", [NoToken, NOT_ON,    NOT_ON,     NOT_ON,     NoToken, NoToken]),
    site("removeTotp",         [NoToken, NOT_ON,    NOT_ON,     NOT_ON,     NoToken, NoToken]),
    site("beginTotp",          [NoToken, Done,      Done,       NOT_ACTIVE, NoToken, NoToken]),
];

pub async fn call(world: &World, name: &str, who: Who) -> Option<Call> {
    let new = || json!({ "email": world.email(), "password": Customer::PASSWORD });
    let both = || json!({ "password": Customer::PASSWORD, "code": "000000" });
    Some(match name {
        "getSignInCaptcha" => get("/front-api/auth/captcha/?action=login"),
        "login" => post("/front-api/auth/login/", world.credentials(who)),
        "refresh" => get("/front-api/auth/refresh/"),
        "logout" => post_empty("/front-api/auth/logout/"),
        "signUp" => post("/api/v1/users/signup/", new()),
        "activate" => post(format!("/api/v1/users/activate/{}/", mailed(world, new(), 1).await), json!({})),
        "reactivate" => post("/api/v1/users/reactivate/", json!({ "email": world.email() })),
        "restore" => post("/api/v1/users/restore/", json!({ "email": world.email() })),
        "finishRestore" => {
            // Whoever signs up once more is sent a link to set a new password.
            let token = mailed(world, new(), 2).await;
            post(format!("/api/v1/users/restore/{token}/"), json!({ "password": "quite another horse" }))
        }
        "getMe" => get("/api/v1/users/me/"),
        "changePassword" => {
            let same = json!({ "oldPassword": Customer::PASSWORD, "newPassword": Customer::PASSWORD });
            post("/api/v1/users/me/password/", same)
        }
        "getSessions" => get("/api/v1/users/me/sessions/"),
        "endSession" => delete(format!("/api/v1/users/me/sessions/{}/", another_session(world).await)),
        "endOtherSessions" => delete("/api/v1/users/me/sessions/"),
        "confirmTotp" => post("/api/v1/users/me/totp/confirm/", json!({ "code": "000000" })),
        "renewRecoveryCodes" => post("/api/v1/users/me/totp/recovery/", both()),
        "removeTotp" => post("/api/v1/users/me/totp/remove/", both()),
        "beginTotp" => post("/api/v1/users/me/totp/", json!({ "password": Customer::PASSWORD })),
        _ => return None,
    })
}

/// The secret that is mailed to somebody who signs up so many times.
async fn mailed(world: &World, new: Value, times: usize) -> String {
    let visitor = world.house.customer().from_address(&world.address());
    for _ in 0..times {
        visitor.post("/api/v1/users/signup/", new.clone()).await.ok();
    }
    world.house.answers_requests().await;
    world.secret_of(new["email"].as_str().expect("an address")).await
}

/// A session of Anna's in another browser.
async fn another_session(world: &World) -> String {
    let browser = Caller::at(&world.house.root).from_address(&world.address());
    browser.post("/front-api/auth/login/", world.credentials(Who::Owner)).await.ok();
    let sessions = world.anna.caller.get("/api/v1/users/me/sessions/").await.ok();
    let other = sessions.as_array().and_then(|all| all.iter().find(|session| session["current"] == false));
    text(&other.expect("there is another session")["id"])
}
