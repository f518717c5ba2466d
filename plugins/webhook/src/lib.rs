//! Messages to staff by calls to an address an operator names: a script of theirs, a bridge to a messenger, a pager.
//!
//! A call is a signed POST of JSON: `x-agio-signature` is `v1=` and the HMAC-SHA256, in hexadecimal, over the lines `v1`, the
//! time, the event and the body, keyed with the secret. Whoever is called should look at the signature and at the time, and take one `idempotency-key`
//! once.

use std::fmt::Write as _;

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Field, FieldKind, Host, HttpRequest, Kind, Limits, Manifest, Method, Notice, Outcome, Question,
    Refusal, Step, Words,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::json;
use sha2::Sha256;

/// The settings with the address and the secret.
const URL: &str = "url";
const SECRET: &str = "secret";

/// The shortest secret, in bytes: a shorter one can be guessed from a call.
const SECRET_MIN: usize = 16;

/// A call to an address of the operator's.
#[derive(Default)]
pub struct Webhook;

#[cfg(feature = "library")]
agio_plugin::export!(Webhook);

impl Plugin for Webhook {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, ru, en| Field { name: name.to_owned(), kind, title: Words::new(ru, en), default: None };
        Manifest {
            name: "webhook".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Notifier,
            title: Words::new("Вебхук", "Webhook"),
            about: Words::new(
                "Передаёт сообщения для сотрудников по вашему адресу: скрипту, мосту в мессенджер, дежурной системе.",
                "Hands messages for staff to an address of yours: a script, a bridge to a messenger, a pager.",
            ),
            hosts: vec![Host::Setting { setting: URL.to_owned(), methods: vec![Method::Post] }],
            settings: vec![
                field(URL, FieldKind::Url, "Адрес", "Address"),
                field(
                    SECRET,
                    FieldKind::Secret,
                    "Секрет подписи, не короче 16 знаков",
                    "Secret of the signature, at least 16 characters",
                ),
            ],
            limits: Limits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        answer(question).unwrap_or_else(Step::Refused)
    }
}

fn answer(question: &Question) -> Result<Step, Refusal> {
    let Call::Notify(notice) = &question.call else {
        return Err(Refusal::never("not_asked", "this plugin does not answer such questions"));
    };
    let status = match question.outcomes.first() {
        None => return call(notice, question).map(|request| Step::first(Action::Http(request))),
        Some(Outcome::Http(reply)) => reply.status,
        Some(Outcome::Unreached(unreached)) => return Err(Refusal::later("unreachable", unreached.why.clone())),
        Some(Outcome::Kept) => return Err(Refusal::never("unasked", "a value was kept that nobody wanted kept")),
    };
    match status {
        200..=299 => Ok(Step::Done(Answer::Told)),
        // Whoever is there says that nobody will ever listen there again.
        410 => Err(Refusal::never("gone", "answered 410")),
        status => Err(Refusal::later("refused", format!("answered {status}"))),
    }
}

fn call(notice: &Notice, question: &Question) -> Result<HttpRequest, Refusal> {
    let secret = question.setting(SECRET);
    if secret.len() < SECRET_MIN {
        return Err(Refusal::never("bad_secret", "the secret is shorter than 16 characters"));
    }
    let seconds = question.now.div_euclid(1_000_000);
    let body = json!({ "key": notice.key, "event": notice.event, "text": notice.text, "url": notice.url, "sentAt": seconds });
    let signature = signature(secret, seconds, &notice.event, &body.to_string());
    Ok(HttpRequest::post_json(question.setting(URL), &body)
        .header("idempotency-key", notice.key.as_str())
        .header("x-agio-event", notice.event.as_str())
        .header("x-agio-timestamp", seconds.to_string())
        .header("x-agio-signature", signature))
}

fn signature(secret: &str, seconds: i64, event: &str, body: &str) -> String {
    let signed = format!("v1\n{seconds}\n{event}\n{body}");
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any bytes are a key").chain_update(signed);
    mac.finalize().into_bytes().iter().fold("v1=".to_owned(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}
