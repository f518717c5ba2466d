//! What customers are written, and what the audit log keeps of their claims.

use std::time::Duration;

use agio_test_app::{Engine, ReceivedEmail, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{ADDRESS, CARD, Operator, TestCustomer, order};

const ANNA: &str = "anna@example.com";

fn kinds(mails: &[ReceivedEmail]) -> Vec<&str> {
    mails.iter().map(|mail| mail.kind.as_str()).collect()
}

fn last(mails: &[ReceivedEmail]) -> &ReceivedEmail {
    mails.last().unwrap()
}

/// Longer than a claim stays in a state before its customer is e-mailed about it.
const A_WHILE: Duration = Duration::from_secs(61);

async fn a_customer_is_told_of_each_step_that_matters(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    app.advance_and_run_jobs(A_WHILE).await;
    customer.does("confirm").await.ok();
    let paid_to = customer.look("requisite").await.ok()["value"].as_str().unwrap().to_owned();
    customer.does("paid").await.ok();
    let operator = Operator::at(&app).await;
    let steps = [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")];
    for (step, direction) in steps {
        let id = format!("{direction}-{}", customer.id);
        operator.does(&customer.id, step, if direction.is_empty() { json!({}) } else { json!({ "txId": id }) }).await;
        app.advance_and_run_jobs(A_WHILE).await;
    }

    let mails = app.emails_to(ANNA).await;
    assert_eq!(kinds(&mails), ["claim_created", "claim_awaiting_payment", "claim_paid", "claim_payout_sent", "claim_completed"]);
    for mail in &mails {
        assert!(mail.subject.contains(&format!("№ {}", customer.number)), "{}", mail.subject);
        assert!(mail.text.contains(&format!("http://127.0.0.1:8080/claim/{}\n", customer.id)), "{}", mail.text);
        assert!(!mail.subject.contains('{') && !mail.text.contains('{'), "{}", mail.text);
        for secret in [CARD, paid_to.as_str(), "IVAN PETROV"] {
            assert!(
                !mail.text.contains(secret) && !mail.html.contains(secret) && !mail.subject.contains(secret),
                "{}",
                mail.kind
            );
        }
    }
    assert!(mails[0].text.contains("0,01 BTC, Биткоин") && mails[0].text.contains("₽, Сбербанк"), "{}", mails[0].text);
    assert!(mails[0].text.contains("28.03.2024 12:30 (UTC)"), "{}", mails[0].text);
    let has = |number: usize, direction: &str| mails[number].text.contains(&format!("{direction}-{}", customer.id));
    assert!(!has(1, "in") && has(2, "in") && !has(2, "out"), "{}", mails[2].text);
    assert!(has(3, "out") && has(4, "in") && has(4, "out"), "{} {}", mails[3].text, mails[4].text);
}

async fn what_follows_at_once_is_one_email(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let operator = Operator::at(&app).await;
    operator.completes(&customer.id).await;
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!(kinds(&app.emails_to(ANNA).await), ["claim_awaiting_payment", "claim_completed"]);

    let slow = TestCustomer::orders_as(&app, "0.01", "slow@example.com").await;
    slow.does("confirm").await.ok();
    operator.does(&slow.id, "payment_seen", json!({ "txId": "in-slow" })).await;
    operator.does(&slow.id, "payment_received", json!({})).await;
    operator.does(&slow.id, "take", json!({})).await;
    app.advance_and_run_jobs(A_WHILE).await;
    let mails = app.emails_to("slow@example.com").await;
    assert_eq!(kinds(&mails), ["claim_awaiting_payment", "claim_paid"], "the payout takes longer, so this is said first");
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!(app.emails_to("slow@example.com").await.len(), 2, "once");
}

async fn times_are_in_the_zone_of_the_customers_browser(engine: Engine) {
    let app = TestApp::start(engine).await;
    for (zone, time) in [("Asia/Kolkata", "28.03.2024 18:00 (UTC+5:30)"), ("Nowhere/Land", "28.03.2024 12:30 (UTC)")] {
        let email = format!("{}@example.com", zone.split_once('/').unwrap().1);
        let mut order = order(&app, "0.01", &email);
        order["extras"]["timeZone"] = zone.into();
        let caller = app.visitor();
        let made = caller.post("/api/v1/claim/", order).await.ok();
        caller.post_empty(&format!("/api/v1/claim/{}/confirm/", made["id"].as_str().unwrap())).await.ok();
        let mail = last(&app.emails_to(&email).await).clone();
        assert!(mail.subject.contains(time) && mail.text.contains(time), "{} {}", mail.subject, mail.text);
    }

    let owner = app.owner().await;
    let mut shown = owner.get("/api/admin/v1/brand").await.ok();
    shown["brand"]["workWeek"]["timeZone"] = "Asia/Vladivostok".into();
    let change = json!({ "revision": shown["revision"], "brand": shown["brand"] });
    owner.put("/api/admin/v1/brand", change).await.ok();
    let customer = TestCustomer::orders_as(&app, "0.01", "unknown@example.com").await;
    customer.does("confirm").await.ok();
    let mail = last(&app.emails_to("unknown@example.com").await).clone();
    assert!(mail.subject.contains("28.03.2024 22:30 (UTC+10)"), "the zone of the exchange: {}", mail.subject);
}

async fn emails_are_in_the_customers_language_and_hide_the_number_if_set(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.use_public_id": "false", "site.name": "Obmen" })).await.ok();
    let made = app.visitor().post("/en/api/v1/claim/", order(&app, "0.01", ANNA)).await.ok();
    let id = made["id"].as_str().unwrap();
    app.advance_and_run_jobs(A_WHILE).await;
    let [mail] = app.emails_to(ANNA).await.try_into().unwrap();
    assert_eq!(mail.subject, format!("Claim #{} created", &id[..8]), "a part that opens nothing");
    assert!(!mail.text.contains(&made["publicId"].to_string()));
    assert!(mail.text.contains(&format!("http://127.0.0.1:8080/en/claim/{id}\n")), "{}", mail.text);
    assert!(mail.text.contains("28 March 2024, 12:30 (UTC)") && mail.text.contains("Obmen"), "{}", mail.text);
}

async fn a_customer_is_told_when_it_goes_otherwise(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let claim = async |email: &str| {
        let customer = TestCustomer::orders_as(&app, "0.01", email).await;
        customer.does("confirm").await.ok();
        customer
    };
    let cancelled = claim("cancels@example.com").await;
    cancelled.does("cancel").await.ok();
    assert_eq!(last(&app.emails_to("cancels@example.com").await).kind, "claim_cancelled");

    let held = claim("held@example.com").await;
    held.does("paid").await.ok();
    let answer = json!({ "reason": "aml_check", "answerBy": "2024-03-28T13:00:00Z" });
    operator.does(&held.id, "hold", answer).await;
    let mail = last(&app.emails_to("held@example.com").await).clone();
    assert_eq!(mail.kind, "claim_on_hold");
    assert!(
        mail.text.contains("Проверяем происхождение средств") && mail.text.contains("28.03.2024 13:00 (UTC)"),
        "{}",
        mail.text
    );
    operator.does(&held.id, "reject", json!({ "reason": "<b>Не наш</b> клиент\nBcc: all@example.com" })).await;
    let mail = last(&app.emails_to("held@example.com").await).clone();
    assert_eq!(mail.kind, "claim_rejected");
    assert!(mail.html.contains("&lt;b&gt;Не наш&lt;/b&gt; клиент Bcc: all@example.com"), "{}", mail.html);

    let other = claim("other@example.com").await;
    operator.does(&other.id, "payment_seen", json!({ "txId": "in-other" })).await;
    operator.does(&other.id, "amount_mismatch", json!({ "amount": "0.008" })).await;
    let mail = last(&app.emails_to("other@example.com").await).clone();
    assert_eq!(mail.kind, "claim_amount_mismatch");
    assert!(mail.text.contains("0,008 BTC") && mail.text.contains("0,01 BTC"), "{}", mail.text);
    assert!(mail.text.contains("Если выберете возврат, вернём: 0,008 BTC"), "{}", mail.text);
    other.says("refund", json!({ "requisites": { "address": ADDRESS } })).await.ok();
    operator.does(&other.id, "refund_sent", json!({ "txId": "refund-1" })).await;
    operator.does(&other.id, "refund_done", json!({})).await;
    let mails = app.emails_to("other@example.com").await;
    assert_eq!(kinds(&mails)[2..], ["claim_refund_pending", "claim_refund_sent", "claim_refunded"]);
    for mail in &mails[2..] {
        assert!(mail.text.contains("Комиссия за возврат: нет\n"), "{}", mail.text);
        assert!(mail.text.contains("Получить по заявке: ") && !mail.text.contains("Получаете: "), "{}", mail.text);
    }
    assert!(mails.iter().all(|mail| !mail.text.contains(ADDRESS)));

    let late = claim("late@example.com").await;
    late.is_too_late(&app).await;
    assert_eq!(last(&app.emails_to("late@example.com").await).kind, "claim_expired");
    Operator::at(&app).await.does(&late.id, "late_payment", json!({ "amount": "0.01", "txId": "in-late" })).await;
    assert_eq!(last(&app.emails_to("late@example.com").await).kind, "claim_late_payment");
}

async fn an_email_names_each_transfer_of_a_payout_and_no_rest_that_is_refunded(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let partly_paid = async |email: &str| {
        let customer = TestCustomer::orders_as(&app, "0.01", email).await;
        customer.does("confirm").await.ok();
        customer.does("paid").await.ok();
        operator.does(&customer.id, "payment_received", json!({})).await;
        operator.does(&customer.id, "take", json!({})).await;
        operator.does(&customer.id, "payout_sent", json!({ "txId": "out-1" })).await;
        operator.does(&customer.id, "payout_partial", json!({ "amount": "1000" })).await;
        let mail = last(&app.emails_to(email).await).clone();
        assert!(mail.text.contains("Осталось выплатить: "), "{}", mail.text);
        customer
    };
    let done = partly_paid("done@example.com").await;
    operator.does(&done.id, "payout_sent", json!({ "txId": "out-2" })).await;
    operator.does(&done.id, "complete", json!({})).await;
    let mail = last(&app.emails_to("done@example.com").await).clone();
    assert_eq!(mail.kind, "claim_completed");
    for part in ["Наша выплата, 1 000 ₽: out-1", ": out-2"] {
        assert!(mail.text.replace(['\u{a0}', '\u{202f}'], " ").contains(part), "{}", mail.text);
    }

    let refunded = partly_paid("refunded@example.com").await;
    operator.does(&refunded.id, "refund", json!({ "reason": "payout_rejected" })).await;
    let mail = last(&app.emails_to("refunded@example.com").await).clone();
    assert_eq!(mail.kind, "claim_refund_destination");
    assert!(mail.text.contains("Из выплаты дошло: ") && !mail.text.contains("Осталось выплатить"), "{}", mail.text);
}

async fn a_claim_that_is_refused_writes_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let entries = app.assert_audit_chain_is_intact().await;
    let mut wrong = order(&app, "0.01", ANNA);
    wrong["toSumma"] = "1".into();
    app.visitor().post("/api/v1/claim/", wrong).await.refused(409, "rate_changed");
    assert!(app.emails_to(ANNA).await.is_empty());
    assert_eq!(app.assert_audit_chain_is_intact().await, entries);
    let order = order(&app, "0.01", ANNA);
    for _ in 0..2 {
        app.visitor().post_idempotent("/api/v1/claim/", "the-same-key", order.clone()).await.ok();
    }
    assert_eq!(app.assert_audit_chain_is_intact().await, entries + 1);
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!(app.emails_to(ANNA).await.len(), 1, "one claim, one email");
}

async fn every_step_leaves_a_trail_with_who_before_and_after(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders_as(&app, "0.01", ANNA).await;
    customer.does("confirm").await.ok();
    let operator = Operator::at(&app).await;
    operator.0.post_empty(&format!("/api/admin/v1/claims/{}/lock", customer.id)).await.ok();
    operator
        .0
        .post(&format!("/api/admin/v1/claims/{}/notes", customer.id), json!({ "text": "рядом карта 2200000000000004" }))
        .await
        .ok();
    operator.0.post_empty(&format!("/api/admin/v1/claims/{}/unlock", customer.id)).await.ok();
    customer.waits_too_long(&app).await;

    let log = app.owner().await.get(&format!("/api/admin/v1/audit?aboutKind=claim&aboutId={}", customer.number)).await;
    let paid_to = app.server.claims.claim(customer.id.parse().unwrap()).await.unwrap().payment.value.unwrap();
    assert!(!log.text.contains(CARD) && !log.text.contains(&paid_to), "a requisite is never whole in the log");
    let log = log.ok();
    let mut entries = log["items"].as_array().unwrap().clone();
    entries.reverse();
    let trail: Vec<_> =
        entries.iter().map(|entry| (entry["action"].as_str().unwrap(), entry["actor"]["kind"].as_str().unwrap())).collect();
    assert_eq!(
        trail,
        [
            ("claim.create", "guest"),
            ("claim.confirm", "guest"),
            ("claim.lock", "staff"),
            ("claim.note", "staff"),
            ("claim.unlock", "staff"),
            ("claim.expire", "system"),
        ]
    );
    assert_eq!(entries[0]["after"]["send"], "0.01 BTC");
    assert_eq!((&entries[1]["before"]["state"], &entries[1]["after"]["state"]), (&json!("created"), &json!("awaiting_payment")));
    assert_eq!((&entries[2]["before"], &entries[2]["after"]), (&json!({ "holder": null }), &json!({ "holder": "operator" })));
    assert_eq!(entries[5]["after"], json!({ "state": "expired" }));
    assert_eq!(entries[0]["actor"]["address"], "127.0.0.1");
    assert!(entries[5]["actor"]["address"].is_null());
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    app.assert_audit_chain_is_intact().await;
}

/// Causing an email costs nothing, so a mailbox gets a limited number an hour, however its address is written, and then
/// one summary.
async fn nobody_floods_a_mailbox_by_claims_in_its_name(engine: Engine) {
    let app = TestApp::start(engine).await;
    let free = json!({
        "claims.captcha": "false", "claims.unpaid_per_email": "0", "claims.unpaid_per_address": "0", "claims.mails_per_hour": "4",
    });
    app.owner().await.put("/api/admin/v1/settings", free).await.ok();
    let aliases = ["annak@gmail.com", "anna.k@gmail.com", "annak+1@gmail.com", "a.nnak+2@googlemail.com"];
    let received_emails = async || {
        let mut all = Vec::new();
        for alias in aliases {
            all.extend(app.emails_to(alias).await);
        }
        all
    };
    for (round, alias) in (0..).zip(aliases.iter().cycle().take(12)) {
        let other_visitor = app.visitor().from_address(&format!("10.0.1.{round}"));
        let made = other_visitor.post("/api/v1/claim/", order(&app, "0.001", alias)).await.ok();
        let claim = format!("/api/v1/claim/{}", made["id"].as_str().unwrap());
        for step in ["confirm", "cancel"] {
            other_visitor.post_empty(&format!("{claim}/{step}/")).await.ok();
        }
    }
    assert_eq!(kinds(&received_emails().await).len(), 4, "24 were written");

    // The owner of the address is emailed about their own claims and their account at once, whatever others do.
    let anna = agio_test_app::TestCustomer::registered(&app, "annak@gmail.com").await;
    anna.caller.post("/api/v1/claim/", order(&app, "0.01", "annak@gmail.com")).await.ok();
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!(anna.newest_email(&app, "claim_created").await.kind, "claim_created");
    let before = received_emails().await.iter().filter(|mail| mail.kind == "claim_created").count();
    let other_visitor = app.visitor().from_address("10.0.2.1");
    other_visitor.post("/api/v1/claim/", order(&app, "0.002", "annak@gmail.com")).await.ok();
    app.advance_and_run_jobs(A_WHILE).await;
    assert_eq!(received_emails().await.iter().filter(|mail| mail.kind == "claim_created").count(), before);

    app.advance_and_run_jobs(Duration::from_secs(61 * 60)).await;
    app.advance_and_run_jobs(Duration::from_secs(61)).await;
    let all = received_emails().await;
    let summed: Vec<_> = all.iter().filter(|mail| mail.kind == "claims_summary").collect();
    assert_eq!(summed.len(), 1, "{:?}", kinds(&all));
    assert!(summed[0].text.contains("/claim/"), "{}", summed[0].text);
    app.assert_ledger_is_clean().await;
}

both_engines!(
    nobody_floods_a_mailbox_by_claims_in_its_name,
    a_customer_is_told_of_each_step_that_matters,
    what_follows_at_once_is_one_email,
    times_are_in_the_zone_of_the_customers_browser,
    emails_are_in_the_customers_language_and_hide_the_number_if_set,
    a_customer_is_told_when_it_goes_otherwise,
    an_email_names_each_transfer_of_a_payout_and_no_rest_that_is_refunded,
    a_claim_that_is_refused_writes_nothing,
    every_step_leaves_a_trail_with_who_before_and_after,
);
