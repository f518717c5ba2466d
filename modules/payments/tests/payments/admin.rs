//! What staff set and settle.

use agio_core::identity::Role;
use agio_sandbox_chain::chain::Output;
use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{TestCustomer, World};
use crate::outcomes::about_to_be_paid_out;

async fn addresses_are_ready_and_given_once(engine: Engine) {
    let world = World::open(engine).await;
    let mut given = Vec::new();
    for _ in 0..5 {
        given.push(TestCustomer::with_address(&world, "0.01").await.address);
    }
    given.sort();
    given.dedup();
    assert_eq!(given.len(), 5);
    assert!(given.iter().all(|address| address.starts_with("sbx1")));
}

async fn without_a_ready_address_nobody_is_told_to_pay_elsewhere(engine: Engine) {
    let world = World::open(engine).await;
    world.owner().await.put("/api/admin/v1/settings", json!({ "payments.addresses_ahead": "1" })).await.ok();
    let mut lucky = 0;
    let unlucky = loop {
        let customer = TestCustomer::create_claim(&world, "0.001").await;
        let answer = customer.post("confirm", json!({})).await;
        if !answer.status.is_success() {
            answer.refused(409, "requisites_unavailable");
            break customer;
        }
        lucky += 1;
    };
    assert!((1..=60).contains(&lucky), "{lucky} addresses were ready");
    world.run_jobs().await;
    assert_eq!(unlucky.post("confirm", json!({})).await.ok()["status"], "awaiting_payment");
}

async fn money_nobody_waits_for_is_given_to_a_claim(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let stray = world.bitcoin(|chain| {
        let address = chain.address("never given to anybody");
        chain.pay(vec![Output { address, units: 1_000_000 }])
    });
    world.mine(3).await;
    let listed = world.get_payments("movements").await;
    assert_eq!((&listed[0]["txId"], &listed[0]["issue"]), (&json!(stray), &json!("unclaimed")));
    let path = format!("/api/admin/v1/payments/movements/{}/attach", listed[0]["id"]);
    let auditor = world.app.staff(Role::Auditor).await;
    auditor.post(&path, json!({ "claim": customer.number })).await.refused(403, "forbidden");
    let stale = world.app.staff_named("somebody", Role::Operator).await;
    stale.post(&path, json!({ "claim": customer.number })).await.refused(403, "fresh_second_factor_needed");
    world.owner().await.post(&path, json!({ "claim": 1 })).await.refused(404, "claim_not_found");
    world.owner().await.post(&path, json!({ "claim": customer.number })).await.ok();
    world.owner().await.post(&path, json!({ "claim": customer.number })).await.refused(409, "movement_attached");
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_ledger_is_clean().await;
    world.app.assert_audit_chain_is_intact().await;
}

async fn routes_are_checked_and_changed_by_two_people(engine: Engine) {
    let world = World::open(engine).await;
    let route = |more: Value| {
        let mut route = json!({ "revision": 1, "driver": "sandbox-chain", "enabled": true, "confirmations": 2 });
        route.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        route
    };
    for (field, wrong) in [
        ("driver", json!({ "driver": "nobody" })),
        ("screening", json!({ "screening": "sandbox-chain" })),
        ("confirmations", json!({ "confirmations": 0 })),
        ("claimLimit", json!({ "autoPayout": true })),
        ("dayLimit", json!({ "autoPayout": true, "claimLimit": "2", "dayLimit": "1" })),
        ("dust", json!({ "dust": "-1" })),
        ("tolerance", json!({ "tolerance": "0.000000001" })),
    ] {
        let refused = world.set_route("BTC", route(wrong)).await.refused(422, "validation_failed");
        assert!(refused["errors"][field].is_array(), "{field}: {refused}");
    }
    world.set_route("BTC", route(json!({ "revision": 7 }))).await.refused(409, "route_changed");
    world.owner().await.put("/api/admin/v1/settings", json!({ "approvals.two_person": "true" })).await.ok();
    let looser =
        route(json!({ "dust": "0.00000546", "screening": "screener", "autoPayout": true, "claimLimit": "9", "dayLimit": "60" }));
    let proposed = world.set_route("BTC", looser).await;
    assert_eq!(proposed.status.as_u16(), 202);
    let approval = proposed.json()["id"].as_str().unwrap().to_owned();
    let limit = |shown: &Value| shown["routes"][0]["claimLimit"].clone();
    assert_eq!(limit(&world.get_payments("").await), "5");
    let member = world.app.staff_named("member", Role::Owner).await;
    member.post("/api/admin/v1/me/confirm", json!({ "password": agio_test_app::TestApp::PASSWORD })).await.ok();
    member.post(&format!("/api/admin/v1/approvals/{approval}/approve"), json!({})).await.ok();
    assert_eq!(limit(&world.get_payments("").await), "9");
    let stricter = route(json!({
        "revision": 2, "enabled": false, "dust": "0.00000546", "screening": "screener", "autoPayout": false, "claimLimit": "1", "dayLimit": "1",
    }));
    world.set_route("BTC", stricter).await.ok();
    assert_eq!(world.get_payments("").await["routes"][0]["enabled"], false, "what is safer is never put off");
}

async fn payouts_are_closed_by_one_and_opened_by_two(engine: Engine) {
    let world = World::open(engine).await;
    let customer = about_to_be_paid_out(&world).await;
    let owner = world.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": "true" })).await.ok();
    owner.post_empty("/api/admin/v1/payments/payouts/open").await.refused(409, "payouts_open");
    owner.post_empty("/api/admin/v1/payments/payouts/close").await.ok();
    world.settle().await;
    assert_eq!(owner.get("/api/admin/v1/dashboard").await.ok()["payouts"]["closed"], true);
    assert!(world.paid_out("ETH", &customer.id).is_empty());

    let proposed = owner.post_empty("/api/admin/v1/payments/payouts/open").await;
    assert_eq!(proposed.status.as_u16(), 202);
    owner.post_empty("/api/admin/v1/payments/payouts/open").await.refused(409, "approval_waits");
    let approve = format!("/api/admin/v1/approvals/{}/approve", proposed.json()["id"].as_str().unwrap());
    owner.post_empty(&approve).await.refused(403, "approval_own");
    let member = world.app.staff_named("member", Role::Owner).await;
    member.post("/api/admin/v1/me/confirm", json!({ "password": agio_test_app::TestApp::PASSWORD })).await.ok();
    member.post_empty(&approve).await.ok();
    world.settle().await;
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);
    world.app.assert_audit_chain_is_intact().await;
}

async fn a_driver_that_is_down_is_shown_and_money_waits_for_it(engine: Engine) {
    let world = World::open(engine).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.pay(&world, customer.send);
    world.net.fail(agio_sandbox_chain::Faults { before: 100, ..Default::default() });
    world.run_jobs().await;
    assert_eq!(customer.state().await, "awaiting_payment");
    let down = world.get_payments("").await["routes"][0].clone();
    assert!(down["fault"].as_str().unwrap().contains("503"), "{down}");
    world.net.fail(agio_sandbox_chain::Faults::default());
    world.run_jobs().await;
    let up = world.get_payments("").await["routes"][0].clone();
    assert_eq!((&up["fault"], up["height"].is_u64()), (&json!(null), true));
    world.settle().await;
    assert_eq!(customer.state().await, "completed");
}

/// A stolen session would otherwise have paid out what nobody paid in.
async fn what_leads_to_an_automatic_payout_needs_a_fresh_second_factor(engine: Engine) {
    let world = World::open(engine).await;
    let stale = world.app.staff_named("somebody", Role::Operator).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    customer.post("paid", json!({})).await.ok();
    let received = json!({ "amount": "0.02", "txId": "invented" });
    for (action, said) in [
        ("payment_received", json!({})),
        ("amount_mismatch", json!({ "amount": "0.02" })),
        ("late_payment", received.clone()),
        ("recalculate", json!({})),
        ("release_hold", json!({ "note": "all is well" })),
    ] {
        World::transition_by(&stale, &customer.id, action, said).await.refused(403, "fresh_second_factor_needed");
    }
    let cancelled = TestCustomer::with_address(&world, "0.01").await;
    cancelled.post("cancel", json!({})).await.ok();
    World::transition_by(&stale, &cancelled.id, "late_payment", received).await.refused(403, "fresh_second_factor_needed");
    // These roubles are sent by staff, with a fresh second factor.
    let another = TestCustomer::with_address_for_roubles(&world, "0.01").await;
    another.post("paid", json!({})).await.ok();
    let typed = json!({ "amount": "0.0125", "txId": "in" });
    World::transition_by(&stale, &another.id, "amount_mismatch", typed).await.refused(403, "fresh_second_factor_needed");
    let done = World::transition_by(&stale, &another.id, "payment_received", json!({ "txId": "in" })).await.ok();
    assert_eq!(done["status"], "paid");
    world.settle().await;
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    world.app.assert_ledger_is_clean().await;
}

/// A stolen session would otherwise have sent what a staff member has stopped.
async fn a_lock_that_keeps_a_payout_is_ended_with_a_fresh_second_factor(engine: Engine) {
    let world = World::open(engine).await;
    let stale = world.app.staff_named("somebody", Role::Operator).await;
    let customer = TestCustomer::with_address(&world, "0.01").await;
    let path = |id: &str, call: &str| format!("/api/admin/v1/claims/{id}/{call}");
    let (lock, unlock) = (path(&customer.id, "lock"), path(&customer.id, "unlock"));
    // Stopping a payout needs none.
    stale.post_empty(&lock).await.ok();
    world.owner().await.post_empty(&lock).await.ok();
    customer.pay(&world, customer.send);
    world.settle().await;
    assert_eq!(customer.state().await, "paid");
    stale.post_empty(&lock).await.refused(403, "fresh_second_factor_needed");
    stale.post_empty(&unlock).await.refused(403, "fresh_second_factor_needed");
    world.settle().await;
    assert!(world.paid_out("ETH", &customer.id).is_empty());
    world.owner().await.post_empty(&unlock).await.ok();
    world.settle().await;
    assert_eq!(world.paid_out("ETH", &customer.id), [customer.receive]);

    // A surplus leaves by itself as well; these roubles do not.
    let another = TestCustomer::with_address_for_roubles(&world, "0.01").await;
    let stale = world.app.staff_named("somebody", Role::Operator).await;
    for call in ["lock", "unlock", "lock"] {
        stale.post_empty(&path(&another.id, call)).await.ok();
    }
    another.pay(&world, another.send + 250_000);
    world.settle().await;
    let offer = another.get("status").await["surplus"]["offer"].clone();
    let back = json!({ "address": crate::fixtures::REFUNDS });
    let choice = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"], "requisites": back });
    another.post("surplus", choice).await.ok();
    stale.post_empty(&path(&another.id, "unlock")).await.refused(403, "fresh_second_factor_needed");
}

both_engines!(
    a_lock_that_keeps_a_payout_is_ended_with_a_fresh_second_factor,
    what_leads_to_an_automatic_payout_needs_a_fresh_second_factor,
    addresses_are_ready_and_given_once,
    without_a_ready_address_nobody_is_told_to_pay_elsewhere,
    money_nobody_waits_for_is_given_to_a_claim,
    routes_are_checked_and_changed_by_two_people,
    payouts_are_closed_by_one_and_opened_by_two,
    a_driver_that_is_down_is_shown_and_money_waits_for_it,
);
