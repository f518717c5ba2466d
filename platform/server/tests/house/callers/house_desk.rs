//! The desk of the house itself: what goes on, letters, the audit log, and what two people decide.

use agio_core::identity::Role;
use serde_json::json;

use super::table::Need::{May, MayFresh};
use super::table::{Call, Done, Row, Told, desk, get, own_desk, post, post_empty};
use super::world::{World, text};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("dashboard",        May("desk.read"),   Done),
    desk("listMail",         May("mail.read"),   Done),
    desk("getMail",          May("mail.read"),   Done),
    desk("resendMail",       May("mail.resend"), Told(409, "message_not_dead")),
    desk("listNotices",      May("notices.read"),   Done),
    desk("resendNotice",     May("notices.resend"), Told(404, "message_not_found")),
    desk("listAudit",        May("audit.read"),  Done),
    desk("listAuditActions", May("audit.read"),  Done),

    // Somebody else proposed to change where customers pay.
    desk("listApprovals",   May("approvals.read"),           Done),
    desk("approveProposal", MayFresh("reserves.requisites"), Done),
    desk("rejectProposal",  May("reserves.requisites"),      Done),
    // An owner proposed it.
    own_desk("withdrawProposal", May("approvals.read"), Role::Owner, Done, Told(403, "approval_not_own")),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    Some(match name {
        "dashboard" => get("/api/admin/v1/dashboard"),
        "listMail" => get("/api/admin/v1/mail"),
        "getMail" => get(format!("/api/admin/v1/mail/{}", mail(world).await)),
        "resendMail" => post_empty(format!("/api/admin/v1/mail/{}/resend", mail(world).await)),
        "listNotices" => get("/api/admin/v1/notices"),
        // No notifier is switched on, so nothing was ever told.
        "resendNotice" => post_empty("/api/admin/v1/notices/1/resend"),
        "listAudit" => get("/api/admin/v1/audit"),
        "listAuditActions" => get("/api/admin/v1/audit/actions"),
        "listApprovals" => get("/api/admin/v1/approvals"),
        "approveProposal" => post_empty(decision(world, "approve", &world.proposer).await),
        "rejectProposal" => post(decision(world, "reject", &world.proposer).await, json!({ "reason": "The holder is another." })),
        "withdrawProposal" => post_empty(decision(world, "withdraw", world.owner()).await),
        _ => return None,
    })
}

/// A letter that was sent.
async fn mail(world: &World) -> i64 {
    let sent = world.owner().get("/api/admin/v1/mail?state=sent").await.ok();
    sent["items"][0]["id"].as_i64().expect("a letter was sent")
}

/// The address of a decision on something this colleague has just proposed. What was proposed before is taken back.
async fn decision(world: &World, word: &str, by: &agio_testkit::Caller) -> String {
    world.owner().put("/api/admin/v1/settings", json!({ "approvals.four_eyes": true })).await.ok();
    let path = |id: &str, word: &str| format!("/api/admin/v1/approvals/{id}/{word}");
    let waiting = world.owner().get("/api/admin/v1/approvals").await.ok();
    for before in waiting["items"].as_array().expect("a list") {
        let id = text(&before["id"]);
        for colleague in [world.owner(), &world.proposer] {
            colleague.post_empty(&path(&id, "withdraw")).await;
        }
    }
    let change = json!({ "holder": "IVAN PETROV", "memo": world.email() });
    let proposed = by.patch(&format!("/api/admin/v1/requisites/{}", world.requisite), change).await.ok();
    path(&text(&proposed["id"]), word)
}
