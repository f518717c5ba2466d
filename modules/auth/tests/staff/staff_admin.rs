//! Administration of staff by owners.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fixtures::{
    Authenticator, PASSWORD, StaffMember, app_with_required_second_factor, audit_actions, confirmed, link_token, try_sign_in,
};

async fn roles_list_their_permissions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let roles = app.owner().await.get("/api/admin/v1/staff/roles").await.ok();
    let set = |name: &str| -> Vec<String> {
        let role = roles.as_array().unwrap().iter().find(|role| role["name"] == name).unwrap();
        role["permissions"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = set("owner");
    assert_eq!(all.len(), app.server.permissions().len());
    let changing = |name: &str| set(name).into_iter().filter(|one| !one.ends_with(".read")).collect::<Vec<_>>();
    assert_eq!(changing("auditor"), Vec::<String>::new());
    assert!(
        set("auditor").iter().filter(|one| one.ends_with(".read")).count()
            == all.iter().filter(|one| one.ends_with(".read")).count()
    );
    let works_with_customers = |one: &String| {
        ["claims.", "customers.", "referral.", "mail.", "notices.", "rates.release"].iter().any(|prefix| one.starts_with(prefix))
    };
    assert!(changing("operator").iter().all(works_with_customers), "{:?}", changing("operator"));
    for (role, may) in
        [("cashier", "reserves.move"), ("cashier", "reserves.requisites"), ("editor", "settings.edit"), ("editor", "market.edit")]
    {
        assert!(set(role).contains(&may.to_owned()) && !set("operator").contains(&may.to_owned()), "{role} {may}");
    }
    assert!(!set("editor").iter().any(|one| one.starts_with("reserves.") && !one.ends_with(".read")));
    for role in ["operator", "cashier", "editor"] {
        assert!(!set(role).iter().any(|one| one.starts_with("staff.")), "{role}");
    }
    // Every permission has a text in both languages.
    for permission in app.server.permissions() {
        let key = format!("permission.{}", permission.0);
        assert!(app.server.texts().has(&key), "{key} has no text");
    }
}

async fn disabling_revokes_sessions(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = confirmed(&app, "anna@agio.example", Role::Owner).await;
    let mut boris = confirmed(&app, "boris@agio.example", Role::Operator).await;
    let node = app.another_node().await;
    boris.get("/dashboard").await.ok();
    let path = format!("/staff/{}", boris.id);
    assert_eq!(anna.post(&format!("{path}/disable"), json!({})).await.status, 204);
    boris.get("/dashboard").await.refused(401, "token_not_valid");
    boris.caller.post_empty("/api/admin/v1/auth/refresh").await.refused(401, "token_not_valid");
    try_sign_in(&boris.caller, &boris.email, PASSWORD, Some(&boris.code(&app))).await.refused(401, "wrong_credentials");
    node.advance_and_run_jobs(Duration::ZERO).await;
    boris.caller.clone().at_node(&node.root).get("/api/admin/v1/dashboard").await.refused(401, "token_not_valid");
    boris.newest_email(&app, "staff_disabled").await;
    let listed = anna.get("/staff").await.ok();
    assert_eq!((&listed["items"][1]["id"], &listed["items"][1]["disabled"]), (&json!(boris.id), &json!(true)));
    anna.post(&format!("{path}/restore"), json!({})).await.refused(409, "staff_disabled");

    assert_eq!(anna.post(&format!("{path}/enable"), json!({})).await.status, 204);
    boris.newest_email(&app, "staff_enabled").await;
    boris.get("/dashboard").await.refused(401, "token_not_valid");
    boris.sign_in(&app).await.ok();
    boris.get("/dashboard").await.ok();
    let done = audit_actions(&app, &boris.id).await;
    assert!(["staff.disabled", "staff.enabled"].iter().all(|action| done.contains(&(*action).to_owned())), "{done:?}");
    anna.post(&format!("/staff/{}/disable", Uuid::nil()), json!({})).await.refused(404, "staff_not_found");
}

async fn role_change_takes_effect_immediately(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = confirmed(&app, "anna@agio.example", Role::Owner).await;
    let boris = confirmed(&app, "boris@agio.example", Role::Editor).await;
    let note = json!({ "text": "Seen." });
    let path = format!("/claims/{}/notes", Uuid::nil());
    boris.post(&path, note.clone()).await.refused(403, "forbidden");
    assert_eq!(anna.put(&format!("/staff/{}/role", boris.id), json!({ "role": "operator" })).await.status, 204);
    assert_eq!(boris.post(&path, note).await.status, 404);
    assert_eq!(boris.me().await.ok()["role"], "operator");
    assert!(boris.newest_email(&app, "staff_role_changed").await.text.contains("Anna Kotova"));
    let entries = anna.get(&format!("/audit?aboutKind=staff&aboutId={}&action=staff.role_changed", boris.id)).await.ok();
    assert_eq!(
        (&entries["items"][0]["before"], &entries["items"][0]["after"]),
        (&json!({ "role": "editor" }), &json!({ "role": "operator" }))
    );
    anna.put(&format!("/staff/{}/role", boris.id), json!({ "role": "king" })).await.refused(400, "malformed_body");
}

async fn staff_cannot_manage_themselves_and_one_owner_remains(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = confirmed(&app, "anna@agio.example", Role::Owner).await;
    let own = |what: &str| format!("/staff/{}/{what}", anna.id);
    anna.put(&own("role"), json!({ "role": "auditor" })).await.refused(403, "staff_self");
    anna.post(&own("disable"), json!({})).await.refused(403, "staff_self");
    anna.post(&own("second-factor/reset"), json!({})).await.refused(403, "staff_self");
    anna.delete(&own("sessions")).await.refused(403, "staff_self");

    // Two owners disable each other at the same time: one of them stays.
    for round in 0..4 {
        let boris = confirmed(&app, &format!("boris{round}@agio.example"), Role::Owner).await;
        let (a, b) = tokio::join!(decides(&anna, &boris.id, round), decides(&boris, &anna.id, round),);
        assert_eq!([a, b].iter().filter(|status| **status == 204).count(), 1, "{a} {b}");
        let mut tx = app.server.platform.db.read().await.unwrap();
        let owners = "SELECT COUNT(*) FROM staff WHERE role = 'owner' AND NOT disabled";
        let (left,) = agio_core::fetch_one!(&mut tx, (i64,), owners).unwrap();
        assert_eq!(left, 1);
        drop(tx);
        if a != 204 {
            break;
        }
        anna.confirm(&app).await;
    }
}

/// Disables the other owner, or changes their role.
async fn decides(by: &StaffMember, about: &str, round: u32) -> u16 {
    let answer = match round % 2 {
        0 => by.post(&format!("/staff/{about}/disable"), json!({})).await,
        _ => by.put(&format!("/staff/{about}/role"), json!({ "role": "auditor" })).await,
    };
    answer.status.as_u16()
}

async fn owner_resets_second_factor_and_password(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = confirmed(&app, "anna@agio.example", Role::Owner).await;
    let mut boris = confirmed(&app, "boris@agio.example", Role::Operator).await;
    let path = |what: &str| format!("/staff/{}/{what}", boris.id);
    let (reset, restore) = (path("second-factor/reset"), path("restore"));
    assert_eq!(anna.post(&reset, json!({})).await.status, 204);
    anna.post(&reset, json!({})).await.refused(409, "totp_not_on");
    boris.me().await.refused(401, "token_not_valid");
    assert!(boris.newest_email(&app, "staff_second_factor_reset").await.text.contains("Anna Kotova"));
    boris.authenticator = None;
    assert_eq!(boris.sign_in(&app).await.ok()["user"]["setupNeeded"], true);
    boris.set_up_second_factor(&app).await;

    let sets = async |token: &str, password: &str| {
        boris.caller.post("/api/admin/v1/auth/restore", json!({ "token": token, "password": password })).await
    };
    assert_eq!(anna.post(&restore, json!({})).await.status, 204);
    let first = link_token(&app, &boris.email, "staff_password_restore").await;
    assert_eq!(anna.post(&restore, json!({})).await.status, 204);
    let second = link_token(&app, &boris.email, "staff_password_restore").await;
    sets(&first, "quite another horse entirely").await.refused(404, "link_not_valid");
    sets(&second, "too short").await.refused(422, "validation_failed");
    boris.me().await.ok();
    assert_eq!(sets(&second, "quite another horse entirely").await.status, 204);
    boris.me().await.refused(401, "token_not_valid");
    sets(&second, "quite another horse entirely").await.refused(404, "link_not_valid");
    boris.newest_email(&app, "staff_password_restored").await;
    try_sign_in(&boris.caller, &boris.email, PASSWORD, None).await.refused(401, "wrong_credentials");
    let new = "quite another horse entirely";
    try_sign_in(&boris.caller, &boris.email, new, None).await.refused(401, "otp_required");
    try_sign_in(&boris.caller, &boris.email, new, Some(&boris.code(&app))).await.ok();

    // The link expires after a day.
    assert_eq!(anna.post(&restore, json!({})).await.status, 204);
    let third = link_token(&app, &boris.email, "staff_password_restore").await;
    app.advance_clock(Duration::from_secs(24 * 60 * 60));
    sets(&third, "a horse of another colour").await.refused(404, "link_not_valid");
}

async fn cli_resets_the_last_owner(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let mut anna = confirmed(&app, "anna@agio.example", Role::Owner).await;
    let link = app.server.auth.reset_password_from_cli("anna@agio.example", true).await.unwrap();
    let token = link.split_once("/admin/restore#token=").unwrap().1;
    anna.me().await.refused(401, "token_not_valid");
    let new = json!({ "token": token, "password": "quite another horse entirely" });
    assert_eq!(anna.caller.post("/api/admin/v1/auth/restore", new).await.status, 204);
    anna.password = "quite another horse entirely".into();
    anna.authenticator = None;
    assert_eq!(anna.sign_in(&app).await.ok()["user"]["setupNeeded"], true);
    let begun = Authenticator::from_setup(&anna.post("/me/second-factor", json!({})).await.ok());
    anna.post("/me/second-factor/confirm", json!({ "code": begun.code(&app) })).await.ok();
    let unknown = app.server.auth.reset_password_from_cli("nobody@agio.example", false).await.unwrap_err();
    assert_eq!(unknown.code(), "staff_not_found");
}

async fn owner_lists_and_revokes_staff_sessions(engine: Engine) {
    let app = app_with_required_second_factor(engine).await;
    let anna = confirmed(&app, "anna@agio.example", Role::Owner).await;
    let auditor = confirmed(&app, "dina@agio.example", Role::Auditor).await;
    let mut boris = confirmed(&app, "boris@agio.example", Role::Operator).await;
    let mut phone = boris.at_another_address(&app, "192.0.2.7");
    phone.sign_in(&app).await.ok();
    let path = format!("/staff/{}/sessions", boris.id);
    boris.get(&path).await.refused(403, "forbidden");
    let seen = auditor.get(&path).await.ok();
    let phones = seen.as_array().unwrap().iter().find(|session| session["address"] == "192.0.2.7").unwrap();
    let one = format!("{path}/{}", phones["id"].as_str().unwrap());
    auditor.delete(&one).await.refused(403, "forbidden");
    assert_eq!(anna.delete(&one).await.status, 204);
    anna.delete(&one).await.refused(404, "session_not_found");
    phone.me().await.refused(401, "token_not_valid");
    boris.me().await.ok();
    let others = anna.get("/me/sessions").await.ok()[0]["id"].clone();
    anna.delete(&format!("{path}/{}", others.as_str().unwrap())).await.refused(404, "session_not_found");
    assert_eq!(anna.delete(&path).await.status, 204);
    boris.me().await.refused(401, "token_not_valid");
    assert_eq!(auditor.get(&path).await.ok(), Value::Array(Vec::new()));
    boris.sign_in(&app).await.ok();
    anna.get(&format!("/staff/{}/sessions", Uuid::nil())).await.refused(404, "staff_not_found");
}

both_engines!(
    roles_list_their_permissions,
    disabling_revokes_sessions,
    role_change_takes_effect_immediately,
    staff_cannot_manage_themselves_and_one_owner_remains,
    owner_resets_second_factor_and_password,
    cli_resets_the_last_owner,
    owner_lists_and_revokes_staff_sessions,
);
