//! Finding claims by email, saved payment details, and card verification.

use agio_test_app::{TestApp, TestClient, TestCustomer};
use reqwest::Method;
use serde_json::{Value, json};

use super::{RECEIPT, Recorder};

/// Saved payment details and verifications of a customer.
pub async fn keep_requisites(app: &TestApp, anna: &TestCustomer, recorder: &mut Recorder) {
    let caller = &anna.caller;
    let sber = app.server.calculator.market().currency_named("SBERRUB").expect("the demonstration has it").id();
    let new = json!({ "currencyId": sber, "values": { "card": "2200000000000004", "holder": "ANNA PETROVA" } });
    let stored = recorder.post(caller, "saveRequisites", "/api/v1/users/me/requisites/", new).await;
    recorder.get(caller, "listSavedRequisites", "/api/v1/users/me/requisites/").await;
    let path = format!("/api/v1/users/me/requisites/{}/", stored["id"].as_str().unwrap());
    recorder.get(caller, "getSavedRequisites", &path).await;
    let push = "/api/v1/users/me/push/";
    let subscription = recorder.post(caller, "createMyPushSubscription", push, super::push_subscription()).await;
    recorder.get(caller, "getMyPushSubscription", &format!("{push}{}/", subscription["id"].as_str().unwrap())).await;
    recorder.post(caller, "findClaims", "/en/api/v1/claim/find/", json!({ "email": "ivan@example.com" })).await;
}

/// An account verification and the decision of staff.
pub async fn verify(operator: &TestClient, anna: &TestCustomer, recorder: &mut Recorder) {
    let request =
        recorder.post(operator, "createVerification", "/api/admin/v1/verifications", json!({ "email": anna.email })).await;
    let id = request["id"].as_str().unwrap();
    recorder.get(&anna.caller, "getVerification", &format!("/api/v1/verify/{id}/")).await;
    let photos = format!("/api/v1/verify/{id}/photos/");
    anna.caller.upload(&photos, "passport.png", RECEIPT.to_vec()).await.ok();
    let sent = anna.caller.upload(&photos, "selfie.png", RECEIPT.to_vec()).await.ok();
    recorder.0.insert("uploadVerificationPhoto", json!({ "answer": sent }));
    recorder.get(operator, "listVerifications", "/api/admin/v1/verifications?tab=sent").await;
    let path = format!("/api/admin/v1/verifications/{id}");
    let details: Value = recorder.get(operator, "getVerificationDetails", &path).await;
    let verdict = json!({ "decision": "again", "revision": details["revision"], "reason": "unreadable" });
    recorder.call(operator, "decideVerification", Method::POST, &format!("{path}/decision"), Some(verdict)).await;
    recorder.get(&anna.caller, "listMyVerifications", "/api/v1/users/me/verifications/").await;
}
