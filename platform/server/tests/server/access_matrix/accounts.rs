//! Customer accounts. Sign-in operations ignore the token, so that a page with an expired one can use them. Emailed
//! links that confirm an address work for the account that asked for them, links to a new password for anyone.

use agio_test_app::{TestClient, TestCustomer};
use serde_json::{Value, json};

use super::fixtures::{Fixtures, text};
use super::row::{Call, CallerKind, Done, Expected, NoToken, Refused, Row, delete, get, not_found, post, post_empty, site};

const WRONG: Expected = Refused(401, "wrong_credentials");
const BANNED: Expected = Refused(403, "account_banned");
const NO_SESSION: Expected = not_found("session_not_found");
const NOT_ACTIVE: Expected = Refused(409, "not_activated");
const NOT_BEGUN: Expected = Refused(409, "totp_not_begun");
const NO_LINK: Expected = not_found("link_not_valid");
const NOT_OWNER: Expected = Refused(422, "validation_failed");
const NOT_ON: Expected = Refused(409, "totp_not_on");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                               guest    owner      other       inactive    banned   staff
    site("getSignInCaptcha",        [Done,    Done,      Done,       Done,       Done,    Done]),
    site("signIn",                  [WRONG,   Done,      Done,       Done,       BANNED,  WRONG]),
    // Browsers that have just signed in have a newer cookie than their token, so they can refresh after signing out.
    site("refreshSession",          [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("signOut",                 [Done,    Done,      Done,       Done,       Done,    Done]),
    site("signUp",                  [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("activateAccount",         [NoToken, NO_LINK,   NO_LINK,    NO_LINK,    NoToken, NoToken]),
    site("resendActivation",        [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("requestPasswordReset",    [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("resetPassword",           [Done,    Done,      Done,       Done,       NoToken, NoToken]),
    site("getMyAccount",            [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("changeMyPassword",        [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("requestEmailChange",      [NoToken, Done,      Done,       NOT_ACTIVE, NoToken, NoToken]),
    site("confirmEmailChange",      [NoToken, NO_LINK,   NO_LINK,    NO_LINK,    NoToken, NoToken]),
    site("undoEmailChange",         [NO_LINK, NO_LINK,   NO_LINK,    NO_LINK,    NoToken, NoToken]),
    site("exportMyData",            [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    // Without the password, so that the others keep their accounts.
    site("deleteMyAccount",         [NoToken, NOT_OWNER, NOT_OWNER,  NOT_OWNER,  NoToken, NoToken]),
    site("listMySessions",          [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("revokeMySession",         [NoToken, Done,      NO_SESSION, NO_SESSION, NoToken, NoToken]),
    site("revokeMyOtherSessions",   [NoToken, Done,      Done,       Done,       NoToken, NoToken]),
    site("enableTotp",              [NoToken, NOT_BEGUN, NOT_BEGUN,  NOT_BEGUN,  NoToken, NoToken]),
    site("regenerateRecoveryCodes", [NoToken, NOT_ON,    NOT_ON,     NOT_ON,     NoToken, NoToken]),
    site("disableTotp",             [NoToken, NOT_ON,    NOT_ON,     NOT_ON,     NoToken, NoToken]),
    site("beginTotpSetup",          [NoToken, Done,      Done,       NOT_ACTIVE, NoToken, NoToken]),
];

pub async fn call(fixtures: &Fixtures, name: &str, kind: CallerKind) -> Option<Call> {
    let new = || json!({ "email": fixtures.email(), "password": TestCustomer::PASSWORD });
    let both = || json!({ "password": TestCustomer::PASSWORD, "code": "000000" });
    Some(match name {
        "getSignInCaptcha" => get("/front-api/auth/captcha/?action=login"),
        "signIn" => post("/front-api/auth/login/", fixtures.credentials(kind)),
        "refreshSession" => get("/front-api/auth/refresh/"),
        "signOut" => post_empty("/front-api/auth/logout/"),
        "signUp" => post("/api/v1/users/signup/", new()),
        "activateAccount" => post(format!("/api/v1/users/activate/{}/", emailed_secret(fixtures, new(), 1).await), json!({})),
        "resendActivation" => post("/api/v1/users/reactivate/", json!({ "email": fixtures.email() })),
        "requestPasswordReset" => post("/api/v1/users/restore/", json!({ "email": fixtures.email() })),
        "resetPassword" => {
            // A second sign-up sends a link to set a new password.
            let token = emailed_secret(fixtures, new(), 2).await;
            post(format!("/api/v1/users/restore/{token}/"), json!({ "password": "quite another horse" }))
        }
        "getMyAccount" => get("/api/v1/users/me/"),
        "changeMyPassword" => {
            let same = json!({ "oldPassword": TestCustomer::PASSWORD, "newPassword": TestCustomer::PASSWORD });
            post("/api/v1/users/me/password/", same)
        }
        "requestEmailChange" => {
            post("/api/v1/users/me/email/", json!({ "email": fixtures.email(), "password": TestCustomer::PASSWORD }))
        }
        "confirmEmailChange" => post("/api/v1/users/me/email/unknown/", json!({})),
        "undoEmailChange" => post("/api/v1/users/email/unknown/undo/", json!({ "password": "quite another horse" })),
        "exportMyData" => post("/api/v1/users/me/export/", json!({ "password": TestCustomer::PASSWORD })),
        "deleteMyAccount" => post("/api/v1/users/me/delete/", json!({ "password": "not the password" })),
        "listMySessions" => get("/api/v1/users/me/sessions/"),
        "revokeMySession" => delete(format!("/api/v1/users/me/sessions/{}/", another_session(fixtures).await)),
        "revokeMyOtherSessions" => delete("/api/v1/users/me/sessions/"),
        "enableTotp" => post("/api/v1/users/me/totp/confirm/", json!({ "code": "000000" })),
        "regenerateRecoveryCodes" => post("/api/v1/users/me/totp/recovery/", both()),
        "disableTotp" => post("/api/v1/users/me/totp/remove/", both()),
        "beginTotpSetup" => post("/api/v1/users/me/totp/", json!({ "password": TestCustomer::PASSWORD })),
        _ => return None,
    })
}

/// The emailed secret after this many sign-ups.
async fn emailed_secret(fixtures: &Fixtures, new: Value, times: usize) -> String {
    let visitor = fixtures.app.visitor().from_address(&fixtures.address());
    for _ in 0..times {
        visitor.post("/api/v1/users/signup/", new.clone()).await.ok();
    }
    fixtures.app.run_auth_requests().await;
    fixtures.secret_of(new["email"].as_str().expect("an address")).await
}

/// Another session of Anna.
async fn another_session(fixtures: &Fixtures) -> String {
    let browser = TestClient::at(&fixtures.app.root).from_address(&fixtures.address());
    browser.post("/front-api/auth/login/", fixtures.credentials(CallerKind::Owner)).await.ok();
    let sessions = fixtures.anna.caller.get("/api/v1/users/me/sessions/").await.ok();
    let other = sessions.as_array().and_then(|all| all.iter().find(|session| session["current"] == false));
    text(&other.expect("there is another session")["id"])
}
