//! The outer door: what every request meets.

use agio_testkit::{Engine, House};
use serde_json::json;

/// Every call of the public API in its written form answers, and so does its twin under /en.
async fn written_forms_answer(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    for root in ["", "/en"] {
        for path in ["/", "/from/", "/reserves/", "/settings/", "/tech/", "/rates/"] {
            customer.get(&format!("{root}/api/v1/calculator{path}")).await.ok();
        }
        customer.get(&format!("{root}/api/v1/claim/captchacheck")).await.ok();
        customer.get(&format!("{root}/api/v1/calculator")).await.ok();
    }
}

async fn problems_speak_the_callers_language_and_carry_a_code(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    let russian = customer.get("/api/v1/nowhere/").await.refused(404, "not_found");
    let english = customer.get("/en/api/v1/nowhere/").await.refused(404, "not_found");
    assert_eq!(russian["detail"], "Здесь ничего нет.");
    assert_eq!(english["detail"], "There is nothing here.");
    assert_ne!(russian["requestId"], english["requestId"]);
}

async fn bad_requests_never_become_faults(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    customer.post_raw("/api/v1/claim/", "application/json", "{").await.refused(400, "malformed_body");
    customer.post_raw("/api/v1/claim/", "application/json", "[]").await.refused(400, "malformed_body");
    customer.post_raw("/api/v1/claim/", "text/plain", "{}").await.refused(415, "unsupported_media");
    customer.post_raw("/api/v1/claim/", "application/json", vec![b' '; 100_000]).await.refused(413, "too_large");
    customer.get("/api/v1/calculator/from/first/").await.refused(400, "malformed_parameter");
    customer.post("/api/v1/calculator/tech/", json!({})).await.refused(405, "method_not_allowed");
}

async fn a_token_that_is_not_valid_does_not_become_a_guest(engine: Engine) {
    let house = House::open(engine).await;
    let forger = house.customer().with_token("eyJhbGciOiJub25lIn0.e30.");
    forger.get("/api/v1/calculator/tech/").await.refused(401, "token_not_valid");
    forger.get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
    house.customer().get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");
}

async fn the_house_is_alive_and_ready(engine: Engine) {
    let house = House::open(engine).await;
    let customer = house.customer();
    assert_eq!(customer.get("/health/live").await.status, 200);
    let ready = customer.get("/health/ready").await.ok();
    assert_eq!(ready["checks"], json!({ "database": true, "writes": true, "ledger": true }));
}

async fn every_answer_has_a_number_and_is_not_sniffed(engine: Engine) {
    let house = House::open(engine).await;
    let answer = house.customer().get("/api/v1/calculator/tech/").await;
    assert_eq!(answer.headers["x-request-id"].len(), 32);
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}

agio_testkit::both_engines!(
    written_forms_answer,
    problems_speak_the_callers_language_and_carry_a_code,
    bad_requests_never_become_faults,
    a_token_that_is_not_valid_does_not_become_a_guest,
    the_house_is_alive_and_ready,
    every_answer_has_a_number_and_is_not_sniffed,
);
