//! Coming to work here: invited, once, in time, and by nobody else.

use std::time::Duration;

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_testkit::{Caller, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{Colleague, PASSWORD, deeds, joining, mail, strict, token};

const HOUR: Duration = Duration::from_secs(60 * 60);
const VERA: &str = "vera@agio.example";

/// An owner who has confirmed that it is they.
async fn owner(house: &House) -> Colleague {
    let mut anna = Colleague::comes(house, "anna@agio.example", Role::Owner).await;
    anna.signs_in(house).await.ok();
    anna.confirms(house).await;
    anna
}

fn invite(email: &str, role: &str, language: &str) -> Value {
    json!({ "email": email, "role": role, "language": language })
}

async fn looks(house: &House, token: &str) -> agio_testkit::Answer {
    Caller::at(&house.console).post("/api/admin/v1/auth/invitation", json!({ "token": token })).await
}

async fn accepts(house: &House, body: Value) -> agio_testkit::Answer {
    Caller::at(&house.console).post("/api/admin/v1/auth/invitation/accept", body).await
}

async fn a_letter_brings_a_colleague_in(engine: Engine) {
    let house = strict(engine).await;
    let anna = owner(&house).await;
    let made = anna.post("/invitations", invite(" Vera@Agio.Example ", "editor", "en")).await.ok();
    assert_eq!((&made["email"], &made["role"], &made["invitedBy"]), (&json!(VERA), &json!("editor"), &json!("Anna Kotova")));
    let letter = mail(&house, VERA, "staff_invitation").await;
    assert!(letter.subject.starts_with("You are invited") && letter.text.contains("Your role: editor"), "{}", letter.text);
    let token = token(&house, VERA, "staff_invitation").await;
    let listed = anna.get("/staff").await;
    assert!(!listed.text.contains(&token), "the list does not tell the link");
    let listed = listed.ok();
    assert_eq!((listed["items"].as_array().unwrap().len(), &listed["invitations"][0]["email"]), (1, &json!(VERA)));
    let mut tx = house.app.platform.db.read().await.unwrap();
    let (kept,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT digest FROM staff_invitation").unwrap();
    drop(tx);
    assert!(kept.len() == 43 && kept != token, "the link is kept as a digest");

    let seen = looks(&house, &token).await.ok();
    assert_eq!((&seen["email"], &seen["role"]), (&json!(VERA), &json!("editor")));
    for (body, field, code) in [
        (json!({ "token": token, "name": " ", "password": PASSWORD }), "name", "required"),
        (json!({ "token": token, "name": "x".repeat(81), "password": PASSWORD }), "name", "text_too_long"),
        (json!({ "token": token, "name": "a\u{7}b", "password": PASSWORD }), "name", "name_invalid"),
        (json!({ "token": token, "name": "Vera", "password": "six words, ten" }), "password", "password_length"),
        (json!({ "token": token, "name": "Vera", "password": "vera@agio.example" }), "password", "password_common"),
    ] {
        let refused = accepts(&house, body).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
    }
    let mut vera = Colleague::takes(&house, VERA, &token).await;
    assert_eq!(vera.me().await.ok()["setupNeeded"], true);
    vera.sets_up(&house).await;
    let may = vera.me().await.ok()["permissions"].clone();
    assert!(may.as_array().unwrap().contains(&json!("market.edit")) && !may.to_string().contains("staff."), "{may}");
    vera.signs_in(&house).await.ok();
    vera.get("/staff").await.refused(403, "forbidden");
    vera.post("/invitations", invite("x@agio.example", "owner", "en")).await.refused(403, "forbidden");
    let listed = anna.get("/staff").await.ok();
    assert_eq!((listed["items"].as_array().unwrap().len(), listed["invitations"].as_array().unwrap().len()), (2, 0));
    assert_eq!(deeds(&house, &vera.id).await[0], "staff.joined");
    house.audit_is_whole().await;
}

async fn an_invitation_is_good_once_and_for_a_day(engine: Engine) {
    let house = strict(engine).await;
    let anna = owner(&house).await;
    let link = async || token(&house, VERA, "staff_invitation").await;
    anna.post("/invitations", invite(VERA, "cashier", "ru")).await.ok();
    assert!(mail(&house, VERA, "staff_invitation").await.text.contains("Ваша роль: кассир"));
    let first = link().await;
    let sent = anna.get("/staff").await.ok()["invitations"][0]["id"].clone();
    let again = format!("/invitations/{}/resend", sent.as_str().unwrap());
    assert_eq!(anna.post(&again, json!({})).await.ok()["role"], "cashier");
    let second = link().await;
    looks(&house, &first).await.refused(404, "link_not_valid");
    accepts(&house, joining(&first)).await.refused(404, "link_not_valid");
    anna.post(&again, json!({})).await.refused(404, "invitation_not_found");

    house.wait(24 * HOUR);
    looks(&house, &second).await.refused(404, "link_not_valid");
    accepts(&house, joining(&second)).await.refused(404, "link_not_valid");
    let mut anna = anna;
    anna.signs_in(&house).await.ok();
    anna.confirms(&house).await;
    let old = anna.get("/staff").await.ok()["invitations"][0].clone();
    assert_eq!(old["expired"], true);
    anna.post(&format!("/invitations/{}/resend", old["id"].as_str().unwrap()), json!({})).await.ok();
    let third = link().await;
    // Two browsers follow it at one moment: one of them gets in.
    let (one, other) = tokio::join!(accepts(&house, joining(&third)), accepts(&house, joining(&third)));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404], "{} {}", one.text, other.text);
    accepts(&house, joining(&third)).await.refused(404, "link_not_valid");
    for forged in ["", "x", &third[1..], "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        looks(&house, forged).await.refused(404, "link_not_valid");
    }
}

async fn an_invitation_is_taken_back_also_with_who_invited(engine: Engine) {
    let house = strict(engine).await;
    let anna = owner(&house).await;
    let mut boris = Colleague::comes(&house, "boris@agio.example", Role::Owner).await;
    boris.signs_in(&house).await.ok();
    boris.confirms(&house).await;
    let refused = anna.post("/invitations", invite("boris@agio.example", "owner", "en")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["email"][0]["code"], "email_taken");
    let refused = anna.post("/invitations", invite("nobody", "owner", "en")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["email"][0]["code"], "bad_email");

    let made = anna.post("/invitations", invite(VERA, "owner", "en")).await.ok();
    let path = format!("/invitations/{}", made["id"].as_str().unwrap());
    let link = token(&house, VERA, "staff_invitation").await;
    assert_eq!(anna.delete(&path).await.status, 204);
    anna.delete(&path).await.refused(404, "invitation_not_found");
    looks(&house, &link).await.refused(404, "link_not_valid");

    // Whoever took over Boris' session invites a friend; with Boris goes the invitation.
    boris.post("/invitations", invite(VERA, "owner", "en")).await.ok();
    let link = token(&house, VERA, "staff_invitation").await;
    looks(&house, &link).await.ok();
    assert_eq!(anna.post(&format!("/staff/{}/disable", boris.id), json!({})).await.status, 204);
    looks(&house, &link).await.refused(404, "link_not_valid");
    boris.post("/invitations", invite(VERA, "owner", "en")).await.refused(401, "token_not_valid");
}

async fn one_key_invites_once(engine: Engine) {
    let house = strict(engine).await;
    let anna = owner(&house).await;
    let sends = async |body: Value| anna.caller.post_once("/api/admin/v1/invitations", "invitation-key-1", body).await;
    let first = sends(invite(VERA, "editor", "en")).await.ok();
    assert_eq!(sends(invite(VERA, "editor", "en")).await.ok(), first);
    sends(invite(VERA, "owner", "en")).await.refused(422, "idempotency_mismatch");
    let letters = house.mail_to(VERA).await;
    assert_eq!(letters.iter().filter(|letter| letter.kind == "staff_invitation").count(), 1);
    looks(&house, &token(&house, VERA, "staff_invitation").await).await.ok();
}

async fn the_command_line_invites_the_first_owner(engine: Engine) {
    let house = strict(engine).await;
    let link = house.app.auth.invite_by_house("Anna@agio.example", Role::Owner, Locale::En).await.unwrap();
    assert!(link.starts_with("http://127.0.0.1:8080/admin/welcome#token="), "{link}");
    let secret = link.split_once("#token=").unwrap().1;
    assert_eq!(looks(&house, secret).await.ok()["role"], "owner");
    accepts(&house, joining(secret)).await.ok();
    let taken = house.app.auth.invite_by_house("anna@agio.example", Role::Owner, Locale::En).await.unwrap_err();
    assert_eq!(taken.fields()[0].code, "email_taken");
}

both_engines!(
    a_letter_brings_a_colleague_in,
    an_invitation_is_good_once_and_for_a_day,
    an_invitation_is_taken_back_also_with_who_invited,
    one_key_invites_once,
    the_command_line_invites_the_first_owner,
);
