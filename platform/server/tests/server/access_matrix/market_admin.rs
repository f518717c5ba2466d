//! Currencies, pairs, reserves and settings at the console.

use std::time::Duration;

use agio_core::fetch_one;
use serde_json::{Value, json};

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Row, admin, get, patch, post, post_csv, post_empty, put};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("listCurrencies",        Permission("market.read"),        Done),
    admin("createCurrency",        FreshPermission("market.edit"),   Done),
    admin("updateCurrency",        Permission("market.edit"),        Done),
    admin("archiveCurrency",       Permission("market.edit"),        Done),
    admin("unarchiveCurrency",     Permission("market.edit"),        Done),
    admin("listCatalogue",         Permission("market.read"),        Done),
    admin("listCatalogueCities",   Permission("market.read"),        Done),
    admin("listPairs",             Permission("market.read"),        Done),
    admin("createPairs",           Permission("market.edit"),        Done),
    admin("createPairs/far",       FreshPermission("market.edit"),   Done),
    admin("previewPairUpdate",     Permission("market.read"),        Done),
    admin("updatePair",            Permission("market.edit"),        Done),
    admin("updatePair/far",        FreshPermission("market.edit"),   Done),
    admin("updatePairs",           Permission("market.edit"),        Done),
    admin("updatePairs/far",       FreshPermission("market.edit"),   Done),
    admin("downloadMarketTable",   Permission("market.read"),        Done),
    admin("applyMarketTable",      Permission("market.edit"),        Done),
    admin("listRateObservations",  Permission("rates.read"),         Done),
    admin("listReserves",          Permission("reserves.read"),      Done),
    admin("listReserveMovements",  Permission("reserves.read"),      Done),
    admin("createReserveMovement", FreshPermission("reserves.move"), Done),
    admin("listSettings",          Permission("settings.read"),      Done),
    admin("updateSettings",        FreshPermission("settings.edit"), Done),
    admin("listQuoteKeys",         Permission("settings.read"),      Done),
    admin("rotateQuoteKey",        FreshPermission("settings.edit"), Done),
    admin("getTechnicalMode",      Permission("settings.read"),      Done),
    admin("updateTechnicalMode",   Permission("settings.edit"),      Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let movements = || format!("/api/admin/v1/reserves/{}/movements", fixtures.currency("BTC"));
    Some(match name {
        "listCurrencies" => get("/api/admin/v1/currencies"),
        "createCurrency" => post("/api/admin/v1/currencies", new_currency(fixtures)),
        "archiveCurrency" => post_empty(format!("/api/admin/v1/currencies/{}/archive", created_currency(fixtures).await)),
        "unarchiveCurrency" => post_empty(format!("/api/admin/v1/currencies/{}/unarchive", created_currency(fixtures).await)),
        "updateCurrency" => patch(format!("/api/admin/v1/currencies/{}", fixtures.currency("BTC")), json!({ "position": 3 })),
        "listCatalogue" => get("/api/admin/v1/catalogue"),
        "listCatalogueCities" => get("/api/admin/v1/catalogue/cities"),
        "listPairs" => get("/api/admin/v1/pairs"),
        "createPairs" => new_pair(fixtures, json!({ "enabled": true })).await,
        "createPairs/far" => new_pair(fixtures, json!({ "source": "manual", "manualRate": "9000000" })).await,
        "previewPairUpdate" => {
            let (pair, _) = last_pair(fixtures).await;
            post(format!("/api/admin/v1/pairs/{}/preview", pair["id"]), json!({ "spreadPercent": "1" }))
        }
        "updatePair" => {
            let (pair, _) = last_pair(fixtures).await;
            change_of(&pair, &pair["spreadPercent"])
        }
        "updatePair/far" => {
            let (pair, far) = last_pair(fixtures).await;
            change_of(&pair, &far)
        }
        "updatePairs" => {
            let (pair, _) = last_pair(fixtures).await;
            post("/api/admin/v1/pairs/bulk", json!({ "ids": [pair["id"]], "set": { "spreadPercent": pair["spreadPercent"] } }))
        }
        "updatePairs/far" => {
            let (pair, far) = last_pair(fixtures).await;
            post("/api/admin/v1/pairs/bulk", json!({ "ids": [pair["id"]], "set": { "spreadPercent": far } }))
        }
        "downloadMarketTable" => get("/api/admin/v1/market/tables/pairs"),
        "applyMarketTable" => post_csv("/api/admin/v1/market/tables/currencies", "code,position\r\nBTC,3\r\n"),
        "listRateObservations" => get("/api/admin/v1/rates"),
        "listReserves" => get("/api/admin/v1/reserves"),
        "listReserveMovements" => get(movements()),
        "createReserveMovement" => {
            post(movements(), json!({ "amount": "0.1", "reason": "deposit", "note": "Bought at the market" }))
        }
        "listQuoteKeys" => get("/api/admin/v1/quote-keys"),
        "rotateQuoteKey" => post_empty("/api/admin/v1/quote-keys/rotate"),
        "listSettings" => get("/api/admin/v1/settings"),
        "updateSettings" => put("/api/admin/v1/settings", json!({ "claims.confirm_minutes": "20" })),
        "getTechnicalMode" => get("/api/admin/v1/tech"),
        "updateTechnicalMode" => put("/api/admin/v1/tech", json!({ "on": false, "time": null })),
        _ => return None,
    })
}

fn new_currency(fixtures: &Fixtures) -> Value {
    let text = json!({ "ru": "Биткоин", "en": "Bitcoin" });
    let input = json!({ "name": "address", "kind": "btc", "label": text, "required": true, "send": false, "receive": true });
    json!({
        "code": format!("NEW{}", fixtures.number()), "ticker": "BTC", "name": text, "network": text, "kind": "crypto", "icon": "btc",
        "scale": 8, "roundCalculator": 8, "inputs": [input], "send": true, "receive": true,
    })
}

async fn created_currency(fixtures: &Fixtures) -> i64 {
    let created = fixtures.owner().post("/api/admin/v1/currencies", new_currency(fixtures)).await.ok();
    created["id"].as_i64().expect("a new currency has an identifier")
}

async fn new_pair(fixtures: &Fixtures, set: Value) -> Call {
    let (give, receive) = ([created_currency(fixtures).await], [fixtures.currency("SBERRUB")]);
    post("/api/admin/v1/pairs", json!({ "giveIds": give, "receiveIds": receive, "set": set }))
}

/// A pair no claim uses, and a spread far from its own. A change at another node reaches the list a moment later, so the
/// list is read until it has the stored revision.
async fn last_pair(fixtures: &Fixtures) -> (Value, Value) {
    let stored = "SELECT revision FROM pair WHERE id = $1";
    let current = async {
        loop {
            let pairs = fixtures.owner().get("/api/admin/v1/pairs").await.ok();
            let pair = pairs.as_array().and_then(|all| all.last()).expect("there are pairs").clone();
            let mut tx = fixtures.app.server.platform.db.read().await.unwrap();
            let (revision,) = fetch_one!(&mut tx, (i64,), stored, pair["id"].as_i64()).unwrap();
            if pair["revision"] == revision {
                break pair;
            }
        }
    };
    let pair = tokio::time::timeout(Duration::from_secs(20), current).await.expect("the node learns of the change");
    let is_wide = pair["spreadPercent"].as_str().is_some_and(|spread| spread.starts_with("30"));
    let far = if is_wide { "1" } else { "30" };
    (pair, far.into())
}

fn change_of(pair: &Value, spread: &Value) -> Call {
    patch(format!("/api/admin/v1/pairs/{}", pair["id"]), json!({ "revision": pair["revision"], "spreadPercent": spread }))
}
