//! Finding one's claims again by the e-mail address they were made with.

use std::time::Duration;

use agio_testkit::{Answer, Caller, Engine, House, both_engines};
use serde_json::json;

use crate::people::{Customer, solved};

async fn asks(caller: &Caller, email: &str) -> Answer {
    caller.post("/en/api/v1/claim/find/", json!({ "email": email })).await
}

/// The letters with links that came to an address.
async fn found(house: &House, email: &str) -> Vec<String> {
    house.later(Duration::from_secs(1)).await;
    house.mail_to(email).await.into_iter().filter(|mail| mail.kind == "claims_found").map(|mail| mail.text).collect()
}

async fn a_letter_leads_to_open_and_recent_claims(engine: Engine) {
    let house = House::open(engine).await;
    let old = Customer::orders_as(&house, "0.01", "ivan@example.com").await;
    old.does("cancel").await.ok();
    house.later(Duration::from_secs(31 * 86_400)).await;
    let ended = Customer::orders_as(&house, "0.011", "ivan@example.com").await;
    ended.does("cancel").await.ok();
    let open = Customer::orders_as(&house, "0.012", "Ivan@Example.com").await;
    let other = Customer::orders_as(&house, "0.013", "olga@example.com").await;

    let known = asks(&house.customer(), " IVAN@example.com ").await.ok();
    let unknown = asks(&house.customer(), "nobody@example.com").await.ok();
    assert_eq!(known, unknown, "the answer does not tell whether there are claims");
    let letters = found(&house, "ivan@example.com").await;
    assert_eq!(letters.len(), 1);
    for (claim, is_listed) in [(&open, true), (&ended, true), (&old, false), (&other, false)] {
        assert_eq!(letters[0].contains(&format!("/en/claim/{}", claim.id)), is_listed, "{}", letters[0]);
    }
    assert!(found(&house, "nobody@example.com").await.is_empty());
    let about = house.owner().await.get(&format!("/api/admin/v1/audit?aboutKind=claim&aboutId={}", open.number)).await.ok();
    assert_eq!(about["items"][0]["action"], "claim.links_sent");
}

async fn nobody_can_have_an_address_flooded(engine: Engine) {
    let house = House::open(engine).await;
    Customer::orders_as(&house, "0.01", "ivan@example.com").await;
    for number in 0..3 {
        asks(&house.customer().from_address(&format!("10.0.0.{number}")), "ivan@example.com").await.ok();
    }
    let refused = asks(&house.customer().from_address("10.0.0.9"), "ivan@example.com").await;
    assert!(refused.headers.contains_key("retry-after"));
    let refused = refused.refused(429, "too_many_attempts");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_required", "{refused}");
    let offer = house.customer().get("/front-api/auth/captcha/?action=findclaim").await.ok();
    let other = house.customer().from_address("10.0.0.10");
    let proved = json!({ "email": "ivan@example.com", "recaptcha": solved(&offer["challenge"]) });
    other.post("/api/v1/claim/find/", proved.clone()).await.ok();
    other.post("/api/v1/claim/find/", proved).await.refused(422, "captcha_invalid");
    asks(&house.customer(), "not an address").await.refused(422, "validation_failed");
    assert_eq!(found(&house, "ivan@example.com").await.len(), 4);
}

both_engines!(a_letter_leads_to_open_and_recent_claims, nobody_can_have_an_address_flooded);
