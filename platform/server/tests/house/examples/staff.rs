//! Somebody who comes to work here, and what an owner and they themselves do with the account.

use std::time::Duration;

use agio_testkit::{Caller, House};
use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use super::Recorder;

const EMAIL: &str = "vera@agio.example";
const PASSWORD: &str = "correct horse battery staple";

/// The secret of the link in the newest letter.
async fn token(house: &House) -> String {
    let letter = house.mail_to(EMAIL).await.pop().expect("a letter came");
    letter.text.split_once("#token=").and_then(|(_, rest)| rest.split_whitespace().next()).expect("it has a link").to_owned()
}

/// Invites, takes the invitation, sets up a second factor, and looks after colleagues.
pub async fn work_here(house: &House, owner: &Caller, recorder: &mut Recorder) {
    let confirmation = json!({ "password": "correct horse battery" });
    recorder.post(owner, "confirmStaff", "/api/admin/v1/me/confirm", confirmation).await;
    let invited = json!({ "email": EMAIL, "role": "editor", "language": "en" });
    let invitation = recorder.post(owner, "inviteStaff", "/api/admin/v1/invitations", invited).await;
    recorder.get(owner, "listStaff", "/api/admin/v1/staff").await;
    recorder.get(owner, "listRoles", "/api/admin/v1/staff/roles").await;
    let path = format!("/api/admin/v1/invitations/{}/resend", invitation["id"].as_str().unwrap());
    recorder.post_empty(owner, "resendInvitation", &path).await;

    let vera = Caller::at(&house.console);
    let link = token(house).await;
    recorder.post(&vera, "staffInvitation", "/api/admin/v1/auth/invitation", json!({ "token": link })).await;
    let joining = json!({ "token": link, "name": "Vera Lebed", "password": PASSWORD });
    let session = recorder.post(&vera, "staffJoin", "/api/admin/v1/auth/invitation/accept", joining).await;
    let vera = vera.with_token(session["accessToken"].as_str().unwrap());
    keep_the_account(house, &vera, recorder).await;

    let path = format!("/api/admin/v1/staff/{}", session["user"]["id"].as_str().unwrap());
    recorder.get(owner, "listStaffSessions", &format!("{path}/sessions")).await;
    let role = json!({ "role": "operator" });
    recorder.call(owner, "changeStaffRole", Method::PUT, &format!("{path}/role"), Some(role)).await;
    owner.post_empty(&format!("{path}/restore")).await.ok();
    let restored = json!({ "token": token(house).await, "password": "a horse of another colour" });
    recorder.post(&vera, "staffRestore", "/api/admin/v1/auth/restore", restored).await;
}

async fn keep_the_account(house: &House, vera: &Caller, recorder: &mut Recorder) {
    let me = |path: &str| format!("/api/admin/v1/me/{path}");
    let password = || json!({ "password": PASSWORD });
    let begun = recorder.post(vera, "beginStaffTotp", &me("second-factor"), password()).await;
    let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
    let app = Builder::new().with_secret(secret).with_account_name("vera").build().unwrap();
    let code = || json!({ "code": app.generate(house.now().as_seconds().unsigned_abs()).to_string() });
    recorder.post(vera, "confirmStaffTotp", &me("second-factor/confirm"), code()).await;
    house.wait(Duration::from_secs(30));
    vera.post(&me("confirm"), code()).await.ok();
    recorder.post(vera, "renewStaffRecoveryCodes", &me("second-factor/recovery"), password()).await;
    recorder.get(vera, "listOwnSessions", &me("sessions")).await;
    let change: Value = json!({ "oldPassword": PASSWORD, "newPassword": "quite another horse entirely" });
    recorder.call(vera, "changeStaffPassword", Method::POST, &me("password"), Some(change)).await;
    let password = json!({ "password": "quite another horse entirely" });
    recorder.post(vera, "removeStaffTotp", &me("second-factor/remove"), password).await;
}
