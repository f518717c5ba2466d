//! What can become of a payment that comes.

use std::time::Duration;

use agio_plugin::protocol::Risk;
use agio_sandbox_chain::chain::Output;
use agio_testkit::{Engine, both_engines};
use serde_json::json;

use crate::world::{Customer, World};

async fn a_payment_is_seen_counted_and_paid_out(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send);
    world.goes_on().await;
    let seen = customer.looks("status").await;
    assert_eq!(
        (&seen["status"], &seen["confirmations"], &seen["confirmationsRequired"]),
        (&json!("payment_seen"), &json!(0), &json!(2))
    );
    assert_eq!(seen["txIn"]["id"], json!(tx));
    world.mines(1).await;
    assert_eq!(customer.looks("status").await["confirmations"], 1);
    world.mines(1).await;
    // The payment is certain; who judges it is asked in the next round.
    world.goes_on().await;
    let sent = customer.looks("status").await;
    assert_eq!(sent["status"], "payout_sent");
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    let paid = world.ether(|chain| chain.transaction(sent["txOut"]["id"].as_str().unwrap()).unwrap().outputs[0].units);
    assert_eq!(paid, customer.receive);
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.left("ETH", &customer.id), [customer.receive], "and nothing more");
    world.house.books_are_clean().await;
    world.house.audit_is_whole().await;
}

async fn parts_add_up_and_a_customer_tops_up(engine: Engine) {
    let world = World::open(engine).await;
    let (parts, topped) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    parts.pays(&world, 400_000);
    parts.pays(&world, 600_000);
    topped.pays(&world, 300_000);
    world.settles().await;
    assert_eq!((parts.state().await.as_str(), topped.state().await.as_str()), ("completed", "amount_mismatch"));
    assert_eq!(topped.looks("status").await["received"], "0.003");
    topped.pays(&world, 700_000);
    world.goes_on().await;
    assert_eq!(topped.state().await, "payment_seen");
    world.settles().await;
    assert_eq!(topped.state().await, "completed");
    assert_eq!(world.left("ETH", &topped.id), [topped.receive]);
    world.house.books_are_clean().await;
}

async fn another_amount_is_the_customers_choice(engine: Engine) {
    let world = World::open(engine).await;
    let (less, more) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    less.pays(&world, 800_000);
    more.pays(&world, 1_500_000);
    world.settles().await;
    for customer in [&less, &more] {
        assert_eq!(customer.state().await, "amount_mismatch");
        assert!(world.left("ETH", &customer.id).is_empty());
        customer.accepts().await.ok();
    }
    world.settles().await;
    assert_eq!((less.state().await.as_str(), more.state().await.as_str()), ("completed", "completed"));
    assert!(world.left("ETH", &less.id)[0] < less.receive && world.left("ETH", &more.id)[0] > more.receive);
    world.house.books_are_clean().await;
}

async fn a_difference_within_the_tolerance_is_none(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["tolerance"] = json!("0.00001")).await;
    let (within, beyond) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    within.pays(&world, within.send - 1_000);
    beyond.pays(&world, beyond.send - 1_001);
    world.settles().await;
    assert_eq!((within.state().await.as_str(), beyond.state().await.as_str()), ("completed", "amount_mismatch"));
    assert_eq!(within.looks("status").await["received"], "0.00999", "the books have what came, not what was to come");
    world.house.books_are_clean().await;
}

async fn each_direction_has_a_tolerance_of_its_own(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["tolerance"] = json!("0.00001")).await;
    let own = json!({ "latePercent": null, "amountFixed": "0.00002", "amountPercent": "1" });
    world.sets_pair("BTC", "ETH", json!({ "tolerance": own })).await;
    // 0.01 BTC, of which a percent is 10 000 units, and 2 000 more.
    let mut customers = Vec::new();
    for (difference, state) in
        [(-12_000, "completed"), (12_000, "completed"), (-12_001, "amount_mismatch"), (12_001, "amount_mismatch")]
    {
        customers.push((Customer::comes(&world, "0.01").await, difference, state));
    }
    for (difference, state) in [(-1_000, "paid"), (-1_001, "amount_mismatch")] {
        customers.push((Customer::comes_for_roubles(&world, "0.01").await, difference, state));
    }
    for (customer, difference, _) in &customers {
        customer.pays(&world, customer.send.checked_add_signed(*difference).unwrap());
    }
    // What is agreed on stays, whatever becomes of the pair.
    let exact = json!({ "latePercent": null, "amountFixed": "0", "amountPercent": null });
    world.sets_pair("BTC", "ETH", json!({ "tolerance": exact })).await;
    let later = Customer::comes(&world, "0.01").await;
    later.pays(&world, later.send - 1);
    world.settles().await;
    for (customer, difference, state) in &customers {
        assert_eq!(customer.state().await, *state, "{difference}");
    }
    assert_eq!(later.state().await, "amount_mismatch", "nothing is a rule as well");
    world.house.books_are_clean().await;
}

async fn a_tolerance_is_a_tenth_of_a_payment_at_most(engine: Engine) {
    let world = World::open(engine).await;
    let wide = json!({ "latePercent": null, "amountFixed": "5", "amountPercent": "10" });
    world.sets_pair("BTC", "ETH", json!({ "tolerance": wide })).await;
    let (within, beyond) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await);
    within.pays(&world, 900_000);
    beyond.pays(&world, 899_999);
    world.settles().await;
    assert_eq!((within.state().await.as_str(), beyond.state().await.as_str()), ("completed", "amount_mismatch"));
}

async fn dust_is_not_looked_at(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    customer.pays(&world, 545);
    world.settles().await;
    assert_eq!(customer.state().await, "awaiting_payment");
}

async fn doubtful_money_stops_the_claim_and_can_be_returned(engine: Engine) {
    let world = World::open(engine).await;
    let customers = [Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.01").await];
    world.screener.says(Some(Risk::High));
    for customer in &customers {
        customer.pays(&world, customer.send);
    }
    world.settles().await;
    for customer in &customers {
        let held = customer.looks("status").await;
        assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("aml_check")));
        assert!(held["answerBy"].is_string());
    }
    let [returned, released] = customers;
    world.operator_does(&returned.id, "refund", json!({ "reason": "customer_asked" })).await.ok();
    world.operator_does(&released.id, "release_hold", json!({ "note": "documents seen" })).await.ok();
    world.owner().await.post(&format!("/api/admin/v1/payments/claims/{}/refund", returned.id), json!({})).await.ok();
    world.settles().await;
    assert_eq!((returned.state().await.as_str(), released.state().await.as_str()), ("refunded", "completed"));
    assert!(world.left("ETH", &returned.id).is_empty());
    world.house.books_are_clean().await;
}

async fn while_nobody_judges_nothing_passes(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    for mood in [None, Some(Risk::Pending)] {
        world.screener.says(mood);
        if mood.is_none() {
            customer.pays(&world, customer.send);
        }
        world.settles().await;
        assert_eq!(customer.state().await, "payment_seen");
    }
    world.screener.says(Some(Risk::Low));
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
}

async fn a_payment_that_is_replaced_counts_as_what_replaced_it(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let first = customer.pays(&world, customer.send);
    world.goes_on().await;
    let again = Output { address: customer.address.clone(), units: customer.send };
    let second = world.bitcoin(|chain| chain.replace(&first, vec![again])).unwrap();
    world.settles().await;
    let done = customer.looks("status").await;
    assert_eq!(done["status"], "completed");
    assert_ne!(first, second);
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    world.house.books_are_clean().await;
}

async fn a_payment_undone_before_it_was_certain_is_waited_for_and_then_asked_about(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send);
    world.mines(1).await;
    assert_eq!(customer.state().await, "payment_seen");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.mines(3).await;
    assert_eq!(customer.state().await, "payment_seen", "it may come back");
    world.passes(Duration::from_secs(11 * 60)).await;
    let held = customer.looks("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    world.operator_does(&customer.id, "reject", json!({ "reason": "payment_not_found" })).await.ok();
    world.settles().await;
    assert_eq!(customer.state().await, "rejected");
    world.house.books_are_clean().await;
}

async fn a_payment_undone_after_it_was_certain_stops_what_was_not_paid_out(engine: Engine) {
    let world = World::open_with(engine, 7, |route| route["autoPayout"] = json!(false)).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "paid");
    world.bitcoin(|chain| chain.mine(1));
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.goes_on().await;
    let held = customer.looks("status").await;
    assert_eq!((&held["status"], &held["reason"]["code"]), (&json!("on_hold"), &json!("payment_gone")));
    let listed = world.sees("movements").await;
    assert_eq!((&listed[0]["trouble"], &listed[0]["claim"]), (&json!("gone"), &json!(customer.id)));
    world.settles().await;
    assert!(world.left("ETH", &customer.id).is_empty());
}

async fn a_payment_undone_after_the_payout_is_told_and_changes_nothing(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.sees("movements").await[0]["trouble"], "gone");
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
}

async fn a_payment_undone_before_its_refund_left_is_not_returned_as_well(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send / 2);
    world.settles().await;
    customer.wants_it_back().await.ok();
    assert_eq!(customer.state().await, "refund_pending");
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.goes_on().await;
    let path = format!("/api/admin/v1/payments/claims/{}/refund", customer.id);
    world.owner().await.post(&path, json!({})).await.refused(409, "payment_gone");
    assert_eq!(world.sees("movements").await[0]["trouble"], "gone");
    world.settles().await;
    assert!(world.left("BTC", &customer.id).is_empty(), "it is with its sender already");
    world.operator_does(&customer.id, "refund_sent", json!({ "txId": "dropped by the network" })).await.ok();
    world.operator_does(&customer.id, "refund_done", json!({})).await.ok();
    assert_eq!(customer.state().await, "refunded");
    world.house.books_are_clean().await;
}

async fn a_payment_undone_while_its_refund_waits_to_leave_stops_it(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send / 2);
    world.settles().await;
    customer.wants_it_back().await.ok();
    world.owner().await.post(&format!("/api/admin/v1/payments/claims/{}/refund", customer.id), json!({})).await.ok();
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.settles().await;
    assert!(world.left("BTC", &customer.id).is_empty());
    assert_eq!(
        (customer.state().await.as_str(), &world.sees("attempts").await[0]["state"]),
        ("refund_pending", &json!("cancelled"))
    );
    world.house.books_are_clean().await;
}

async fn a_payout_is_not_sent_again_for_a_payment_that_is_gone(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    let tx = customer.pays(&world, customer.send);
    // The payment is certain with the second block, is judged in the next round, and paid out.
    world.mines(2).await;
    world.goes_on().await;
    let sent = customer.looks("status").await;
    assert_eq!(sent["status"], "payout_sent");
    world.ether(|chain| chain.drop_transaction(sent["txOut"]["id"].as_str().unwrap()));
    world.bitcoin(|chain| chain.drop_transaction(&tx));
    world.goes_on().await;
    assert_eq!(customer.state().await, "payout_error");
    let attempts = world.sees("attempts").await;
    let again = format!("/api/admin/v1/payments/attempts/{}/retry", attempts[0]["id"].as_str().unwrap());
    world.owner().await.post(&again, json!({ "note": "once more" })).await.refused(409, "payment_gone");
    world.settles().await;
    assert!(world.left("ETH", &customer.id).is_empty());
    world.house.books_are_clean().await;
    // Somebody looked at it and decided: the house keeps its word although the payment is lost.
    let gone = world.sees("movements").await[0]["id"].clone();
    world.owner().await.post(&format!("/api/admin/v1/payments/movements/{gone}/settle"), json!({})).await.ok();
    world.owner().await.post(&again, json!({ "note": "our own fault" })).await.ok();
    world.settles().await;
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    world.house.books_are_clean().await;
}

async fn a_second_payment_pays_nothing_out_and_is_shown(engine: Engine) {
    let world = World::open(engine).await;
    let customer = Customer::comes(&world, "0.01").await;
    customer.pays(&world, customer.send);
    world.settles().await;
    let second = customer.pays(&world, customer.send);
    world.settles().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.left("ETH", &customer.id), [customer.receive]);
    let listed = world.sees("movements").await;
    assert_eq!((&listed[0]["trouble"], &listed[0]["txId"]), (&json!("extra"), &json!(second)));
    world.owner().await.post(&format!("/api/admin/v1/payments/movements/{}/settle", listed[0]["id"]), json!({})).await.ok();
    assert_eq!(world.sees("movements").await, json!([]));
    world.house.books_are_clean().await;
}

async fn one_transaction_may_pay_two_claims(engine: Engine) {
    let world = World::open(engine).await;
    let (one, two) = (Customer::comes(&world, "0.01").await, Customer::comes(&world, "0.02").await);
    let outputs = [&one, &two].map(|customer| Output { address: customer.address.clone(), units: customer.send });
    world.bitcoin(|chain| chain.pay(outputs.to_vec()));
    world.settles().await;
    assert_eq!((one.state().await.as_str(), two.state().await.as_str()), ("completed", "completed"));
    world.house.books_are_clean().await;
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
