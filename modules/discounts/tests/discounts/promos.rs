//! Promo codes: who may use them, how often, and what becomes of a use.

use std::time::Duration;

use agio_testkit::{Customer, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::{
    add_promo, card_of, claimed, claims, completed, form, moved, number, open, order, pair, promo, quoted, receive, step,
    with_promo,
};

const BITCOIN: (&str, &str) = ("BTC", "SBERRUB");

async fn a_code_counts_in_any_case_and_is_used_up_by_the_claim(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    add_promo(&owner, "spring", "0.5", json!({ "usesMax": 2 })).await;
    let guest = house.customer();
    let plain = pair(&house, &guest, BITCOIN, "").await;
    assert_eq!(plain["promo"], Value::Null);
    let better = pair(&house, &guest, BITCOIN, "sPring").await;
    assert_eq!(better["promo"], json!({ "code": "SPRING", "ok": true, "reason": null, "text": "", "min": null }));
    assert_eq!((&better["bonus"], &better["bonuses"][0]["code"]), (&json!("0.5"), &json!("SPRING")));
    assert!(number(&better["course"]) > number(&plain["course"]));

    let id = claimed(&guest, with_promo(quoted(&better, "ivan@example.com", "0.01"), "Spring")).await;
    let made = form(&guest, &id).await;
    assert_eq!((&made["promo"], &made["bonus"]), (&json!("SPRING"), &json!("0.5")));
    assert_eq!(number(&made["to"]["amount"]), receive(&better, "0.01"));
    assert!(made["rate"]["explanation"].as_str().unwrap().contains("промокод SPRING"), "{made}");
    completed(&guest, &operator, &id).await;
    let used = owner.get("/api/admin/v1/discounts/promos/SPRING").await.ok();
    assert_eq!((&used["promo"]["uses"], &used["promo"]["state"]), (&json!(1), &json!("active")));
    assert_eq!((&used["items"][0]["email"], &used["items"][0]["returnedAt"]), (&json!("ivan@example.com"), &Value::Null));

    // Once for each customer, whatever case they type their address in.
    let again = claims(&guest, with_promo(order(&better, "Ivan@example.com", "0.02"), "SPRING")).await;
    let refused = again.refused(422, "promo_used_up");
    assert_eq!(refused["errors"]["extras.promo"][0]["code"], "promo_used_up", "{refused}");
    claimed(&house.customer(), with_promo(order(&better, "olga@example.com", "0.02"), "SPRING")).await;
    assert_eq!(promo(&owner, "SPRING").await["state"], "used_up");
    let over = pair(&house, &guest, BITCOIN, "SPRING").await;
    assert_eq!((&over["promo"]["reason"], &over["course"]), (&json!("promo_used_up"), &plain["course"]));
}

async fn a_quote_with_a_code_is_worth_nothing_without_it(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    add_promo(&owner, "SPRING", "0.5", json!({})).await;
    let guest = house.customer();
    let better = pair(&house, &guest, BITCOIN, "SPRING").await;
    claims(&guest, quoted(&better, "ivan@example.com", "0.01")).await.refused(409, "rate_changed");
    assert_eq!(promo(&owner, "SPRING").await["uses"], 0);
    // Whoever typed the code after the quote was made is told the new numbers first, then gets them.
    let plain = pair(&house, &guest, BITCOIN, "").await;
    let told = claims(&guest, with_promo(quoted(&plain, "ivan@example.com", "0.02"), "spring")).await;
    let told = told.refused(409, "rate_changed");
    assert_eq!(number(&told["params"]["toSumma"]), receive(&better, "0.02"), "{told}");
    claims(&guest, with_promo(quoted(&better, "ivan@example.com", "0.02"), "spring")).await.ok();
}

async fn codes_that_may_not_be_used_say_why_and_the_pair_is_answered_all_the_same(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    let guest = house.customer();
    let plain = pair(&house, &guest, BITCOIN, "").await;
    add_promo(&owner, "SHORT", "0.5", json!({ "endsAt": "2024-03-28T13:00:00Z" })).await;
    add_promo(&owner, "LATER", "0.5", json!({ "startsAt": "2024-03-28T13:00:00Z" })).await;
    add_promo(&owner, "GONE", "0.5", json!({})).await;
    add_promo(&owner, "BIG", "0.5", json!({ "min": "1000" })).await;
    owner.post_empty("/api/admin/v1/discounts/promos/gone/stop").await;
    let because = async |code: &str| pair(&house, &guest, BITCOIN, code).await["promo"]["reason"].clone();
    for (code, reason) in
        [("NOSUCH", "promo_unknown"), ("LATER", "promo_unknown"), ("GONE", "promo_expired"), ("%D1%8F%00", "promo_unknown")]
    {
        assert_eq!(because(code).await, reason, "{code}");
        if !code.contains('%') {
            let asked = claims(&guest, with_promo(order(&plain, "ivan@example.com", "0.01"), code)).await;
            assert_eq!(asked.refused(422, reason)["errors"]["extras.promo"][0]["code"], reason);
        }
    }
    assert_eq!(because("SHORT").await, Value::Null);
    let long = with_promo(order(&plain, "ivan@example.com", "0.01"), &"x".repeat(65));
    claims(&guest, long).await.refused(422, "validation_failed");

    let big = pair(&house, &guest, BITCOIN, "BIG").await;
    assert_eq!(big["promo"]["min"], json!({ "amount": "1000", "ticker": "USDT" }));
    let little = claims(&guest, with_promo(quoted(&big, "ivan@example.com", "0.001"), "BIG")).await;
    assert_eq!(little.refused(422, "promo_below_min")["params"]["min"], "1000");
    claims(&guest, with_promo(quoted(&big, "ivan@example.com", "0.03"), "BIG")).await.ok();

    house.wait(Duration::from_secs(60 * 60));
    assert_eq!(because("SHORT").await, "promo_expired");
    assert_eq!(because("LATER").await, Value::Null);
}

async fn a_claim_that_ends_without_an_exchange_gives_its_code_back(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    add_promo(&owner, "ONCE", "0.5", json!({ "usesMax": 1 })).await;
    let guest = house.customer();
    let better = pair(&house, &guest, BITCOIN, "ONCE").await;
    let ask = |send: &str| with_promo(order(&better, "ivan@example.com", send), "ONCE");
    let cancelled = claimed(&guest, ask("0.01")).await;
    claims(&guest, ask("0.02")).await.refused(422, "promo_used_up");
    step(&guest, &cancelled, "cancel").await;
    assert_eq!(promo(&owner, "ONCE").await["uses"], 0);
    house.wait(Duration::from_secs(60));
    claimed(&guest, ask("0.03")).await;
    assert_eq!(promo(&owner, "ONCE").await["uses"], 1);
    house.later(Duration::from_secs(24 * 60 * 60)).await;
    let owner = house.owner().await;
    assert_eq!(promo(&owner, "ONCE").await["uses"], 0, "the claim expired");
    let used = owner.get("/api/admin/v1/discounts/promos/ONCE?size=1").await.ok();
    assert!(used["items"][0]["returnedAt"].is_string(), "{used}");
    let next = used["nextCursor"].as_str().unwrap();
    let more = owner.get(&format!("/api/admin/v1/discounts/promos/ONCE?size=1&cursor={next}")).await.ok();
    assert_eq!(more["items"][0]["claimId"], json!(cancelled));
}

/// A claim that expired, and whose payment comes after all.
async fn expired_then_paid(house: &House, late: &str, operator: &agio_testkit::Caller) {
    let seen = json!({ "amount": "0.01", "txId": format!("late-{late}") });
    moved(operator, late, "late_payment", seen).await;
    house.books_are_clean().await;
}

async fn a_claim_that_lives_again_takes_its_code_again_while_there_is_one(engine: Engine) {
    let house = open(engine).await;
    let (owner, operator) = (house.owner().await, house.operator().await);
    owner.put("/api/admin/v1/settings", json!({ "claims.late_tolerance_hundredths": "0" })).await.ok();
    let guest = house.customer();
    let plain = pair(&house, &guest, BITCOIN, "").await;
    for (code, taken_meanwhile) in [("FREE", false), ("TAKEN", true)] {
        add_promo(&owner, code, "0.5", json!({ "usesMax": 1 })).await;
        let better = pair(&house, &guest, BITCOIN, code).await;
        let late = claimed(&guest, with_promo(order(&better, "ivan@example.com", "0.01"), code)).await;
        step(&guest, &late, "confirm").await;
        step(&guest, &late, "cancel").await;
        if taken_meanwhile {
            claimed(&guest, with_promo(order(&better, "olga@example.com", "0.02"), code)).await;
        }
        expired_then_paid(&house, &late, &operator).await;
        assert_eq!(promo(&owner, code).await["uses"], 1);
        let offer = guest.get(&format!("/api/v1/claim/{late}/status/")).await.ok()["offer"].clone();
        let terms = if taken_meanwhile { &plain } else { &better };
        assert_eq!(number(&offer["toSumma"]), receive(terms, "0.01"), "{code}");
    }
}

async fn of_many_who_want_the_last_use_one_gets_it(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    add_promo(&owner, "LAST", "0.5", json!({ "usesMax": 1 })).await;
    add_promo(&owner, "MINE", "0.5", json!({})).await;
    let guest = house.customer();
    let last = pair(&house, &guest, BITCOIN, "LAST").await;
    let own = pair(&house, &guest, BITCOIN, "MINE").await;
    // Of one code one use is left; of the other, one for this customer.
    for (code, terms) in [("LAST", &last), ("MINE", &own)] {
        let many: Vec<_> = (0..6)
            .map(|place| {
                let email = if code == "MINE" { "ivan@example.com".to_owned() } else { format!("guest{place}@example.com") };
                let order = with_promo(order(terms, &email, &format!("0.01{place}")), code);
                let caller = house.customer().from_address(&format!("10.1.1.{place}"));
                tokio::spawn(async move { claims(&caller, order).await })
            })
            .collect();
        let mut made = 0;
        for one in many {
            let answer = one.await.unwrap();
            match answer.status.as_u16() {
                201 => made += 1,
                409 => drop(answer.refused(409, "promo_used_up")),
                _ => drop(answer.refused(422, "promo_used_up")),
            }
        }
        assert_eq!((made, &promo(&owner, code).await["uses"]), (1, &json!(1)), "{code}");
    }
    house.books_are_clean().await;
}

async fn a_code_is_an_accounts_whatever_address_is_typed(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    add_promo(&owner, "SPRING", "0.5", json!({})).await;
    let ivan = Customer::at(&house, "ivan@example.com").await.caller;
    let better = pair(&house, &ivan, BITCOIN, "SPRING").await;
    let order = |email: &str, send: &str| with_promo(order(&better, email, send), "SPRING");
    let body = order("work@example.com", "0.01");
    let first = ivan.post_once("/api/v1/claim/", "the-same-key", body.clone()).await.ok();
    let second = ivan.post_once("/api/v1/claim/", "the-same-key", body).await.ok();
    assert_eq!(first["id"], second["id"], "the same request uses the code once");
    claims(&ivan, order("home@example.com", "0.02")).await.refused(422, "promo_used_up");
    assert_eq!(pair(&house, &ivan, BITCOIN, "SPRING").await["promo"]["reason"], "promo_used_up");
    assert_eq!(promo(&owner, "SPRING").await["uses"], 1);
}

/// One customer stays one, whatever they write their address like, however often they clear their browser, and whoever asks for them.
async fn one_customer_uses_a_code_once(engine: Engine) {
    let house = open(engine).await;
    let owner = house.owner().await;
    add_promo(&owner, "SPRING", "0.5", json!({})).await;
    let ivan = house.customer();
    let better = pair(&house, &ivan, BITCOIN, "SPRING").await;
    let ask = |email: &str, send: &str| with_promo(order(&better, email, send), "SPRING");
    claimed(&ivan, ask("ivan.petrov@gmail.com", "0.01")).await;
    for alias in ["ivan.petrov+1@gmail.com", "ivanpetrov@gmail.com", "Ivan.Petrov@GoogleMail.com"] {
        claims(&house.customer(), ask(alias, "0.02")).await.refused(422, "promo_used_up");
    }
    // The same browser under another address: it is known before anything is typed.
    claims(&ivan, ask("maria@example.com", "0.02")).await.refused(422, "promo_used_up");
    assert_eq!(pair(&house, &ivan, BITCOIN, "SPRING").await["promo"]["reason"], "promo_used_up");
    // The same card.
    let mut same_card = ask("oleg@example.com", "0.02");
    same_card["toRequisites"]["card"] = card_of("ivan.petrov@gmail.com").into();
    claims(&house.customer(), same_card).await.refused(422, "promo_used_up");
    // At the same moment, when nobody has used it yet, one of them is first.
    add_promo(&owner, "RACE", "0.5", json!({})).await;
    let race = async |email: &str| {
        claims(&house.customer(), with_promo(order(&better, email, "0.01"), "RACE")).await.status.is_success()
    };
    let (one, two, three) = tokio::join!(race("anna@gmail.com"), race("a.nna@gmail.com"), race("anna+3@googlemail.com"));
    let first = [one, two, three].into_iter().filter(|done| *done).count();
    assert_eq!((first, &promo(&owner, "RACE").await["uses"]), (1, &json!(1)));
    // Somebody else at the same address of the network is somebody else.
    claimed(&house.customer(), ask("olga@gmail.com", "0.02")).await;
    assert_eq!(promo(&owner, "SPRING").await["uses"], 2);
}

both_engines!(
    one_customer_uses_a_code_once,
    a_code_counts_in_any_case_and_is_used_up_by_the_claim,
    a_quote_with_a_code_is_worth_nothing_without_it,
    codes_that_may_not_be_used_say_why_and_the_pair_is_answered_all_the_same,
    a_claim_that_ends_without_an_exchange_gives_its_code_back,
    a_claim_that_lives_again_takes_its_code_again_while_there_is_one,
    of_many_who_want_the_last_use_one_gets_it,
    a_code_is_an_accounts_whatever_address_is_typed,
);
