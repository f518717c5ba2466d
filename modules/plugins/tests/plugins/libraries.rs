//! Libraries that come, are listed, and go while the house runs.

use std::time::Duration;

use agio_testkit::{Caller, Database, Engine, House, both_engines};
use serde_json::{Value, json};

/// A file that is no library, and its SHA-256.
const BYTES: &str = "abc";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

async fn shown(staff: &Caller) -> Value {
    staff.get("/api/admin/v1/plugins").await.ok()
}

fn is_there(shown: &Value) -> bool {
    shown["items"].as_array().unwrap().iter().any(|plugin| plugin["name"] == "guest")
}

async fn a_library_runs_while_it_lies_there_and_is_listed(engine: Engine) {
    let outfit = tempfile::tempdir().unwrap();
    let (folder, list) = (outfit.path().join("plugins"), outfit.path().join("plugins.toml"));
    std::fs::create_dir(&folder).unwrap();
    let house = House::open_on(Database::furnished(engine).await, |config| {
        config.plugins.folder.clone_from(&folder);
        config.plugins.list.clone_from(&list);
    })
    .await;
    let owner = house.owner().await;
    let later = async || house.later(Duration::from_secs(10)).await;
    let file = folder.join(format!("libguest.{}", std::env::consts::DLL_EXTENSION));
    std::fs::write(&file, BYTES).unwrap();
    later().await;
    let seen = shown(&owner).await;
    assert_eq!(seen["strangers"], json!([{ "name": "guest", "sha256": SHA256 }]));
    assert!(!is_there(&seen), "nobody listed it");

    std::fs::write(&list, format!("[plugins.allowed]\nguest = \"{SHA256}\"\nabsent = \"{}\"\n", "0".repeat(64))).unwrap();
    later().await;
    let seen = shown(&owner).await;
    assert!(is_there(&seen) && seen["strangers"] == json!([]), "{seen}");
    assert_eq!(seen["missing"], json!(["absent"]));
    // It cannot be loaded, so nobody knows what of it could be set.
    let set = owner.patch("/api/admin/v1/plugins/guest", json!({ "revision": 0, "enabled": true })).await;
    set.refused(409, "plugin_not_loaded");

    std::fs::write(&file, "another").unwrap();
    later().await;
    let seen = shown(&owner).await;
    assert!(!is_there(&seen), "another file is not what was listed");
    assert_eq!(seen["missing"], json!(["absent", "guest"]));
    std::fs::remove_file(&file).unwrap();
    later().await;
    assert_eq!(shown(&owner).await["strangers"], json!([]));
}

both_engines!(a_library_runs_while_it_lies_there_and_is_listed);
