//! Visitors write to support.

use std::time::Duration;

use agio_testkit::{Caller, Customer, Engine, House, both_engines};
use serde_json::{Value, json};

use crate::people::solved;

const SUPPORT: &str = "support@example.com";

async fn message(caller: &Caller) -> Value {
    json!({ "name": "Иван", "email": "ivan@example.com", "message": "Где мой перевод?\n\nЗаявка 1024 <b>", "recaptcha": solved(caller).await })
}

async fn a_message_reaches_support_and_is_answered_to_its_writer(engine: Engine) {
    let house = House::open(engine).await;
    let visitor = house.customer().from_address("203.0.113.7");
    let taken = visitor.post("/api/v1/contact/", message(&visitor).await).await;
    assert_eq!(taken.status, 201);
    let letters = house.mail_to(SUPPORT).await;
    assert_eq!((letters.len(), letters[0].kind.as_str()), (1, "contact_message"));
    assert_eq!(letters[0].subject, "Вопрос от Иван");
    assert!(letters[0].text.contains("> Где мой перевод?\n\n> Заявка 1024 <b>\n"), "{}", letters[0].text);
    assert!(letters[0].html.contains("Заявка 1024 &lt;b&gt;") && !letters[0].html.contains("<b>"));
    let kept = house.app.mailbox.newest(1).await.unwrap();
    assert_eq!(kept[0].mail.reply_to, "ivan@example.com");

    let anna = Customer::at(&house, "anna@example.com").await;
    let english = json!({ "email": " Anna@Example.com ", "message": "Hello", "recaptcha": solved(&anna.caller).await });
    anna.caller.post("/en/api/v1/contact/", english).await.ok();
    assert_eq!(house.mail_to(SUPPORT).await[1].subject, "Question from Anna@example.com");
    let operator = house.operator().await;
    let page = operator.get("/api/admin/v1/contact-messages?size=1").await.ok();
    assert_eq!((&page["items"][0]["message"], &page["items"][0]["locale"]), (&json!("Hello"), &json!("en")));
    assert!(page["items"][0]["customerId"].is_string());
    let next = page["nextCursor"].as_str().unwrap();
    let rest = operator.get(&format!("/api/admin/v1/contact-messages?cursor={next}")).await.ok();
    assert_eq!((&rest["items"][0]["name"], &rest["nextCursor"]), (&json!("Иван"), &json!(null)));
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    operator.get("/api/admin/v1/contact-messages?cursor=x").await.refused(422, "validation_failed");
}

async fn a_message_needs_an_answer_of_its_own(engine: Engine) {
    let house = House::open(engine).await;
    let visitor = house.customer();
    let mut new = message(&visitor).await;
    visitor.post_once("/api/v1/contact/", "message-1", new.clone()).await.ok();
    visitor.post("/api/v1/contact/", new.clone()).await.refused(422, "captcha_invalid");
    // The same message sent again with its key is the same message.
    visitor.post_once("/api/v1/contact/", "message-1", new.clone()).await.ok();
    let mut other = new.clone();
    other["message"] = "Другое".into();
    visitor.post_once("/api/v1/contact/", "message-1", other).await.refused(422, "idempotency_mismatch");
    new.as_object_mut().unwrap().remove("recaptcha");
    visitor.post("/api/v1/contact/", new.clone()).await.refused(422, "captcha_required");
    new["recaptcha"] = "".into();
    visitor.post("/api/v1/contact/", new.clone()).await.refused(422, "captcha_required");
    new["recaptcha"] = "eyJ9".into();
    visitor.post("/api/v1/contact/", new).await.refused(422, "captcha_invalid");
    assert_eq!(house.mail_to(SUPPORT).await.len(), 1);
}

async fn a_bad_message_is_refused_with_its_field(engine: Engine) {
    let house = House::open(engine).await;
    let visitor = house.customer();
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
    assert!(house.mail_to(SUPPORT).await.is_empty());
}

async fn one_address_does_not_flood_support(engine: Engine) {
    let house = House::open(engine).await;
    let visitor = house.customer().from_address("2001:db8::1");
    for _ in 0..5 {
        visitor.post("/api/v1/contact/", message(&visitor).await).await.ok();
    }
    let neighbour = house.customer().from_address("2001:db8::2");
    let refused = neighbour.post("/api/v1/contact/", message(&neighbour).await).await;
    assert_eq!(refused.headers["retry-after"], "3600");
    refused.refused(429, "too_many_messages");
    let elsewhere = house.customer().from_address("2001:db8:1::1");
    elsewhere.post("/api/v1/contact/", message(&elsewhere).await).await.ok();
    house.wait(Duration::from_secs(3_601));
    visitor.post("/api/v1/contact/", message(&visitor).await).await.ok();
    assert_eq!(house.mail_to(SUPPORT).await.len(), 7);
}

async fn messages_are_deleted_when_their_time_is_over(engine: Engine) {
    let house = House::open(engine).await;
    let visitor = house.customer();
    visitor.post("/api/v1/contact/", message(&visitor).await).await.ok();
    let count = || async {
        let page = house.operator().await.get("/api/admin/v1/contact-messages").await.ok();
        page["items"].as_array().unwrap().len()
    };
    house.later(Duration::from_secs(179 * 24 * 3_600)).await;
    assert_eq!(count().await, 1);
    house.later(Duration::from_secs(2 * 24 * 3_600)).await;
    assert_eq!(count().await, 0);
}

both_engines!(
    a_message_reaches_support_and_is_answered_to_its_writer,
    a_message_needs_an_answer_of_its_own,
    a_bad_message_is_refused_with_its_field,
    one_address_does_not_flood_support,
    messages_are_deleted_when_their_time_is_over,
);
