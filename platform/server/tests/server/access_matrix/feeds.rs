//! Rate feeds for aggregators, and their settings in the console.

use serde_json::{Value, json};

use super::fixtures::{Fixtures, text};
use super::row::Access::Permission;
use super::row::{Call, Done, Expected, NoToken, Row, admin, delete, get, not_found, patch, post, put, site};

const NONE: Expected = not_found("aggregator_not_found");
const ADMIN: &str = "/api/admin/v1/aggregators";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                                   guest owner other inactive banned staff
    site("getRatesXml",                 [Done, Done, Done, Done, NoToken, NoToken]),
    site("getRatesJson",                [Done, Done, Done, Done, NoToken, NoToken]),
    site("getAggregatorRatesXml",       [Done, Done, Done, Done, NoToken, NoToken]),
    site("getAggregatorRatesXml/none",  [NONE, NONE, NONE, NONE, NoToken, NoToken]),
    site("getAggregatorRatesJson",      [Done, Done, Done, Done, NoToken, NoToken]),
    site("getAggregatorRatesJson/none", [NONE, NONE, NONE, NONE, NoToken, NoToken]),

    admin("listAggregators",           Permission("aggregators.read"), Done),
    admin("listAggregatorDirections",  Permission("aggregators.read"), Done),
    admin("createAggregator",          Permission("aggregators.edit"), Done),
    admin("updateAggregator",          Permission("aggregators.edit"), Done),
    admin("deleteAggregator",          Permission("aggregators.edit"), Done),
    admin("updateAggregatorDirection", Permission("aggregators.edit"), Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let (btc, sber) = (fixtures.currency("BTC"), fixtures.currency("SBERRUB"));
    Some(match name {
        "getRatesXml" => get("/export/rates.xml"),
        "getRatesJson" => get("/export/rates.json"),
        "getAggregatorRatesXml" => get(format!("/export/{}/rates.xml", listed(fixtures).await)),
        "getAggregatorRatesXml/none" => get("/export/nobody/rates.xml"),
        "getAggregatorRatesJson" => get(format!("/export/{}/rates.json", listed(fixtures).await)),
        "getAggregatorRatesJson/none" => get("/export/nobody/rates.json"),
        "listAggregators" => get(ADMIN),
        "listAggregatorDirections" => get(format!("{ADMIN}/directions?from={btc}")),
        "createAggregator" => post(ADMIN, aggregator(fixtures)),
        "updateAggregator" => patch(added(fixtures).await, json!({ "revision": 1, "marks": ["reg"] })),
        "deleteAggregator" => delete(added(fixtures).await),
        "updateAggregatorDirection" => {
            put(format!("{ADMIN}/directions/{btc}/{sber}"), json!({ "listed": true, "marks": ["reg"] }))
        }
        _ => return None,
    })
}

/// An unknown aggregator.
fn aggregator(fixtures: &Fixtures) -> Value {
    json!({ "slug": format!("aggregator-{}", fixtures.number()), "name": "BestChange" })
}

/// A new aggregator at the console.
async fn added(fixtures: &Fixtures) -> String {
    let added = fixtures.owner().post(ADMIN, aggregator(fixtures)).await.ok();
    format!("{ADMIN}/{}", text(&added["id"]))
}

/// The part of the feed URL that names the aggregator. Their number is limited, so it is always the same one.
async fn listed(fixtures: &Fixtures) -> String {
    let all = fixtures.owner().get(ADMIN).await.ok();
    match all["items"].get(0) {
        Some(first) => text(&first["slug"]),
        None => text(&fixtures.owner().post(ADMIN, aggregator(fixtures)).await.ok()["slug"]),
    }
}
