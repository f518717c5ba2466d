//! Customers in the console: search, ban and unban.

use agio_test_app::{TestApp, TestClient, TestCustomer};
use serde_json::json;

use super::Recorder;

pub async fn manage_customers(app: &TestApp, operator: &TestClient, recorder: &mut Recorder) {
    TestCustomer::sign_up(app, "petr@example.com").await;
    let found = recorder.get(operator, "listCustomers", "/api/admin/v1/customers?q=petr").await;
    let path = |call: &str| format!("/api/admin/v1/customers/{}/{call}", found["items"][0]["id"].as_str().expect("he is found"));
    let why = json!({ "reason": "Paid from cards of other people; see claim 100417." });
    recorder.post(operator, "banCustomer", &path("ban"), why).await;
    let why = json!({ "reason": "The bank confirmed that the cards are his wife's." });
    recorder.post(operator, "unbanCustomer", &path("unban"), why).await;
}
