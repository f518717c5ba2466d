//! Live sources, the rules of pairs, and how rates come about.

use serde_json::{Value, json};

use super::table::Need::{May, MayFresh};
use super::table::{Call, Done, Row, Told, desk, get, missing, post, post_empty, put};
use super::world::World;

const DESK: &str = "/api/admin/v1/rates";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("listRateSources",  May("rates.read"),         Done),
    desk("setRateSource",    MayFresh("rates.edit"),    missing("rate_source_unknown")),
    desk("listRateStops",    May("rates.read"),         Done),
    desk("getRatePair",      May("rates.read"),         Done),
    desk("setRatePair",      MayFresh("rates.edit"),    Done),
    desk("releaseRatePair",  MayFresh("rates.release"), Told(409, "pair_not_stopped")),
    desk("getRateHistory",   May("rates.read"),         Done),
    desk("tryRateRules",     May("rates.read"),         Done),
    desk("explainClaimRate", May("claims.read"),        Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let rules = json!({ "jumpPercent": "5" });
    Some(match name {
        "listRateSources" => get(format!("{DESK}/sources")),
        "setRateSource" => put(format!("{DESK}/sources/nobody"), source()),
        "listRateStops" => get(format!("{DESK}/stops")),
        "getRatePair" => get(format!("{DESK}/pairs/1")),
        "setRatePair" => {
            let seen = world.owner().get(&format!("{DESK}/pairs/1")).await.ok();
            put(format!("{DESK}/pairs/1"), json!({ "revision": seen["revision"], "rules": rules }))
        }
        "releaseRatePair" => post_empty(format!("{DESK}/pairs/1/release")),
        "getRateHistory" => get(format!("{DESK}/pairs/1/history")),
        "tryRateRules" => post(format!("{DESK}/try"), json!({ "changes": [{ "pairId": 1, "rules": rules }] })),
        "explainClaimRate" => get(format!("{DESK}/claims/{}/explain", world.claim)),
        _ => return None,
    })
}

/// A source as somebody sets it up.
fn source() -> Value {
    json!({ "revision": 0, "enabled": true, "everySeconds": 30, "maxAgeSeconds": 120, "priority": 1, "crossCheck": false })
}
