//! The table of discounts, for anybody to see; the table and promo codes at the console.

use serde_json::json;

use super::table::Need::{May, MayFresh};
use super::table::{Call, Done, NoToken, Row, desk, get, post, post_empty, put, site};
use super::world::{World, text};

const DESK: &str = "/api/admin/v1/discounts";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                    guest owner other inactive banned   staff
    site("getDiscounts", [Done, Done, Done, Done,    NoToken, NoToken]),

    desk("getDeskDiscounts",      May("discounts.read"),      Done),
    desk("changeDiscountTiers",   MayFresh("discounts.edit"), Done),
    desk("listDiscountCustomers", May("discounts.read"),      Done),
    desk("listPromos",            May("discounts.read"),      Done),
    desk("addPromo",              MayFresh("discounts.edit"), Done),
    desk("getPromo",              May("discounts.read"),      Done),
    desk("stopPromo",             May("discounts.edit"),      Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let promos = || format!("{DESK}/promos");
    let new = || json!({ "code": format!("CODE{}", world.number()), "percent": "0.5" });
    Some(match name {
        "getDiscounts" => get("/api/v1/discounts/"),
        "getDeskDiscounts" => get(DESK),
        "changeDiscountTiers" => {
            let table = world.owner().get(DESK).await.ok();
            // Nobody here exchanges that much, so that the rates of others' orders stay what they are.
            let tiers = json!([{ "min": "100000000", "percent": "0.1" }]);
            put(format!("{DESK}/tiers"), json!({ "revision": table["revision"], "tiers": tiers }))
        }
        "listDiscountCustomers" => get(format!("{DESK}/customers")),
        "listPromos" => get(promos()),
        "addPromo" => post(promos(), new()),
        "getPromo" => get(format!("{}/{}", promos(), code(world, new()).await)),
        "stopPromo" => post_empty(format!("{}/{}/stop", promos(), code(world, new()).await)),
        _ => return None,
    })
}

/// A code that is made.
async fn code(world: &World, new: serde_json::Value) -> String {
    text(&world.owner().post(&format!("{DESK}/promos"), new).await.ok()["code"])
}
