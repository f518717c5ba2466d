//! Customers, as staff see them and shut them out.

use serde_json::json;

use super::table::Need::May;
use super::table::{Call, Done, Row, desk, get, post};
use super::world::World;

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    desk("listCustomers", May("customers.read"), Done),
    desk("banCustomer",   May("customers.ban"),  Done),
    desk("unbanCustomer", May("customers.ban"),  Done),
];

pub async fn call(world: &World, name: &str) -> Option<Call> {
    let reason = json!({ "reason": "Paid from cards of strangers." });
    Some(match name {
        "listCustomers" => get("/api/admin/v1/customers"),
        "banCustomer" => post(world.path_of_somebody("ban").await, reason),
        "unbanCustomer" => post(world.path_of_somebody("unban").await, reason),
        _ => return None,
    })
}
