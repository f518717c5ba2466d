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
);
