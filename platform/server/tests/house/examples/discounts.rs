//! The table of discounts, promo codes, and who has what.

use agio_testkit::{Caller, Customer, House};
use reqwest::Method;
use serde_json::json;

use super::{Recorder, order};

/// An owner who gives customers something on top of the rate, and a customer who looks at it.
pub async fn give_discounts(house: &House, owner: &Caller, recorder: &mut Recorder) {
    let desk = "/api/admin/v1/discounts";
    let table = recorder.get(owner, "getDeskDiscounts", desk).await;
    let tiers = json!([{ "min": "1000", "percent": "0.1" }, { "min": "10000", "percent": "0.25" }]);
    let change = json!({ "revision": table["revision"], "tiers": tiers });
    recorder.call(owner, "changeDiscountTiers", Method::PUT, &format!("{desk}/tiers"), Some(change)).await;
    let new = json!({ "code": "SPRING", "percent": "0.5", "usesMax": 100, "perCustomer": 1, "note": "For the newsletter" });
    recorder.post(owner, "addPromo", &format!("{desk}/promos"), new).await;

    let boris = Customer::at(house, "boris@example.com").await.caller;
    let asked = order(house, "0.02");
    let pair = format!("/api/v1/calculator/pair/{}/{}/?promo=spring", asked["fromPs"], asked["toPs"]);
    let better = boris.get(&pair).await.ok();
    let mut claim = asked;
    let receive =
        agio_core::Amount::exact((super::number(&better["course"]) * super::number(&claim["fromSumma"])).trunc_with_scale(2), 2);
    claim["toSumma"] = receive.unwrap().to_string().into();
    claim["email"] = "boris@example.com".into();
    claim["extras"]["promo"] = "SPRING".into();
    boris.post("/api/v1/claim/", claim).await.ok();
    recorder.get(&boris, "getDiscounts", "/api/v1/discounts/").await;
    recorder.get(owner, "listDiscountCustomers", &format!("{desk}/customers?email=boris@example.com")).await;
    recorder.get(owner, "getPromo", &format!("{desk}/promos/SPRING")).await;
    recorder.get(owner, "listPromos", &format!("{desk}/promos")).await;
    recorder.post_empty(owner, "stopPromo", &format!("{desk}/promos/SPRING/stop")).await;
}
