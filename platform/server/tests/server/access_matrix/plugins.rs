//! Plugins in the console.

use serde_json::json;

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Row, admin, get, patch, post, post_empty, site};

const ADMIN: &str = "/api/admin/v1/plugins";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("listPlugins",  Permission("plugins.read"),      Done),
    admin("updatePlugin", FreshPermission("plugins.edit"), Done),
    admin("revivePlugin", FreshPermission("plugins.edit"), Done),
    admin("getPluginLog", Permission("plugins.read"),      Done),

    // The token in the path is enough, and no other counts.
    site("sendPluginCallback", [Done, Done, Done, Done, Done, Done]),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    Some(match name {
        "listPlugins" => get(ADMIN),
        "updatePlugin" => patch(format!("{ADMIN}/telegram"), json!({ "revision": revision(fixtures).await, "enabled": false })),
        "revivePlugin" => post(format!("{ADMIN}/telegram/revive"), json!({})),
        "getPluginLog" => get(format!("{ADMIN}/telegram/log")),
        "sendPluginCallback" => post_empty(fixtures.callback.clone()),
        _ => return None,
    })
}

/// The present revision of the plugin that is changed.
async fn revision(fixtures: &Fixtures) -> i64 {
    let all = fixtures.owner().get(ADMIN).await.ok();
    let plugin = all["items"].as_array().and_then(|all| all.iter().find(|plugin| plugin["name"] == "telegram"));
    plugin.and_then(|plugin| plugin["revision"].as_i64()).expect("it is built in")
}
