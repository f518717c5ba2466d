//! What holds when something is broken already: a driver that fails after it acted, books that do not agree, money that vanished, limits to
//! the last unit.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_core::execute;
use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Call, Manifest, Question, Refusal, Step};
use agio_sandbox_chain::SandboxChain;
use agio_sandbox_chain::chain::Output;
use agio_testkit::{Engine, both_engines};
use serde_json::json;

use crate::outcomes::{about_to_be_paid_out, attempt, queues, runs};
use crate::world::{Customer, World};

/// What goes wrong once the network has the payout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Trap,
    Nonsense,
    Refusal,
    NoEnd,
}

/// The network's driver, which loses its head after it has sent.
#[derive(Clone, Default)]
struct Unreliable(Arc<Mutex<Option<Failure>>>);

impl Unreliable {
    fn fails(&self, how: Option<Failure>) {
        *self.0.lock().unwrap() = how;
    }
}

impl Plugin for Unreliable {
    fn manifest(&self) -> Manifest {
        SandboxChain.manifest()
    }

    fn handle(&self, question: &Question) -> Step {
        let failure = *self.0.lock().unwrap();
        let has_sent = matches!(question.call, Call::Send(_)) && !question.outcomes.is_empty();
        match failure.filter(|_| has_sent) {
            None => SandboxChain.handle(question),
            Some(Failure::Trap) => panic!("after the payout was sent"),
            Some(Failure::Nonsense) => Step::Done(Answer::Addresses(Vec::new())),
            Some(Failure::Refusal) => Step::Refused(Refusal::never("not_sent", "although it was")),
            // The same once more, until nobody waits for an answer any longer.
            Some(Failure::NoEnd) => SandboxChain.handle(&Question { outcomes: Vec::new(), ..question.clone() }),
        }
    }
}

async fn what_a_driver_sent_before_it_failed_is_sent_once(engine: Engine) {
    let driver = Unreliable::default();
    let world = World::open_driven(engine, 7, driver.clone(), |_| {}).await;
    for failure in [Failure::Trap, Failure::Nonsense, Failure::Refusal, Failure::NoEnd] {
        let customer = about_to_be_paid_out(&world).await;
        queues(&world).await;
        driver.fails(Some(failure));
        runs(&world, "payments.send").await;
        assert_eq!(world.left("ETH", &customer.id), [customer.receive], "{failure:?}: it left");
        assert_eq!(attempt(&world, &customer).await["state"], "unknown", "{failure:?}");
        world.goes_on().await;
        assert_eq!(attempt(&world, &customer).await["state"], "unknown", "{failure:?}: nobody sends it again");
        driver.fails(None);
        world.passes(Duration::from_secs(121)).await;
        world.settles().await;
        assert_eq!(customer.state().await, "completed", "{failure:?}");
        assert_eq!(world.left("ETH", &customer.id), [customer.receive], "{failure:?}");
    }
    world.house.books_are_clean().await;
}

async fn run(world: &World, sql: &'static str) {
    world.house.app.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

async fn while_the_books_do_not_agree_nothing_is_taken_and_nothing_leaves(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    run(&world, "UPDATE ledger_account SET balance = balance + 1 WHERE name LIKE 'income_fee:%'").await;
    assert!(!world.house.app.check_books().await.unwrap().is_clean());
    let (from, to) = (world.id("BTC"), world.id("ETH"));
    let order = json!({
        "email": "anna@example.com", "fromPs": from, "toPs": to, "fromSumma": "0.01", "toSumma": "0.1",
        "fromRequisites": {}, "toRequisites": {}, "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let refused = || async { world.house.customer().post("/api/v1/claim/", order.clone()).await };
    refused().await.refused(503, "ledger_difference");
    queues(&world).await;
    runs(&world, "payments.send").await;
    assert_eq!(customer.state().await, "paid", "it is paid, and its payout is not even written down");
    assert!(world.left("ETH", &customer.id).is_empty());

    run(&world, "UPDATE ledger_account SET balance = balance - 1 WHERE name LIKE 'income_fee:%'").await;
    world.house.books_are_clean().await;
    world.settles().await;
    assert_eq!((customer.state().await.as_str(), world.left("ETH", &customer.id)), ("completed", vec![customer.receive]));
    Customer::comes(&world, "0.01").await;
}

async fn a_payout_does_not_leave_for_a_payment_that_vanished_while_it_waited(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send);
    world.mines(1).await;
    world.mines(1).await;
    queues(&world).await;
    assert_eq!(attempt(&world, &customer).await["state"], "queued");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    runs(&world, "payments.watch").await;
    // The claim was not looked at yet, and it is the payout's turn.
    runs(&world, "payments.send").await;
    assert!(world.left("ETH", &customer.id).is_empty());
    assert_eq!(attempt(&world, &customer).await["state"], "queued");
    world.settles().await;
    let held = customer.looks("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    assert!(world.left("ETH", &customer.id).is_empty());
    world.house.books_are_clean().await;
}

async fn money_of_another_currency_pays_for_nothing(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    world.ether(|chain| {
        let address = chain.address("never given to anybody");
        chain.pay(vec![Output { address, units: customer.send }])
    });
    world.mines(4).await;
    let stray = world.sees("movements").await[0].clone();
    assert_eq!((&stray["trouble"], &stray["currency"]), (&json!("unclaimed"), &json!("ETH")), "{stray}");
    let path = format!("/api/admin/v1/payments/movements/{}/attach", stray["id"]);
    world.owner().await.post(&path, json!({ "claim": customer.number })).await.refused(409, "claim_takes_no_payment");
    world.settles().await;
    assert_eq!(customer.state().await, "awaiting_payment");
}

async fn what_never_left_does_not_count_against_the_day(engine: Engine) {
    let mut limit = String::new();
    {
        let world = World::open(Engine::Sqlite).await;
        let customer = Customer::comes(&world, "0.01").await;
        let digits = format!("{:0>9}", customer.receive);
        limit.push_str(&format!("{}.{}", &digits[..digits.len() - 8], &digits[digits.len() - 8..]));
    }
    // The day has room for exactly one.
    let world = World::open_with(engine, 7, |route| {
        (route["claimLimit"], route["dayLimit"]) = (json!(limit), json!(limit));
    })
    .await;
    let customer = about_to_be_paid_out(&world).await;
    let all = world.ether(|chain| chain.balance());
    world.ether(|chain| chain.send("drain", Output { address: "elsewhere".into(), units: all - 5_000 })).unwrap();
    world.goes_on().await;
    assert_eq!(
        (customer.state().await.as_str(), &attempt(&world, &customer).await["state"]),
        ("payout_error", &json!("never_sent"))
    );
    let agio_sandbox_chain::chain::Sending::Sent { tx_id, .. } = world.ether(|chain| chain.sent("drain")) else {
        panic!("it left")
    };
    world.ether(|chain| chain.drop_transaction(&tx_id));
    let next = Customer::comes(&world, "0.01").await;
    next.pays(&world, next.send);
    world.settles().await;
    assert_eq!(next.state().await, "completed", "what never left has made room");
    let last = Customer::comes(&world, "0.01").await;
    last.pays(&world, last.send);
    world.settles().await;
    assert_eq!(last.state().await, "paid", "and there is room for one alone");
    world.house.books_are_clean().await;
}

both_engines!(
    what_a_driver_sent_before_it_failed_is_sent_once,
    while_the_books_do_not_agree_nothing_is_taken_and_nothing_leaves,
    a_payout_does_not_leave_for_a_payment_that_vanished_while_it_waited,
    money_of_another_currency_pays_for_nothing,
    what_never_left_does_not_count_against_the_day,
);
