//! A screening service: asks what is known of where money comes from.

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Field, FieldKind, Host, HttpRequest, Kind, Manifest, Method, Question, Refusal, Risk, Screening, Step,
    Verdict, Words,
};
use agio_plugin::serde_json::{Value, json};

/// Where the service is.
const ORIGIN: &str = "https://api.example.com";

/// The plugin.
pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        let title = Words::new("Ключ доступа", "Access key");
        Manifest {
            hosts: vec![Host::Origin { origin: ORIGIN.to_owned(), methods: vec![Method::Post] }],
            settings: vec![Field { name: "token".to_owned(), kind: FieldKind::Secret, title, default: None }],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                Kind::Screening,
                Words::new("Пример", "Example"),
                Words::new("Проверка происхождения монет.", "Where coins come from."),
            )
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Call::Screen(screening) = &question.call else {
            return Step::Refused(Refusal::never("not_mine", "this only screens money"));
        };
        match question.reply() {
            None => Step::first(Action::Http(request(question, screening))),
            Some(reply) => match reply.and_then(|reply| verdict(&reply.json()?)) {
                Ok(verdict) => Step::Done(Answer::Verdict(verdict)),
                Err(refusal) => Step::Refused(refusal),
            },
        }
    }
}

/// The key makes the second request for the same money the first one again.
fn request(question: &Question, screening: &Screening) -> HttpRequest {
    let Screening { key, currency, tx_id, address, amount } = screening;
    let body = json!({ "key": key, "asset": currency, "tx": tx_id, "address": address, "amount": amount.to_string() });
    HttpRequest::post_json(format!("{ORIGIN}/v1/checks"), &body)
        .header("authorization", format!("Bearer {}", question.setting("token")))
}

/// Reads `{"status": "done", "risk": "low", "score": "1.5", "signals": ["exchange 90 %"], "report": "https://..."}`.
fn verdict(reply: &Value) -> Result<Verdict, Refusal> {
    let text = |name: &str| reply[name].as_str().map(str::to_owned);
    let risk = match (reply["status"].as_str(), reply["risk"].as_str()) {
        (Some("pending"), _) => Risk::Pending,
        (Some("done"), Some("low")) => Risk::Low,
        // A word nobody here knows is no reason to let money through.
        (Some("done"), Some(_)) => Risk::High,
        _ => return Err(Refusal::never("unreadable", "the reply has no verdict")),
    };
    let signals = reply["signals"].as_array().into_iter().flatten().filter_map(|signal| signal.as_str().map(str::to_owned));
    Ok(Verdict { risk, score: text("score"), signals: signals.collect(), report: text("report") })
}

#[cfg(test)]
mod tests {
    use agio_plugin::Decimal;
    use agio_plugin::harness::Harness;

    use super::*;

    fn screened(status: u16, reply: &str) -> Result<Risk, Refusal> {
        let text = |text: &str| text.to_owned();
        let screening =
            Screening { key: text("1"), currency: text("BTC"), tx_id: text("t"), address: text("a"), amount: Decimal::ONE };
        match Harness::new(Example).set("token", "secret").reply(status, reply).ask(Call::Screen(screening))? {
            Answer::Verdict(verdict) => Ok(verdict.risk),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_not_known_to_be_good_is_looked_at() {
        assert_eq!(screened(200, r#"{"status": "done", "risk": "low"}"#), Ok(Risk::Low));
        assert_eq!(screened(200, r#"{"status": "done", "risk": "odd"}"#), Ok(Risk::High));
        assert_eq!(screened(202, r#"{"status": "pending"}"#), Ok(Risk::Pending));
        screened(200, "{}").unwrap_err();
        assert!(screened(502, "").unwrap_err().later);
    }
}
