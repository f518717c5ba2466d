//! Staff: signing in, own account and management.

use agio_test_app::{TestApp, TestClient};
use serde_json::{Value, json};
use uuid::Uuid;

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, FreshStaff, Permission, Staff, WithoutSecondFactor};
use super::row::{
    Call, CallerKind, Done, NoToken, Refused, Row, admin, delete, get, not_found, post, post_empty, public_admin, put,
};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                  staff others
    public_admin("staffSignIn",         Done, Refused(401, "wrong_credentials")),
    // Browsers that have just signed in have a newer cookie than their token, so they can refresh after signing out.
    public_admin("refreshStaffSession", Done, NoToken),
    public_admin("staffSignOut",        Done, Done),
    public_admin("getInvitation",       Done, Done),
    public_admin("acceptInvitation",    Done, Done),
    public_admin("resetStaffPassword",  Done, Done),

    admin("getMyStaffAccount",            WithoutSecondFactor,             Done),
    admin("enableStaffTotp",              WithoutSecondFactor,             Refused(409, "totp_not_begun")),
    admin("beginStaffTotpSetup",          WithoutSecondFactor,             Done),
    admin("confirmStaffSession",          Staff,                           Done),
    admin("changeStaffPassword",          Staff,                           Done),
    admin("regenerateStaffRecoveryCodes", FreshStaff,                      Refused(409, "totp_not_on")),
    admin("disableStaffTotp",             FreshStaff,                      Refused(409, "totp_not_on")),
    admin("listMyStaffSessions",          Staff,                           Done),
    admin("revokeMyStaffSession",         Staff,                           not_found("session_not_found")),
    admin("revokeMyOtherStaffSessions",   Staff,                           Done),
    admin("listRoles",                    Staff,                           Done),

    admin("listStaff",                    Permission("staff.read"),        Done),
    admin("listStaffSessions",            Permission("staff.read"),        Done),
    admin("inviteStaff",                  FreshPermission("staff.manage"), Done),
    admin("resendInvitation",             FreshPermission("staff.manage"), Done),
    admin("withdrawInvitation",           FreshPermission("staff.manage"), Done),
    admin("disableStaff",                 FreshPermission("staff.manage"), Done),
    admin("enableStaff",                  FreshPermission("staff.manage"), Done),
    admin("resetStaffSecondFactor",       FreshPermission("staff.manage"), Refused(409, "totp_not_on")),
    admin("sendStaffPasswordReset",       FreshPermission("staff.manage"), Done),
    admin("updateStaffRole",              FreshPermission("staff.manage"), Done),
    admin("revokeStaffSessions",          Permission("staff.manage"),      Done),
    admin("revokeStaffSession",           Permission("staff.manage"),      not_found("session_not_found")),
];

const PASSWORD: &str = "correct horse battery staple";

pub async fn call(fixtures: &Fixtures, name: &str, kind: CallerKind) -> Option<Call> {
    let signing = |call: &str| format!("/api/admin/v1/auth/{call}");
    let me = |call: &str| format!("/api/admin/v1/me/{call}");
    let own = || json!({ "password": TestApp::PASSWORD });
    let vera = |call: &str| format!("/api/admin/v1/staff/{}/{call}", fixtures.vera);
    Some(match name {
        "staffSignIn" => post(signing("login"), fixtures.credentials(kind)),
        "refreshStaffSession" => post_empty(signing("refresh")),
        "staffSignOut" => post_empty(signing("logout")),
        "getInvitation" => post(signing("invitation"), json!({ "token": invited(fixtures).await.1 })),
        "acceptInvitation" => {
            let joining = json!({ "token": invited(fixtures).await.1, "name": "Somebody new", "password": PASSWORD });
            Call { by: Some(TestClient::at(&fixtures.app.console)), ..post(signing("invitation/accept"), joining) }
        }
        "resetStaffPassword" => {
            fixtures.owner().post_empty(&vera("restore")).await;
            let token = fixtures.secret_of("vera@agio.example").await;
            post(signing("restore"), json!({ "token": token, "password": PASSWORD }))
        }
        "getMyStaffAccount" => get(signing("me")),
        "enableStaffTotp" => post(me("second-factor/confirm"), json!({ "code": "000000" })),
        "beginStaffTotpSetup" => post(me("second-factor"), own()),
        "confirmStaffSession" => Call { by: another_session(fixtures, kind).await, ..post(me("confirm"), own()) },
        "changeStaffPassword" => {
            post(me("password"), json!({ "oldPassword": TestApp::PASSWORD, "newPassword": TestApp::PASSWORD }))
        }
        "regenerateStaffRecoveryCodes" => post(me("second-factor/recovery"), own()),
        "disableStaffTotp" => post(me("second-factor/remove"), own()),
        "listMyStaffSessions" => get(me("sessions")),
        "revokeMyStaffSession" => delete(me(&format!("sessions/{}", Uuid::nil()))),
        "revokeMyOtherStaffSessions" => delete(me("sessions")),
        "listRoles" => get("/api/admin/v1/staff/roles"),
        "listStaff" => get("/api/admin/v1/staff"),
        "listStaffSessions" => get(vera("sessions")),
        "inviteStaff" => post("/api/admin/v1/invitations", invitation(fixtures)),
        "resendInvitation" => post_empty(format!("/api/admin/v1/invitations/{}/resend", invited(fixtures).await.0)),
        "withdrawInvitation" => delete(format!("/api/admin/v1/invitations/{}", invited(fixtures).await.0)),
        "disableStaff" => post_empty(vera("disable")),
        "enableStaff" => post_empty(vera("enable")),
        "resetStaffSecondFactor" => post_empty(vera("second-factor/reset")),
        "sendStaffPasswordReset" => post_empty(vera("restore")),
        "updateStaffRole" => put(vera("role"), json!({ "role": "auditor" })),
        "revokeStaffSessions" => delete(vera("sessions")),
        "revokeStaffSession" => delete(vera(&format!("sessions/{}", Uuid::nil()))),
        _ => return None,
    })
}

fn invitation(fixtures: &Fixtures) -> Value {
    json!({ "email": fixtures.email(), "role": "editor", "language": "en" })
}

/// The identifier of an invitation, and the secret of its link.
async fn invited(fixtures: &Fixtures) -> (String, String) {
    let request = invitation(fixtures);
    let created = fixtures.owner().post("/api/admin/v1/invitations", request.clone()).await.ok();
    (text(&created["id"]), fixtures.secret_of(request["email"].as_str().expect("an address")).await)
}

/// Callers without a recent confirmation confirm in another session.
async fn another_session(fixtures: &Fixtures, kind: CallerKind) -> Option<TestClient> {
    if kind != CallerKind::Unconfirmed {
        return None;
    }
    Some(fixtures.app.staff_named("unconfirmed", agio_core::identity::Role::Owner).await)
}
