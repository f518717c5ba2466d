//! Calls to an operator's address.

use agio_plugin::protocol::{Answer, Call, Notice};
use agio_plugin_host::Fault;
use agio_plugin_trial::{Double, Reply, ask, refusal};
use agio_plugin_webhook::Webhook;

const NOW: &str = "2024-03-28T12:00:00Z";
const SECRET: &str = "a secret of some length";

fn notice() -> Call {
    Call::Notify(Notice {
        key: "alert-books-1".to_owned(),
        recipient: None,
        event: "alert_books".to_owned(),
        text: "Книги не сходятся".to_owned(),
        url: None,
    })
}

async fn told(url: &str, secret: &str) -> Result<Answer, Fault> {
    ask(NOW, Webhook, &[("url", url), ("secret", secret)], notice()).await
}

#[tokio::test]
async fn a_call_is_signed_so_that_anybody_with_the_secret_can_tell() {
    let server = Double::telling([Reply::status(204, "")]).await;
    assert_eq!(told(&format!("{}/alerts?room=1", server.origin()), SECRET).await, Ok(Answer::Told));
    let [seen] = server.seen().try_into().unwrap();
    assert_eq!(seen.line, "POST /alerts?room=1");
    let body = r#"{"event":"alert_books","key":"alert-books-1","sentAt":1711627200,"text":"Книги не сходятся","url":null}"#;
    assert_eq!(seen.body, body);
    assert_eq!(seen.header("idempotency-key"), Some("alert-books-1"));
    assert_eq!(seen.header("x-agio-timestamp"), Some("1711627200"));
    // printf 'v1\n1711627200\nalert_books\n%s' "$body" | openssl dgst -sha256 -hmac 'a secret of some length'
    let signature = "v1=1b9537ace004c7bbb3975ed7421b056359730ed83b42699c1bba0a19213cceb5";
    assert_eq!(seen.header("x-agio-signature"), Some(signature));
}

#[tokio::test]
async fn what_is_not_taken_is_tried_again_unless_nobody_listens_there() {
    for (status, later) in [(500, true), (302, true), (404, true), (429, true), (410, false)] {
        let server = Double::telling([Reply::status(status, "")]).await;
        let fault = told(server.origin(), SECRET).await.unwrap_err();
        assert_eq!(refusal(&fault).2, later, "{status}");
    }
    for reply in [Reply::Nothing, Reply::Drip(vec![b' '; 4096]), Reply::Endless, Reply::Huge] {
        let server = Double::telling([reply]).await;
        assert!(refusal(&told(server.origin(), SECRET).await.unwrap_err()).2);
    }
}

#[tokio::test]
async fn a_short_secret_signs_nothing() {
    let server = Double::telling([Reply::ok("")]).await;
    let fault = told(server.origin(), "short").await.unwrap_err();
    assert_eq!((refusal(&fault).0, server.seen().len()), ("bad_secret", 0));
}
