//! Invitations of staff.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{
    PASSWORD, StaffMember, acceptance, app_with_required_second_factor, audit_actions, link_token, newest_email_to,
};

const HOUR: Duration = Duration::from_secs(60 * 60);
const VERA: &str = "vera@agio.example";

/// An owner with a confirmed session.
async fn owner(app: &TestApp) -> StaffMember {
    let mut anna = StaffMember::with_second_factor(app, "anna@agio.example", Role::Owner).await;
    anna.sign_in(app).await.ok();
    anna.confirm(app).await;
    anna
}

fn invite(email: &str, role: &str, language: &str) -> Value {
    json!({ "email": email, "role": role, "language": language })
}

async fn looks(app: &TestApp, token: &str) -> agio_test_app::TestResponse {
    TestClient::at(&app.console).post("/api/admin/v1/auth/invitation", json!({ "token": token })).await
}

async fn accepts(app: &TestApp, body: Value) -> agio_test_app::TestResponse {
    TestClient::at(&app.console).post("/api/admin/v1/auth/invitation/accept", body).await
}

async fn invitation_email_creates_an_account(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = owner(&app).await;
    let made = anna.post("/invitations", invite(" Vera@Agio.Example ", "editor", "en")).await.ok();
    assert_eq!((&made["email"], &made["role"], &made["invitedBy"]), (&json!(VERA), &json!("editor"), &json!("Anna Kotova")));
    let message = newest_email_to(&app, VERA, "staff_invitation").await;
    assert!(message.subject.starts_with("You are invited") && message.text.contains("Your role: editor"), "{}", message.text);
    let token = link_token(&app, VERA, "staff_invitation").await;
    let listed = anna.get("/staff").await;
    assert!(!listed.text.contains(&token), "the list does not tell the link");
    let listed = listed.ok();
    assert_eq!((listed["items"].as_array().unwrap().len(), &listed["invitations"][0]["email"]), (1, &json!(VERA)));
    let mut tx = app.server.platform.db.read().await.unwrap();
    let (stored,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT digest FROM staff_invitation").unwrap();
    drop(tx);
    assert!(stored.len() == 43 && stored != token, "the link is stored as a digest");

    let seen = looks(&app, &token).await.ok();
    assert_eq!((&seen["email"], &seen["role"]), (&json!(VERA), &json!("editor")));
    for (body, field, code) in [
        (json!({ "token": token, "name": " ", "password": PASSWORD }), "name", "required"),
        (json!({ "token": token, "name": "x".repeat(81), "password": PASSWORD }), "name", "text_too_long"),
        (json!({ "token": token, "name": "a\u{7}b", "password": PASSWORD }), "name", "name_invalid"),
        (json!({ "token": token, "name": "Vera", "password": "six words, ten" }), "password", "password_length"),
        (json!({ "token": token, "name": "Vera", "password": "vera@agio.example" }), "password", "password_common"),
    ] {
        let refused = accepts(&app, body).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
    }
    let mut vera = StaffMember::accept(&app, VERA, &token).await;
    assert_eq!(vera.me().await.ok()["setupNeeded"], true);
    vera.set_up_second_factor(&app).await;
    let may = vera.me().await.ok()["permissions"].clone();
    assert!(may.as_array().unwrap().contains(&json!("market.edit")) && !may.to_string().contains("staff."), "{may}");
    vera.sign_in(&app).await.ok();
    vera.get("/staff").await.refused(403, "forbidden");
    vera.post("/invitations", invite("x@agio.example", "owner", "en")).await.refused(403, "forbidden");
    let listed = anna.get("/staff").await.ok();
    assert_eq!((listed["items"].as_array().unwrap().len(), listed["invitations"].as_array().unwrap().len()), (2, 0));
    assert_eq!(audit_actions(&app, &vera.id).await[0], "staff.joined");
    app.assert_audit_chain_is_intact().await;
}

async fn invitation_works_once_for_a_day(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = owner(&app).await;
    let link = async || link_token(&app, VERA, "staff_invitation").await;
    anna.post("/invitations", invite(VERA, "cashier", "ru")).await.ok();
    assert!(newest_email_to(&app, VERA, "staff_invitation").await.text.contains("Ваша роль: кассир"));
    let first = link().await;
    let sent = anna.get("/staff").await.ok()["invitations"][0]["id"].clone();
    let again = format!("/invitations/{}/resend", sent.as_str().unwrap());
    assert_eq!(anna.post(&again, json!({})).await.ok()["role"], "cashier");
    let second = link().await;
    looks(&app, &first).await.refused(404, "link_not_valid");
    accepts(&app, acceptance(&first)).await.refused(404, "link_not_valid");
    anna.post(&again, json!({})).await.refused(404, "invitation_not_found");

    app.advance_clock(24 * HOUR);
    looks(&app, &second).await.refused(404, "link_not_valid");
    accepts(&app, acceptance(&second)).await.refused(404, "link_not_valid");
    let mut anna = anna;
    anna.sign_in(&app).await.ok();
    anna.confirm(&app).await;
    let old = anna.get("/staff").await.ok()["invitations"][0].clone();
    assert_eq!(old["expired"], true);
    anna.post(&format!("/invitations/{}/resend", old["id"].as_str().unwrap()), json!({})).await.ok();
    let third = link().await;
    // Two browsers follow it at one moment: one of them gets in.
    let (one, other) = tokio::join!(accepts(&app, acceptance(&third)), accepts(&app, acceptance(&third)));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404], "{} {}", one.text, other.text);
    accepts(&app, acceptance(&third)).await.refused(404, "link_not_valid");
    for forged in ["", "x", &third[1..], "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        looks(&app, forged).await.refused(404, "link_not_valid");
    }
}

async fn invitation_is_withdrawn_with_its_author(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = owner(&app).await;
    let mut boris = StaffMember::with_second_factor(&app, "boris@agio.example", Role::Owner).await;
    boris.sign_in(&app).await.ok();
    boris.confirm(&app).await;
    let refused = anna.post("/invitations", invite("boris@agio.example", "owner", "en")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["email"][0]["code"], "email_taken");
    let refused = anna.post("/invitations", invite("nobody", "owner", "en")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["email"][0]["code"], "bad_email");

    let made = anna.post("/invitations", invite(VERA, "owner", "en")).await.ok();
    let path = format!("/invitations/{}", made["id"].as_str().unwrap());
    let link = link_token(&app, VERA, "staff_invitation").await;
    assert_eq!(anna.delete(&path).await.status, 204);
    anna.delete(&path).await.refused(404, "invitation_not_found");
    looks(&app, &link).await.refused(404, "link_not_valid");

    // An attacker with Boris' session invites somebody; disabling Boris withdraws the invitation.
    boris.post("/invitations", invite(VERA, "owner", "en")).await.ok();
    let link = link_token(&app, VERA, "staff_invitation").await;
    looks(&app, &link).await.ok();
    assert_eq!(anna.post(&format!("/staff/{}/disable", boris.id), json!({})).await.status, 204);
    looks(&app, &link).await.refused(404, "link_not_valid");
    boris.post("/invitations", invite(VERA, "owner", "en")).await.refused(401, "token_not_valid");
}

async fn invitation_is_idempotent(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = owner(&app).await;
    let sends = async |body: Value| anna.caller.post_idempotent("/api/admin/v1/invitations", "invitation-key-1", body).await;
    let first = sends(invite(VERA, "editor", "en")).await.ok();
    assert_eq!(sends(invite(VERA, "editor", "en")).await.ok(), first);
    sends(invite(VERA, "owner", "en")).await.refused(422, "idempotency_mismatch");
    let messages = app.emails_to(VERA).await;
    assert_eq!(messages.iter().filter(|message| message.kind == "staff_invitation").count(), 1);
    looks(&app, &link_token(&app, VERA, "staff_invitation").await).await.ok();
}

async fn cli_invites_the_first_owner(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let link = app.server.auth.invite_from_cli("Anna@agio.example", Role::Owner, Locale::En).await.unwrap();
    assert!(link.starts_with("http://127.0.0.1:8080/admin/welcome#token="), "{link}");
    let secret = link.split_once("#token=").unwrap().1;
    assert_eq!(looks(&app, secret).await.ok()["role"], "owner");
    accepts(&app, acceptance(secret)).await.ok();
    let taken = app.server.auth.invite_from_cli("anna@agio.example", Role::Owner, Locale::En).await.unwrap_err();
    assert_eq!(taken.fields()[0].code, "email_taken");
}

both_engines!(
    invitation_email_creates_an_account,
    invitation_works_once_for_a_day,
    invitation_is_withdrawn_with_its_author,
    invitation_is_idempotent,
    cli_invites_the_first_owner,
);
