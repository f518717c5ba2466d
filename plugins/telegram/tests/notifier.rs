//! Telegram, written to over the network.

use agio_plugin_runtime::{PluginError, PluginErrorReason};
use agio_plugin_sdk::protocol::{Call, CallResult, Notification};
use agio_plugin_telegram::Telegram;
use agio_plugin_test::{FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin};

const NOW: &str = "2024-03-28T12:00:00Z";
const TOKEN: &str = "123456:AAE-secret_9";
const SENT: &str = r#"{"ok":true,"result":{"message_id":1,"date":1711627200,"text":"x"}}"#;

fn notice() -> Call {
    Call::Notify(Notification {
        key: "alert-books-1".to_owned(),
        recipient: None,
        event: "alert_books".to_owned(),
        text: "Книги не сходятся <b>&</b> *совсем*".to_owned(),
        url: Some("https://obmen.example/admin/".to_owned()),
    })
}

async fn notify(reply: FakeResponse) -> Result<CallResult, PluginError> {
    let server = FakeServer::start([reply]).await;
    call_plugin(NOW, Telegram::at(server.origin()), &[("token", TOKEN), ("chat", "-100500")], notice()).await
}

#[tokio::test]
async fn a_message_is_sent_without_markup() {
    let server = FakeServer::start([FakeResponse::ok(SENT)]).await;
    let set = [("token", TOKEN), ("chat", "-100500")];
    assert_eq!(call_plugin(NOW, Telegram::at(server.origin()), &set, notice()).await, Ok(CallResult::Notified));
    let [request] = server.received().try_into().unwrap();
    assert_eq!(request.line, format!("POST /bot{TOKEN}/sendMessage"));
    let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    let text = "Книги не сходятся <b>&</b> *совсем*\n\nhttps://obmen.example/admin/";
    assert_eq!((body["chat_id"].as_str(), body["text"].as_str()), (Some("-100500"), Some(text)));
    assert!(body.get("parse_mode").is_none());
}

#[tokio::test]
async fn failures_say_whether_to_try_again_and_never_the_token() {
    let busy =
        r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 17","parameters":{"retry_after":17}}"#;
    let fault = notify(FakeResponse::status(429, busy)).await.unwrap_err();
    let (code, why, later) = call_error(&fault);
    assert!(code == "too_many" && later && why.ends_with("retry after 17 seconds"), "{why}");
    for status in [400, 401, 403, 404] {
        let body = format!(r#"{{"ok":false,"error_code":{status},"description":"no such bot{TOKEN}"}}"#);
        let fault = notify(FakeResponse::status(status, body)).await.unwrap_err();
        let (_, why, later) = call_error(&fault);
        assert!(!later && why.ends_with("no such bot***"), "{status}: {why}");
    }
    for reply in [
        FakeResponse::status(502, "<html>"),
        FakeResponse::status(500, ""),
        FakeResponse::ok(r#"{"ok":false}"#),
        FakeResponse::ok("<html>"),
    ] {
        assert!(call_error(&notify(reply).await.unwrap_err()).2, "it may be over soon");
    }
}

#[tokio::test]
async fn a_token_that_is_none_leads_nowhere() {
    let server = FakeServer::start([FakeResponse::ok(SENT)]).await;
    for token in ["", "secret token", "1:a/../../2:b", "1:a#"] {
        let fault =
            call_plugin(NOW, Telegram::at(server.origin()), &[("token", token), ("chat", "1")], notice()).await.unwrap_err();
        assert!(
            matches!(&fault.reason, PluginErrorReason::CallFailed { code, why, .. } if code == "bad_token" && !why.contains("secret"))
        );
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn failures_are_not_reported_as_delivered() {
    let set = |_: &str| vec![("token", TOKEN.to_owned()), ("chat", "1".to_owned())];
    assert_handles_bad_responses(NOW, Telegram::at, set, notice(), SENT.as_bytes(), TOKEN).await;
}
