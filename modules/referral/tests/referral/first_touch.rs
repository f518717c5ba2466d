//! The first code somebody comes with binds them; nobody binds strangers.

use agio_testkit::{Customer as Member, Engine, House, both_engines};
use serde_json::json;

use crate::people::{Desk, Referrer, comes, orders};

async fn claims_of(referrer: &Referrer) -> i64 {
    referrer.sees().await["claims"].as_i64().unwrap()
}

async fn the_first_code_holds(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, petr) = (Referrer::at(&house, "ivan@example.com").await, Referrer::at(&house, "petr@example.com").await);
    assert_ne!(ivan.code, petr.code);
    let desk = Desk::operator(&house).await;
    desk.completes(&comes(&house, "olga@example.com", Some(&ivan.code)).await).await;
    desk.completes(&comes(&house, "olga@example.com", Some(&petr.code)).await).await;
    desk.completes(&comes(&house, "olga@example.com", None).await).await;
    assert_eq!((claims_of(&ivan).await, claims_of(&petr).await), (3, 0));

    // A code nobody has leaves the place free.
    for unknown in ["NOTACODE", "22222222", "<script>", "ааааааaa"] {
        desk.completes(&comes(&house, "anna@example.com", Some(unknown)).await).await;
    }
    desk.completes(&comes(&house, "anna@example.com", Some(&petr.code)).await).await;
    assert_eq!(claims_of(&petr).await, 1);
}

async fn an_account_is_bound_by_its_sign_up(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, petr) = (Referrer::at(&house, "ivan@example.com").await, Referrer::at(&house, "petr@example.com").await);
    let desk = Desk::operator(&house).await;
    let mut olga = Member::comes(&house, "olga@example.com");
    let new = json!({ "email": olga.email, "password": olga.password, "refferal": ivan.code });
    olga.caller.post("/api/v1/users/signup/", new).await.ok();
    house.answers_requests().await;
    // Nobody has shown yet that the address is theirs: neither the account nor a guest who types it is bound by anything.
    assert_eq!(ivan.sees().await["registrations"], 0);
    desk.completes(&comes(&house, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 0);
    olga.activates(&house).await;
    assert_eq!(ivan.sees().await["registrations"], 1);
    olga.signs_in().await.ok();
    // The same order again so soon would be a double click.
    house.wait(std::time::Duration::from_secs(60));
    desk.completes(&orders(&house, &olga.caller, "olga@example.com", Some(&petr.code)).await).await;
    desk.completes(&comes(&house, "olga@example.com", None).await).await;
    assert_eq!((claims_of(&ivan).await, claims_of(&petr).await), (2, 0));
    // Signing up once more with another code changes nothing.
    let again = json!({ "email": olga.email, "password": olga.password, "refferal": petr.code });
    olga.caller.post("/api/v1/users/signup/", again).await.ok();
    house.answers_requests().await;
    assert_eq!(petr.sees().await["registrations"], 0);
}

async fn a_claim_that_is_not_completed_binds_nobody(engine: Engine) {
    let house = House::open(engine).await;
    let (ivan, petr) = (Referrer::at(&house, "ivan@example.com").await, Referrer::at(&house, "petr@example.com").await);
    let desk = Desk::operator(&house).await;
    comes(&house, "olga@example.com", Some(&petr.code)).await;
    desk.completes(&comes(&house, "olga@example.com", Some(&ivan.code)).await).await;
    assert_eq!((claims_of(&ivan).await, claims_of(&petr).await), (1, 0));
}

async fn visits_are_counted_by_household_and_day(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let visitor = house.customer().from_address("203.0.113.7");
    let visit = |code: String| visitor.post("/api/v1/referral/visits/", json!({ "code": code }));
    for _ in 0..12 {
        visit(ivan.code.clone()).await.ok();
    }
    assert_eq!(visit("NOTACODE".into()).await.ok(), json!({ "days": 180 }), "an unknown code is not told apart");
    assert_eq!(ivan.sees().await["visits"], 10);
    house.customer().from_address("203.0.113.8").post("/api/v1/referral/visits/", json!({ "code": ivan.code })).await.ok();
    assert_eq!(ivan.sees().await["visits"], 11);
    house.later(std::time::Duration::from_secs(24 * 3_600)).await;
    visit(ivan.code.clone()).await.ok();
    let mut tx = house.app.platform.db.read().await.unwrap();
    let kept = agio_core::fetch_all!(&mut tx, (String, i64), "SELECT mark, visits FROM referral_visitor").unwrap();
    assert_eq!(kept.len(), 1, "yesterday's households are forgotten: {kept:?}");
    assert!(!kept[0].0.contains("203.0.113"));
    visit("A".repeat(65)).await.refused(422, "validation_failed");
    visitor.post("/api/v1/referral/visits/", json!({ "code": "A", "who": "me" })).await.refused(400, "malformed_body");
}

/// Somebody signs up with the address of somebody else, by a link of their own, and makes the account a referrer.
async fn whoever_signed_up_in_anothers_name_earns_nothing_by_them(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let mut stranger = Member::comes(&house, "olga@example.com");
    let new = json!({ "email": stranger.email, "password": stranger.password, "refferal": ivan.code });
    stranger.caller.post("/api/v1/users/signup/", new).await.ok();
    house.answers_requests().await;
    stranger.signs_in().await.ok();
    let own = stranger.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].as_str().unwrap().to_owned();

    // What is exchanged in the account earns once, and binds neither the account nor its address.
    desk.completes(&orders(&house, &stranger.caller, "olga@example.com", Some(&ivan.code)).await).await;
    assert_eq!(claims_of(&ivan).await, 1);
    desk.completes(&comes(&house, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 1);
    // Its own code earns nothing.
    desk.completes(&comes(&house, "anna@example.com", Some(&own)).await).await;
    let earned = stranger.caller.get("/api/v1/users/me/refferal/").await.ok();
    assert_eq!((&earned["claims"], &earned["pending"]), (&json!(0), &json!("0")));

    let mut olga = Member::comes(&house, "olga@example.com");
    let asked = json!({ "email": olga.email });
    olga.caller.post("/api/v1/users/restore/", asked).await.ok();
    house.answers_requests().await;
    let token = olga.token(&house, "password_restore").await;
    olga.password = "quite another horse".into();
    olga.caller.post(&format!("/api/v1/users/restore/{token}/"), json!({ "password": olga.password })).await.ok();
    olga.signs_in().await.ok();
    house.wait(std::time::Duration::from_secs(60));
    desk.completes(&orders(&house, &olga.caller, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 1, "the owner came by nobody");
    let hers = olga.caller.get("/api/v1/users/me/refferal/").await.ok();
    assert_ne!(hers["code"], json!(own));

    // What a guest types binds no account whose owner confirmed the address, and earns once.
    desk.completes(&comes(&house, "olga@example.com", Some(&ivan.code)).await).await;
    assert_eq!(claims_of(&ivan).await, 2);
    house.wait(std::time::Duration::from_secs(60));
    desk.completes(&orders(&house, &olga.caller, "olga@example.com", None).await).await;
    assert_eq!(claims_of(&ivan).await, 2);
    house.books_are_clean().await;
}

both_engines!(
    whoever_signed_up_in_anothers_name_earns_nothing_by_them,
    the_first_code_holds,
    an_account_is_bound_by_its_sign_up,
    a_claim_that_is_not_completed_binds_nobody,
    visits_are_counted_by_household_and_day,
);
