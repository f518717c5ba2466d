//! Feeds of rates for monitors, which anybody reads, and what staff set up of them.

use serde_json::{Value, json};

use super::table::Need::May;
use super::table::{Call, Cell, Done, NoToken, Row, delete, desk, get, missing, patch, post, put, site};
use super::world::{World, text};

const NONE: Cell = missing("monitor_not_found");
const DESK: &str = "/api/admin/v1/monitors";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                   guest  owner  other  inactive banned   staff
    site("exportRatesXml",              [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("exportRatesJson",             [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("exportMonitorRatesXml",       [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("exportMonitorRatesXml/none",  [NONE,  NONE,  NONE,  NONE,    NoToken, NoToken]),
    site("exportMonitorRatesJson",      [Done,  Done,  Done,  Done,    NoToken, NoToken]),
    site("exportMonitorRatesJson/none", [NONE,  NONE,  NONE,  NONE,    NoToken, NoToken]),

    desk("listMonitors",          May("monitors.read"), Done),
    desk("listMonitorDirections", May("monitors.read"), Done),
    desk("addMonitor",            May("monitors.edit"), Done),
    desk("changeMonitor",         May("monitors.edit"), Done),
    desk("removeMonitor",         May("monitors.edit"), Done),
    desk("setMonitorDirection",   May("monitors.edit"), Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let (btc, sber) = (world.currency("BTC"), world.currency("SBERRUB"));
    Some(match name {
        "exportRatesXml" => get("/export/rates.xml"),
        "exportRatesJson" => get("/export/rates.json"),
        "exportMonitorRatesXml" => get(format!("/export/{}/rates.xml", listed(world).await)),
        "exportMonitorRatesXml/none" => get("/export/nobody/rates.xml"),
        "exportMonitorRatesJson" => get(format!("/export/{}/rates.json", listed(world).await)),
        "exportMonitorRatesJson/none" => get("/export/nobody/rates.json"),
        "listMonitors" => get(DESK),
        "listMonitorDirections" => get(format!("{DESK}/directions?from={btc}")),
        "addMonitor" => post(DESK, monitor(world)),
        "changeMonitor" => patch(added(world).await, json!({ "revision": 1, "city": "MSK" })),
        "removeMonitor" => delete(added(world).await),
        "setMonitorDirection" => put(format!("{DESK}/directions/{btc}/{sber}"), json!({ "listed": true, "marks": ["reg"] })),
        _ => return None,
    })
}

/// A monitor nobody added.
fn monitor(world: &World) -> Value {
    json!({ "slug": format!("monitor-{}", world.number()), "name": "BestChange" })
}

/// A new monitor at the console.
async fn added(world: &World) -> String {
    let added = world.owner().post(DESK, monitor(world)).await.ok();
    format!("{DESK}/{}", text(&added["id"]))
}

/// A monitor's part of the feed's address; there are only so many, so it is the same one each time.
async fn listed(world: &World) -> String {
    let all = world.owner().get(DESK).await.ok();
    match all["items"].get(0) {
        Some(first) => text(&first["slug"]),
        None => text(&world.owner().post(DESK, monitor(world)).await.ok()["slug"]),
    }
}
