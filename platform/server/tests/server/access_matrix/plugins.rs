//! Plugins in the console.

use serde_json::{Value, json};

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Row, admin, get, patch, post, post_empty, site};

const ADMIN: &str = "/api/admin/v1/plugins";
const GATEWAY: &str = "/api/admin/v1/plugins/payments-http";

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
        "updatePlugin" => {
            let revision = plugin(fixtures, "telegram").await["revision"].clone();
            patch(format!("{ADMIN}/telegram"), json!({ "revision": revision, "enabled": false }))
        }
        "revivePlugin" => post(format!("{ADMIN}/telegram/revive"), json!({})),
        "getPluginLog" => get(format!("{ADMIN}/telegram/log")),
        "sendPluginCallback" => post_empty(callback_path(fixtures).await),
        _ => return None,
    })
}

/// A plugin as the owner sees it.
async fn plugin(fixtures: &Fixtures, name: &str) -> Value {
    let all = fixtures.owner().get(ADMIN).await.ok();
    let plugin = all["items"].as_array().and_then(|all| all.iter().find(|plugin| plugin["name"] == name));
    plugin.cloned().expect("it is built in")
}

/// Where the gateway of the owner may call.
async fn callback_path(fixtures: &Fixtures) -> String {
    let mut gateway = plugin(fixtures, "payments-http").await;
    if gateway["callbackUrl"].is_null() {
        let settings = json!({ "url": "https://gateway.example", "secret": "a-secret-of-the-gateway" });
        let update = json!({ "revision": gateway["revision"], "enabled": true, "settings": settings });
        gateway = fixtures.owner().patch(GATEWAY, update).await.ok();
    }
    let url = gateway["callbackUrl"].as_str().expect("it has callbacks");
    url[url.find("/hooks/").expect("it is below the site")..].to_owned()
}
