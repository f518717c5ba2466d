//! Staff accounts: invitation, own account and management by an owner.

use std::time::Duration;

use agio_test_app::{TestApp, TestClient};
use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use super::Recorder;

const EMAIL: &str = "vera@agio.example";
const PASSWORD: &str = "correct horse battery staple";

/// The secret of the link in the newest email.
async fn token(app: &TestApp) -> String {
    let mail = app.emails_to(EMAIL).await.pop().expect("an email was sent");
    mail.text.split_once("#token=").and_then(|(_, rest)| rest.split_whitespace().next()).expect("it has a link").to_owned()
}

/// Invites, accepts, sets up a second factor and manages staff.
pub async fn manage_staff(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let confirmation = json!({ "password": "correct horse battery" });
    recorder.post(owner, "confirmStaffSession", "/api/admin/v1/me/confirm", confirmation).await;
    let invited = json!({ "email": EMAIL, "role": "editor", "language": "en" });
    let invitation = recorder.post(owner, "inviteStaff", "/api/admin/v1/invitations", invited).await;
    recorder.get(owner, "listStaff", "/api/admin/v1/staff").await;
    recorder.get(owner, "listRoles", "/api/admin/v1/staff/roles").await;
    let path = format!("/api/admin/v1/invitations/{}/resend", invitation["id"].as_str().unwrap());
    recorder.post_empty(owner, "resendInvitation", &path).await;

    let vera = TestClient::at(&app.console);
    let link = token(app).await;
    recorder.post(&vera, "getInvitation", "/api/admin/v1/auth/invitation", json!({ "token": link })).await;
    let joining = json!({ "token": link, "name": "Vera Lebed", "password": PASSWORD });
    let session = recorder.post(&vera, "acceptInvitation", "/api/admin/v1/auth/invitation/accept", joining).await;
    let vera = vera.with_token(session["accessToken"].as_str().unwrap());
    manage_own_account(app, &vera, recorder).await;

    let path = format!("/api/admin/v1/staff/{}", session["user"]["id"].as_str().unwrap());
    recorder.get(owner, "listStaffSessions", &format!("{path}/sessions")).await;
    let role = json!({ "role": "operator" });
    recorder.call(owner, "updateStaffRole", Method::PUT, &format!("{path}/role"), Some(role)).await;
    owner.post_empty(&format!("{path}/restore")).await.ok();
    let restored = json!({ "token": token(app).await, "password": "a horse of another colour" });
    recorder.post(&vera, "resetStaffPassword", "/api/admin/v1/auth/restore", restored).await;
}

async fn manage_own_account(app: &TestApp, vera: &TestClient, recorder: &mut Recorder) {
    let me = |path: &str| format!("/api/admin/v1/me/{path}");
    let password = || json!({ "password": PASSWORD });
    let begun = recorder.post(vera, "beginStaffTotpSetup", &me("second-factor"), password()).await;
    let authenticator = authenticator(&begun);
    let code = || json!({ "code": code_of(&authenticator, app) });
    recorder.post(vera, "enableStaffTotp", &me("second-factor/confirm"), code()).await;
    app.advance_clock(Duration::from_secs(30));
    vera.post(&me("confirm"), code()).await.ok();
    recorder.post(vera, "regenerateStaffRecoveryCodes", &me("second-factor/recovery"), password()).await;
    recorder.get(vera, "listMyStaffSessions", &me("sessions")).await;
    let change: Value = json!({ "oldPassword": PASSWORD, "newPassword": "quite another horse entirely" });
    recorder.call(vera, "changeStaffPassword", Method::POST, &me("password"), Some(change)).await;
    let password = json!({ "password": "quite another horse entirely" });
    recorder.post(vera, "disableStaffTotp", &me("second-factor/remove"), password).await;
}

/// The app of somebody who sets up a second factor.
pub fn authenticator(begun: &Value) -> Totp {
    let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
    Builder::new().with_secret(secret).with_account_name("vera").build().unwrap()
}

pub fn code_of(authenticator: &Totp, app: &TestApp) -> String {
    authenticator.generate(app.now().as_seconds().unsigned_abs()).to_string()
}
