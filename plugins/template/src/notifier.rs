//! A notifier: tells somebody something by a call to the address an operator set.

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Field, FieldKind, Host, HttpRequest, Kind, Manifest, Method, Notice, Question, Refusal, Step, Words,
};
use agio_plugin::serde_json::json;

/// The plugin.
pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, title| Field { name: name.to_owned(), kind, title, default: None };
        Manifest {
            hosts: vec![Host::Setting { setting: "url".to_owned(), methods: vec![Method::Post] }],
            settings: vec![
                field("url", FieldKind::Url, Words::new("Адрес", "Address")),
                field("token", FieldKind::Secret, Words::new("Ключ доступа", "Access key")),
            ],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                Kind::Notifier,
                Words::new("Пример", "Example"),
                Words::new("Сообщения на адрес, который задан в настройках.", "Messages to the address in the settings."),
            )
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Call::Notify(notice) = &question.call else {
            return Step::Refused(Refusal::never("not_mine", "this only tells people something"));
        };
        match question.reply() {
            None => Step::first(Action::Http(message(question, notice))),
            Some(Ok(_)) => Step::Done(Answer::Told),
            Some(Err(refusal)) => Step::Refused(refusal),
        }
    }
}

/// The key goes along, so that the other side can tell a repetition from a second message.
fn message(question: &Question, notice: &Notice) -> HttpRequest {
    let body = json!({ "key": notice.key, "to": notice.recipient, "text": notice.text, "url": notice.url });
    HttpRequest::post_json(question.setting("url"), &body)
        .header("authorization", format!("Bearer {}", question.setting("token")))
}

#[cfg(test)]
mod tests {
    use agio_plugin::harness::Harness;

    use super::*;

    fn harness() -> Harness<Example> {
        Harness::new(Example).set("url", "https://chat.example.com/hook").set("token", "secret")
    }

    fn notice() -> Call {
        let text = |text: &str| text.to_owned();
        Call::Notify(Notice { key: text("7"), recipient: None, event: text("books_differ"), text: text("Look!"), url: None })
    }

    #[test]
    fn a_message_is_sent_once() {
        let mut harness = harness().reply(204, "");
        assert_eq!(harness.ask(notice()), Ok(Answer::Told));
        let [request] = harness.requests() else { panic!("{:?}", harness.requests()) };
        assert_eq!(request.url, "https://chat.example.com/hook");
        assert!(request.headers.contains(&("authorization".to_owned(), "Bearer secret".to_owned())));
    }

    #[test]
    fn a_message_that_was_not_taken_is_tried_again_later() {
        assert!(harness().reply(503, "").ask(notice()).unwrap_err().later);
        assert!(harness().unreached(true).ask(notice()).unwrap_err().later);
    }
}
