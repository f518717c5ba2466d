//! What can become of a payment that comes.

use std::time::Duration;

use agio_plugin_sdk::protocol::Risk;
use agio_sandbox_chain::chain::Output;
use agio_test_app::{Engine, both_engines};
use serde_json::json;

use crate::fixtures::{TestCustomer, World};

async fn a_payment_is_seen_counted_and_paid_out(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send);
    world.run_jobs().await;
    let seen = customer.get("status").await;
    assert_eq!(
        (&seen["status"], &seen["confirmations"], &seen["confirmationsRequired"]),
        (&json!("payment_seen"), &json!(0), &json!(2))
    );
    assert_eq!(seen["txIn"]["id"], json!(tx));
    world.mine(1).await;
    assert_eq!(customer.get("status").await["confirmations"], 1);
    world.mine(1).await;
    // The payment is certain; the screening is requested in the next round.
    world.run_jobs().await;
    let sent = customer.get("status").await;
    assert_eq!(sent["status"], "payout_sent");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    let paid = world.ether(|chain| chain.transaction(sent["txOut"]["id"].as_str().unwrap()).unwrap().outputs[0].units);
    assert_eq!(paid, customer.receive);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive], "and nothing more");
    world.app.assert_ledger_is_clean().await;
    world.app.assert_audit_chain_is_intact().await;
}

async fn parts_add_up_and_a_customer_tops_up(engine: Engine) {
    let world = World::open(engine).await;
    let (parts, topped) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    parts.pay(&world, 400_000);
    parts.pay(&world, 600_000);
    topped.pay(&world, 300_000);
    world.settle().await;
    assert_eq!((parts.state().await.as_str(), topped.state().await.as_str()), ("completed", "amount_mismatch"));
    assert_eq!(topped.get("status").await["received"], "0.003");
    topped.pay(&world, 700_000);
    world.run_jobs().await;
    assert_eq!(topped.state().await, "payment_seen");
    world.settle().await;
    assert_eq!(topped.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &topped.id), [topped.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn another_amount_is_the_customers_choice(engine: Engine) {
    let world = World::open(engine).await;
    let (less, more) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    less.pay(&world, 800_000);
    more.pay(&world, 1_500_000);
    world.settle().await;
    for customer in [&less, &more] {
        assert_eq!(customer.state().await, "amount_mismatch");
        assert!(world.paid_out("ETH", &customer.id).is_empty());
        customer.accept().await.ok();
    }
    world.settle().await;
    assert_eq!((less.state().await.as_str(), more.state().await.as_str()), ("completed", "completed"));
    assert!(world.paid_out("ETH", &less.id)[0] < less.receive && world.paid_out("ETH", &more.id)[0] > more.receive);
    world.app.assert_ledger_is_clean().await;
}

async fn a_difference_within_the_tolerance_is_none(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["tolerance"] = json!("0.00001")).await;
    let (within, beyond) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    within.pay(&world, within.send - 1_000);
    beyond.pay(&world, beyond.send - 1_001);
    world.settle().await;
    assert_eq!((within.state().await.as_str(), beyond.state().await.as_str()), ("completed", "amount_mismatch"));
    assert_eq!(within.get("status").await["received"], "0.00999", "the books have what came, not what was to come");
    world.app.assert_ledger_is_clean().await;
}

async fn each_direction_has_a_tolerance_of_its_own(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["tolerance"] = json!("0.00001")).await;
    let own = json!({ "latePercent": null, "amountFixed": "0.00002", "amountPercent": "1" });
    world.set_pair("BTC", "ETH", json!({ "tolerance": own })).await;
    // 0.01 BTC, of which a percent is 10 000 units, and 2 000 more.
    let mut customers = Vec::new();
    for (difference, state) in
        [(-12_000, "completed"), (12_000, "completed"), (-12_001, "amount_mismatch"), (12_001, "amount_mismatch")]
    {
        customers.push((TestCustomer::with_address(&world, "0.01").await, difference, state));
    }
    for (difference, state) in [(-1_000, "paid"), (-1_001, "amount_mismatch")] {
        customers.push((TestCustomer::with_address_for_roubles(&world, "0.01").await, difference, state));
    }
    for (customer, difference, _) in &customers {
        customer.pay(&world, customer.send.checked_add_signed(*difference).unwrap());
    }
    // What is agreed on stays, whatever becomes of the pair.
    let exact = json!({ "latePercent": null, "amountFixed": "0", "amountPercent": null });
    world.set_pair("BTC", "ETH", json!({ "tolerance": exact })).await;
    let later = TestCustomer::with_address(&world, "0.01").await;
    later.pay(&world, later.send - 1);
    world.settle().await;
    for (customer, difference, state) in &customers {
        assert_eq!(customer.state().await, *state, "{difference}");
    }
    assert_eq!(later.state().await, "amount_mismatch", "nothing is a rule as well");
    world.app.assert_ledger_is_clean().await;
}

async fn a_tolerance_is_a_tenth_of_a_payment_at_most(engine: Engine) {
    let world = World::open(engine).await;
    let wide = json!({ "latePercent": null, "amountFixed": "5", "amountPercent": "10" });
    world.set_pair("BTC", "ETH", json!({ "tolerance": wide })).await;
    let (within, beyond) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await);
    within.pay(&world, 900_000);
    beyond.pay(&world, 899_999);
    world.settle().await;
    assert_eq!((within.state().await.as_str(), beyond.state().await.as_str()), ("completed", "amount_mismatch"));
}

async fn dust_is_not_looked_at(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, 545);
    world.settle().await;
    assert_eq!(customer.state().await, "awaiting_payment");
}

async fn doubtful_money_stops_the_claim_and_can_be_returned(engine: Engine) {
    let world = World::open(engine).await;
    let customers = [TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.01").await];
    world.screener.set_risk(Some(Risk::High));
    for customer in &customers {
        customer.pay(&world, customer.send);
    }
    world.settle().await;
    for customer in &customers {
        let held = customer.get("status").await;
        assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("aml_check")));
        assert!(held["answerBy"].is_string());
    }
    let [returned, released] = customers;
    world.transition(&returned.id, "refund", json!({ "reason": "customer_asked" })).await.ok();
    world.transition(&released.id, "release_hold", json!({ "note": "documents seen" })).await.ok();
    world.owner().await.post(&format!("/api/admin/v1/payments/claims/{}/refund", returned.id), json!({})).await.ok();
    world.settle().await;
    assert_eq!((returned.state().await.as_str(), released.state().await.as_str()), ("refunded", "completed"));
    assert!(world.paid_out("ETH", &returned.id).is_empty());
    world.app.assert_ledger_is_clean().await;
}

async fn while_nobody_judges_nothing_passes(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    for state in [None, Some(Risk::Pending)] {
        world.screener.set_risk(state);
        if state.is_none() {
            customer.pay(&world, customer.send);
        }
        world.settle().await;
        assert_eq!(customer.state().await, "payment_seen");
    }
    world.screener.set_risk(Some(Risk::Low));
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
}

async fn a_payment_that_is_replaced_counts_as_what_replaced_it(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let first = customer.pay(&world, customer.send);
    world.run_jobs().await;
    let again = Output { address: customer.address.clone(), units: customer.send };
    let second = world.bitcoin(|chain| chain.replace(&first, vec![again])).unwrap();
    world.settle().await;
    let done = customer.get("status").await;
    assert_eq!(done["status"], "completed");
    assert_ne!(first, second);
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn a_payment_undone_before_it_was_certain_is_waited_for_and_then_asked_about(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send);
    world.mine(1).await;
    assert_eq!(customer.state().await, "payment_seen");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.mine(3).await;
    assert_eq!(customer.state().await, "payment_seen", "it may come back");
    world.advance(Duration::from_secs(11 * 60)).await;
    let held = customer.get("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    world.transition(&customer.id, "reject", json!({ "reason": "payment_not_found" })).await.ok();
    world.settle().await;
    assert_eq!(customer.state().await, "rejected");
    world.app.assert_ledger_is_clean().await;
}

async fn a_payment_undone_after_it_was_certain_stops_what_was_not_paid_out(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["autoPayout"] = json!(false)).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "paid");
    world.bitcoin(|chain| chain.mine(1));
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.run_jobs().await;
    let held = customer.get("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    let listed = world.get_payments("movements").await;
    assert_eq!((&listed[0]["issue"], &listed[0]["claim"]), (&json!("gone"), &json!(customer.id)));
    world.settle().await;
    assert!(world.paid_out("ETH", &customer.id).is_empty());
}

async fn a_payment_undone_after_the_payout_is_told_and_changes_nothing(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.get_payments("movements").await[0]["issue"], "gone");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
}

async fn a_payment_undone_before_its_refund_left_is_not_returned_as_well(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send / 2);
    world.settle().await;
    customer.request_refund().await.ok();
    assert_eq!(customer.state().await, "refund_pending");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.run_jobs().await;
    let path = format!("/api/admin/v1/payments/claims/{}/refund", customer.id);
    world.owner().await.post(&path, json!({})).await.refused(409, "payment_gone");
    assert_eq!(world.get_payments("movements").await[0]["issue"], "gone");
    world.settle().await;
    assert!(world.paid_out("BTC", &customer.id).is_empty(), "it is with its sender already");
    world.transition(&customer.id, "refund_sent", json!({ "txId": "dropped by the network" })).await.ok();
    world.transition(&customer.id, "refund_done", json!({})).await.ok();
    assert_eq!(customer.state().await, "refunded");
    world.app.assert_ledger_is_clean().await;
}

async fn a_payment_undone_while_its_refund_waits_to_leave_stops_it(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send / 2);
    world.settle().await;
    customer.request_refund().await.ok();
    world.owner().await.post(&format!("/api/admin/v1/payments/claims/{}/refund", customer.id), json!({})).await.ok();
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.settle().await;
    assert!(world.paid_out("BTC", &customer.id).is_empty());
    assert_eq!(
        (customer.state().await.as_str(), &world.get_payments("attempts").await[0]["state"]),
        ("refund_pending", &json!("cancelled"))
    );
    world.app.assert_ledger_is_clean().await;
}

async fn a_payout_is_not_sent_again_for_a_payment_that_is_gone(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let tx = customer.pay(&world, customer.send);
    // The payment is certain with the second block, is judged in the next round, and paid out.
    world.mine(2).await;
    world.run_jobs().await;
    let sent = customer.get("status").await;
    assert_eq!(sent["status"], "payout_sent");
    world.ether(|chain| chain.drop_transaction(sent["txOut"]["id"].as_str().unwrap()));
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.run_jobs().await;
    assert_eq!(customer.state().await, "payout_error");
    let attempts = world.get_payments("attempts").await;
    let again = format!("/api/admin/v1/payments/attempts/{}/retry", attempts[0]["id"].as_str().unwrap());
    world.owner().await.post(&again, json!({ "note": "once more" })).await.refused(409, "payment_gone");
    world.settle().await;
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    world.app.assert_ledger_is_clean().await;
    // Staff decided to pay out although the payment is lost.
    let gone = world.get_payments("movements").await[0]["id"].clone();
    world.owner().await.post(&format!("/api/admin/v1/payments/movements/{gone}/resolve"), json!({})).await.ok();
    world.owner().await.post(&again, json!({ "note": "our own fault" })).await.ok();
    world.settle().await;
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
}

async fn a_second_payment_pays_nothing_out_and_is_shown(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    world.settle().await;
    let second = customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    let listed = world.get_payments("movements").await;
    assert_eq!((&listed[0]["issue"], &listed[0]["txId"]), (&json!("extra"), &json!(second)));
    world.owner().await.post(&format!("/api/admin/v1/payments/movements/{}/resolve", listed[0]["id"]), json!({})).await.ok();
    assert_eq!(world.get_payments("movements").await, json!([]));
    world.app.assert_ledger_is_clean().await;
}

async fn one_transaction_may_pay_two_claims(engine: Engine) {
    let world = World::open(engine).await;
    let (one, two) = (TestCustomer::with_address(&world, "0.01").await, TestCustomer::with_address(&world, "0.02").await);
    let outputs = [&one, &two].map(|customer| Output { address: customer.address.clone(), units: customer.send });
    world.bitcoin(|chain| chain.pay(outputs.to_vec()));
    world.settle().await;
    assert_eq!((one.state().await.as_str(), two.state().await.as_str()), ("completed", "completed"));
    world.app.assert_ledger_is_clean().await;
}

both_engines!(
    a_payment_is_seen_counted_and_paid_out,
    parts_add_up_and_a_customer_tops_up,
    another_amount_is_the_customers_choice,
    a_difference_within_the_tolerance_is_none,
    each_direction_has_a_tolerance_of_its_own,
    a_tolerance_is_a_tenth_of_a_payment_at_most,
    dust_is_not_looked_at,
    doubtful_money_stops_the_claim_and_can_be_returned,
    while_nobody_judges_nothing_passes,
    a_payment_that_is_replaced_counts_as_what_replaced_it,
    a_payment_undone_before_it_was_certain_is_waited_for_and_then_asked_about,
    a_payment_undone_after_it_was_certain_stops_what_was_not_paid_out,
    a_payment_undone_after_the_payout_is_told_and_changes_nothing,
    a_payment_undone_before_its_refund_left_is_not_returned_as_well,
    a_payment_undone_while_its_refund_waits_to_leave_stops_it,
    a_payout_is_not_sent_again_for_a_payment_that_is_gone,
    a_second_payment_pays_nothing_out_and_is_shown,
    one_transaction_may_pay_two_claims,
);
