//! Settings and technical mode.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

const ADMIN: &str = "/api/admin/v1";

async fn the_name_of_the_site_is_a_setting(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let settings = editor.put(&format!("{ADMIN}/settings"), json!({ "site.name": "Обменник", "site.contest": true })).await.ok();
    let row = |key: &str| settings.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap().clone();
    let name = row("site.name");
    assert_eq!((&name["value"], &name["default"], &name["kind"]), (&json!("Обменник"), &json!("Agio"), &json!("text")));
    assert_eq!(
        (&name["group"], &name["updatedBy"], &name["title"]),
        (&json!("site"), &json!("editor"), &json!("Название сайта"))
    );
    let shown = visitor.get("/api/v1/calculator/settings/").await.ok();
    assert_eq!((&shown["siteName"], &shown["contest"]), (&json!("Обменник"), &json!(true)));
    assert_eq!(row("site.support_email")["updatedAt"], Value::Null);
    assert!(!settings.as_array().unwrap().iter().any(|row| row["key"] == "tech.on"), "it has a screen of its own");
}

async fn every_setting_has_texts_in_both_languages(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    for language in ["ru", "en"] {
        let request = editor.request("GET".parse().unwrap(), &format!("{ADMIN}/settings")).header("accept-language", language);
        for row in editor.send(request).await.ok().as_array().unwrap() {
            for words in ["title", "help"] {
                let text = row[words].as_str().unwrap();
                assert!(!text.is_empty() && !text.starts_with("setting."), "{} has no {words} in {language}", row["key"]);
            }
        }
    }
}

async fn a_wrong_value_changes_nothing_at_all(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let wrong = [
        (json!({ "site.name": "X", "rates.fixed_day": "28.03.2024" }), "rates.fixed_day", "setting_invalid"),
        (json!({ "site.name": "X", "rates.max_age_hours": "0" }), "rates.max_age_hours", "setting_invalid"),
        (json!({ "site.name": "X", "rates.max_age_hours": "1e3" }), "rates.max_age_hours", "setting_invalid"),
        (json!({ "site.name": "X", "site.contest": "yes" }), "site.contest", "setting_invalid"),
        (json!({ "site.name": "X", "site.support_email": "nobody" }), "site.support_email", "setting_invalid"),
        (json!({ "site.name": "X", "site.chat_url": "http://chat.example/" }), "site.chat_url", "setting_invalid"),
        (json!({ "site.name": "X", "site.chat_url": "https://chat.example;sandbox/" }), "site.chat_url", "setting_invalid"),
        (json!({ "site.name": "X", "site.chat_title": "X".repeat(41) }), "site.chat_title", "setting_invalid"),
        (json!({ "site.name": " " }), "site.name", "setting_invalid"),
        (json!({ "site.name": "X".repeat(501) }), "site.name", "setting_invalid"),
        (json!({ "site.name": "X", "tech.on": true }), "tech.on", "setting_unknown"),
        (json!({ "site.name": "X", "nothing.such": "1" }), "nothing.such", "setting_unknown"),
    ];
    for (values, field, code) in wrong {
        let refused = editor.put(&format!("{ADMIN}/settings"), values.clone()).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], code, "{values}");
    }
    assert_eq!(visitor.get("/api/v1/calculator/settings/").await.ok()["siteName"], "Agio");
}

/// There is no chat by default; setting one needs a second factor because it is a third-party page.
async fn the_support_chat_is_a_setting(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, owner) = (app.visitor(), app.owner().await);
    let chat = async || visitor.get("/api/v1/calculator/settings/").await.ok()["chat"].clone();
    assert_eq!(chat().await, Value::Null);
    let there = json!({ "site.chat_url": "https://chat.example/widget?site=7" });
    app.staff_named("unconfirmed", Role::Owner)
        .await
        .put(&format!("{ADMIN}/settings"), there.clone())
        .await
        .refused(403, "fresh_second_factor_needed");
    owner.put(&format!("{ADMIN}/settings"), there).await.ok();
    assert_eq!(chat().await, json!({ "url": "https://chat.example/widget?site=7", "title": "", "onClaims": false }));
    owner.put(&format!("{ADMIN}/settings"), json!({ "site.chat_title": "Help", "site.chat_on_claims": true })).await.ok();
    assert_eq!(chat().await, json!({ "url": "https://chat.example/widget?site=7", "title": "Help", "onClaims": true }));
    owner.put(&format!("{ADMIN}/settings"), json!({ "site.chat_url": "" })).await.ok();
    assert_eq!(chat().await, Value::Null);
}

/// Without a chat every page has the contacts of support; the owner may leave them out beside payment details.
async fn contacts_of_support_are_on_claim_pages_unless_switched_off(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, owner) = (app.visitor(), app.owner().await);
    let shown = async || visitor.get("/api/v1/calculator/settings/").await.ok()["contactsOnClaims"].clone();
    assert_eq!(shown().await, json!(true));
    owner.put(&format!("{ADMIN}/settings"), json!({ "site.contacts_on_claims": false })).await.ok();
    assert_eq!(shown().await, json!(false));
}

async fn technical_mode_is_seen_by_every_open_page(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let mut live = app.server.platform.events.subscribe();
    let mode = json!({ "on": true, "time": "2024-03-28T15:00:00Z" });
    assert_eq!(editor.put(&format!("{ADMIN}/tech"), mode.clone()).await.ok(), mode);
    assert_eq!(live.try_recv().unwrap(), agio_core::events::ChangeEvent::TechnicalMode(true));
    assert_eq!(visitor.get("/api/v1/calculator/tech/").await.ok(), json!({ "technicalMode": mode, "claimsPaused": false }));
    let off = json!({ "on": false, "time": null });
    editor.put(&format!("{ADMIN}/tech"), off.clone()).await.ok();
    assert_eq!(visitor.get("/api/v1/calculator/tech/").await.ok(), json!({ "technicalMode": off, "claimsPaused": false }));
    assert_eq!(editor.get(&format!("{ADMIN}/tech")).await.ok(), off);
}

both_engines!(
    the_name_of_the_site_is_a_setting,
    every_setting_has_texts_in_both_languages,
    contacts_of_support_are_on_claim_pages_unless_switched_off,
    a_wrong_value_changes_nothing_at_all,
    the_support_chat_is_a_setting,
    technical_mode_is_seen_by_every_open_page,
);
