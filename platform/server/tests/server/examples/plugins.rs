//! Plugins in the console.

use agio_test_app::TestClient;
use reqwest::Method;
use serde_json::json;

use super::Recorder;

const ADMIN: &str = "/api/admin/v1/plugins";

pub async fn configure_plugins(owner: &TestClient, recorder: &mut Recorder) {
    recorder.get(owner, "listPlugins", ADMIN).await;
    let set = json!({ "revision": 0, "enabled": true, "settings": { "chat": "-1001234567890" } });
    recorder.call(owner, "updatePlugin", Method::PATCH, &format!("{ADMIN}/telegram"), Some(set)).await;
    recorder.post(owner, "revivePlugin", &format!("{ADMIN}/telegram/revive"), json!({})).await;
    recorder.get(owner, "getPluginLog", &format!("{ADMIN}/telegram/log")).await;
    let off = json!({ "revision": 1, "enabled": false });
    owner.patch(&format!("{ADMIN}/telegram"), off).await.ok();
}
