//! Possible self-referrals are reviewed by staff.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines, card_number_of};
use reqwest::Method;
use serde_json::{Value, json};

use crate::fixtures::{HELD, Referrer, StaffConsole, number, orders, orders_to};

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|flag| flag["code"].as_str().unwrap()).collect()
}

async fn a_self_referral_is_flagged_and_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    let claim = orders(&app, &ivan.customer.caller, "ivan@example.com", Some(&ivan.code)).await;
    staff.complete(&claim).await;
    let open = staff.open_commissions().await;
    assert_eq!(open[0]["status"], "review");
    assert_eq!(codes(&open[0]["flags"]), ["same_account", "same_email", "same_payout", "same_browser", "same_address"]);
    assert!(!open[0]["flags"][0]["text"].as_str().unwrap().is_empty());
    let waiting = async || app.owner().await.get("/api/admin/v1/dashboard").await.ok()["referral"].clone();
    assert_eq!(waiting().await, json!({ "commissions": 1, "withdrawals": 0 }));
    let view = ivan.overview().await;
    assert_eq!((&view["pending"], &view["volume"]), (&open[0]["amount"], &json!("0")));
    app.advance_and_run_jobs(HELD).await;
    assert_eq!(ivan.overview().await["balance"], "0", "it needs a review");

    let staff = StaffConsole::operator(&app).await;
    staff.decide(&open[0], json!({ "decision": "refuse" })).await.refused(422, "validation_failed");
    let refused = staff.decide(&open[0], json!({ "decision": "refuse", "comment": "The referrer's own claim." })).await.ok();
    assert_eq!((&refused["status"], &refused["open"]), (&json!("refused"), &json!(false)));
    let view = ivan.overview().await;
    assert_eq!((&view["pending"], &view["balance"], &view["earned"]), (&json!("0"), &json!("0"), &json!("0")));
    assert!(staff.open_commissions().await.is_empty());
    assert_eq!(waiting().await["commissions"], 0);
    // Reversing a refused commission moves nothing.
    staff.reverse(&claim).await;
    assert_eq!(ivan.overview().await["debt"], "0");
    app.assert_ledger_is_clean().await;
}

async fn a_neighbour_is_flagged_and_approved(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    // Another browser at the same IP address.
    let home = TestCustomer::new(&app, "ivan@example.com");
    let claim = orders(&app, &home.caller, "maria@example.com", Some(&ivan.code)).await;
    staff.complete(&claim).await;
    let open = staff.open_commissions().await;
    assert_eq!(codes(&open[0]["flags"]), ["same_address"]);
    let auditor = app.staff(agio_core::identity::Role::Auditor).await;
    let path = format!("/api/admin/v1/referral/commissions/{}/decision", open[0]["id"].as_str().unwrap());
    auditor.post(&path, json!({ "decision": "approve" })).await.refused(403, "forbidden");
    let left_open = StaffConsole(app.staff_unconfirmed(agio_core::identity::Role::Operator).await);
    left_open.decide(&open[0], json!({ "decision": "approve" })).await.refused(403, "fresh_second_factor_needed");
    let approved = staff.decide(&open[0], json!({ "decision": "approve" })).await.ok();
    assert_eq!(approved["status"], "held");
    app.advance_and_run_jobs(HELD).await;
    let view = ivan.overview().await;
    assert_eq!((&view["balance"], &view["pending"]), (&approved["amount"], &json!("0")));
    assert!(number(&view["volume"]) > rust_decimal::Decimal::ZERO, "an approved exchange counts");
    app.assert_ledger_is_clean().await;
}

/// A referrer with the same browser, signed out and at another IP address.
async fn referrer_who_hides(app: &TestApp) -> (Referrer, TestClient) {
    let mut customer = TestCustomer::new(app, "ivan@example.com");
    let hidden = customer.caller.clone().from_address("203.0.113.9");
    let new = json!({ "email": customer.email, "password": customer.password });
    customer.caller.post("/api/v1/users/signup/", new).await.ok();
    app.run_auth_requests().await;
    customer.activate(app).await;
    customer.sign_in().await.ok();
    let code = customer.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].as_str().unwrap().to_owned();
    (Referrer { customer, code }, hidden)
}

async fn the_browser_of_a_referrer_is_known_by_their_claims(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, hidden) = referrer_who_hides(&app).await;
    let staff = StaffConsole::operator(&app).await;
    staff.complete(&orders(&app, &ivan.customer.caller, "ivan@example.com", None).await).await;
    assert!(staff.open_commissions().await.is_empty(), "without a code there is no attribution");
    staff.complete(&orders(&app, &hidden, "somebody@example.com", Some(&ivan.code)).await).await;
    assert_eq!(codes(&staff.open_commissions().await[0]["flags"]), ["same_browser"]);
}

/// Another browser and IP address do not hide a self-referral.
async fn an_alias_and_the_referrers_own_card_are_flagged(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan.petrov@gmail.com").await;
    let staff = StaffConsole::operator(&app).await;
    // The referrer's own exchange records their card.
    staff.complete(&orders(&app, &ivan.customer.caller, "ivan.petrov@gmail.com", None).await).await;
    let elsewhere = |address: &str| app.visitor().from_address(address);
    let flagged = async |claim: String| {
        staff.complete(&claim).await;
        let open = staff.open_commissions().await;
        let found = open
            .iter()
            .find(|commission| commission["claimId"] == json!(claim))
            .map(|commission| codes(&commission["flags"]).join(" "));
        found.unwrap_or_default()
    };
    let alias = orders(&app, &elsewhere("203.0.113.5"), "ivanpetrov+shop@googlemail.com", Some(&ivan.code)).await;
    assert_eq!(flagged(alias).await, "same_email");
    let (maria, card) = (elsewhere("203.0.113.6"), card_number_of("ivan.petrov@gmail.com"));
    let to_card = orders_to(&app, &maria, "maria@example.com", Some(&ivan.code), &card).await;
    assert_eq!(flagged(to_card).await, "same_payout");
    let other = orders(&app, &elsewhere("203.0.113.7"), "olga@gmail.com", Some(&ivan.code)).await;
    assert_eq!(flagged(other).await, "", "another customer is not flagged");
    app.assert_ledger_is_clean().await;
}

/// Anybody can make up browsers and open the page with them.
async fn page_views_do_not_push_out_what_is_known(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (ivan, hidden) = referrer_who_hides(&app).await;
    let staff = StaffConsole::operator(&app).await;
    staff.complete(&orders(&app, &ivan.customer.caller, "ivan@example.com", None).await).await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    let elsewhere = ivan.customer.caller.clone().from_address("198.51.100.7");
    for number in 0..105 {
        let request = elsewhere.request(Method::GET, "/api/v1/users/me/refferal/");
        elsewhere.send(request.header("cookie", format!("agio_guest=made-up-{number}"))).await.ok();
    }
    let flagged = async |caller: &TestClient, email: &str, card: &str| {
        let claim = orders_to(&app, caller, email, Some(&ivan.code), card).await;
        staff.complete(&claim).await;
        let open = staff.open_commissions().await;
        let found = open.iter().find(|commission| commission["claimId"] == json!(claim));
        found.map(|commission| codes(&commission["flags"]).join(" ")).unwrap_or_default()
    };
    let (own_card, other_card) = (card_number_of("ivan@example.com"), card_number_of("maria@example.com"));
    let other = app.visitor().from_address("203.0.113.6");
    assert_eq!(flagged(&other, "maria@example.com", &own_card).await, "same_payout");
    let browser = TestCustomer::new(&app, "olga@example.com").caller;
    let same_address = TestCustomer::new(&app, "ivan@example.com").caller;
    assert_eq!(flagged(&browser, "olga@example.com", &other_card).await, "");
    assert_eq!(flagged(&same_address, "olga@example.com", &other_card).await, "same_address");
    assert_eq!(flagged(&hidden, "olga@example.com", &other_card).await, "same_browser");
    // The address of those views is known as well, and their number is limited.
    assert_eq!(flagged(&app.visitor().from_address("198.51.100.7"), "olga@example.com", &other_card).await, "same_address");
    let sql = "SELECT COUNT(*) FROM referral_trace WHERE origin = 'browser'";
    let mut tx = app.server.platform.db.read().await.unwrap();
    assert_eq!(agio_core::fetch_one!(&mut tx, (i64,), sql).unwrap().0, 100);
}

both_engines!(
    page_views_do_not_push_out_what_is_known,
    an_alias_and_the_referrers_own_card_are_flagged,
    a_self_referral_is_flagged_and_refused,
    a_neighbour_is_flagged_and_approved,
    the_browser_of_a_referrer_is_known_by_their_claims,
);
