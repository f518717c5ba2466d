//! Money that comes after its claim had ended.

use std::time::Duration;

use agio_plugin::protocol::Risk;
use agio_testkit::{Engine, both_engines};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::world::{Customer, World};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// A house in which everybody who is late is asked, however little the rate moved.
async fn asking(engine: Engine) -> World {
    let world = World::open(engine).await;
    world.owner().await.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_hundredths": "0" })).await.ok();
    world
}

/// A customer whose claim ran out before they paid.
async fn too_late(world: &World) -> Customer {
    let customer = Customer::comes(world, "0.01").await;
    world.passes(HOUR).await;
    assert_eq!(customer.state().await, "expired");
    customer
}

/// Makes the course of the pair this part of what it is, by the spread.
async fn course_becomes(world: &World, part: &str) {
    course_to_becomes(world, "ETH", part).await;
}

async fn course_to_becomes(world: &World, to: &str, part: &str) {
    let pair = world.pair("BTC", to).await;
    let hundred = Decimal::ONE_HUNDRED;
    let spread: Decimal = pair["spreadPercent"].as_str().unwrap().parse().unwrap();
    let spread = (hundred - (hundred - spread) * part.parse::<Decimal>().unwrap()).normalize().to_string();
    world.sets_pair("BTC", to, json!({ "spreadPercent": spread })).await;
}

/// The letters a customer got, by kind.
async fn letters(world: &World, customer: &Customer) -> Vec<String> {
    let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok();
    let mails = world.house.mail_to(shown["email"].as_str().unwrap()).await;
    mails.into_iter().map(|mail| mail.kind).collect()
}

async fn a_late_payment_goes_on_by_itself_while_the_rate_barely_moved(engine: Engine) {
    for part in ["1", "0.9801", "1.0199"] {
        let world = World::open(engine).await;
        let customer = too_late(&world).await;
        course_becomes(&world, part).await;
        customer.pays(&world, customer.send);
        world.goes_on().await;
        assert_eq!(customer.state().await, "expired", "it is not certain yet");
        world.settles().await;
        assert_eq!(customer.state().await, "completed", "the course became {part} of what it was");
        assert_eq!(world.left("ETH", &customer.id), [customer.receive], "at the terms that were agreed on");
        let told = letters(&world, &customer).await;
        assert!(told.contains(&"claim_paid".to_owned()) && !told.contains(&"claim_late_payment".to_owned()), "{told:?}");
        let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{}", customer.id)).await.ok();
        let accepted = shown["timeline"].as_array().unwrap().iter().find(|step| step["action"] == "accept").unwrap();
        assert_eq!((&accepted["actor"]["kind"], &accepted["from"]), (&json!("system"), &json!("late_payment")));
        world.house.books_are_clean().await;
        world.house.audit_is_whole().await;
    }
}

async fn at_the_bound_and_beyond_the_customer_is_asked(engine: Engine) {
    for part in ["0.98", "0.9799", "1.0201"] {
        let world = World::open(engine).await;
        let customer = too_late(&world).await;
        course_becomes(&world, part).await;
        customer.pays(&world, customer.send);
        world.settles().await;
        assert_eq!(customer.state().await, "late_payment", "the course became {part} of what it was");
        assert!(letters(&world, &customer).await.contains(&"claim_late_payment".to_owned()));
        assert!(world.left("ETH", &customer.id).is_empty());
        customer.accepts().await.ok();
        world.settles().await;
        assert_eq!(customer.state().await, "completed");
        assert_ne!(world.left("ETH", &customer.id), [customer.receive], "at the terms they agreed to");
        world.house.books_are_clean().await;
    }
}

async fn the_bound_is_the_houses(engine: Engine) {
    let world = asking(engine).await;
    let customer = too_late(&world).await;
    customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "late_payment", "nobody goes on unasked at a bound of nothing");
    world.owner().await.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_hundredths": "500" })).await.ok();
    let other = too_late(&world).await;
    course_becomes(&world, "0.9501").await;
    other.pays(&world, other.send);
    world.settles().await;
    assert_eq!(other.state().await, "completed");
    world.house.books_are_clean().await;
}

async fn each_direction_has_a_bound_of_its_own(engine: Engine) {
    let world = World::open(engine).await;
    world.sets_pair("BTC", "ETH", late("1")).await;
    world.sets_pair("BTC", "SBERRUB", late("5")).await;
    let (strict, lenient) = (Customer::comes(&world, "0.01").await, Customer::comes_for_roubles(&world, "0.01").await);
    world.passes(HOUR).await;
    for (customer, to) in [(&strict, "ETH"), (&lenient, "SBERRUB")] {
        assert_eq!(customer.state().await, "expired");
        course_to_becomes(&world, to, "0.97").await;
        customer.pays(&world, customer.send);
    }
    world.settles().await;
    assert_eq!((strict.state().await.as_str(), lenient.state().await.as_str()), ("late_payment", "paid"));
    let agreed = lenient.looks("form").await["to"]["amount"].clone();
    let agreed = (agreed.as_str().unwrap().parse::<Decimal>().unwrap() * Decimal::ONE_HUNDRED).to_string();
    assert_eq!(agreed.parse::<Decimal>().unwrap(), Decimal::from(lenient.receive), "at the terms that were agreed on");
    world.house.books_are_clean().await;
}

async fn a_direction_without_a_bound_has_the_houses(engine: Engine) {
    let world = World::open(engine).await;
    world.sets_pair("BTC", "ETH", late("0")).await;
    let asked = too_late(&world).await;
    asked.pays(&world, asked.send);
    world.settles().await;
    assert_eq!(asked.state().await, "late_payment", "at a bound of nothing everybody is asked");
    let none = json!({ "tolerance": { "latePercent": null, "amountFixed": null, "amountPercent": null } });
    world.sets_pair("BTC", "ETH", none).await;
    let customer = too_late(&world).await;
    course_becomes(&world, "0.9801").await;
    customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
}

async fn the_bound_is_that_of_the_terms_that_were_agreed_on(engine: Engine) {
    let world = World::open(engine).await;
    world.sets_pair("BTC", "ETH", late("5")).await;
    let before = too_late(&world).await;
    world.sets_pair("BTC", "ETH", late("0.5")).await;
    let after = too_late(&world).await;
    course_becomes(&world, "0.97").await;
    before.pays(&world, before.send);
    after.pays(&world, after.send);
    world.settles().await;
    assert_eq!((before.state().await.as_str(), after.state().await.as_str()), ("completed", "late_payment"));
    assert_eq!(world.left("ETH", &before.id), [before.receive]);
    world.house.books_are_clean().await;
}

/// A bound of so many percent for late payments.
fn late(percent: &str) -> Value {
    json!({ "tolerance": { "latePercent": percent, "amountFixed": null, "amountPercent": null } })
}

async fn another_amount_or_doubtful_money_never_goes_on_by_itself(engine: Engine) {
    let world = World::open(engine).await;
    let (less, more, doubtful) = (too_late(&world).await, too_late(&world).await, too_late(&world).await);
    less.pays(&world, less.send - 1);
    more.pays(&world, more.send + 1);
    let tx = doubtful.pays(&world, doubtful.send);
    world.screener.says_of(&tx, Risk::High);
    world.settles().await;
    assert_eq!((less.state().await.as_str(), more.state().await.as_str()), ("late_payment", "late_payment"));
    let held = doubtful.looks("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("aml_check")));
    world.house.books_are_clean().await;
}

async fn a_pair_that_stands_still_lets_nothing_go_on(engine: Engine) {
    let world = World::open(engine).await;
    let customer = too_late(&world).await;
    world.sets_pair("BTC", "ETH", json!({ "enabled": false })).await;
    customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "late_payment");
    world.house.books_are_clean().await;
}

async fn money_after_the_deadline_is_a_late_payment(engine: Engine) {
    let world = asking(engine).await;
    let (late, returned) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    world.passes(Duration::from_secs(60 * 60)).await;
    assert_eq!(late.state().await, "expired");
    late.pays(&world, late.send);
    returned.pays(&world, returned.send);
    world.goes_on().await;
    assert_eq!(late.state().await, "expired", "it is not certain yet");
    world.settles().await;
    assert_eq!((late.state().await.as_str(), returned.state().await.as_str()), ("late_payment", "late_payment"));
    late.accepts().await.ok();
    returned.wants_it_back().await.ok();
    world.settles().await;
    assert_eq!((late.state().await.as_str(), returned.state().await.as_str()), ("completed", "refund_pending"));
    let path = format!("/api/admin/v1/payments/claims/{}/refund", returned.id);
    assert_eq!(world.owner().await.post(&path, json!({})).await.ok()["proposal"], json!(null));
    world.settles().await;
    assert_eq!(returned.state().await, "refunded");
    assert_eq!(world.left("BTC", &returned.id), [returned.send]);
    world.owner().await.post(&path, json!({})).await.refused(409, "transition_not_allowed");
    world.house.books_are_clean().await;
}

async fn a_cancelled_claim_is_opened_by_money(engine: Engine) {
    let world = asking(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    customer.does("cancel", json!({})).await.ok();
    customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "late_payment");
    world.house.books_are_clean().await;
}

both_engines!(
    a_late_payment_goes_on_by_itself_while_the_rate_barely_moved,
    at_the_bound_and_beyond_the_customer_is_asked,
    the_bound_is_the_houses,
    each_direction_has_a_bound_of_its_own,
    a_direction_without_a_bound_has_the_houses,
    the_bound_is_that_of_the_terms_that_were_agreed_on,
    another_amount_or_doubtful_money_never_goes_on_by_itself,
    a_pair_that_stands_still_lets_nothing_go_on,
    money_after_the_deadline_is_a_late_payment,
    a_cancelled_claim_is_opened_by_money,
);
