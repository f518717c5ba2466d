//! The usual way: somebody comes by a link, exchanges, and the referrer earns.

use std::time::Duration;

use agio_core::Amount;
use agio_core::needs::Worths as _;
use agio_testkit::{Customer as Member, Engine, House, both_engines};
use rust_decimal::Decimal;
use serde_json::json;

use crate::people::{Desk, HELD, Referrer, comes, number, orders};

/// A fifth of what the house earned by a claim, in the balance's currency.
async fn fifth_of_profit(house: &House, claim: &str) -> Decimal {
    let claim = house.app.claims.claim(claim.parse().unwrap()).await.unwrap();
    let earned = Amount::of_units(claim.worth_units - claim.receive_units, 2);
    let worth = house.app.calculator.worth(claim.to_id, earned).unwrap();
    assert_eq!(worth.ticker, "USDT", "the balance is kept in the base currency");
    let scale = house.app.calculator.market().currency_named("USDTTRC20").unwrap().facts.scale;
    (worth.amount * Decimal::new(2, 1)).trunc_with_scale(scale)
}

async fn a_guest_comes_by_a_link_and_the_balance_follows_their_claims(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let fresh = ivan.sees().await;
    assert_eq!((&fresh["percent"], &fresh["balance"], &fresh["currency"]), (&json!("20"), &json!("0"), &json!("USDTTRC20")));
    assert!(fresh["link"].as_str().unwrap().ends_with(&format!("/?rid={}", ivan.code)));
    assert_eq!(ivan.sees().await["code"], fresh["code"], "a code stays");

    let desk = Desk::operator(&house).await;
    let olga = Member::comes(&house, "olga@example.com");
    let visit = olga.caller.post("/api/v1/referral/visits/", json!({ "code": ivan.code })).await.ok();
    assert_eq!(visit["days"], 180);
    let first = orders(&house, &olga.caller, "olga@example.com", Some(&ivan.code.to_lowercase())).await;
    assert_eq!(ivan.sees().await["pending"], "0", "nothing is earned before the claim is completed");
    desk.completes(&first).await;
    let earned = fifth_of_profit(&house, &first).await;
    let seen = ivan.sees().await;
    assert!(earned > Decimal::ZERO);
    assert_eq!((number(&seen["pending"]), &seen["balance"], &seen["claims"]), (earned, &json!("0"), &json!(1)));
    house.books_are_clean().await;

    // Signed up with the same address, whatever she brings now.
    let olga = Member::at(&house, "olga@example.com").await;
    let second = orders(&house, &olga.caller, "olga@example.com", None).await;
    desk.completes(&second).await;
    let both = earned + fifth_of_profit(&house, &second).await;
    let seen = ivan.sees().await;
    assert_eq!((&seen["visits"], &seen["registrations"], &seen["claims"]), (&json!(1), &json!(1), &json!(2)));
    assert_eq!((number(&seen["pending"]), number(&seen["earned"])), (both, both));
    assert!(number(&seen["volume"]) > Decimal::from(1_000), "{seen}");

    house.later(HELD).await;
    let seen = ivan.sees().await;
    assert_eq!((number(&seen["balance"]), &seen["pending"]), (both, &json!("0")));
    let desk = Desk::operator(&house).await;
    desk.undoes(&first).await;
    let seen = ivan.sees().await;
    assert_eq!((number(&seen["balance"]), &seen["claims"], &seen["debt"]), (both - earned, &json!(1), &json!("0")));
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn what_is_not_undone_is_not_touched_twice(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let desk = Desk::operator(&house).await;
    let claim = comes(&house, "olga@example.com", Some(&ivan.code)).await;
    desk.completes(&claim).await;
    let pending = number(&ivan.sees().await["pending"]);
    // The job that releases may run as often as it likes.
    for _ in 0..3 {
        house.later(HELD).await;
    }
    assert_eq!(number(&ivan.sees().await["balance"]), pending);
    let desk = Desk::operator(&house).await;
    desk.undoes(&claim).await;
    let seen = ivan.sees().await;
    assert_eq!(
        (&seen["balance"], &seen["pending"], &seen["volume"], &seen["earned"]),
        (&json!("0"), &json!("0"), &json!("0"), &json!("0"))
    );
    house.books_are_clean().await;
}

async fn an_accrual_without_a_currency_waits_for_the_staff(engine: Engine) {
    let house = House::open(engine).await;
    let settings = |code: &str| json!({ "referral.currency": code });
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", settings("NOSUCH")).await.ok();
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    assert_eq!(ivan.sees().await["currency"], "");
    let desk = Desk::operator(&house).await;
    desk.completes(&comes(&house, "olga@example.com", Some(&ivan.code)).await).await;
    let open = desk.open_accruals().await;
    assert_eq!((&open[0]["status"], &open[0]["reason"]["code"]), (&json!("unpriced"), &json!("no_currency")));
    desk.decides(&open[0], json!({ "decision": "approve" })).await.refused(409, "referral_no_worth");
    owner.put("/api/admin/v1/settings", settings("usdttrc20")).await.ok();
    let decided = desk.decides(&open[0], json!({ "decision": "approve" })).await.ok();
    assert_eq!((&decided["status"], &decided["currency"]), (&json!("held"), &json!("USDTTRC20")));
    assert_eq!(ivan.sees().await["pending"], decided["amount"]);
    desk.decides(&open[0], json!({ "decision": "approve" })).await.refused(409, "referral_accrual_closed");
    // The balance stays in its currency, whatever is set later.
    owner.put("/api/admin/v1/settings", settings("BTC")).await.ok();
    assert_eq!(ivan.sees().await["currency"], "USDTTRC20");
    house.books_are_clean().await;
}

async fn a_share_is_held_to_the_last_second_of_its_time(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Referrer::at(&house, "ivan@example.com").await;
    let hours = house.owner().await.get("/api/admin/v1/referral/programmes").await.ok()[0]["holdHours"].as_u64().unwrap();
    assert!(hours > 0, "the programme holds shares for a time");
    let desk = Desk::operator(&house).await;
    let claim = orders(&house, &house.customer(), "olga@example.com", Some(&ivan.code)).await;
    desk.completes(&claim).await;
    let earned = fifth_of_profit(&house, &claim).await;
    house.later(Duration::from_secs(hours * 3_600 - 1)).await;
    let seen = ivan.sees().await;
    assert_eq!((number(&seen["pending"]), &seen["balance"]), (earned, &json!("0")));
    house.later(Duration::from_secs(1)).await;
    let seen = ivan.sees().await;
    assert_eq!((&seen["pending"], number(&seen["balance"])), (&json!("0"), earned));
    house.books_are_clean().await;
}

both_engines!(
    a_share_is_held_to_the_last_second_of_its_time,
    a_guest_comes_by_a_link_and_the_balance_follows_their_claims,
    what_is_not_undone_is_not_touched_twice,
    an_accrual_without_a_currency_waits_for_the_staff,
);
