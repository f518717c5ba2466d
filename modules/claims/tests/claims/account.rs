//! Claims meet accounts.

use agio_testkit::{Customer as Member, Engine, House, both_engines};
use serde_json::json;

use crate::people::Customer;

async fn claims_are_in_the_account_of_their_confirmed_address(engine: Engine) {
    let house = House::open(engine).await;
    let early = Customer::orders_as(&house, "0.01", "Ivan@Example.com").await;
    Customer::orders_as(&house, "0.011", "olga@example.com").await;

    let mut ivan = Member::signs_up(&house, "ivan@example.com").await;
    ivan.signs_in().await.ok();
    let list = "/api/v1/users/me/claims/";
    assert_eq!(ivan.caller.get(list).await.ok()["total"], 0, "the address may be somebody else's");
    ivan.activates(&house).await;
    ivan.signs_in().await.ok();
    let later = Customer::orders_as(&house, "0.012", "ivan@example.com").await;

    let mine = ivan.caller.get(list).await.ok();
    let ids: Vec<_> = mine["items"].as_array().unwrap().iter().map(|claim| claim["id"].clone()).collect();
    assert_eq!(ids, [json!(later.id), json!(early.id)]);
    assert_eq!((&mine["total"], &mine["page"], &mine["size"]), (&json!(2), &json!(1), &json!(20)));
    assert_eq!(mine["items"][1]["from"], json!({ "code": "BTC", "amount": "0.01" }));
    let second = ivan.caller.get(&format!("{list}?page=2&size=1")).await.ok();
    assert_eq!((&second["items"][0]["id"], second["items"].as_array().unwrap().len()), (&json!(early.id), 1));
    for wrong in ["page=0", "size=0", "size=101"] {
        ivan.caller.get(&format!("{list}?{wrong}")).await.refused(422, "validation_failed");
    }
    ivan.caller.get(&format!("{list}?page=last")).await.refused(400, "malformed_parameter");
    house.customer().get(list).await.refused(401, "token_not_valid");
}

both_engines!(claims_are_in_the_account_of_their_confirmed_address);
