//! Dashboard, emails, staff alerts, audit log and approval requests.

use agio_core::identity::Role;
use reqwest::Method;
use serde_json::json;

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Refused, Row, admin, delete, get, own_admin, post, post_empty, put, upload};
use crate::brand::brand;

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("getDashboard",           Permission("dashboard.read"),           Done),
    admin("getSetup",               Permission("settings.read"),            Done),
    admin("getBrand",               Permission("settings.read"),            Done),
    admin("updateBrand",            FreshPermission("settings.edit"),       Refused(409, "brand_changed")),
    admin("getBrandPicture",        Permission("settings.read"),            Refused(404, "picture_not_found")),
    admin("uploadBrandPicture",     FreshPermission("settings.edit"),       Refused(422, "validation_failed")),
    admin("deleteBrandPicture",     Permission("settings.edit"),            Done),
    admin("uploadCurrencyIcon",     Permission("market.edit"),              Refused(422, "validation_failed")),
    admin("listEmails",             Permission("mail.read"),                Done),
    admin("getEmail",               Permission("mail.read"),                Done),
    admin("sendTestEmail",          Permission("mail.resend"),              Done),
    admin("sendQueuedEmails",       Permission("mail.resend"),              Done),
    admin("resendEmail",            Permission("mail.resend"),              Refused(409, "message_not_dead")),
    admin("listStaffAlerts",        Permission("notices.read"),             Done),
    admin("resendStaffAlert",       Permission("notices.resend"),           Refused(404, "message_not_found")),
    admin("listAuditEntries",       Permission("audit.read"),               Done),
    admin("listAuditActions",       Permission("audit.read"),               Done),

    // Another staff member requested the change of a requisite.
    admin("listApprovalRequests",   Permission("approvals.read"),           Done),
    admin("approveApprovalRequest", FreshPermission("reserves.requisites"), Done),
    admin("rejectApprovalRequest",  Permission("reserves.requisites"),      Done),
    // An owner requested it.
    own_admin("withdrawApprovalRequest", Permission("approvals.read"), Role::Owner, Done, Refused(403, "approval_not_own")),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    Some(match name {
        "getDashboard" => get("/api/admin/v1/dashboard"),
        "getSetup" => get("/api/admin/v1/setup"),
        "getBrand" => get("/api/admin/v1/brand"),
        "updateBrand" => put("/api/admin/v1/brand", json!({ "revision": 0, "brand": brand() })),
        "getBrandPicture" => get("/api/admin/v1/brand/pictures/card"),
        "uploadBrandPicture" => Call { method: Method::PUT, ..upload("/api/admin/v1/brand/pictures/logo") },
        "deleteBrandPicture" => delete("/api/admin/v1/brand/pictures/icon"),
        "uploadCurrencyIcon" => upload("/api/admin/v1/currency-icons"),
        "listEmails" => get("/api/admin/v1/mail"),
        "getEmail" => get(format!("/api/admin/v1/mail/{}", mail(fixtures).await)),
        "sendTestEmail" => post_empty("/api/admin/v1/mail/test"),
        "sendQueuedEmails" => post_empty("/api/admin/v1/mail/send-queued"),
        "resendEmail" => post_empty(format!("/api/admin/v1/mail/{}/resend", mail(fixtures).await)),
        "listStaffAlerts" => get("/api/admin/v1/staff-alerts"),
        // No notifier is enabled, so there are no alerts.
        "resendStaffAlert" => post_empty("/api/admin/v1/staff-alerts/1/resend"),
        "listAuditEntries" => get("/api/admin/v1/audit"),
        "listAuditActions" => get("/api/admin/v1/audit/actions"),
        "listApprovalRequests" => get("/api/admin/v1/approvals"),
        "approveApprovalRequest" => post_empty(decision(fixtures, "approve", &fixtures.proposer).await),
        "rejectApprovalRequest" => {
            post(decision(fixtures, "reject", &fixtures.proposer).await, json!({ "reason": "The holder is another." }))
        }
        "withdrawApprovalRequest" => post_empty(decision(fixtures, "withdraw", fixtures.owner()).await),
        _ => return None,
    })
}

/// An email that was sent.
async fn mail(fixtures: &Fixtures) -> i64 {
    let sent = fixtures.owner().get("/api/admin/v1/mail?state=sent").await.ok();
    sent["items"][0]["id"].as_i64().expect("an email was sent")
}

/// The path of a decision on a new approval request. Withdraws earlier requests.
async fn decision(fixtures: &Fixtures, word: &str, by: &agio_test_app::TestClient) -> String {
    fixtures.owner().put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    let path = |id: &str, word: &str| format!("/api/admin/v1/approvals/{id}/{word}");
    let waiting = fixtures.owner().get("/api/admin/v1/approvals").await.ok();
    for before in waiting["items"].as_array().expect("a list") {
        let id = text(&before["id"]);
        for staff in [fixtures.owner(), &fixtures.proposer] {
            staff.post_empty(&path(&id, "withdraw")).await;
        }
    }
    let change = json!({ "holder": "IVAN PETROV", "memo": fixtures.email() });
    let proposed = by.patch(&format!("/api/admin/v1/requisites/{}", fixtures.requisite), change).await.ok();
    path(&text(&proposed["id"]), word)
}
