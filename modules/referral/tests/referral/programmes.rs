//! The terms, and what the console shows of referrers.

use agio_core::identity::Role;
use agio_testkit::{Customer as Member, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{Desk, Referrer, comes, number, orders};

const PATH: &str = "/api/admin/v1/referral/programmes";

fn terms(name: &str, tiers: Value) -> Value {
    json!({ "name": name, "kind": "amount", "tiers": tiers, "accrualMin": "0.01", "holdHours": 24, "withdrawalMin": "5" })
}

async fn tiers_follow_the_referred_volume(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff(Role::Editor).await;
    let common = editor.get(PATH).await.ok()[0].clone();
    let path = format!("{PATH}/{}", common["id"].as_str().unwrap());
    let tiers = json!([{ "from": "0", "percent": "1" }, { "from": "1000", "percent": "2" }]);
    let changed = editor.put(&path, json!({ "revision": 1, "terms": terms("Standard", tiers) })).await.ok();
    assert_eq!((&changed["revision"], &changed["changedBy"], &changed["common"]), (&json!(2), &json!("editor"), &json!(true)));
    let again = json!({ "revision": 1, "terms": terms("Standard", json!([{ "from": "0", "percent": "9" }])) });
    editor.put(&path, again).await.refused(409, "referral_changed");

    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let mut percents = Vec::new();
    for email in ["olga@example.com", "anna@example.com", "petr@example.com"] {
        percents.push(ivan.sees().await["percent"].as_str().unwrap().to_owned());
        desk.completes(&comes(&house, email, Some(&ivan.code)).await).await;
    }
    // 0.01 BTC are some 700 dollars: the second exchange crosses the line, the third one earns by it.
    assert_eq!(percents, ["1", "1", "2"]);
    let seen = ivan.sees().await;
    assert_eq!((&seen["percent"], &seen["next"], &seen["kind"]), (&json!("2"), &json!(null), &json!("amount")));
    let earned: Vec<_> = desk.0.get("/api/admin/v1/referral/accruals?tab=past").await.ok()["items"].as_array().unwrap().clone();
    // Each is rounded down by itself.
    let twice = number(&earned[1]["amount"]) * rust_decimal::Decimal::from(2);
    let rest = number(&earned[0]["amount"]) - twice;
    assert!((rust_decimal::Decimal::ZERO..=rust_decimal::Decimal::new(1, 6)).contains(&rest), "{rest}");
}

async fn terms_that_cannot_hold_are_refused_with_the_fields(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    let refused =
        owner.post(PATH, terms(" ", json!([{ "from": "5", "percent": "101" }]))).await.refused(422, "validation_failed");
    for (field, code) in
        [("name", "required"), ("tiers[0].from", "referral_tier_first"), ("tiers[0].percent", "referral_percent")]
    {
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
    }
    let good = terms("Bloggers", json!([{ "from": "0", "percent": "40" }]));
    house.operator().await.post(PATH, good.clone()).await.refused(403, "forbidden");
    let added = owner.post_once(PATH, "one-and-only", good.clone()).await.ok();
    assert_eq!(owner.post_once(PATH, "one-and-only", good.clone()).await.ok(), added, "the same answer, and nothing done twice");
    let other = terms("Shops", json!([{ "from": "0", "percent": "40" }]));
    owner.post_once(PATH, "one-and-only", other).await.refused(422, "idempotency_mismatch");
    owner.post(PATH, good.clone()).await.refused(409, "referral_programme_named");
    owner.post(PATH, terms("Standard", json!([{ "from": "0", "percent": "1" }]))).await.refused(409, "referral_programme_named");
    let unknown = format!("{PATH}/{}", uuid::Uuid::nil());
    owner.put(&unknown, json!({ "revision": 1, "terms": good })).await.refused(404, "referral_programme_not_found");
    for statement in ["UPDATE referral_terms SET hold_hours = 0", "DELETE FROM referral_terms"] {
        let changed = house.app.platform.db.write(move |tx| Box::pin(async move { agio_core::execute!(tx, statement) })).await;
        assert!(changed.is_err(), "{statement}");
    }
}

async fn a_referrer_can_have_terms_of_their_own(engine: Engine) {
    let house = House::open(engine).await;
    let owner = house.owner().await;
    let bloggers = owner.post(PATH, terms("Bloggers", json!([{ "from": "0", "percent": "40" }]))).await.ok();
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let list = owner.get("/api/admin/v1/referral/referrers?q=IVAN@example.com").await.ok();
    assert_eq!((&list["items"][0]["code"], &list["items"][0]["programme"]), (&json!(ivan.code), &json!("Standard")));
    let path = format!("/api/admin/v1/referral/referrers/{}", list["items"][0]["id"].as_str().unwrap());
    owner.put(&format!("{path}/programme"), json!({ "programmeId": bloggers["id"] })).await.ok();
    assert_eq!(ivan.sees().await["percent"], "40");
    let wrong = json!({ "programmeId": uuid::Uuid::nil() });
    owner.put(&format!("{path}/programme"), wrong).await.refused(422, "validation_failed");
    let nobody = format!("/api/admin/v1/referral/referrers/{}", uuid::Uuid::nil());
    owner.put(&format!("{nobody}/programme"), json!({ "programmeId": null })).await.refused(404, "referrer_not_found");
    owner.get(&nobody).await.refused(404, "referrer_not_found");
    owner.put(&format!("{path}/programme"), json!({ "programmeId": null })).await.ok();
    assert_eq!(ivan.sees().await["percent"], "20");
    house.audit_is_whole().await;
}

async fn the_console_shows_whom_a_referrer_brought(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let mut olga = Member::comes(&house, "olga@example.com");
    let new = json!({ "email": olga.email, "password": olga.password, "refferal": ivan.code });
    olga.caller.post("/api/v1/users/signup/", new).await.ok();
    house.answers_requests().await;
    olga.activates(&house).await;
    olga.signs_in().await.ok();
    desk.completes(&orders(&house, &olga.caller, "olga@example.com", None).await).await;
    let code = olga.caller.get("/api/v1/users/me/refferal/").await.ok()["code"].clone();
    desk.completes(&comes(&house, "anna@example.com", Some(code.as_str().unwrap())).await).await;

    let list = desk.0.get("/api/admin/v1/referral/referrers?size=1").await.ok();
    let next = list["nextCursor"].as_str().unwrap();
    let rest = desk.0.get(&format!("/api/admin/v1/referral/referrers?size=1&cursor={next}")).await.ok();
    let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
    let rows = [list["items"][0].clone(), rest["items"][0].clone()];
    let of = |email: &str| id(rows.iter().find(|row| row["email"] == email).unwrap());
    assert_eq!(rest["nextCursor"], json!(null));
    let view = desk.0.get(&format!("/api/admin/v1/referral/referrers/{}", of("ivan@example.com"))).await.ok();
    let person = &view["people"][0];
    assert_eq!((&person["email"], &person["claims"], &person["brought"]), (&json!("olga@example.com"), &json!(1), &json!(1)));
    assert_eq!((&person["code"], &person["earned"]), (&code, &view["accruals"][0]["amount"]));
    let below = desk.0.get(&format!("/api/admin/v1/referral/referrers/{}", of("olga@example.com"))).await.ok();
    assert_eq!(below["broughtBy"]["email"], "ivan@example.com");
    assert_eq!((&below["people"][0]["email"], &below["people"][0]["customerId"]), (&json!("anna@example.com"), &json!(null)));
    for wrong in ["cursor=last", "size=0", "size=51"] {
        desk.0.get(&format!("/api/admin/v1/referral/referrers?{wrong}")).await.refused(422, "validation_failed");
    }
}

both_engines!(
    tiers_follow_the_referred_volume,
    terms_that_cannot_hold_are_refused_with_the_fields,
    a_referrer_can_have_terms_of_their_own,
    the_console_shows_whom_a_referrer_brought,
);
