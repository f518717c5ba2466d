//! What holds when something is broken already: a driver that fails after it acted, books that do not agree, money that vanished, limits to
//! the last unit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_core::execute;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{Call, CallError, CallResult, Manifest, PluginRequest, PluginResponse};
use agio_sandbox_chain::SandboxChain;
use agio_sandbox_chain::chain::Output;
use agio_test_app::{Engine, both_engines};
use serde_json::json;

use crate::fixtures::{TestCustomer, World};
use crate::outcomes::{about_to_be_paid_out, attempt, queues, runs};

/// What goes wrong once the network has the payout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Trap,
    Nonsense,
    WrongError,
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

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        let failure = *self.0.lock().unwrap();
        let has_sent = matches!(question.call, Call::SendPayout(_)) && !question.outcomes.is_empty();
        match failure.filter(|_| has_sent) {
            None => SandboxChain.handle(question),
            Some(Failure::Trap) => panic!("after the payout was sent"),
            Some(Failure::Nonsense) => PluginResponse::Done(CallResult::Addresses(Vec::new())),
            Some(Failure::WrongError) => PluginResponse::Failed(CallError::permanent("not_sent", "although it was")),
            // The same once more, until nobody waits for an answer any longer.
            Some(Failure::NoEnd) => SandboxChain.handle(&PluginRequest { outcomes: Vec::new(), ..question.clone() }),
        }
    }
}

/// The network's driver, which later reports every payment with twice its amount.
#[derive(Clone, Default)]
struct Inconsistent(Arc<AtomicBool>);

impl Plugin for Inconsistent {
    fn manifest(&self) -> Manifest {
        SandboxChain.manifest()
    }

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        let mut response = SandboxChain.handle(question);
        if let PluginResponse::Done(CallResult::Movements(report)) = &mut response
            && self.0.load(Ordering::Relaxed)
        {
            for movement in &mut report.movements {
                let twice = movement.amount + movement.amount;
                movement.amount = twice;
            }
        }
        response
    }
}

async fn a_payment_that_is_reported_with_another_amount_pays_for_nothing(engine: Engine) {
    let driver = Inconsistent::default();
    let world = World::open_with_driver(engine, 7, driver.clone(), |_| {}).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    world.mine(1).await;
    assert_eq!(customer.state().await, "payment_seen");
    driver.0.store(true, Ordering::Relaxed);
    world.mine(3).await;
    assert_eq!(customer.state().await, "payment_seen", "neither amount is certain");
    world.advance(Duration::from_secs(11 * 60)).await;
    let held = customer.get("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    assert_eq!(world.get_payments("movements").await[0]["issue"], "gone");
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    world.app.assert_ledger_is_clean().await;
}

async fn what_a_driver_sent_before_it_failed_is_sent_once(engine: Engine) {
    let driver = Unreliable::default();
    let world = World::open_with_driver(engine, 7, driver.clone(), |_| {}).await;
    for failure in [Failure::Trap, Failure::Nonsense, Failure::WrongError, Failure::NoEnd] {
        let customer = about_to_be_paid_out(&world).await;
        queues(&world).await;
        driver.fails(Some(failure));
        runs(&world, "payments.send").await;
        assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive], "{failure:?}: it left");
        assert_eq!(attempt(&world, &customer).await["state"], "unknown", "{failure:?}");
        world.run_jobs().await;
        assert_eq!(attempt(&world, &customer).await["state"], "unknown", "{failure:?}: nobody sends it again");
        driver.fails(None);
        world.advance(Duration::from_secs(121)).await;
        world.settle().await;
        assert_eq!(customer.state().await, "completed", "{failure:?}");
        assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive], "{failure:?}");
    }
    world.app.assert_ledger_is_clean().await;
}

async fn run(world: &World, sql: &'static str) {
    world.app.server.platform.db.write(move |tx| Box::pin(async move { execute!(tx, sql) })).await.unwrap();
}

async fn while_the_books_do_not_agree_nothing_is_taken_and_nothing_leaves(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    run(&world, "UPDATE ledger_account SET balance = balance + 1 WHERE name LIKE 'income_fee:%'").await;
    assert!(!world.app.server.check_ledger().await.unwrap().is_clean());
    let (from, to) = (world.id("BTC"), world.id("ETH"));
    let order = json!({
        "email": "anna@example.com", "fromPs": from, "toPs": to, "fromSumma": "0.01", "toSumma": "0.1",
        "fromRequisites": {}, "toRequisites": {}, "extras": { "termsVersion": "1", "amlConsent": true },
    });
    let refused = || async { world.app.visitor().post("/api/v1/claim/", order.clone()).await };
    refused().await.refused(503, "ledger_difference");
    let status = async || world.app.visitor().get("/api/v1/calculator/tech/").await.ok()["claimsPaused"].clone();
    assert_eq!(status().await, true);
    queues(&world).await;
    runs(&world, "payments.send").await;
    assert_eq!(customer.state().await, "paid", "it is paid, and its payout is not even written down");
    assert!(world.paid_out("ETH", &customer.id).is_empty());

    run(&world, "UPDATE ledger_account SET balance = balance - 1 WHERE name LIKE 'income_fee:%'").await;
    world.app.assert_ledger_is_clean().await;
    assert_eq!(status().await, false);
    world.settle().await;
    assert_eq!((customer.state().await.as_str(), world.paid_out("ETH", &customer.id)), ("completed", vec![customer.receive]));
    TestCustomer::with_address(&world, "0.01").await;
}

async fn a_payout_does_not_leave_for_a_payment_that_vanished_while_it_waited(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send);
    world.mine(1).await;
    world.mine(1).await;
    queues(&world).await;
    assert_eq!(attempt(&world, &customer).await["state"], "queued");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    runs(&world, "payments.watch").await;
    // The claim was not looked at yet, and it is the payout's turn.
    runs(&world, "payments.send").await;
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    assert_eq!(attempt(&world, &customer).await["state"], "queued");
    world.settle().await;
    let held = customer.get("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    world.app.assert_ledger_is_clean().await;
}

async fn money_of_another_currency_pays_for_nothing(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    world.ether(|chain| {
        let address = chain.address("never given to anybody");
        chain.pay(vec![Output { address, units: customer.send }])
    });
    world.mine(4).await;
    let stray = world.get_payments("movements").await[0].clone();
    assert_eq!((&stray["issue"], &stray["currency"]), (&json!("unclaimed"), &json!("ETH")), "{stray}");
    let path = format!("/api/admin/v1/payments/movements/{}/attach", stray["id"]);
    world.owner().await.post(&path, json!({ "claim": customer.number })).await.refused(409, "claim_takes_no_payment");
    world.settle().await;
    assert_eq!(customer.state().await, "awaiting_payment");
}

async fn what_never_left_does_not_count_against_the_day(engine: Engine) {
    let mut limit = String::new();
    {
        let world = World::open(Engine::Sqlite).await;
        let customer = TestCustomer::with_address(&world, "0.01").await;
        let digits = format!("{:0>9}", customer.receive);
        limit.push_str(&format!("{}.{}", &digits[..digits.len() - 8], &digits[digits.len() - 8..]));
    }
    // The daily limit allows exactly one.
    let world = World::open_with(engine, 7, |route| {
        (route["claimLimit"], route["dayLimit"]) = (json!(limit), json!(limit));
    })
    .await;
    let customer = about_to_be_paid_out(&world).await;
    let all = world.ether(|chain| chain.balance());
    world.ether(|chain| chain.send("drain", Output { address: "elsewhere".into(), units: all - 5_000 })).unwrap();
    world.run_jobs().await;
    assert_eq!(
        (customer.state().await.as_str(), &attempt(&world, &customer).await["state"]),
        ("payout_error", &json!("never_sent"))
    );
    let agio_sandbox_chain::chain::PayoutStatus::Sent { tx_id, .. } = world.ether(|chain| chain.payout_status("drain")) else {
        panic!("it left")
    };
    world.ether(|chain| chain.drop_transaction(&tx_id));
    let next = TestCustomer::with_address(&world, "0.01").await;
    next.pay(&world, next.send);
    world.settle().await;
    assert_eq!(next.state().await, "completed", "what never left does not count");
    let last = TestCustomer::with_address(&world, "0.01").await;
    last.pay(&world, last.send);
    world.settle().await;
    assert_eq!(last.state().await, "paid", "and the limit allows only one");
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    a_payment_that_is_reported_with_another_amount_pays_for_nothing,
    what_a_driver_sent_before_it_failed_is_sent_once,
    while_the_books_do_not_agree_nothing_is_taken_and_nothing_leaves,
    a_payout_does_not_leave_for_a_payment_that_vanished_while_it_waited,
    money_of_another_currency_pays_for_nothing,
    what_never_left_does_not_count_against_the_day,
);
