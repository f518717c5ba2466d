//! Discount tiers, promo codes and customers.

use agio_test_app::{TestApp, TestClient, TestCustomer};
use reqwest::Method;
use serde_json::json;

use super::{Recorder, order};

pub async fn manage_discounts(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let admin = "/api/admin/v1/discounts";
    let table = recorder.get(owner, "getDiscountSettings", admin).await;
    let tiers = json!([{ "min": "1000", "percent": "0.1" }, { "min": "10000", "percent": "0.25" }]);
    let change = json!({ "revision": table["revision"], "tiers": tiers });
    recorder.call(owner, "updateDiscountTiers", Method::PUT, &format!("{admin}/tiers"), Some(change)).await;
    let new = json!({ "code": "SPRING", "percent": "0.5", "usesMax": 100, "perCustomer": 1, "note": "For the newsletter" });
    recorder.post(owner, "createPromoCode", &format!("{admin}/promos"), new).await;

    let boris = TestCustomer::registered(app, "boris@example.com").await.caller;
    let request = order(app, "0.02");
    let pair = format!("/api/v1/calculator/pair/{}/{}/?promo=spring", request["fromPs"], request["toPs"]);
    let better = boris.get(&pair).await.ok();
    let mut claim = request;
    let receive = (super::number(&better["course"]) * super::number(&claim["fromSumma"])).trunc_with_scale(2);
    claim["toSumma"] = receive.normalize().to_string().into();
    claim["email"] = "boris@example.com".into();
    claim["extras"]["promo"] = "SPRING".into();
    boris.post("/api/v1/claim/", claim).await.ok();
    recorder.get(&boris, "getDiscounts", "/api/v1/discounts/").await;
    recorder.get(owner, "listDiscountCustomers", &format!("{admin}/customers?email=boris@example.com")).await;
    recorder.get(owner, "getPromoCode", &format!("{admin}/promos/SPRING")).await;
    recorder.get(owner, "listPromoCodes", &format!("{admin}/promos")).await;
    recorder.post_empty(owner, "stopPromoCode", &format!("{admin}/promos/SPRING/stop")).await;
}
