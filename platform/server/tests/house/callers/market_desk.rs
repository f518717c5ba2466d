//! Currencies, pairs, reserves and settings at the console.

use serde_json::{Value, json};

use super::table::Need::{May, MayFresh};
use super::table::{Call, Done, Row, desk, get, patch, post, post_empty, put};
use super::world::World;

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("listCurrencies",       May("market.read"),        Done),
    desk("changeCurrency",       May("market.edit"),        Done),
    desk("listPairs",            May("market.read"),        Done),
    desk("previewPair",          May("market.read"),        Done),
    desk("changePair",           May("market.edit"),        Done),
    desk("changePair/far",       MayFresh("market.edit"),   Done),
    desk("changePairs",          May("market.edit"),        Done),
    desk("changePairs/far",      MayFresh("market.edit"),   Done),
    desk("listRates",            May("rates.read"),         Done),
    desk("listReserves",         May("reserves.read"),      Done),
    desk("listReserveMovements", May("reserves.read"),      Done),
    desk("moveReserve",          May("reserves.move"),      Done),
    desk("listSettings",         May("settings.read"),      Done),
    desk("changeSettings",       May("settings.edit"),      Done),
    desk("changeSettings/guard", MayFresh("settings.edit"), Done),
    desk("listQuoteKeys",        May("settings.read"),      Done),
    desk("rotateQuoteKey",       MayFresh("settings.edit"), Done),
    desk("getTechnicalMode",     May("settings.read"),      Done),
    desk("setTechnicalMode",     May("settings.edit"),      Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let movements = || format!("/api/admin/v1/reserves/{}/movements", world.currency("BTC"));
    Some(match name {
        "listCurrencies" => get("/api/admin/v1/currencies"),
        "changeCurrency" => patch(format!("/api/admin/v1/currencies/{}", world.currency("BTC")), json!({ "position": 3 })),
        "listPairs" => get("/api/admin/v1/pairs"),
        "previewPair" => {
            let (pair, _) = last_pair(world).await;
            post(format!("/api/admin/v1/pairs/{}/preview", pair["id"]), json!({ "spreadPercent": "1" }))
        }
        "changePair" => {
            let (pair, _) = last_pair(world).await;
            change_of(&pair, &pair["spreadPercent"])
        }
        "changePair/far" => {
            let (pair, far) = last_pair(world).await;
            change_of(&pair, &far)
        }
        "changePairs" => {
            let (pair, _) = last_pair(world).await;
            post("/api/admin/v1/pairs/bulk", json!({ "ids": [pair["id"]], "set": { "spreadPercent": pair["spreadPercent"] } }))
        }
        "changePairs/far" => {
            let (pair, far) = last_pair(world).await;
            post("/api/admin/v1/pairs/bulk", json!({ "ids": [pair["id"]], "set": { "spreadPercent": far } }))
        }
        "listRates" => get("/api/admin/v1/rates"),
        "listReserves" => get("/api/admin/v1/reserves"),
        "listReserveMovements" => get(movements()),
        "moveReserve" => post(movements(), json!({ "amount": "0.1", "reason": "deposit", "note": "Bought at the market" })),
        "listQuoteKeys" => get("/api/admin/v1/quote-keys"),
        "rotateQuoteKey" => post_empty("/api/admin/v1/quote-keys/rotate"),
        "listSettings" => get("/api/admin/v1/settings"),
        "changeSettings" => put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "20" })),
        "changeSettings/guard" => put("/api/admin/v1/settings", json!({ "rates.large_change_percent": "5" })),
        "getTechnicalMode" => get("/api/admin/v1/tech"),
        "setTechnicalMode" => put("/api/admin/v1/tech", json!({ "on": false, "time": null })),
        _ => return None,
    })
}

/// A pair nobody orders by, and a spread far from the one it has.
async fn last_pair(world: &World) -> (Value, Value) {
    let pairs = world.owner().get("/api/admin/v1/pairs").await.ok();
    let pair = pairs.as_array().and_then(|all| all.last()).expect("there are pairs").clone();
    let is_wide = pair["spreadPercent"].as_str().is_some_and(|spread| spread.starts_with("30"));
    let far = if is_wide { "1" } else { "30" };
    (pair, far.into())
}

fn change_of(pair: &Value, spread: &Value) -> Call {
    patch(format!("/api/admin/v1/pairs/{}", pair["id"]), json!({ "revision": pair["revision"], "spreadPercent": spread }))
}
