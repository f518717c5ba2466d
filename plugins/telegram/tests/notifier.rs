//! Telegram over the network: messages, and chats that customers start.

use agio_plugin_runtime::{PluginError, PluginErrorReason};
use agio_plugin_sdk::protocol::{Call, CallResult, Notification, StartedChat, StartedChats};
use agio_plugin_telegram::Telegram;
use agio_plugin_test::{FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin};
use serde_json::json;

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

async fn call_bot(call: Call, reply: FakeResponse) -> (Result<CallResult, PluginError>, Vec<String>) {
    let server = FakeServer::start([reply]).await;
    let outcome = call_plugin(NOW, Telegram::at(server.origin()), &[("token", TOKEN), ("chat", "")], call).await;
    (outcome, server.received().into_iter().map(|request| format!("{} {}", request.line, request.body)).collect())
}

#[tokio::test]
async fn a_link_starts_a_chat_with_the_bot() {
    let link = Call::ChatLink { code: "c0de".to_owned() };
    let bot = r#"{"ok":true,"result":{"id":123456,"is_bot":true,"first_name":"Agio","username":"agio_bot"}}"#;
    let (outcome, asked) = call_bot(link.clone(), FakeResponse::ok(bot)).await;
    assert_eq!(outcome, Ok(CallResult::ChatLink("https://t.me/agio_bot?start=c0de".to_owned())));
    assert_eq!(asked, [format!("POST /bot{TOKEN}/getMe {{}}")]);
    for name in ["", "agio/../bot", "agio bot", "агио"] {
        let bot = json!({ "ok": true, "result": { "username": name } }).to_string();
        let (outcome, _) = call_bot(link.clone(), FakeResponse::ok(bot)).await;
        assert_eq!(call_error(&outcome.unwrap_err()).0, "unreadable", "{name}");
    }
}

#[tokio::test]
async fn chats_are_those_of_people_who_followed_a_link() {
    let message = |number: i64, chat: i64, kind: &str, text: &str| {
        let message = json!({ "message_id": 1, "date": 1, "chat": { "id": chat, "type": kind }, "text": text });
        json!({ "update_id": number, "message": message })
    };
    let updates = json!({ "ok": true, "result": [
        message(70, 5_550_001_112, "private", "/start c0de"),
        message(71, -100_500, "supergroup", "/start c0de"),
        message(72, 3, "private", "/start"),
        message(73, 3, "private", "hello"),
        { "update_id": 74, "message": { "message_id": 2, "date": 1, "chat": { "id": 4, "type": "private" }, "photo": [] } },
        { "update_id": 75, "edited_message": {} },
    ] });
    let asked = |cursor: Option<&str>| Call::StartedChats { cursor: cursor.map(str::to_owned) };
    let (outcome, sent) = call_bot(asked(None), FakeResponse::ok(updates.to_string())).await;
    let chats = vec![StartedChat { code: "c0de".to_owned(), recipient: "5550001112".to_owned() }];
    assert_eq!(outcome, Ok(CallResult::StartedChats(StartedChats { chats, cursor: Some("123456:76".to_owned()) })));
    assert!(
        sent[0].contains("/getUpdates ") && sent[0].contains("\"offset\":0") && sent[0].contains("\"timeout\":0"),
        "{sent:?}"
    );

    let (outcome, sent) = call_bot(asked(Some("123456:76")), FakeResponse::ok(r#"{"ok":true,"result":[]}"#)).await;
    let nothing = StartedChats { chats: Vec::new(), cursor: Some("123456:76".to_owned()) };
    assert_eq!(outcome, Ok(CallResult::StartedChats(nothing)), "it goes on where it was");
    assert!(sent[0].contains("\"offset\":76"), "{sent:?}");
    let (_, sent) = call_bot(asked(Some("654321:76")), FakeResponse::ok(r#"{"ok":true,"result":[]}"#)).await;
    assert!(sent[0].contains("\"offset\":0"), "the owner has changed the bot: {sent:?}");

    let (outcome, _) = call_bot(asked(None), FakeResponse::ok(r#"{"ok":true,"result":[{}]}"#)).await;
    assert_eq!(call_error(&outcome.unwrap_err()).0, "unreadable");
    let webhook =
        r#"{"ok":false,"error_code":409,"description":"Conflict: can't use getUpdates method while webhook is active"}"#;
    let (outcome, _) = call_bot(asked(None), FakeResponse::status(409, webhook)).await;
    assert!(outcome.unwrap_err().to_string().contains("webhook is active"), "the owner can read why");
}

#[tokio::test]
async fn a_customer_who_blocks_the_bot_is_gone() {
    let to_customer = Call::Notify(Notification {
        key: "1".to_owned(),
        recipient: Some("5550001112".to_owned()),
        event: "claim_completed".to_owned(),
        text: "Заявка выполнена".to_owned(),
        url: None,
    });
    let blocked = r#"{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}"#;
    let (outcome, sent) = call_bot(to_customer, FakeResponse::status(403, blocked)).await;
    assert_eq!(call_error(&outcome.unwrap_err()).0, "recipient_gone");
    assert!(sent[0].contains("\"chat_id\":\"5550001112\""), "{sent:?}");
}
