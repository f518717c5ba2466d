//! Claims continue while the SMTP server is down.

use std::time::Duration;

use agio_contracts::{QuoteProvider as _, QuoteRequest};
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::app_with;
use crate::fake_smtp_server::{Behavior, FakeSmtpServer};

const MINUTE: Duration = Duration::from_secs(60);

/// An order of roubles for bitcoin at the current terms.
fn order(app: &TestApp, email: &str) -> Value {
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let query = QuoteRequest::anonymous(id("BTC"), id("SBERRUB"), "0.01".parse().unwrap());
    let receive = app.server.calculator.agree(&query).unwrap().receive.to_string();
    json!({
        "email": email, "fromPs": query.from, "toPs": query.to, "fromSumma": "0.01", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

/// A claim from the order to the end; gives its number.
async fn exchange(app: &TestApp, email: &str) -> i64 {
    let customer = app.visitor();
    let created = customer.post("/en/api/v1/claim/", order(app, email)).await.ok();
    let id = created["id"].as_str().unwrap();
    customer.post_empty(&format!("/en/api/v1/claim/{id}/confirm/")).await.ok();
    customer.post_empty(&format!("/en/api/v1/claim/{id}/paid/")).await.ok();
    let claim = format!("/api/admin/v1/claims/{id}");
    let steps = [("payment_received", "in"), ("take", ""), ("payout_sent", "out"), ("complete", "")];
    for (action, tx) in steps {
        app.advance_and_run_jobs(2 * MINUTE).await;
        // Signs in anew: a confirmation does not hold for the whole of a claim.
        let operator = app.operator().await;
        let mut step = json!({ "action": action, "revision": operator.get(&claim).await.ok()["revision"] });
        if !tx.is_empty() {
            step["txId"] = format!("{tx}-{id}").into();
        }
        operator.post(&format!("{claim}/transitions"), step).await.ok();
    }
    assert_eq!(app.operator().await.get(&claim).await.ok()["status"], "completed", "it did not wait for its emails");
    created["publicId"].as_i64().unwrap()
}

async fn claims_continue_without_smtp_and_emails_arrive_once_in_order(engine: Engine) {
    let smtp = FakeSmtpServer::start(Behavior::Down).await;
    let app = app_with(engine, &smtp).await;
    let (anna, boris) = ("anna@example.com", "boris@example.com");
    let mut numbers = Vec::new();
    for email in [anna, boris, anna] {
        numbers.push((email, exchange(&app, email).await));
        app.advance_and_run_jobs(10 * MINUTE).await;
    }
    assert!(smtp.connections() > 0 && smtp.received().is_empty());
    let dashboard = app.operator().await.get("/api/admin/v1/dashboard").await.ok();
    assert_eq!((dashboard["mail"]["queued"].as_i64(), dashboard["mail"]["dead"].as_i64()), (Some(12), Some(0)));

    smtp.set_behavior(Behavior::Accepts);
    app.advance_and_run_jobs(61 * MINUTE).await;
    for email in [anna, boris] {
        let to = format!("RCPT TO:<{email}>");
        let arrived: Vec<_> = smtp.received().iter().filter(|mail| mail.to == to).map(|mail| mail.header("Subject")).collect();
        let due: Vec<_> = numbers
            .iter()
            .filter(|(of, _)| *of == email)
            .flat_map(|(_, number)| {
                // Confirmed at once, it needs no email that it was created.
                ["pay by", "payment received", "the payout has been sent", "completed"].map(|end| (number, end))
            })
            .collect();
        assert_eq!(arrived.len(), due.len(), "{arrived:?}");
        for (subject, (number, end)) in arrived.iter().zip(due) {
            assert!(subject.contains(&number.to_string()) && subject.contains(end), "{subject} is not {number} {end}");
        }
    }
    app.assert_ledger_is_clean().await;
}

both_engines!(claims_continue_without_smtp_and_emails_arrive_once_in_order);
