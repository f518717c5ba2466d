//! Calls to an operator's address.

use agio_plugin_runtime::PluginError;
use agio_plugin_sdk::protocol::{Call, CallResult, Notification};
use agio_plugin_test::{FakeResponse, FakeServer, call_error, call_plugin};
use agio_plugin_webhook::Webhook;

const NOW: &str = "2024-03-28T12:00:00Z";
const SECRET: &str = "a secret of some length";

fn notice() -> Call {
    Call::Notify(Notification {
        key: "alert-books-1".to_owned(),
        recipient: None,
        event: "alert_books".to_owned(),
        text: "Книги не сходятся".to_owned(),
        url: None,
    })
}

async fn notify(url: &str, secret: &str) -> Result<CallResult, PluginError> {
    call_plugin(NOW, Webhook, &[("url", url), ("secret", secret)], notice()).await
}

#[tokio::test]
async fn a_call_is_signed_so_that_anybody_with_the_secret_can_tell() {
    let server = FakeServer::start([FakeResponse::status(204, "")]).await;
    assert_eq!(notify(&format!("{}/alerts?channel=1", server.origin()), SECRET).await, Ok(CallResult::Notified));
    let [request] = server.received().try_into().unwrap();
    assert_eq!(request.line, "POST /alerts?channel=1");
    let body = r#"{"event":"alert_books","key":"alert-books-1","sentAt":1711627200,"text":"Книги не сходятся","url":null}"#;
    assert_eq!(request.body, body);
    assert_eq!(request.header("idempotency-key"), Some("alert-books-1"));
    assert_eq!(request.header("x-agio-timestamp"), Some("1711627200"));
    // printf 'v1\n1711627200\nalert_books\n%s' "$body" | openssl dgst -sha256 -hmac 'a secret of some length'
    let signature = "v1=1b9537ace004c7bbb3975ed7421b056359730ed83b42699c1bba0a19213cceb5";
    assert_eq!(request.header("x-agio-signature"), Some(signature));
}

#[tokio::test]
async fn failed_deliveries_are_retried_unless_the_endpoint_is_gone() {
    for (status, later) in [(500, true), (302, true), (404, true), (429, true), (410, false)] {
        let server = FakeServer::start([FakeResponse::status(status, "")]).await;
        let fault = notify(server.origin(), SECRET).await.unwrap_err();
        assert_eq!(call_error(&fault).2, later, "{status}");
    }
    for reply in [FakeResponse::Close, FakeResponse::Drip(vec![b' '; 4096]), FakeResponse::Endless, FakeResponse::Huge] {
        let server = FakeServer::start([reply]).await;
        assert!(call_error(&notify(server.origin(), SECRET).await.unwrap_err()).2);
    }
}

#[tokio::test]
async fn a_short_secret_signs_nothing() {
    let server = FakeServer::start([FakeResponse::ok("")]).await;
    let fault = notify(server.origin(), "short").await.unwrap_err();
    assert_eq!((call_error(&fault).0, server.received().len()), ("bad_secret", 0));
}
