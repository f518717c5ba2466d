//! Discounts on the site; discounts and promo codes in the console.

use serde_json::json;

use super::fixtures::{Fixtures, text};
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, NoToken, Row, admin, get, post, post_empty, put, site};

const ADMIN: &str = "/api/admin/v1/discounts";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    //                    guest owner other inactive banned staff
    site("getDiscounts", [Done, Done, Done, Done, NoToken, NoToken]),

    admin("getDiscountSettings",   Permission("discounts.read"),      Done),
    admin("updateDiscountTiers",   FreshPermission("discounts.edit"), Done),
    admin("listDiscountCustomers", Permission("discounts.read"),      Done),
    admin("listPromoCodes",        Permission("discounts.read"),      Done),
    admin("createPromoCode",       FreshPermission("discounts.edit"), Done),
    admin("getPromoCode",          Permission("discounts.read"),      Done),
    admin("stopPromoCode",         Permission("discounts.edit"),      Done),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let promos = || format!("{ADMIN}/promos");
    let new = || json!({ "code": format!("CODE{}", fixtures.number()), "percent": "0.5" });
    Some(match name {
        "getDiscounts" => get("/api/v1/discounts/"),
        "getDiscountSettings" => get(ADMIN),
        "updateDiscountTiers" => {
            let row = fixtures.owner().get(ADMIN).await.ok();
            // So high that it does not change the rates of other tests.
            let tiers = json!([{ "min": "100000000", "percent": "0.1" }]);
            put(format!("{ADMIN}/tiers"), json!({ "revision": row["revision"], "tiers": tiers }))
        }
        "listDiscountCustomers" => get(format!("{ADMIN}/customers")),
        "listPromoCodes" => get(promos()),
        "createPromoCode" => post(promos(), new()),
        "getPromoCode" => get(format!("{}/{}", promos(), code(fixtures, new()).await)),
        "stopPromoCode" => post_empty(format!("{}/{}/stop", promos(), code(fixtures, new()).await)),
        _ => return None,
    })
}

/// A new promo code.
async fn code(fixtures: &Fixtures, new: serde_json::Value) -> String {
    text(&fixtures.owner().post(&format!("{ADMIN}/promos"), new).await.ok()["code"])
}
