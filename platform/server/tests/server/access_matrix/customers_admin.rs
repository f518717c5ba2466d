//! Customers, as staff see them and shut them out.

use serde_json::json;

use super::fixtures::Fixtures;
use super::row::Access::{FreshPermission, Permission};
use super::row::{Call, Done, Expected, Refused, Row, admin, get, post};

const NONE: Expected = Refused(409, "totp_not_on");

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    admin("listCustomers", Permission("customers.read"), Done),
    admin("banCustomer",   Permission("customers.ban"),  Done),
    admin("unbanCustomer", Permission("customers.ban"),  Done),
    admin("resetCustomerSecondFactor", FreshPermission("customers.ban"), NONE),
];

pub async fn call(fixtures: &Fixtures, name: &str) -> Option<Call> {
    let reason = json!({ "reason": "Paid from cards of other people." });
    Some(match name {
        "listCustomers" => get("/api/admin/v1/customers"),
        "banCustomer" => post(fixtures.path_of_somebody("ban").await, reason),
        "unbanCustomer" => post(fixtures.path_of_somebody("unban").await, reason),
        "resetCustomerSecondFactor" => post(fixtures.path_of_somebody("second-factor/reset").await, reason),
        _ => return None,
    })
}
