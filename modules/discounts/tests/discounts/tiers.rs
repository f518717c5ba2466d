//! Volume tiers and their counting.

use std::time::Duration;

use agio_contracts::{CompletedExchange, ExchangeListener as _, ReferenceValue};
use agio_core::Amount;
use agio_core::texts::Locale;
use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fixtures::{
    ADMIN, claimed, claims, completed, currency, form, mine, number, open, order, pair, quoted, receive, reference_value, set,
    set_tiers, step,
};

const BITCOIN: (&str, &str) = ("BTC", "SBERRUB");
const IVAN: &str = "ivan@example.com";

async fn a_new_tier_applies_to_the_next_quote_not_to_existing_claims(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    set_tiers(&owner, &[("500", "0.5"), ("5000", "1")]).await;
    let ivan = TestCustomer::registered(&app, IVAN).await.caller;
    let next = json!({ "min": "500", "percent": "0.5", "left": "500" });
    assert_eq!(mine(&ivan).await, json!({ "volume": "0", "percent": "0", "next": next, "confirmed": true }));
    let plain = pair(&app, &ivan, BITCOIN, "").await;
    assert_eq!((&plain["bonus"], &plain["bonuses"], &plain["bonusCut"]), (&json!("0"), &json!([]), &Value::Null));

    let before = claimed(&ivan, quoted(&plain, IVAN, "0.011")).await;
    let first = claimed(&ivan, quoted(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &first).await;

    let volume = reference_value(&app, "BTC", "0.01");
    let now = mine(&ivan).await;
    assert_eq!((number(&now["volume"]), &now["percent"]), (volume, &json!("0.5")));
    assert_eq!(number(&now["next"]["left"]), number(&json!("5000")) - volume);
    let better = pair(&app, &ivan, BITCOIN, "").await;
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
    let path = format!("/api/v1/calculator/course/{}/{}/", currency(&app, "BTC"), currency(&app, "SBERRUB"));
    assert_eq!(ivan.get(&path).await.ok()["course"], better["course"]);

    // An earlier claim keeps its terms; a new one has the new terms.
    step(&ivan, &before, "confirm").await;
    let stored = form(&ivan, &before).await;
    assert_eq!((&stored["bonus"], number(&stored["to"]["amount"])), (&json!("0"), receive(&plain, "0.011")));
    let created = form(&ivan, &claimed(&ivan, quoted(&better, IVAN, "0.012")).await).await;
    assert_eq!((&created["bonus"], number(&created["to"]["amount"])), (&json!("0.5"), receive(&better, "0.012")));
    assert!(created["rate"]["explanation"].as_str().unwrap().contains("объём ваших обменов"), "{created}");
    app.assert_ledger_is_clean().await;
}

async fn a_bonus_is_valid_only_for_its_customer(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    set_tiers(&owner, &[("100", "1")]).await;
    let ivan = TestCustomer::registered(&app, IVAN).await.caller;
    let olga = TestCustomer::registered(&app, "olga@example.com").await.caller;
    let visitor = app.visitor();
    let plain = pair(&app, &visitor, BITCOIN, "").await;
    let first = claimed(&ivan, order(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &first).await;
    let better = pair(&app, &ivan, BITCOIN, "").await;
    assert_eq!(better["bonus"], "1");

    let view = pair(&app, &visitor, BITCOIN, "").await;
    assert_eq!((&view["course"], &view["bonus"]), (&plain["course"], &json!("0")));
    for other in [&visitor, &olga] {
        // Neither with the quote nor with the address.
        claims(other, quoted(&better, "other@example.com", "0.02")).await.refused(409, "rate_changed");
        claims(other, quoted(&better, IVAN, "0.021")).await.refused(409, "rate_changed");
        claims(other, order(&better, IVAN, "0.022")).await.refused(409, "rate_changed");
        claims(other, order(&plain, IVAN, "0.023")).await.ok();
        app.advance_clock(Duration::from_secs(10));
    }
    // The account gets its bonus with and without the quote, for any e-mail.
    claims(&ivan, quoted(&better, IVAN, "0.02")).await.ok();
    claims(&ivan, order(&better, "work@example.com", "0.021")).await.ok();
}

async fn guest_exchanges_count_for_the_account_that_confirms_the_address(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    set_tiers(&owner, &[("100", "0.5")]).await;
    let guest = app.visitor();
    let plain = pair(&app, &guest, BITCOIN, "").await;
    let id = claimed(&guest, order(&plain, "Ivan@Example.com", "0.01")).await;
    completed(&guest, &operator, &id).await;

    let mut ivan = TestCustomer::sign_up(&app, IVAN).await;
    ivan.sign_in().await.ok();
    let unproved = mine(&ivan.caller).await;
    assert_eq!((&unproved["volume"], &unproved["confirmed"]), (&json!("0"), &json!(false)));
    assert_eq!(pair(&app, &ivan.caller, BITCOIN, "").await["bonus"], "0");
    ivan.activate(&app).await;
    ivan.sign_in().await.ok();
    assert_eq!(number(&mine(&ivan.caller).await["volume"]), reference_value(&app, "BTC", "0.01"));
    assert_eq!(pair(&app, &ivan.caller, BITCOIN, "").await["bonus"], "0.5");

    // Exchanges of an account count for it, for any e-mail.
    let olga = TestCustomer::registered(&app, "olga@example.com").await.caller;
    let id = claimed(&olga, order(&plain, IVAN, "0.02")).await;
    completed(&olga, &operator, &id).await;
    assert_eq!(number(&mine(&olga).await["volume"]), reference_value(&app, "BTC", "0.02"));
    assert_eq!(number(&mine(&ivan.caller).await["volume"]), reference_value(&app, "BTC", "0.01"));
}

fn exchange(app: &TestApp, customer: Uuid, reference_value: Option<ReferenceValue>) -> CompletedExchange {
    CompletedExchange {
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
        give: Amount::of_units(1_000_000, agio_core::CurrencyUnit::new(currency(app, "BTC"), 8)),
        receive: Amount::of_units(6_000_000, agio_core::CurrencyUnit::new(currency(app, "SBERRUB"), 2)),
        earned: Amount::of_units(1, agio_core::CurrencyUnit::new(currency(app, "SBERRUB"), 2)),
        reference_value,
        created_at: app.now(),
        at: app.now(),
    }
}

/// Notifies the listener of a completed or reversed exchange.
async fn hears(app: &TestApp, exchange: &CompletedExchange, done: bool) {
    let (discounts, exchange) = (app.server.discounts.clone(), exchange.clone());
    let shown = app.server.platform.db.write(move |tx| {
        let (discounts, exchange) = (discounts.clone(), exchange.clone());
        Box::pin(async move {
            if done {
                discounts.exchange_completed(tx, &exchange).await
            } else {
                discounts.exchange_reversed(tx, &exchange).await
            }
        })
    });
    shown.await.unwrap();
}

async fn id_of(caller: &agio_test_app::TestClient) -> Uuid {
    caller.get("/api/v1/users/me/").await.ok()["id"].as_str().unwrap().parse().unwrap()
}

async fn an_exchange_is_counted_once_and_reversed_once(engine: Engine) {
    let app = open(engine).await;
    let ivan = TestCustomer::registered(&app, IVAN).await.caller;
    let reference_value = ReferenceValue { amount: "700.1234567".parse().unwrap(), ticker: "USDT".into() };
    let exchange = exchange(&app, id_of(&ivan).await, Some(reference_value));
    for (done, volume) in [(true, "700.123456"), (true, "700.123456"), (false, "0"), (false, "0"), (true, "700.123456")] {
        hears(&app, &exchange, done).await;
        assert_eq!(mine(&ivan).await["volume"], volume);
    }
}

async fn an_exchange_without_a_reference_value_is_counted_later(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let ivan = TestCustomer::registered(&app, IVAN).await.caller;
    hears(&app, &exchange(&app, id_of(&ivan).await, None), true).await;
    assert_eq!((&mine(&ivan).await["volume"], &owner.get(ADMIN).await.ok()["waiting"]), (&json!("0"), &json!(1)));
    app.advance_and_run_jobs(Duration::from_secs(60)).await;
    let counted = mine(&ivan).await["volume"].clone();
    assert_eq!(number(&counted), reference_value(&app, "BTC", "0.01"));
    app.advance_and_run_jobs(Duration::from_secs(60)).await;
    assert_eq!(mine(&ivan).await["volume"], counted, "once is enough");
    assert_eq!(owner.get(ADMIN).await.ok()["waiting"], 0);
    hears(&app, &exchange(&app, id_of(&ivan).await, None), false).await;
    assert_eq!(mine(&ivan).await["volume"], "0");
}

async fn a_new_base_currency_gives_nothing_until_its_tiers_are_set(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    set_tiers(&owner, &[("100", "0.5")]).await;
    let ivan = TestCustomer::registered(&app, IVAN).await.caller;
    let plain = pair(&app, &ivan, BITCOIN, "").await;
    let id = claimed(&ivan, order(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &id).await;
    assert_eq!(pair(&app, &ivan, BITCOIN, "").await["bonus"], "0.5");

    set(&owner, "rates.base", "RUB").await;
    let table = ivan.get("/api/v1/discounts/").await.ok();
    assert_eq!((&table["base"], &table["tiers"]), (&json!("RUB"), &json!([])), "a hundred roubles are not a hundred dollars");
    assert_eq!(pair(&app, &ivan, BITCOIN, "").await["bonus"], "0");
    app.advance_and_run_jobs(Duration::from_secs(60)).await;
    set_tiers(&owner, &[("10000", "0.7")]).await;
    assert_eq!(number(&mine(&ivan).await["volume"]), reference_value(&app, "BTC", "0.01"), "counted in the new currency");
    assert_eq!(pair(&app, &ivan, BITCOIN, "").await["bonus"], "0.7");
}

async fn another_node_knows_at_once(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    let ivan = TestCustomer::registered(&app, IVAN).await.caller;
    let plain = pair(&app, &ivan, BITCOIN, "").await;
    let node = app.another_node().await;
    let there = ivan.clone().at_node(&node.root);
    assert_eq!(pair(&app, &there, BITCOIN, "").await["bonus"], "0");
    set_tiers(&owner, &[("100", "0.5")]).await;
    let id = claimed(&ivan, order(&plain, IVAN, "0.01")).await;
    completed(&ivan, &operator, &id).await;
    let better = pair(&app, &there, BITCOIN, "").await;
    assert_eq!(better["bonus"], "0.5");
    claims(&ivan, quoted(&better, IVAN, "0.02")).await.ok();
}

both_engines!(
    a_new_tier_applies_to_the_next_quote_not_to_existing_claims,
    a_bonus_is_valid_only_for_its_customer,
    guest_exchanges_count_for_the_account_that_confirms_the_address,
    an_exchange_is_counted_once_and_reversed_once,
    an_exchange_without_a_reference_value_is_counted_later,
    a_new_base_currency_gives_nothing_until_its_tiers_are_set,
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_nodes() {
    another_node_knows_at_once(Engine::Postgres).await;
}
