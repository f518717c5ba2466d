//! What volume gives, and how it is counted.

use std::time::Duration;

use agio_core::Amount;
use agio_core::needs::{Exchange, FollowsExchanges as _, Worth};
use agio_core::texts::Locale;
use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::people::{
    DESK, claimed, claims, completed, currency, form, mine, number, open, order, pair, quoted, receive, set, set_tiers, step,
    worth,
};

const BITCOIN: (&str, &str) = ("BTC", "SBERRUB");
const IVAN: &str = "ivan@example.com";

async fn who_crosses_a_tier_sees_it_in_the_next_quote_and_a_claim_made_before_keeps_its_own(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    set_tiers(&owner, &[("500", "0.5"), ("5000", "1")]).await;
    let ivan = Customer::at(&house, IVAN).await.caller;
    let next = json!({ "min": "500", "percent": "0.5", "left": "500" });
    assert_eq!(mine(&ivan).await, json!({ "volume": "0", "percent": "0", "next": next, "confirmed": true }));
    let plain = pair(&house, &ivan, BITCOIN, "").await;
    assert_eq!((&plain["bonus"], &plain["bonuses"], &plain["bonusCut"]), (&json!("0"), &json!([]), &Value::Null));

    let before = claimed(&ivan, quoted(&plain, IVAN, "0.011")).await;
    let first = claimed(&ivan, quoted(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &first).await;

    let volume = worth(&house, "BTC", "0.01");
    let now = mine(&ivan).await;
    assert_eq!((number(&now["volume"]), &now["percent"]), (volume, &json!("0.5")));
    assert_eq!(number(&now["next"]["left"]), number(&json!("5000")) - volume);
    let better = pair(&house, &ivan, BITCOIN, "").await;
    assert_eq!(better["bonus"], "0.5");
    let why = json!([{ "kind": "tier", "percent": "0.5", "code": null, "text": "объём ваших обменов" }]);
    assert_eq!(better["bonuses"], why);
    assert!(number(&better["course"]) > number(&plain["course"]), "{better}");
    assert!(
        better["explanation"].as_str().unwrap().contains("0,5\u{a0}% (ваш бонус: объём ваших обменов 0,5\u{a0}%)"),
        "{better}"
    );
    let me = ivan.get("/api/v1/users/me/").await.ok();
    assert_eq!(me["bonus"], "0.5");
    let path = format!("/api/v1/calculator/course/{}/{}/", currency(&house, "BTC"), currency(&house, "SBERRUB"));
    assert_eq!(ivan.get(&path).await.ok()["course"], better["course"]);

    // The claim made before goes on at its own terms; one made now has the new ones.
    step(&ivan, &before, "confirm").await;
    let kept = form(&ivan, &before).await;
    assert_eq!((&kept["bonus"], number(&kept["to"]["amount"])), (&json!("0"), receive(&plain, "0.011")));
    let made = form(&ivan, &claimed(&ivan, quoted(&better, IVAN, "0.012")).await).await;
    assert_eq!((&made["bonus"], number(&made["to"]["amount"])), (&json!("0.5"), receive(&better, "0.012")));
    assert!(made["rate"]["explanation"].as_str().unwrap().contains("объём ваших обменов"), "{made}");
    house.books_are_clean().await;
}

async fn a_bonus_is_for_whom_it_was_made_alone(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    set_tiers(&owner, &[("100", "1")]).await;
    let ivan = Customer::at(&house, IVAN).await.caller;
    let olga = Customer::at(&house, "olga@example.com").await.caller;
    let stranger = house.customer();
    let plain = pair(&house, &stranger, BITCOIN, "").await;
    let first = claimed(&ivan, order(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &first).await;
    let better = pair(&house, &ivan, BITCOIN, "").await;
    assert_eq!(better["bonus"], "1");

    let seen = pair(&house, &stranger, BITCOIN, "").await;
    assert_eq!((&seen["course"], &seen["bonus"]), (&plain["course"], &json!("0")));
    for other in [&stranger, &olga] {
        // Neither with the quote nor with the address.
        claims(other, quoted(&better, "other@example.com", "0.02")).await.refused(409, "rate_changed");
        claims(other, quoted(&better, IVAN, "0.021")).await.refused(409, "rate_changed");
        claims(other, order(&better, IVAN, "0.022")).await.refused(409, "rate_changed");
        claims(other, order(&plain, IVAN, "0.023")).await.ok();
        house.wait(Duration::from_secs(10));
    }
    // Whoever earned it gets it with the quote and without, whatever address they type.
    claims(&ivan, quoted(&better, IVAN, "0.02")).await.ok();
    claims(&ivan, order(&better, "work@example.com", "0.021")).await.ok();
}

async fn what_guests_exchange_counts_for_the_account_that_confirms_their_address(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    set_tiers(&owner, &[("100", "0.5")]).await;
    let guest = house.customer();
    let plain = pair(&house, &guest, BITCOIN, "").await;
    let id = claimed(&guest, order(&plain, "Ivan@Example.com", "0.01")).await;
    completed(&guest, &operator, &id).await;

    let mut ivan = Customer::signs_up(&house, IVAN).await;
    ivan.signs_in().await.ok();
    let unproved = mine(&ivan.caller).await;
    assert_eq!((&unproved["volume"], &unproved["confirmed"]), (&json!("0"), &json!(false)));
    assert_eq!(pair(&house, &ivan.caller, BITCOIN, "").await["bonus"], "0");
    ivan.activates(&house).await;
    ivan.signs_in().await.ok();
    assert_eq!(number(&mine(&ivan.caller).await["volume"]), worth(&house, "BTC", "0.01"));
    assert_eq!(pair(&house, &ivan.caller, BITCOIN, "").await["bonus"], "0.5");

    // What somebody exchanges in their account is theirs, whatever address they type.
    let olga = Customer::at(&house, "olga@example.com").await.caller;
    let id = claimed(&olga, order(&plain, IVAN, "0.02")).await;
    completed(&olga, &operator, &id).await;
    assert_eq!(number(&mine(&olga).await["volume"]), worth(&house, "BTC", "0.02"));
    assert_eq!(number(&mine(&ivan.caller).await["volume"]), worth(&house, "BTC", "0.01"));
}

fn exchange(house: &House, customer: Uuid, worth: Option<Worth>) -> Exchange {
    Exchange {
        claim: Uuid::from_u128(7),
        number: 100_007,
        customer: Some(customer),
        partner: None,
        email: IVAN.into(),
        locale: Locale::Ru,
        referral: None,
        guest_digest: String::new(),
        address_digest: String::new(),
        payout_digest: None,
        from: currency(house, "BTC"),
        sent: Amount::of_units(1_000_000, 8),
        to: currency(house, "SBERRUB"),
        received: Amount::of_units(6_000_000, 2),
        earned_units: 1,
        worth,
        asked_at: house.now(),
        at: house.now(),
    }
}

/// Has the room hear that an exchange is done, or taken back, in a transaction of its own.
async fn hears(house: &House, exchange: &Exchange, done: bool) {
    let (discounts, exchange) = (house.app.discounts.clone(), exchange.clone());
    let told = house.app.platform.db.write(move |tx| {
        let (discounts, exchange) = (discounts.clone(), exchange.clone());
        Box::pin(async move { if done { discounts.done(tx, &exchange).await } else { discounts.undone(tx, &exchange).await } })
    });
    told.await.unwrap();
}

async fn id_of(caller: &agio_testkit::Caller) -> Uuid {
    caller.get("/api/v1/users/me/").await.ok()["id"].as_str().unwrap().parse().unwrap()
}

async fn an_exchange_is_counted_once_and_taken_back_once(engine: Engine) {
    let house = open(engine).await;
    let ivan = Customer::at(&house, IVAN).await.caller;
    let worth = Worth { amount: "700.1234567".parse().unwrap(), ticker: "USDT".into() };
    let exchange = exchange(&house, id_of(&ivan).await, Some(worth));
    for (done, volume) in [(true, "700.123456"), (true, "700.123456"), (false, "0"), (false, "0"), (true, "700.123456")] {
        hears(&house, &exchange, done).await;
        assert_eq!(mine(&ivan).await["volume"], volume);
    }
}

async fn an_exchange_whose_worth_is_unknown_is_counted_later(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    let ivan = Customer::at(&house, IVAN).await.caller;
    hears(&house, &exchange(&house, id_of(&ivan).await, None), true).await;
    assert_eq!((&mine(&ivan).await["volume"], &owner.get(DESK).await.ok()["waiting"]), (&json!("0"), &json!(1)));
    house.later(Duration::from_secs(60)).await;
    let counted = mine(&ivan).await["volume"].clone();
    assert_eq!(number(&counted), worth(&house, "BTC", "0.01"));
    house.later(Duration::from_secs(60)).await;
    assert_eq!(mine(&ivan).await["volume"], counted, "once is enough");
    assert_eq!(owner.get(DESK).await.ok()["waiting"], 0);
    hears(&house, &exchange(&house, id_of(&ivan).await, None), false).await;
    assert_eq!(mine(&ivan).await["volume"], "0");
}

async fn a_new_base_currency_gives_nothing_until_its_tiers_are_set(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    set_tiers(&owner, &[("100", "0.5")]).await;
    let ivan = Customer::at(&house, IVAN).await.caller;
    let plain = pair(&house, &ivan, BITCOIN, "").await;
    let id = claimed(&ivan, order(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &id).await;
    assert_eq!(pair(&house, &ivan, BITCOIN, "").await["bonus"], "0.5");

    set(&owner, "rates.base", "RUB").await;
    let table = ivan.get("/api/v1/discounts/").await.ok();
    assert_eq!((&table["base"], &table["tiers"]), (&json!("RUB"), &json!([])), "a hundred roubles are not a hundred dollars");
    assert_eq!(pair(&house, &ivan, BITCOIN, "").await["bonus"], "0");
    house.later(Duration::from_secs(60)).await;
    set_tiers(&owner, &[("10000", "0.7")]).await;
    assert_eq!(number(&mine(&ivan).await["volume"]), worth(&house, "BTC", "0.01"), "counted in the new currency");
    assert_eq!(pair(&house, &ivan, BITCOIN, "").await["bonus"], "0.7");
}

async fn another_node_knows_at_once(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    let ivan = Customer::at(&house, IVAN).await.caller;
    let plain = pair(&house, &ivan, BITCOIN, "").await;
    let node = house.another_node().await;
    let there = ivan.clone().before(&node.root);
    assert_eq!(pair(&house, &there, BITCOIN, "").await["bonus"], "0");
    set_tiers(&owner, &[("100", "0.5")]).await;
    let id = claimed(&ivan, order(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &id).await;
    let better = pair(&house, &there, BITCOIN, "").await;
    assert_eq!(better["bonus"], "0.5");
    claims(&ivan, quoted(&better, IVAN, "0.02")).await.ok();
}

both_engines!(
    who_crosses_a_tier_sees_it_in_the_next_quote_and_a_claim_made_before_keeps_its_own,
    a_bonus_is_for_whom_it_was_made_alone,
    what_guests_exchange_counts_for_the_account_that_confirms_their_address,
    an_exchange_is_counted_once_and_taken_back_once,
    an_exchange_whose_worth_is_unknown_is_counted_later,
    a_new_base_currency_gives_nothing_until_its_tiers_are_set,
);

/// Several nodes share a PostgreSQL alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_nodes() {
    another_node_knows_at_once(Engine::Postgres).await;
}
