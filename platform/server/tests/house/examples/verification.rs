//! Claims found by letter, requisites that are kept, and a card that is verified.

use agio_testkit::{Caller, Customer, House};
use reqwest::Method;
use serde_json::{Value, json};

use super::{RECEIPT, Recorder};

/// What a signed-in customer has of their account beside it: kept requisites and verifications.
pub async fn keep_requisites(house: &House, anna: &Customer, recorder: &mut Recorder) {
    let caller = &anna.caller;
    let sber = house.app.calculator.market().currency_named("SBERRUB").expect("the demonstration has it").id();
    let new = json!({ "currencyId": sber, "values": { "card": "2200000000000004", "holder": "ANNA PETROVA" } });
    let kept = recorder.post(caller, "keepMyRequisites", "/api/v1/users/me/requisites/", new).await;
    recorder.get(caller, "getMyRequisites", "/api/v1/users/me/requisites/").await;
    let path = format!("/api/v1/users/me/requisites/{}/", kept["id"].as_str().unwrap());
    recorder.get(caller, "openMyRequisites", &path).await;
    recorder.post(caller, "findClaims", "/en/api/v1/claim/find/", json!({ "email": "ivan@example.com" })).await;
}

/// An account that is asked who its owner is, and what staff decide on the photos.
pub async fn verify(operator: &Caller, anna: &Customer, recorder: &mut Recorder) {
    let asked = recorder.post(operator, "askVerification", "/api/admin/v1/verifications", json!({ "email": anna.email })).await;
    let id = asked["id"].as_str().unwrap();
    recorder.get(&anna.caller, "getVerification", &format!("/api/v1/verify/{id}/")).await;
    let photos = format!("/api/v1/verify/{id}/photos/");
    anna.caller.upload(&photos, "passport.png", RECEIPT.to_vec()).await.ok();
    let sent = anna.caller.upload(&photos, "selfie.png", RECEIPT.to_vec()).await.ok();
    recorder.0.insert("sendVerificationPhoto", json!({ "answer": sent }));
    recorder.get(operator, "listVerifications", "/api/admin/v1/verifications?tab=sent").await;
    let path = format!("/api/admin/v1/verifications/{id}");
    let seen: Value = recorder.get(operator, "getDeskVerification", &path).await;
    let verdict = json!({ "decision": "again", "revision": seen["revision"], "reason": "unreadable" });
    recorder.call(operator, "decideVerification", Method::POST, &format!("{path}/decision"), Some(verdict)).await;
    recorder.get(&anna.caller, "getMyVerifications", "/api/v1/users/me/verifications/").await;
}
