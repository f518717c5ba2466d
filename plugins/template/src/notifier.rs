//! A notifier: delivers notifications with an HTTP request to the operator's URL.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, LocalizedText, Manifest, Notification, PluginKind,
    PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
};
use agio_plugin_sdk::serde_json::json;

pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, title| PluginSetting { name: name.to_owned(), kind, title, default: None };
        Manifest {
            hosts: vec![AllowedHost::Setting { setting: "url".to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![
                field("url", PluginSettingKind::Url, LocalizedText::new("Адрес", "Address")),
                field("token", PluginSettingKind::Secret, LocalizedText::new("Ключ доступа", "Access key")),
            ],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                PluginKind::Notifier,
                LocalizedText::new("Пример", "Example"),
                LocalizedText::new("Сообщения на адрес, который задан в настройках.", "Messages to the address in the settings."),
            )
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        let Call::Notify(notice) = &input.call else {
            return PluginResponse::Failed(CallError::permanent("not_mine", "only notifications are supported"));
        };
        match input.reply() {
            None => PluginResponse::action(Action::Http(message(input, notice))),
            Some(Ok(_)) => PluginResponse::Done(CallResult::Notified),
            Some(Err(error)) => PluginResponse::Failed(error),
        }
    }
}

/// The key lets the other side detect duplicates.
fn message(input: &PluginRequest, notice: &Notification) -> HttpRequest {
    let body = json!({ "key": notice.key, "to": notice.recipient, "text": notice.text, "url": notice.url });
    HttpRequest::post_json(input.setting("url"), &body).header("authorization", format!("Bearer {}", input.setting("token")))
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::harness::Harness;

    use super::*;

    fn harness() -> Harness<Example> {
        Harness::new(Example).set("url", "https://chat.example.com/hook").set("token", "secret")
    }

    fn notice() -> Call {
        let text = |text: &str| text.to_owned();
        Call::Notify(Notification {
            key: text("7"),
            recipient: None,
            event: text("books_differ"),
            text: text("Look!"),
            url: None,
        })
    }

    #[test]
    fn a_message_is_sent_once() {
        let mut harness = harness().reply(204, "");
        assert_eq!(harness.call(notice()), Ok(CallResult::Notified));
        let [request] = harness.requests() else { panic!("{:?}", harness.requests()) };
        assert_eq!(request.url, "https://chat.example.com/hook");
        assert!(request.headers.contains(&("authorization".to_owned(), "Bearer secret".to_owned())));
    }

    #[test]
    fn a_message_that_was_not_taken_is_tried_again_later() {
        assert!(harness().reply(503, "").call(notice()).unwrap_err().later);
        assert!(harness().failure(true).call(notice()).unwrap_err().later);
    }
}
