//! Alerts about quarantined plugins.

use std::path::Path;
use std::time::Duration;

use agio_plugin_runtime::ProcessState;
use agio_test_app::{Database, Engine, TestApp};

use crate::staff_alerts::alerts_to;

const MINUTE: Duration = Duration::from_secs(60);
const OWNER: &str = "owner@agio.example";
const TIMEOUT: Duration = Duration::from_secs(60);

/// Invalid libraries and their SHA-256.
const GUEST: (&str, &str) = ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
const OTHER: (&str, &str) = ("abcd", "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589");

/// Adds an allowed library that cannot be loaded.
fn add_library(folder: &Path, name: &str, (bytes, _): (&str, &str)) {
    std::fs::write(folder.join(format!("lib{name}.{}", std::env::consts::DLL_EXTENSION)), bytes).unwrap();
}

/// Waits until the plugin is quarantined after at least this many starts. Returns the reason in the console.
async fn wait_for_quarantine(app: &TestApp, name: &str, starts: u64) -> String {
    let entry = app.server.plugin_manager.entry(name).unwrap();
    let plugin = entry.supervised().unwrap();
    let mut states = plugin.states();
    let quarantined = async {
        while !matches!(plugin.health().state, ProcessState::Quarantined { .. }) || plugin.health().restarts < starts {
            states.changed().await.unwrap();
        }
    };
    tokio::time::timeout(TIMEOUT, quarantined).await.expect("it is quarantined in time");
    let shown = app.owner().await.get("/api/admin/v1/plugins").await.ok();
    let plugin = shown["items"].as_array().unwrap().iter().find(|plugin| plugin["name"] == name).unwrap();
    assert_eq!(plugin["state"], "quarantined");
    plugin["reason"].as_str().unwrap().to_owned()
}

async fn owners_are_alerted_once_per_plugin_quarantine(engine: Engine) {
    let plugins = tempfile::tempdir().unwrap();
    let (folder, list) = (plugins.path().join("plugins"), plugins.path().join("plugins.toml"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(&list, format!("[plugins.allowed]\nguest = \"{}\"\nother = \"{}\"\n", GUEST.1, OTHER.1)).unwrap();
    let app = TestApp::start_with(Database::with_market(engine).await, |config| {
        config.plugins.folder.clone_from(&folder);
        config.plugins.list.clone_from(&list);
    })
    .await;
    add_library(&folder, "guest", GUEST);
    app.owner().await;
    app.advance_and_run_jobs(MINUTE).await;
    let reason = wait_for_quarantine(&app, "guest", 0).await;
    app.advance_and_run_jobs(MINUTE).await;
    let [email] = alerts_to(&app, OWNER).await.try_into().unwrap();
    assert_eq!((email.kind.as_str(), email.subject.as_str()), ("alert_plugin", "Плагин остановлен: guest"));
    assert!(email.text.contains(&reason) && email.text.contains("/admin/plugins"), "{} / {reason}", email.text);

    add_library(&folder, "other", OTHER);
    app.advance_and_run_jobs(MINUTE).await;
    wait_for_quarantine(&app, "other", 0).await;
    app.advance_and_run_jobs(MINUTE).await;
    let emails = alerts_to(&app, OWNER).await;
    assert_eq!(
        (emails.len(), emails[1].subject.as_str()),
        (2, "Плагин остановлен: other"),
        "without delay, although another one was just reported"
    );
    app.advance_and_run_jobs(200 * MINUTE).await;
    assert_eq!(alerts_to(&app, OWNER).await.len(), 2, "each quarantine is reported once");

    let starts = app.server.plugin_manager.entry("guest").unwrap().supervised().unwrap().health().restarts;
    app.owner().await.post_empty("/api/admin/v1/plugins/guest/revive").await.ok();
    wait_for_quarantine(&app, "guest", starts + 1).await;
    app.advance_and_run_jobs(MINUTE).await;
    let emails = alerts_to(&app, OWNER).await;
    assert_eq!((emails.len(), emails[2].subject.as_str()), (3, "Плагин остановлен: guest"));
}

agio_test_app::both_engines!(owners_are_alerted_once_per_plugin_quarantine,);
