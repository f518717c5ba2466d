//! Claims meet accounts.

use agio_test_app::{Engine, TestApp, TestCustomer as Member, both_engines};
use serde_json::json;

use crate::fixtures::{CARD, TestCustomer, order};

async fn claims_are_in_the_account_of_their_confirmed_address(engine: Engine) {
    let app = TestApp::start(engine).await;
    let early = TestCustomer::orders_as(&app, "0.01", "Ivan@Example.com").await;
    TestCustomer::orders_as(&app, "0.011", "olga@example.com").await;

    let mut ivan = Member::sign_up(&app, "ivan@example.com").await;
    ivan.sign_in().await.ok();
    let list = "/api/v1/users/me/claims/";
    assert_eq!(ivan.caller.get(list).await.ok()["total"], 0, "the address may be somebody else's");
    ivan.activate(&app).await;
    ivan.sign_in().await.ok();
    let later = TestCustomer::orders_as(&app, "0.012", "ivan@example.com").await;

    let mine = ivan.caller.get(list).await.ok();
    let ids: Vec<_> = mine["items"].as_array().unwrap().iter().map(|claim| claim["id"].clone()).collect();
    assert_eq!(ids, [json!(later.id), json!(early.id)]);
    assert_eq!((&mine["total"], &mine["page"], &mine["size"]), (&json!(2), &json!(1), &json!(20)));
    assert_eq!(mine["items"][1]["from"], json!({ "code": "BTC", "amount": "0.01" }));
    let second = ivan.caller.get(&format!("{list}?page=2&size=1")).await.ok();
    assert_eq!((&second["items"][0]["id"], second["items"].as_array().unwrap().len()), (&json!(early.id), 1));
    for wrong in ["page=0", "size=0", "size=101"] {
        ivan.caller.get(&format!("{list}?{wrong}")).await.refused(400, "malformed_parameter");
    }
    ivan.caller.get(&format!("{list}?page=last")).await.refused(400, "malformed_parameter");
    app.visitor().get(list).await.refused(401, "token_not_valid");
}

/// A member whose address is confirmed, signed in.
async fn member(app: &TestApp, email: &str) -> Member {
    let mut member = Member::sign_up(app, email).await;
    member.activate(app).await;
    member.sign_in().await.ok();
    member
}

async fn a_claim_made_signed_in_is_the_accounts_whatever_address_is_typed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = Member::sign_up(&app, "ivan@example.com").await;
    ivan.sign_in().await.ok();
    let made = ivan.caller.post("/api/v1/claim/", order(&app, "0.01", "work@example.com")).await.ok();
    let id = made["id"].as_str().unwrap();

    let mine = ivan.caller.get("/api/v1/users/me/claims/").await.ok();
    assert_eq!((&mine["total"], &mine["items"][0]["id"]), (&json!(1), &made["id"]), "also before the address is confirmed");
    let log = format!("/api/admin/v1/audit?aboutKind=claim&aboutId={}", made["publicId"]);
    let entries = app.owner().await.get(&log).await.ok();
    assert_eq!(entries["items"][0]["actor"]["kind"], "customer", "{entries}");

    // The same account in another browser sees what it typed; who only has the link or another account does not.
    let form = format!("/api/v1/claim/{id}/form/");
    let mut elsewhere = Member { caller: app.visitor(), email: ivan.email.clone(), password: ivan.password.clone() };
    elsewhere.sign_in().await.ok();
    let seen = elsewhere.caller.get(&form).await.ok();
    assert_eq!((&seen["owner"], &seen["email"]), (&json!(true), &json!("work@example.com")));
    assert_eq!(seen["to"]["requisites"][0]["value"], CARD);
    let olga = member(&app, "olga@example.com").await;
    for other in [&app.visitor(), &olga.caller] {
        let seen = other.get(&form).await.ok();
        assert_eq!(seen["owner"], false);
        assert_ne!(seen["email"], "work@example.com");
        assert_ne!(seen["to"]["requisites"][0]["value"], CARD);
    }
    assert_eq!(olga.caller.get("/api/v1/users/me/claims/").await.ok()["total"], 0);
}

async fn the_owner_of_a_mistyped_address_sees_the_claim_and_not_what_is_in_it(engine: Engine) {
    let app = TestApp::start(engine).await;
    let olga = member(&app, "olga@example.com").await;
    let ivan = member(&app, "ivan@example.com").await;
    let made = ivan.caller.post("/api/v1/claim/", order(&app, "0.01", "olga@example.com")).await.ok();
    let listed = olga.caller.get("/api/v1/users/me/claims/").await.ok();
    assert_eq!(listed["items"][0]["id"], made["id"]);
    let seen = olga.caller.get(&format!("/api/v1/claim/{}/form/", made["id"].as_str().unwrap())).await.ok();
    assert_eq!(seen["owner"], false);
    assert_ne!(seen["to"]["requisites"][0]["value"], CARD);
}

both_engines!(
    claims_are_in_the_account_of_their_confirmed_address,
    a_claim_made_signed_in_is_the_accounts_whatever_address_is_typed,
    the_owner_of_a_mistyped_address_sees_the_claim_and_not_what_is_in_it,
);
