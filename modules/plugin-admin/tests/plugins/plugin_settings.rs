//! Settings of plugins.

use std::collections::BTreeSet;

use agio_core::identity::Role;
use agio_plugin_runtime::PluginRegistry as _;
use agio_plugin_sdk::protocol::{AddressRequest, Call, CallResult};
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

const PLUGINS: &str = "/api/admin/v1/plugins";
const WEBHOOK: &str = "/api/admin/v1/plugins/webhook";
const TELEGRAM: &str = "/api/admin/v1/plugins/telegram";
const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

const ETHEREUM: &str = "/api/admin/v1/plugins/ethereum";
/// The extended public key of the phrase that development nodes publish.
const XPUB: &str =
    "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";

/// The plugin as the list shows it.
async fn telegram(staff: &TestClient) -> Value {
    let all = staff.get(PLUGINS).await.ok();
    all["items"].as_array().unwrap().iter().find(|plugin| plugin["name"] == "telegram").unwrap().clone()
}

async fn a_plugin_is_ready_once_enabled_and_configured(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, auditor) = (app.owner().await, app.staff(Role::Auditor).await);
    let plugin = telegram(&auditor).await;
    assert_eq!((&plugin["state"], &plugin["kind"], &plugin["sha256"]), (&json!("off"), &json!("notifier"), &json!(null)));
    assert_eq!(plugin["settings"][0]["kind"], "secret");

    owner.patch(TELEGRAM, json!({ "revision": 0, "enabled": true })).await.ok();
    assert_eq!(telegram(&auditor).await["state"], "unset");
    let set = json!({ "revision": 1, "settings": { "token": TOKEN, "chat": "-1001234567890" } });
    let set = owner.patch(TELEGRAM, set).await.ok();
    assert_eq!((&set["state"], &set["revision"]), (&json!("ready"), &json!(2)));
    let (token, chat) = (&set["settings"][0], &set["settings"][1]);
    assert_eq!((&token["value"], &token["isSet"]), (&json!(null), &json!(true)));
    assert_eq!(chat["value"], "-1001234567890");

    owner.patch(TELEGRAM, json!({ "revision": 2, "settings": { "token": null } })).await.ok();
    assert_eq!(telegram(&auditor).await["state"], "unset");
    let log = owner.get("/api/admin/v1/audit?aboutKind=plugin").await.text;
    assert!(log.contains("plugin.changed") && log.contains("(secret)") && !log.contains(TOKEN), "{log}");
    app.assert_audit_chain_is_intact().await;
}

async fn invalid_settings_are_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    for (settings, field) in [
        (json!({ "token": "" }), "settings.token"),
        (json!({ "token": "two\nlines" }), "settings.token"),
        (json!({ "chat": "x".repeat(501) }), "settings.chat"),
        (json!({ "url": "https://example.com" }), "settings.url"),
    ] {
        let answer = owner.patch(TELEGRAM, json!({ "revision": 0, "settings": settings })).await;
        let error = answer.refused(422, "validation_failed");
        assert!(error["errors"].get(field).is_some(), "{error}");
    }
    for inside in [
        "http://127.0.0.1:8080/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/",
        "https://localhost/",
        "https://shop.internal/",
    ] {
        let answer = owner.patch(WEBHOOK, json!({ "revision": 0, "settings": { "url": inside } })).await;
        let error = answer.refused(422, "validation_failed");
        assert_eq!(error["errors"]["settings.url"][0]["code"], "plugin_url_not_allowed", "{inside}: {error}");
    }
    owner.patch(WEBHOOK, json!({ "revision": 0, "settings": { "url": "https://hooks.example.com/agio" } })).await.ok();
    owner.patch(TELEGRAM, json!({ "revision": 7, "enabled": true })).await.refused(409, "plugin_changed");
    owner.patch("/api/admin/v1/plugins/nobody", json!({ "revision": 0 })).await.refused(404, "plugin_not_found");
    let operator = app.operator().await;
    operator.patch(TELEGRAM, json!({ "revision": 0, "enabled": true })).await.refused(403, "forbidden");
    assert_eq!(telegram(&owner).await["revision"], 0);
}

async fn changes_of_plugins_need_two_people(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, other) = (app.owner().await, app.staff_named("other", Role::Owner).await);
    other.post("/api/admin/v1/me/confirm", json!({ "password": TestApp::PASSWORD })).await.ok();
    let decide = |request: &Value, word: &str| format!("/api/admin/v1/approvals/{}/{word}", request["id"].as_str().unwrap());
    let proposes = async |path: &str, change: Value| {
        let answer = owner.patch(path, change).await;
        assert_eq!((answer.status.as_u16(), answer.json()["kind"].as_str()), (202, Some("plugin_changed")), "{}", answer.text);
        answer.json()
    };
    let first = json!({ "revision": 0, "settings": { "chat": "-1001234567890" } });
    owner.patch(TELEGRAM, first).await.ok();
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();

    let change = json!({ "revision": 1, "enabled": true, "settings": { "token": TOKEN, "chat": "-1009" } });
    let request = proposes(TELEGRAM, change.clone()).await;
    let facts = request["facts"].as_array().unwrap().iter();
    let shown: Vec<_> = facts.map(|fact| ["label", "before", "after"].map(|name| fact[name].as_str().unwrap_or(""))).collect();
    assert_eq!(
        shown,
        [
            ["Плагин", "", "telegram"],
            ["Плагин включён", "нет", "да"],
            ["Новый секрет, не показывается", "", "token"],
            ["Настройка", "chat: -1001234567890", "chat: -1009"],
        ]
    );
    let mut tx = app.server.platform.db.read().await.unwrap();
    let (payload,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT payload FROM approval").unwrap();
    drop(tx);
    assert!(!payload.contains(TOKEN), "{payload}");
    assert_eq!(telegram(&owner).await["settings"][1]["value"], "-1001234567890");
    owner.patch(TELEGRAM, change.clone()).await.refused(409, "approval_waits");
    owner.post_empty(&decide(&request, "approve")).await.refused(403, "approval_own");
    other.post_empty(&decide(&request, "approve")).await.ok();
    let plugin = telegram(&owner).await;
    assert_eq!((&plugin["state"], &plugin["revision"]), (&json!("ready"), &json!(2)));
    assert_eq!((&plugin["settings"][0]["isSet"], &plugin["settings"][1]["value"]), (&json!(true), &json!("-1009")));
    let log = owner.get("/api/admin/v1/audit?aboutKind=plugin").await.text;
    assert!(log.contains("plugin.changed") && log.contains("-1009") && !log.contains(TOKEN), "{log}");

    let outdated = proposes(TELEGRAM, json!({ "revision": 2, "settings": { "chat": "-7" } })).await;
    owner.patch(TELEGRAM, json!({ "revision": 2, "enabled": false })).await.ok();
    other.post_empty(&decide(&outdated, "approve")).await.refused(409, "approval_outdated");
    other.post(&decide(&outdated, "reject"), json!({ "reason": "It is off now." })).await.ok();
    proposes(TELEGRAM, json!({ "revision": 3, "enabled": true })).await;
    let driver = json!({ "url": "https://node.example.com", "xpub": XPUB });
    proposes(ETHEREUM, json!({ "revision": 0, "settings": driver })).await;
}

/// A lost value would give the address of one claim to the next.
async fn what_a_plugin_stores_outlasts_a_concurrent_load(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let settings = json!({ "url": "https://node.example.com", "xpub": XPUB });
    owner.patch(ETHEREUM, json!({ "revision": 0, "enabled": true, "settings": settings })).await.ok();
    let manager = &app.server.plugin_manager;
    let mut addresses = BTreeSet::new();
    for number in 0..60 {
        let requests = vec![AddressRequest { key: format!("key-{number}"), currency: "ETH".to_owned() }];
        let load = async {
            for _ in 0..4 {
                manager.load().await.unwrap();
            }
        };
        let ((), given) = tokio::join!(load, manager.call("ethereum", Call::Addresses { requests }));
        let Ok(CallResult::Addresses(given)) = given else { panic!("{given:?}") };
        addresses.insert(given[0].address.clone());
    }
    assert_eq!(addresses.len(), 60);
}

both_engines!(
    a_plugin_is_ready_once_enabled_and_configured,
    invalid_settings_are_rejected,
    what_a_plugin_stores_outlasts_a_concurrent_load,
    changes_of_plugins_need_two_people,
);
