//! Promo codes: eligibility, limits and redemption.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines, card_number_of};
use serde_json::{Value, json};

use crate::fixtures::{
    ADDRESS, add_promo, claimed, claims, completed, form, moved, number, open, order, pair, promo, quoted, receive, step,
    with_promo,
};

const BITCOIN: (&str, &str) = ("BTC", "SBERRUB");

async fn a_code_is_case_insensitive_and_redeemed_by_the_claim(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    add_promo(&owner, "spring", "0.5", json!({ "usesMax": 2 })).await;
    let guest = app.visitor();
    let plain = pair(&app, &guest, BITCOIN, "").await;
    assert_eq!(plain["promo"], Value::Null);
    let better = pair(&app, &guest, BITCOIN, "sPring").await;
    assert_eq!(better["promo"], json!({ "code": "SPRING", "ok": true, "reason": null, "text": "", "min": null }));
    assert_eq!((&better["bonus"], &better["bonuses"][0]["code"]), (&json!("0.5"), &json!("SPRING")));
    assert!(number(&better["course"]) > number(&plain["course"]));

    let id = claimed(&guest, with_promo(quoted(&better, "ivan@example.com", "0.01"), "Spring")).await;
    let created = form(&guest, &id).await;
    assert_eq!((&created["promo"], &created["bonus"]), (&json!("SPRING"), &json!("0.5")));
    assert_eq!(number(&created["to"]["amount"]), receive(&better, "0.01"));
    assert!(created["rate"]["explanation"].as_str().unwrap().contains("промокод SPRING"), "{created}");
    completed(&guest, &operator, &id).await;
    let used = owner.get("/api/admin/v1/discounts/promos/SPRING").await.ok();
    assert_eq!((&used["promo"]["uses"], &used["promo"]["state"]), (&json!(1), &json!("active")));
    assert_eq!((&used["items"][0]["email"], &used["items"][0]["releasedAt"]), (&json!("ivan@example.com"), &Value::Null));

    // Once per customer, with case-insensitive e-mail addresses.
    let again = claims(&guest, with_promo(order(&better, "Ivan@example.com", "0.02"), "SPRING")).await;
    let refused = again.refused(422, "promo_used_up");
    assert_eq!(refused["errors"]["extras.promo"][0]["code"], "promo_used_up", "{refused}");
    claimed(&app.visitor(), with_promo(order(&better, "olga@example.com", "0.02"), "SPRING")).await;
    assert_eq!(promo(&owner, "SPRING").await["state"], "used_up");
    let over = pair(&app, &guest, BITCOIN, "SPRING").await;
    assert_eq!((&over["promo"]["reason"], &over["course"]), (&json!("promo_used_up"), &plain["course"]));
}

async fn a_quote_with_a_code_is_invalid_without_it(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    add_promo(&owner, "SPRING", "0.5", json!({})).await;
    let guest = app.visitor();
    let better = pair(&app, &guest, BITCOIN, "SPRING").await;
    claims(&guest, quoted(&better, "ivan@example.com", "0.01")).await.refused(409, "rate_changed");
    assert_eq!(promo(&owner, "SPRING").await["uses"], 0);
    // A code entered after the quote first reports the new amounts.
    let plain = pair(&app, &guest, BITCOIN, "").await;
    let shown = claims(&guest, with_promo(quoted(&plain, "ivan@example.com", "0.02"), "spring")).await;
    let shown = shown.refused(409, "rate_changed");
    assert_eq!(number(&shown["params"]["toSumma"]), receive(&better, "0.02"), "{shown}");
    let detail = shown["detail"].as_str().unwrap();
    assert!(detail.starts_with("Курс изменился: за 0,02 BTC теперь выходит ") && detail.contains('\u{a0}'), "{detail}");
    assert!(detail.ends_with(" RUB."), "{detail}");
    claims(&guest, with_promo(quoted(&better, "ivan@example.com", "0.02"), "spring")).await.ok();
}

async fn unusable_codes_are_explained_and_the_pair_is_still_returned(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    let guest = app.visitor();
    let plain = pair(&app, &guest, BITCOIN, "").await;
    add_promo(&owner, "SHORT", "0.5", json!({ "endsAt": "2024-03-28T13:00:00Z" })).await;
    add_promo(&owner, "LATER", "0.5", json!({ "startsAt": "2024-03-28T13:00:00Z" })).await;
    add_promo(&owner, "GONE", "0.5", json!({})).await;
    add_promo(&owner, "BIG", "0.5", json!({ "min": "1000" })).await;
    owner.post_empty("/api/admin/v1/discounts/promos/gone/stop").await;
    let because = async |code: &str| pair(&app, &guest, BITCOIN, code).await["promo"]["reason"].clone();
    for (code, reason) in
        [("NOSUCH", "promo_unknown"), ("LATER", "promo_unknown"), ("GONE", "promo_expired"), ("%D1%8F%00", "promo_unknown")]
    {
        assert_eq!(because(code).await, reason, "{code}");
        if !code.contains('%') {
            let request = claims(&guest, with_promo(order(&plain, "ivan@example.com", "0.01"), code)).await;
            assert_eq!(request.refused(422, reason)["errors"]["extras.promo"][0]["code"], reason);
        }
    }
    assert_eq!(because("SHORT").await, Value::Null);
    let long = with_promo(order(&plain, "ivan@example.com", "0.01"), &"x".repeat(65));
    claims(&guest, long).await.refused(422, "validation_failed");

    let big = pair(&app, &guest, BITCOIN, "BIG").await;
    assert_eq!(big["promo"]["min"], json!({ "amount": "1000", "ticker": "USDT" }));
    let little = claims(&guest, with_promo(quoted(&big, "ivan@example.com", "0.001"), "BIG")).await;
    assert_eq!(little.refused(422, "promo_below_min")["params"]["min"], "1000");
    claims(&guest, with_promo(quoted(&big, "ivan@example.com", "0.03"), "BIG")).await.ok();

    app.advance_clock(Duration::from_secs(60 * 60));
    assert_eq!(because("SHORT").await, "promo_expired");
    assert_eq!(because("LATER").await, Value::Null);
}

async fn a_claim_without_an_exchange_releases_its_code(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    add_promo(&owner, "ONCE", "0.5", json!({ "usesMax": 1 })).await;
    let guest = app.visitor();
    let better = pair(&app, &guest, BITCOIN, "ONCE").await;
    let ask = |send: &str| with_promo(order(&better, "ivan@example.com", send), "ONCE");
    let cancelled = claimed(&guest, ask("0.01")).await;
    claims(&guest, ask("0.02")).await.refused(422, "promo_used_up");
    step(&guest, &cancelled, "cancel").await;
    assert_eq!(promo(&owner, "ONCE").await["uses"], 0);
    app.advance_clock(Duration::from_secs(60));
    claimed(&guest, ask("0.03")).await;
    assert_eq!(promo(&owner, "ONCE").await["uses"], 1);
    app.advance_and_run_jobs(Duration::from_secs(24 * 60 * 60)).await;
    let owner = app.owner().await;
    assert_eq!(promo(&owner, "ONCE").await["uses"], 0, "the claim expired");
    let used = owner.get("/api/admin/v1/discounts/promos/ONCE?size=1").await.ok();
    assert!(used["items"][0]["releasedAt"].is_string(), "{used}");
    let next = used["nextCursor"].as_str().unwrap();
    let more = owner.get(&format!("/api/admin/v1/discounts/promos/ONCE?size=1&cursor={next}")).await.ok();
    assert_eq!(more["items"][0]["claimId"], json!(cancelled));
}

/// An expired claim with a late payment.
async fn expired_then_paid(app: &TestApp, late: &str, operator: &TestClient) {
    let payment = json!({ "amount": "0.01", "txId": format!("late-{late}") });
    moved(operator, late, "late_payment", payment).await;
    app.assert_ledger_is_clean().await;
}

async fn a_revived_claim_redeems_its_code_again_if_available(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    owner.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_bps": "0" })).await.ok();
    let guest = app.visitor();
    let plain = pair(&app, &guest, BITCOIN, "").await;
    for (code, taken_meanwhile) in [("FREE", false), ("TAKEN", true)] {
        add_promo(&owner, code, "0.5", json!({ "usesMax": 1 })).await;
        let better = pair(&app, &guest, BITCOIN, code).await;
        let late = claimed(&guest, with_promo(order(&better, "ivan@example.com", "0.01"), code)).await;
        step(&guest, &late, "confirm").await;
        step(&guest, &late, "cancel").await;
        if taken_meanwhile {
            claimed(&guest, with_promo(order(&better, "olga@example.com", "0.02"), code)).await;
        }
        expired_then_paid(&app, &late, &operator).await;
        assert_eq!(promo(&owner, code).await["uses"], 1);
        let offer = guest.get(&format!("/api/v1/claim/{late}/status/")).await.ok()["offer"].clone();
        let terms = if taken_meanwhile { &plain } else { &better };
        assert_eq!(number(&offer["toSumma"]), receive(terms, "0.01"), "{code}");
    }
}

/// Claims that ended unpaid returned their codes. Of those that are paid late after all, also at once, as many redeem
/// them again as the customer may have.
async fn claims_of_one_customer_are_revived_with_one_code(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    add_promo(&owner, "ONCE", "0.5", json!({})).await;
    let guest = app.visitor();
    let plain = pair(&app, &guest, BITCOIN, "").await;
    let better = pair(&app, &guest, BITCOIN, "ONCE").await;
    let sends = ["0.01", "0.011", "0.012"];
    let mut ended = Vec::new();
    for send in sends {
        let id = claimed(&guest, with_promo(order(&better, "ivan@example.com", send), "ONCE")).await;
        step(&guest, &id, "confirm").await;
        step(&guest, &id, "cancel").await;
        ended.push(id);
    }
    assert_eq!(promo(&owner, "ONCE").await["uses"], 0);
    let paid_late = async |place: usize| {
        let payment = json!({ "amount": sends[place], "txId": format!("late-{place}") });
        moved(&operator, &ended[place], "late_payment", payment).await;
    };
    tokio::join!(paid_late(0), paid_late(1), paid_late(2));
    assert_eq!(promo(&owner, "ONCE").await["uses"], 1);
    let mut kept = 0;
    for (id, send) in ended.iter().zip(sends) {
        let (seen, status) = (form(&guest, id).await, guest.get(&format!("/api/v1/claim/{id}/status/")).await.ok());
        if status["status"] == "paid" {
            kept += 1;
            assert_eq!((&seen["promo"], &seen["bonus"]), (&json!("ONCE"), &json!("0.5")));
        } else {
            assert_eq!((&status["status"], &seen["promo"]), (&json!("late_payment"), &Value::Null));
            assert_eq!(number(&status["offer"]["toSumma"]), receive(&plain, send));
        }
    }
    assert_eq!(kept, 1);
    app.assert_ledger_is_clean().await;
}

async fn a_revived_claim_does_not_redeem_a_code_that_is_over(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    add_promo(&owner, "STOPPED", "0.5", json!({})).await;
    add_promo(&owner, "SHORT", "0.5", json!({ "endsAt": "2024-03-28T13:00:00Z" })).await;
    let mut ended = Vec::new();
    for code in ["STOPPED", "SHORT"] {
        let guest = app.visitor();
        let better = pair(&app, &guest, BITCOIN, code).await;
        let id = claimed(&guest, with_promo(order(&better, "ivan@example.com", "0.01"), code)).await;
        step(&guest, &id, "confirm").await;
        step(&guest, &id, "cancel").await;
        ended.push((guest, id));
    }
    owner.post_empty("/api/admin/v1/discounts/promos/stopped/stop").await.ok();
    app.advance_clock(Duration::from_secs(60 * 60));
    let operator = app.operator().await;
    for (guest, id) in ended {
        expired_then_paid(&app, &id, &operator).await;
        let seen = form(&guest, &id).await;
        assert_eq!((&seen["status"], &seen["promo"]), (&json!("late_payment"), &Value::Null));
    }
    let owner = app.owner().await;
    for code in ["STOPPED", "SHORT"] {
        assert_eq!(promo(&owner, code).await["uses"], 0, "{code}");
    }
}

/// A claim whose payment differs, at the choice of its customer.
async fn mismatched(guest: &TestClient, operator: &TestClient, better: &Value, (send, came): (&str, &str)) -> (String, Value) {
    let id = claimed(guest, with_promo(order(better, "ivan@example.com", send), "BIG")).await;
    step(guest, &id, "confirm").await;
    step(guest, &id, "paid").await;
    moved(operator, &id, "amount_mismatch", json!({ "amount": came, "txId": format!("in-{id}") })).await;
    let offer = guest.get(&format!("/api/v1/claim/{id}/status/")).await.ok()["offer"].clone();
    (id, offer)
}

async fn a_code_is_lost_below_its_minimum(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    add_promo(&owner, "BIG", "0.5", json!({ "min": "1000", "perCustomer": 10 })).await;
    let guest = app.visitor();
    let plain = pair(&app, &guest, BITCOIN, "").await;
    let better = pair(&app, &guest, BITCOIN, "BIG").await;
    let accept = async |id: &str, offer: &Value| {
        let terms = json!({ "fromSumma": offer["fromSumma"], "toSumma": offer["toSumma"] });
        guest.post(&format!("/api/v1/claim/{id}/accept/"), terms).await.ok()
    };
    // Enough for the code still.
    let (id, offer) = mismatched(&guest, &operator, &better, ("0.04", "0.03")).await;
    assert_eq!(number(&offer["toSumma"]), receive(&better, "0.03"));
    assert_eq!(accept(&id, &offer).await["status"], "paid");
    assert_eq!((&form(&guest, &id).await["promo"], &promo(&owner, "BIG").await["uses"]), (&json!("BIG"), &json!(1)));

    let (id, offer) = mismatched(&guest, &operator, &better, ("0.05", "0.01")).await;
    assert_eq!(number(&offer["toSumma"]), receive(&plain, "0.01"));
    let staff = operator.get(&format!("/api/admin/v1/claims/{id}/recalculation")).await.ok();
    assert_eq!(number(&staff["receive"]), receive(&plain, "0.01"), "{staff}");
    assert_eq!(promo(&owner, "BIG").await["uses"], 2);
    assert_eq!(accept(&id, &offer).await["status"], "paid");
    let paid = form(&guest, &id).await;
    assert_eq!((&paid["promo"], &paid["bonus"]), (&Value::Null, &json!("0")));
    assert_eq!(number(&paid["to"]["amount"]), receive(&plain, "0.01"));
    assert_eq!(promo(&owner, "BIG").await["uses"], 1, "it is free again");

    // The same by staff, and for a late payment.
    let (id, _) = mismatched(&guest, &operator, &better, ("0.055", "0.01")).await;
    let preview = operator.get(&format!("/api/admin/v1/claims/{id}/recalculation")).await.ok();
    let shown = json!({ "terms": { "came": preview["came"], "receive": preview["receive"] } });
    moved(&operator, &id, "recalculate", shown).await;
    let paid = form(&guest, &id).await;
    assert_eq!(
        (&paid["promo"], &paid["to"]["amount"], &promo(&owner, "BIG").await["uses"]),
        (&Value::Null, &preview["receive"], &json!(1))
    );
    let id = claimed(&guest, with_promo(order(&better, "ivan@example.com", "0.06"), "BIG")).await;
    step(&guest, &id, "confirm").await;
    step(&guest, &id, "cancel").await;
    expired_then_paid(&app, &id, &operator).await;
    let offer = guest.get(&format!("/api/v1/claim/{id}/status/")).await.ok()["offer"].clone();
    assert_eq!(number(&offer["toSumma"]), receive(&plain, "0.01"));
    app.assert_ledger_is_clean().await;
}

/// A claim with the code that is paid out.
async fn paid_out(guest: &TestClient, operator: &TestClient, better: &Value, code: &str) -> String {
    let id = claimed(guest, with_promo(order(better, "ivan@example.com", "0.01"), code)).await;
    for call in ["confirm", "paid"] {
        step(guest, &id, call).await;
    }
    for (action, answer) in [
        ("payment_received", json!({ "txId": format!("in-{id}") })),
        ("take", json!({})),
        ("payout_sent", json!({ "txId": format!("out-{id}") })),
    ] {
        moved(operator, &id, action, answer).await;
    }
    id
}

/// Sends back what is owed to the customer of a claim.
async fn refunded(guest: &TestClient, operator: &TestClient, id: &str) {
    let destination = json!({ "requisites": { "address": ADDRESS } });
    guest.post(&format!("/api/v1/claim/{id}/refund/"), destination).await.ok();
    moved(operator, id, "refund_sent", json!({ "txId": format!("back-{id}") })).await;
    moved(operator, id, "refund_done", json!({})).await;
}

async fn a_code_is_used_by_what_was_paid_out(engine: Engine) {
    let app = open(engine).await;
    let (owner, operator) = (app.owner().await, app.operator().await);
    for code in ["PART", "BACK"] {
        add_promo(&owner, code, "0.5", json!({})).await;
    }
    let guest = app.visitor();
    let better = pair(&app, &guest, BITCOIN, "PART").await;
    let id = paid_out(&guest, &operator, &better, "PART").await;
    moved(&operator, &id, "payout_partial", json!({ "amount": "1000" })).await;
    moved(&operator, &id, "refund", json!({ "amount": "1000", "reason": "payout_rejected" })).await;
    refunded(&guest, &operator, &id).await;
    let seen = form(&guest, &id).await;
    assert_eq!((&seen["promo"], &promo(&owner, "PART").await["uses"]), (&json!("PART"), &json!(1)));

    // What came back was no exchange.
    let id = paid_out(&guest, &operator, &better, "BACK").await;
    moved(&operator, &id, "complete", json!({})).await;
    moved(&operator, &id, "payout_returned", json!({ "reason": "payout_returned" })).await;
    let seen = form(&guest, &id).await;
    assert_eq!((&seen["promo"], &promo(&owner, "BACK").await["uses"]), (&json!("BACK"), &json!(1)));
    refunded(&guest, &operator, &id).await;
    assert_eq!(promo(&owner, "BACK").await["uses"], 0);
    app.assert_ledger_is_clean().await;
}

async fn the_last_use_goes_to_one_customer(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    add_promo(&owner, "LAST", "0.5", json!({ "usesMax": 1 })).await;
    add_promo(&owner, "MINE", "0.5", json!({})).await;
    let guest = app.visitor();
    let last = pair(&app, &guest, BITCOIN, "LAST").await;
    let own = pair(&app, &guest, BITCOIN, "MINE").await;
    // One code has one use left, the other one use for this customer.
    for (code, terms) in [("LAST", &last), ("MINE", &own)] {
        let many: Vec<_> = (0..6)
            .map(|place| {
                let email = if code == "MINE" { "ivan@example.com".to_owned() } else { format!("guest{place}@example.com") };
                let order = with_promo(order(terms, &email, &format!("0.01{place}")), code);
                let caller = app.visitor().from_address(&format!("10.1.1.{place}"));
                tokio::spawn(async move { claims(&caller, order).await })
            })
            .collect();
        let mut created = 0;
        for one in many {
            let answer = one.await.unwrap();
            match answer.status.as_u16() {
                201 => created += 1,
                409 => drop(answer.refused(409, "promo_used_up")),
                _ => drop(answer.refused(422, "promo_used_up")),
            }
        }
        assert_eq!((created, &promo(&owner, code).await["uses"]), (1, &json!(1)), "{code}");
    }
    app.assert_ledger_is_clean().await;
}

async fn a_code_belongs_to_the_account_whatever_address_is_typed(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    add_promo(&owner, "SPRING", "0.5", json!({})).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await.caller;
    let better = pair(&app, &ivan, BITCOIN, "SPRING").await;
    let order = |email: &str, send: &str| with_promo(order(&better, email, send), "SPRING");
    let body = order("work@example.com", "0.01");
    let first = ivan.post_idempotent("/api/v1/claim/", "the-same-key", body.clone()).await.ok();
    let second = ivan.post_idempotent("/api/v1/claim/", "the-same-key", body).await.ok();
    assert_eq!(first["id"], second["id"], "the same request uses the code once");
    claims(&ivan, order("home@example.com", "0.02")).await.refused(422, "promo_used_up");
    assert_eq!(pair(&app, &ivan, BITCOIN, "SPRING").await["promo"]["reason"], "promo_used_up");
    assert_eq!(promo(&owner, "SPRING").await["uses"], 1);
}

/// A customer is recognized despite other e-mail spellings, a cleared browser or another account.
async fn one_customer_uses_a_code_once(engine: Engine) {
    let app = open(engine).await;
    let owner = app.owner().await;
    add_promo(&owner, "SPRING", "0.5", json!({})).await;
    let ivan = app.visitor();
    let better = pair(&app, &ivan, BITCOIN, "SPRING").await;
    let ask = |email: &str, send: &str| with_promo(order(&better, email, send), "SPRING");
    claimed(&ivan, ask("ivan.petrov@gmail.com", "0.01")).await;
    for alias in ["ivan.petrov+1@gmail.com", "ivanpetrov@gmail.com", "Ivan.Petrov@GoogleMail.com"] {
        claims(&app.visitor(), ask(alias, "0.02")).await.refused(422, "promo_used_up");
    }
    // The same browser with another e-mail: recognized before anything is entered.
    claims(&ivan, ask("maria@example.com", "0.02")).await.refused(422, "promo_used_up");
    assert_eq!(pair(&app, &ivan, BITCOIN, "SPRING").await["promo"]["reason"], "promo_used_up");
    // The same card.
    let mut same_card = ask("oleg@example.com", "0.02");
    same_card["toRequisites"]["card"] = card_number_of("ivan.petrov@gmail.com").into();
    claims(&app.visitor(), same_card).await.refused(422, "promo_used_up");
    // Of concurrent first uses, one wins.
    add_promo(&owner, "RACE", "0.5", json!({})).await;
    let race =
        async |email: &str| claims(&app.visitor(), with_promo(order(&better, email, "0.01"), "RACE")).await.status.is_success();
    let (one, two, three) = tokio::join!(race("anna@gmail.com"), race("a.nna@gmail.com"), race("anna+3@googlemail.com"));
    let first = [one, two, three].into_iter().filter(|done| *done).count();
    assert_eq!((first, &promo(&owner, "RACE").await["uses"]), (1, &json!(1)));
    // The same network address does not make the same customer.
    claimed(&app.visitor(), ask("olga@gmail.com", "0.02")).await;
    assert_eq!(promo(&owner, "SPRING").await["uses"], 2);
}

both_engines!(
    one_customer_uses_a_code_once,
    a_code_is_case_insensitive_and_redeemed_by_the_claim,
    a_quote_with_a_code_is_invalid_without_it,
    unusable_codes_are_explained_and_the_pair_is_still_returned,
    a_claim_without_an_exchange_releases_its_code,
    a_revived_claim_redeems_its_code_again_if_available,
    claims_of_one_customer_are_revived_with_one_code,
    a_revived_claim_does_not_redeem_a_code_that_is_over,
    a_code_is_lost_below_its_minimum,
    a_code_is_used_by_what_was_paid_out,
    the_last_use_goes_to_one_customer,
    a_code_belongs_to_the_account_whatever_address_is_typed,
);
