//! Who works here: signing in, one's own account, and what owners decide about others.

use agio_testkit::{Caller, House};
use serde_json::{Value, json};
use uuid::Uuid;

use super::table::Need::{FreshStaff, May, MayFresh, Newcomer, Staff};
use super::table::{Call, Done, NoToken, Row, Told, Who, delete, desk, get, missing, open_desk, post, post_empty, put};
use super::world::{World, text};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                                          others
    open_desk("staffLogin",      Done,                          Told(401, "wrong_credentials")),
    // The browsers of those who signed in just now have a newer cookie than the session they call in, and so go on after `staffLogout`.
    open_desk("staffRefresh",    Done,                          NoToken),
    open_desk("staffLogout",     Done,                          Done),
    open_desk("staffInvitation", Done,                          Done),
    open_desk("staffJoin",       Done,                          Done),
    open_desk("staffRestore",    Done,                          Done),

    desk("staffMe",                 Newcomer,   Done),
    desk("confirmStaffTotp",        Newcomer,   Told(409, "totp_not_begun")),
    desk("beginStaffTotp",          Newcomer,   Done),
    desk("confirmStaff",            Staff,      Done),
    desk("changeStaffPassword",     Staff,      Done),
    desk("renewStaffRecoveryCodes", FreshStaff, Told(409, "totp_not_on")),
    desk("removeStaffTotp",         FreshStaff, Told(409, "totp_not_on")),
    desk("listOwnSessions",         Staff,      Done),
    desk("endOwnSession",           Staff,      missing("session_not_found")),
    desk("endOwnOtherSessions",     Staff,      Done),
    desk("listRoles",               Staff,      Done),

    desk("listStaff",               May("staff.read"),        Done),
    desk("listStaffSessions",       May("staff.read"),        Done),
    desk("inviteStaff",             MayFresh("staff.manage"), Done),
    desk("resendInvitation",        MayFresh("staff.manage"), Done),
    desk("withdrawInvitation",      MayFresh("staff.manage"), Done),
    desk("disableStaff",            MayFresh("staff.manage"), Done),
    desk("enableStaff",             MayFresh("staff.manage"), Done),
    desk("resetStaffSecondFactor",  MayFresh("staff.manage"), Told(409, "totp_not_on")),
    desk("sendStaffRestore",        MayFresh("staff.manage"), Done),
    desk("changeStaffRole",         MayFresh("staff.manage"), Done),
    desk("endStaffSessions",        May("staff.manage"),      Done),
    desk("endStaffSession",         May("staff.manage"),      missing("session_not_found")),
];

const PASSWORD: &str = "correct horse battery staple";

pub async fn call(world: &World, name: &str, who: Who) -> Option<Call> {
    let signing = |call: &str| format!("/api/admin/v1/auth/{call}");
    let me = |call: &str| format!("/api/admin/v1/me/{call}");
    let own = || json!({ "password": House::PASSWORD });
    let vera = |call: &str| format!("/api/admin/v1/staff/{}/{call}", world.vera);
    Some(match name {
        "staffLogin" => post(signing("login"), world.credentials(who)),
        "staffRefresh" => post_empty(signing("refresh")),
        "staffLogout" => post_empty(signing("logout")),
        "staffInvitation" => post(signing("invitation"), json!({ "token": invited(world).await.1 })),
        "staffJoin" => {
            let joining = json!({ "token": invited(world).await.1, "name": "Somebody new", "password": PASSWORD });
            Call { by: Some(Caller::at(&world.house.console)), ..post(signing("invitation/accept"), joining) }
        }
        "staffRestore" => {
            world.owner().post_empty(&vera("restore")).await;
            let token = world.secret_of("vera@agio.example").await;
            post(signing("restore"), json!({ "token": token, "password": PASSWORD }))
        }
        "staffMe" => get(signing("me")),
        "confirmStaffTotp" => post(me("second-factor/confirm"), json!({ "code": "000000" })),
        "beginStaffTotp" => post(me("second-factor"), own()),
        "confirmStaff" => Call { by: another_session(world, who).await, ..post(me("confirm"), own()) },
        "changeStaffPassword" => post(me("password"), json!({ "oldPassword": House::PASSWORD, "newPassword": House::PASSWORD })),
        "renewStaffRecoveryCodes" => post(me("second-factor/recovery"), own()),
        "removeStaffTotp" => post(me("second-factor/remove"), own()),
        "listOwnSessions" => get(me("sessions")),
        "endOwnSession" => delete(me(&format!("sessions/{}", Uuid::nil()))),
        "endOwnOtherSessions" => delete(me("sessions")),
        "listRoles" => get("/api/admin/v1/staff/roles"),
        "listStaff" => get("/api/admin/v1/staff"),
        "listStaffSessions" => get(vera("sessions")),
        "inviteStaff" => post("/api/admin/v1/invitations", invitation(world)),
        "resendInvitation" => post_empty(format!("/api/admin/v1/invitations/{}/resend", invited(world).await.0)),
        "withdrawInvitation" => delete(format!("/api/admin/v1/invitations/{}", invited(world).await.0)),
        "disableStaff" => post_empty(vera("disable")),
        "enableStaff" => post_empty(vera("enable")),
        "resetStaffSecondFactor" => post_empty(vera("second-factor/reset")),
        "sendStaffRestore" => post_empty(vera("restore")),
        "changeStaffRole" => put(vera("role"), json!({ "role": "auditor" })),
        "endStaffSessions" => delete(vera("sessions")),
        "endStaffSession" => delete(vera(&format!("sessions/{}", Uuid::nil()))),
        _ => return None,
    })
}

fn invitation(world: &World) -> Value {
    json!({ "email": world.email(), "role": "editor", "language": "en" })
}

/// The identifier of an invitation, and the secret of its link.
async fn invited(world: &World) -> (String, String) {
    let asked = invitation(world);
    let made = world.owner().post("/api/admin/v1/invitations", asked.clone()).await.ok();
    (text(&made["id"]), world.secret_of(asked["email"].as_str().expect("an address")).await)
}

/// Whoever has not confirmed their session does so in another one, and stays as they are in this.
async fn another_session(world: &World, who: Who) -> Option<Caller> {
    if who != Who::Unconfirmed {
        return None;
    }
    Some(world.house.staff_named("unconfirmed", agio_core::identity::Role::Owner).await)
}
