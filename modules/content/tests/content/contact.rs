//! Visitors write to support.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestClient, TestCustomer, both_engines};
use serde_json::{Value, json};

use crate::fixtures::solve_captcha;

const SUPPORT: &str = "support@example.com";

async fn message(caller: &TestClient) -> Value {
    json!({ "name": "Иван", "email": "ivan@example.com", "message": "Где мой перевод?\n\nЗаявка 1024 <b>", "recaptcha": solve_captcha(caller).await })
}

async fn message_is_emailed_with_reply_to(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor().from_address("203.0.113.7");
    let taken = visitor.post("/api/v1/contact/", message(&visitor).await).await;
    assert_eq!(taken.status, 201);
    let emails = app.emails_to(SUPPORT).await;
    assert_eq!((emails.len(), emails[0].kind.as_str()), (1, "contact_message"));
    assert_eq!(emails[0].subject, "Вопрос от Иван");
    assert!(emails[0].text.contains("> Где мой перевод?\n\n> Заявка 1024 <b>\n"), "{}", emails[0].text);
    assert!(emails[0].html.contains("Заявка 1024 &lt;b&gt;") && !emails[0].html.contains("<b>"));
    let stored = app.server.mailbox.list_newest(1).await.unwrap();
    assert_eq!(stored[0].email.reply_to, "ivan@example.com");

    let anna = TestCustomer::registered(&app, "anna@example.com").await;
    let english = json!({ "email": " Anna@Example.com ", "message": "Hello", "recaptcha": solve_captcha(&anna.caller).await });
    anna.caller.post("/en/api/v1/contact/", english).await.ok();
    assert_eq!(app.emails_to(SUPPORT).await[1].subject, "Question from Anna@example.com");
    let operator = app.operator().await;
    let page = operator.get("/api/admin/v1/contact-messages?size=1").await.ok();
    assert_eq!((&page["items"][0]["message"], &page["items"][0]["locale"]), (&json!("Hello"), &json!("en")));
    assert!(page["items"][0]["customerId"].is_string());
    let next = page["nextCursor"].as_str().unwrap();
    let rest = operator.get(&format!("/api/admin/v1/contact-messages?cursor={next}")).await.ok();
    assert_eq!((&rest["items"][0]["name"], &rest["nextCursor"]), (&json!("Иван"), &json!(null)));
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    operator.get("/api/admin/v1/contact-messages?cursor=x").await.refused(400, "malformed_parameter");
}

async fn each_message_needs_its_own_captcha(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let mut new = message(&visitor).await;
    visitor.post_idempotent("/api/v1/contact/", "message-1", new.clone()).await.ok();
    visitor.post("/api/v1/contact/", new.clone()).await.refused(422, "captcha_invalid");
    // The same message sent again with its key is the same message.
    visitor.post_idempotent("/api/v1/contact/", "message-1", new.clone()).await.ok();
    let mut other = new.clone();
    other["message"] = "Другое".into();
    visitor.post_idempotent("/api/v1/contact/", "message-1", other).await.refused(422, "idempotency_mismatch");
    new.as_object_mut().unwrap().remove("recaptcha");
    visitor.post("/api/v1/contact/", new.clone()).await.refused(422, "captcha_required");
    new["recaptcha"] = "".into();
    visitor.post("/api/v1/contact/", new.clone()).await.refused(422, "captcha_required");
    new["recaptcha"] = "eyJ9".into();
    visitor.post("/api/v1/contact/", new).await.refused(422, "captcha_invalid");
    assert_eq!(app.emails_to(SUPPORT).await.len(), 1);
}

async fn message_errors_name_the_field(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let refused = async |change: Value, field: &str, code: &str| {
        let mut new = json!({ "email": "ivan@example.com", "message": "x", "recaptcha": "x" });
        new.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let problem = visitor.post("/api/v1/contact/", new).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({ "email": "ivan@" }), "email", "bad_email").await;
    refused(json!({ "email": "" }), "email", "required").await;
    refused(json!({ "email": "a@example.com\r\nBcc: b@example.com" }), "email", "bad_email").await;
    refused(json!({ "name": "x".repeat(81) }), "name", "text_too_long").await;
    refused(json!({ "name": "a\nb" }), "name", "text_not_plain").await;
    refused(json!({ "message": " \n " }), "message", "required").await;
    refused(json!({ "message": "x".repeat(4_001) }), "message", "text_too_long").await;
    refused(json!({ "message": "a\u{0}b" }), "message", "text_not_plain").await;
    visitor
        .post("/api/v1/contact/", json!({ "email": "a@b.example", "message": "x", "to": "c" }))
        .await
        .refused(400, "malformed_body");
    assert!(app.emails_to(SUPPORT).await.is_empty());
}

async fn messages_per_network_are_limited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor().from_address("2001:db8::1");
    for _ in 0..5 {
        visitor.post("/api/v1/contact/", message(&visitor).await).await.ok();
    }
    let neighbour = app.visitor().from_address("2001:db8::2");
    let refused = neighbour.post("/api/v1/contact/", message(&neighbour).await).await;
    assert_eq!(refused.headers["retry-after"], "3600");
    refused.refused(429, "too_many_messages");
    let elsewhere = app.visitor().from_address("2001:db8:1::1");
    elsewhere.post("/api/v1/contact/", message(&elsewhere).await).await.ok();
    app.advance_clock(Duration::from_secs(3_601));
    visitor.post("/api/v1/contact/", message(&visitor).await).await.ok();
    assert_eq!(app.emails_to(SUPPORT).await.len(), 7);
}

async fn messages_are_deleted_after_retention(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    visitor.post("/api/v1/contact/", message(&visitor).await).await.ok();
    let count = || async {
        let page = app.operator().await.get("/api/admin/v1/contact-messages").await.ok();
        page["items"].as_array().unwrap().len()
    };
    app.advance_and_run_jobs(Duration::from_secs(179 * 24 * 3_600)).await;
    assert_eq!(count().await, 1);
    app.advance_and_run_jobs(Duration::from_secs(2 * 24 * 3_600)).await;
    assert_eq!(count().await, 0);
}

both_engines!(
    message_is_emailed_with_reply_to,
    each_message_needs_its_own_captcha,
    message_errors_name_the_field,
    messages_per_network_are_limited,
    messages_are_deleted_after_retention,
);
