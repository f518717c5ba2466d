//! Referral plans and referrers in the admin API.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Referrer, StaffConsole, exchange_with_code, number, orders};

const PATH: &str = "/api/admin/v1/referral/plans";

fn terms(name: &str, tiers: Value) -> Value {
    json!({ "name": name, "kind": "amount", "tiers": tiers, "minCommission": "0.01", "holdHours": 24, "withdrawalMin": "5" })
}

async fn tiers_follow_the_referred_volume(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let common = editor.get(PATH).await.ok()[0].clone();
    let path = format!("{PATH}/{}", common["id"].as_str().unwrap());
    let tiers = json!([{ "from": "0", "percent": "1" }, { "from": "1000", "percent": "2" }]);
    let changed = editor.put(&path, json!({ "revision": 1, "terms": terms("Standard", tiers) })).await.ok();
    assert_eq!((&changed["revision"], &changed["changedBy"], &changed["common"]), (&json!(2), &json!("editor"), &json!(true)));
    let again = json!({ "revision": 1, "terms": terms("Standard", json!([{ "from": "0", "percent": "9" }])) });
    editor.put(&path, again).await.refused(409, "referral_changed");

    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    let mut percents = Vec::new();
    for email in ["olga@example.com", "anna@example.com", "petr@example.com"] {
        percents.push(ivan.overview().await["percent"].as_str().unwrap().to_owned());
        staff.complete(&exchange_with_code(&app, email, Some(&ivan.code)).await).await;
    }
    // 0.01 BTC is about 700 dollars: the second exchange reaches the next tier, which applies to the third.
    assert_eq!(percents, ["1", "1", "2"]);
    let account = ivan.overview().await;
    assert_eq!((&account["percent"], &account["next"], &account["kind"]), (&json!("2"), &json!(null), &json!("amount")));
    let earned: Vec<_> =
        staff.0.get("/api/admin/v1/referral/commissions?tab=past").await.ok()["items"].as_array().unwrap().clone();
    // Each commission is rounded down.
    let twice = number(&earned[1]["amount"]) * rust_decimal::Decimal::from(2);
    let rest = number(&earned[0]["amount"]) - twice;
    assert!((rust_decimal::Decimal::ZERO..=rust_decimal::Decimal::new(1, 6)).contains(&rest), "{rest}");
}

async fn invalid_terms_are_refused_with_field_errors(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let refused =
        owner.post(PATH, terms(" ", json!([{ "from": "5", "percent": "101" }]))).await.refused(422, "validation_failed");
    for (field, code) in
        [("name", "required"), ("tiers[0].from", "referral_tier_first"), ("tiers[0].percent", "referral_percent")]
    {
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
    }
    let good = terms("Bloggers", json!([{ "from": "0", "percent": "40" }]));
    app.operator().await.post(PATH, good.clone()).await.refused(403, "forbidden");
    let added = owner.post_idempotent(PATH, "one-and-only", good.clone()).await.ok();
    assert_eq!(
        owner.post_idempotent(PATH, "one-and-only", good.clone()).await.ok(),
        added,
        "the same answer, and nothing done twice"
    );
    let other = terms("Shops", json!([{ "from": "0", "percent": "40" }]));
    owner.post_idempotent(PATH, "one-and-only", other).await.refused(422, "idempotency_mismatch");
    owner.post(PATH, good.clone()).await.refused(409, "referral_plan_named");
    owner.post(PATH, terms("Standard", json!([{ "from": "0", "percent": "1" }]))).await.refused(409, "referral_plan_named");
    let unknown = format!("{PATH}/{}", uuid::Uuid::nil());
    owner.put(&unknown, json!({ "revision": 1, "terms": good })).await.refused(404, "referral_plan_not_found");
    for statement in ["UPDATE referral_terms SET hold_hours = 0", "DELETE FROM referral_terms"] {
        let changed = app.server.platform.db.write(move |tx| Box::pin(async move { agio_core::execute!(tx, statement) })).await;
        assert!(changed.is_err(), "{statement}");
    }
}

async fn a_referrer_can_have_their_own_plan(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let bloggers = owner.post(PATH, terms("Bloggers", json!([{ "from": "0", "percent": "40" }]))).await.ok();
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let list = owner.get("/api/admin/v1/referral/referrers?q=IVAN@example.com").await.ok();
    assert_eq!((&list["items"][0]["code"], &list["items"][0]["plan"]), (&json!(ivan.code), &json!("Standard")));
    let path = format!("/api/admin/v1/referral/referrers/{}", list["items"][0]["id"].as_str().unwrap());
    owner.put(&format!("{path}/plan"), json!({ "planId": bloggers["id"] })).await.ok();
    assert_eq!(ivan.overview().await["percent"], "40");
    let wrong = json!({ "planId": uuid::Uuid::nil() });
    owner.put(&format!("{path}/plan"), wrong).await.refused(422, "validation_failed");
    let nobody = format!("/api/admin/v1/referral/referrers/{}", uuid::Uuid::nil());
    owner.put(&format!("{nobody}/plan"), json!({ "planId": null })).await.refused(404, "referrer_not_found");
    owner.get(&nobody).await.refused(404, "referrer_not_found");
    owner.put(&format!("{path}/plan"), json!({ "planId": null })).await.ok();
    assert_eq!(ivan.overview().await["percent"], "20");
    app.assert_audit_chain_is_intact().await;
}

async fn the_console_shows_referred_customers(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    let mut olga = TestCustomer::new(&app, "olga@example.com");
    let new = json!({ "email": olga.email, "password": olga.password, "refferal": ivan.code });
    olga.caller.post("/api/v1/users/signup/", new).await.ok();
    app.run_auth_requests().await;
    olga.activate(&app).await;
    olga.sign_in().await.ok();
    staff.complete(&orders(&app, &olga.caller, "olga@example.com", None).await).await;
    let code = olga.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].clone();
    staff.complete(&exchange_with_code(&app, "anna@example.com", Some(code.as_str().unwrap())).await).await;

    let list = staff.0.get("/api/admin/v1/referral/referrers?size=1").await.ok();
    let next = list["nextCursor"].as_str().unwrap();
    let rest = staff.0.get(&format!("/api/admin/v1/referral/referrers?size=1&cursor={next}")).await.ok();
    let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
    let rows = [list["items"][0].clone(), rest["items"][0].clone()];
    let of = |email: &str| id(rows.iter().find(|row| row["email"] == email).unwrap());
    assert_eq!(rest["nextCursor"], json!(null));
    let view = staff.0.get(&format!("/api/admin/v1/referral/referrers/{}", of("ivan@example.com"))).await.ok();
    let referred = &view["referrals"][0];
    assert_eq!(
        (&referred["email"], &referred["claims"], &referred["referrals"]),
        (&json!("olga@example.com"), &json!(1), &json!(1))
    );
    assert_eq!((&referred["code"], &referred["earned"]), (&code, &view["commissions"][0]["amount"]));
    let below = staff.0.get(&format!("/api/admin/v1/referral/referrers/{}", of("olga@example.com"))).await.ok();
    assert_eq!(below["referredBy"]["email"], "ivan@example.com");
    assert_eq!(
        (&below["referrals"][0]["email"], &below["referrals"][0]["customerId"]),
        (&json!("anna@example.com"), &json!(null))
    );
    for wrong in ["cursor=last", "size=0", "size=51"] {
        staff.0.get(&format!("/api/admin/v1/referral/referrers?{wrong}")).await.refused(400, "malformed_parameter");
    }
}

both_engines!(
    tiers_follow_the_referred_volume,
    invalid_terms_are_refused_with_field_errors,
    a_referrer_can_have_their_own_plan,
    the_console_shows_referred_customers,
);
