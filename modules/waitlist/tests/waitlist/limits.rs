//! What keeps the waitlist from being misused, and how long it remembers.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{WAITLIST, ask, id_in, kinds, set_reserve, wait_for};

const VICTIM: &str = "victim@example.com";
const DAY: Duration = Duration::from_secs(24 * 3_600);

async fn start(engine: Engine) -> TestApp {
    let app = TestApp::start(engine).await;
    set_reserve(&app, "0").await;
    app
}

/// No matter who asks and how the address is written, a mailbox gets three emails a day, and the answers do not tell.
async fn a_mailbox_cannot_be_flooded(engine: Engine) {
    let app = start(engine).await;
    let mut answers = Vec::new();
    for number in 0..6 {
        let visitor = app.visitor().from_address(&format!("198.51.100.{number}"));
        let email = if number % 2 == 0 { VICTIM.to_owned() } else { format!("Victim+{number}@Example.com") };
        let answer = ask(&visitor, &email, json!({})).await;
        answers.push((answer.status, answer.text));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let sent = async || {
        let mut sent = kinds(&app, VICTIM).await.len();
        for number in [1, 3, 5] {
            sent += kinds(&app, &format!("Victim+{number}@Example.com")).await.len();
        }
        sent
    };
    assert_eq!(sent().await, 3);
    app.advance_and_run_jobs(DAY).await;
    ask(&app.visitor(), VICTIM, json!({})).await.ok();
    assert_eq!(sent().await, 4);
}

async fn a_network_asks_ten_times_in_an_hour(engine: Engine) {
    let app = start(engine).await;
    let visitor = app.visitor().from_address("2001:db8::1");
    for number in 0..10 {
        ask(&visitor, &format!("a{number}@example.com"), json!({})).await.ok();
    }
    let neighbour = app.visitor().from_address("2001:db8::2");
    let refused = ask(&neighbour, VICTIM, json!({})).await;
    assert_eq!(refused.headers["retry-after"], "3600");
    refused.refused(429, "too_many_waitlist_entries");
    assert!(kinds(&app, VICTIM).await.is_empty());
    app.advance_clock(Duration::from_secs(3_601));
    ask(&neighbour, VICTIM, json!({})).await.ok();
}

async fn requests_are_checked(engine: Engine) {
    let app = start(engine).await;
    let visitor = app.visitor();
    let refused = async |change: Value, field: &str, code: &str| {
        let mut body = json!({ "email": VICTIM, "give": "BTC", "receive": "SBERRUB", "recaptcha": "x" });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let problem = visitor.post(WAITLIST, body).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({ "email": "victim@" }), "email", "bad_email").await;
    refused(json!({ "email": "" }), "email", "required").await;
    refused(json!({ "email": "a@example.com\r\nBcc: b@example.com" }), "email", "bad_email").await;
    refused(json!({ "amount": "0" }), "amount", "waitlist_amount_invalid").await;
    refused(json!({ "amount": "1.001" }), "amount", "waitlist_amount_invalid").await;
    refused(json!({ "amount": "99999999999999999999" }), "amount", "waitlist_amount_invalid").await;
    refused(json!({ "rate": "-1" }), "rate", "waitlist_rate_invalid").await;
    let ask = async |give: &str, captcha: Value| {
        visitor.post(WAITLIST, json!({ "email": VICTIM, "give": give, "receive": "SBERRUB", "recaptcha": captcha })).await
    };
    ask("NOPE", "x".into()).await.refused(404, "pair_unknown");
    ask("SBERRUB", "x".into()).await.refused(404, "pair_unknown");
    ask("BTC", "".into()).await.refused(422, "captcha_required");
    ask("BTC", "eyJ9".into()).await.refused(422, "captcha_invalid");
    assert!(kinds(&app, VICTIM).await.is_empty());

    app.owner().await.put("/api/admin/v1/settings", json!({ "waitlist.days": "0" })).await.ok();
    ask("BTC", "x".into()).await.refused(409, "waitlist_closed");
}

/// An exchange that sends no emails promises none.
async fn without_a_mail_server_there_is_no_waitlist(engine: Engine) {
    let app = start(engine).await.another_node_with(|config| config.is_demo = false).await;
    ask(&app.visitor(), VICTIM, json!({})).await.refused(409, "waitlist_closed");
}

/// The database holds no readable address, and nothing at all once an entry has ended.
async fn addresses_are_sealed_and_forgotten(engine: Engine) {
    let app = start(engine).await;
    let rows = async |about: &str| {
        let mut tx = app.server.platform.db.read().await.unwrap();
        let count = agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM waitlist_entry").unwrap().0;
        println!("{about}: {count}");
        count
    };
    ask(&app.visitor(), "pending@example.com", json!({})).await.ok();
    let pending = id_in(&app.emails_to("pending@example.com").await[0]);
    wait_for(&app, "confirmed@example.com", json!({})).await;
    for email in ["pending@example.com", "confirmed@example.com"] {
        let columns = app.database().columns_containing(email).await;
        assert!(columns.iter().all(|column| column.starts_with("outbox")), "{columns:?}");
    }
    assert_eq!(rows("asked").await, 2);
    app.advance_and_run_jobs(2 * DAY).await;
    assert_eq!(rows("the confirmation is over").await, 1);
    app.visitor().post_empty(&format!("{WAITLIST}{pending}/confirm/")).await.refused(404, "waitlist_entry_not_found");
    app.advance_and_run_jobs(59 * DAY).await;
    assert_eq!(rows("the entry is over").await, 0);
    set_reserve(&app, "900000").await;
    app.advance_and_run_jobs(Duration::from_secs(1)).await;
    assert!(!kinds(&app, "confirmed@example.com").await.contains(&"waitlist_notification".to_owned()));
}

both_engines!(
    a_mailbox_cannot_be_flooded,
    a_network_asks_ten_times_in_an_hour,
    requests_are_checked,
    without_a_mail_server_there_is_no_waitlist,
    addresses_are_sealed_and_forgotten,
);
