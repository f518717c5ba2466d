//! Plugins, as staff see and set them.

use agio_testkit::Caller;
use reqwest::Method;
use serde_json::json;

use super::Recorder;

const DESK: &str = "/api/admin/v1/plugins";

/// A notifier that is set up, and what else staff look at.
pub async fn be_set(owner: &Caller, recorder: &mut Recorder) {
    recorder.get(owner, "listPlugins", DESK).await;
    let set = json!({ "revision": 0, "enabled": true, "settings": { "chat": "-1001234567890" } });
    recorder.call(owner, "changePlugin", Method::PATCH, &format!("{DESK}/telegram"), Some(set)).await;
    recorder.post(owner, "revivePlugin", &format!("{DESK}/telegram/revival"), json!({})).await;
    recorder.get(owner, "readPluginLog", &format!("{DESK}/telegram/log")).await;
    let off = json!({ "revision": 1, "enabled": false });
    owner.patch(&format!("{DESK}/telegram"), off).await.ok();
}
