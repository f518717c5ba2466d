//! Customers at the console: found, banned and let back in.

use agio_testkit::{Caller, Customer, House};
use serde_json::json;

use super::Recorder;

/// Bans somebody and takes it back.
pub async fn look_after_them(house: &House, operator: &Caller, recorder: &mut Recorder) {
    Customer::signs_up(house, "petr@example.com").await;
    let found = recorder.get(operator, "listCustomers", "/api/admin/v1/customers?q=petr").await;
    let path = |call: &str| format!("/api/admin/v1/customers/{}/{call}", found["items"][0]["id"].as_str().expect("he is found"));
    let why = json!({ "reason": "Paid from cards of strangers; see claim 100417." });
    recorder.post(operator, "banCustomer", &path("ban"), why).await;
    let why = json!({ "reason": "The bank confirmed that the cards are his wife's." });
    recorder.post(operator, "unbanCustomer", &path("unban"), why).await;
}
