//! First-touch attribution.

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;

use crate::fixtures::{Referrer, StaffConsole, exchange_with_code, orders};

async fn claims_of(referrer: &Referrer) -> i64 {
    referrer.overview().await["claims"].as_i64().unwrap()
}

async fn the_first_code_wins(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, petr) = (Referrer::at(&app, "ivan@example.com").await, Referrer::at(&app, "petr@example.com").await);
    assert_ne!(ivan.code, petr.code);
    let staff = StaffConsole::operator(&app).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&petr.code)).await).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", None).await).await;
    assert_eq!((claims_of(&ivan).await, claims_of(&petr).await), (3, 0));

    // An unknown code attributes nobody.
    for unknown in ["NOTACODE", "22222222", "<script>", "ааааааaa"] {
        staff.complete(&exchange_with_code(&app, "anna@example.com", Some(unknown)).await).await;
    }
    staff.complete(&exchange_with_code(&app, "anna@example.com", Some(&petr.code)).await).await;
    assert_eq!(claims_of(&petr).await, 1);
}

async fn a_sign_up_attributes_the_account(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, petr) = (Referrer::at(&app, "ivan@example.com").await, Referrer::at(&app, "petr@example.com").await);
    let staff = StaffConsole::operator(&app).await;
    let mut olga = TestCustomer::new(&app, "olga@example.com");
    let new = json!({ "email": olga.email, "password": olga.password, "refferal": ivan.code });
    olga.caller.post("/api/v1/users/signup/", new).await.ok();
    app.run_auth_requests().await;
    // An unconfirmed account is not attributed, nor is its address by a guest's input.
    assert_eq!(ivan.overview().await["registrations"], 0);
    staff.complete(&exchange_with_code(&app, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 0);
    olga.activate(&app).await;
    assert_eq!(ivan.overview().await["registrations"], 1);
    olga.sign_in().await.ok();
    // An equal order so soon would count as a double click.
    app.advance_clock(std::time::Duration::from_secs(60));
    staff.complete(&orders(&app, &olga.caller, "olga@example.com", Some(&petr.code)).await).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", None).await).await;
    assert_eq!((claims_of(&ivan).await, claims_of(&petr).await), (2, 0));
    // Another sign-up with another code changes nothing.
    let again = json!({ "email": olga.email, "password": olga.password, "refferal": petr.code });
    olga.caller.post("/api/v1/users/signup/", again).await.ok();
    app.run_auth_requests().await;
    assert_eq!(petr.overview().await["registrations"], 0);
}

async fn an_incomplete_claim_attributes_nobody(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, petr) = (Referrer::at(&app, "ivan@example.com").await, Referrer::at(&app, "petr@example.com").await);
    let staff = StaffConsole::operator(&app).await;
    exchange_with_code(&app, "olga@example.com", Some(&petr.code)).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await).await;
    assert_eq!((claims_of(&ivan).await, claims_of(&petr).await), (1, 0));
}

async fn visits_are_counted_by_network_and_day(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let visitor = app.visitor().from_address("203.0.113.7");
    let visit = |code: String| visitor.post("/api/v1/referral/visits/", json!({ "code": code }));
    for _ in 0..12 {
        visit(ivan.code.clone()).await.ok();
    }
    assert_eq!(visit("NOTACODE".into()).await.ok(), json!({ "days": 180 }), "an unknown code gets the same response");
    assert_eq!(ivan.overview().await["visits"], 10);
    app.visitor().from_address("203.0.113.8").post("/api/v1/referral/visits/", json!({ "code": ivan.code })).await.ok();
    assert_eq!(ivan.overview().await["visits"], 11);
    app.advance_and_run_jobs(std::time::Duration::from_secs(24 * 3_600)).await;
    visit(ivan.code.clone()).await.ok();
    let mut tx = app.server.platform.db.read().await.unwrap();
    let visits = agio_core::fetch_all!(&mut tx, (String, i64), "SELECT digest, visits FROM referral_visitor").unwrap();
    assert_eq!(visits.len(), 1, "yesterday's visitors are deleted: {visits:?}");
    assert!(!visits[0].0.contains("203.0.113"));
    visit("A".repeat(65)).await.refused(422, "validation_failed");
    visitor.post("/api/v1/referral/visits/", json!({ "code": "A", "who": "me" })).await.refused(400, "malformed_body");
}

/// Signs up with another person's address through their own link and becomes a referrer.
async fn signing_up_with_anothers_address_earns_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    let mut impostor = TestCustomer::new(&app, "olga@example.com");
    let new = json!({ "email": impostor.email, "password": impostor.password, "refferal": ivan.code });
    impostor.caller.post("/api/v1/users/signup/", new).await.ok();
    app.run_auth_requests().await;
    impostor.sign_in().await.ok();
    let own = impostor.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].as_str().unwrap().to_owned();

    // Exchanges in the account earn once and attribute neither the account nor its address.
    staff.complete(&orders(&app, &impostor.caller, "olga@example.com", Some(&ivan.code)).await).await;
    assert_eq!(claims_of(&ivan).await, 1);
    staff.complete(&exchange_with_code(&app, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 1);
    staff.complete(&exchange_with_code(&app, "anna@example.com", Some(&own)).await).await;
    let earned = impostor.caller.get("/api/v1/users/me/refferal/").await.ok();
    assert_eq!((&earned["claims"], &earned["pending"]), (&json!(0), &json!("0")));

    let mut olga = TestCustomer::new(&app, "olga@example.com");
    let requested = json!({ "email": olga.email });
    olga.caller.post("/api/v1/users/restore/", requested).await.ok();
    app.run_auth_requests().await;
    let token = olga.token(&app, "password_restore").await;
    olga.password = "quite another horse".into();
    olga.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": olga.password })).await.ok();
    olga.sign_in().await.ok();
    app.advance_clock(std::time::Duration::from_secs(60));
    staff.complete(&orders(&app, &olga.caller, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 1, "the owner has no referrer");
    let hers = olga.caller.get("/api/v1/users/me/refferal/").await.ok();
    assert_ne!(hers["code"], json!(own));

    // A guest's input does not attribute a confirmed account, and earns once.
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await).await;
    assert_eq!(claims_of(&ivan).await, 2);
    app.advance_clock(std::time::Duration::from_secs(60));
    staff.complete(&orders(&app, &olga.caller, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 2);
    app.assert_ledger_is_clean().await;
}

both_engines!(
    signing_up_with_anothers_address_earns_nothing,
    the_first_code_wins,
    a_sign_up_attributes_the_account,
    an_incomplete_claim_attributes_nobody,
    visits_are_counted_by_network_and_day,
);
