//! Plugins, as staff see and set them.

use serde_json::json;

use super::table::Need::{May, MayFresh};
use super::table::{Call, Done, Row, desk, get, patch, post};
use super::world::World;

const DESK: &str = "/api/admin/v1/plugins";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("listPlugins",  May("plugins.read"),      Done),
    desk("changePlugin", MayFresh("plugins.edit"), Done),
    desk("revivePlugin", MayFresh("plugins.edit"), Done),
    desk("readPluginLog", May("plugins.read"),     Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    Some(match name {
        "listPlugins" => get(DESK),
        "changePlugin" => patch(format!("{DESK}/telegram"), json!({ "revision": revision(world).await, "enabled": false })),
        "revivePlugin" => post(format!("{DESK}/telegram/revival"), json!({})),
        "readPluginLog" => get(format!("{DESK}/telegram/log")),
        _ => return None,
    })
}

/// The present revision of the plugin that is changed.
async fn revision(world: &World) -> i64 {
    let all = world.owner().get(DESK).await.ok();
    let plugin = all["items"].as_array().and_then(|all| all.iter().find(|plugin| plugin["name"] == "telegram"));
    plugin.and_then(|plugin| plugin["revision"].as_i64()).expect("it comes with the house")
}
