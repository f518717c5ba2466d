//! Adding, registering and removing libraries at run time.

use std::time::Duration;

use agio_test_app::{Database, Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

/// An invalid library and its SHA-256.
const BYTES: &str = "abc";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

async fn shown(staff: &TestClient) -> Value {
    staff.get("/api/admin/v1/plugins").await.ok()
}

fn is_there(shown: &Value) -> bool {
    shown["items"].as_array().unwrap().iter().any(|plugin| plugin["name"] == "guest")
}

async fn a_library_runs_while_it_is_in_the_folder_and_the_allow_list(engine: Engine) {
    let directory = tempfile::tempdir().unwrap();
    let (folder, list) = (directory.path().join("plugins"), directory.path().join("plugins.toml"));
    std::fs::create_dir(&folder).unwrap();
    let app = TestApp::start_with(Database::with_market(engine).await, |config| {
        config.plugins.folder.clone_from(&folder);
        config.plugins.list.clone_from(&list);
    })
    .await;
    let owner = app.owner().await;
    let later = async || app.advance_and_run_jobs(Duration::from_secs(10)).await;
    let file = folder.join(format!("libguest.{}", std::env::consts::DLL_EXTENSION));
    std::fs::write(&file, BYTES).unwrap();
    later().await;
    let view = shown(&owner).await;
    assert_eq!(view["unregistered"], json!([{ "name": "guest", "sha256": SHA256 }]));
    assert!(!is_there(&view), "it is not registered");

    std::fs::write(&list, format!("[plugins.allowed]\nguest = \"{SHA256}\"\nabsent = \"{}\"\n", "0".repeat(64))).unwrap();
    later().await;
    let view = shown(&owner).await;
    assert!(is_there(&view) && view["unregistered"] == json!([]), "{view}");
    assert_eq!(view["missing"], json!(["absent"]));
    // It cannot be loaded, so its settings are unknown.
    let set = owner.patch("/api/admin/v1/plugins/guest", json!({ "revision": 0, "enabled": true })).await;
    set.refused(409, "plugin_not_loaded");

    std::fs::write(&file, "another").unwrap();
    later().await;
    let view = shown(&owner).await;
    assert!(!is_there(&view), "the digest differs");
    assert_eq!(view["missing"], json!(["absent", "guest"]));
    std::fs::remove_file(&file).unwrap();
    later().await;
    assert_eq!(shown(&owner).await["unregistered"], json!([]));
}

both_engines!(a_library_runs_while_it_is_in_the_folder_and_the_allow_list);
