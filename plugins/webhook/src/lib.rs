//! Staff alerts as HTTP requests to the operator's URL: a script, a bridge to a messenger, a pager.
//!
//! The request is a signed POST of JSON: `x-agio-signature` is `v1=` and the hexadecimal HMAC-SHA256 of the lines `v1`, time, event and body,
//! with the secret as key. The receiver should verify the signature and the time, and process each `idempotency-key` once.

use std::fmt::Write as _;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, ActionResult, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, LocalizedText, Manifest,
    Notification, PluginKind, PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
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
agio_plugin_sdk::export!(Webhook);

impl Plugin for Webhook {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, ru, en| PluginSetting {
            name: name.to_owned(),
            kind,
            title: LocalizedText::new(ru, en),
            default: None,
        };
        Manifest {
            name: "webhook".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: PluginKind::Notifier,
            title: LocalizedText::new("Вебхук", "Webhook"),
            about: LocalizedText::new(
                "Передаёт сообщения для сотрудников по вашему адресу: скрипту, мосту в мессенджер, дежурной системе.",
                "Hands messages for staff to an address of yours: a script, a bridge to a messenger, a pager.",
            ),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![
                field(URL, PluginSettingKind::Url, "Адрес", "Address"),
                field(
                    SECRET,
                    PluginSettingKind::Secret,
                    "Секрет подписи, не короче 16 знаков",
                    "Secret of the signature, at least 16 characters",
                ),
            ],
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        answer(input).unwrap_or_else(PluginResponse::Failed)
    }
}

fn answer(input: &PluginRequest) -> Result<PluginResponse, CallError> {
    let Call::Notify(notice) = &input.call else {
        return Err(CallError::permanent("not_asked", "this plugin does not support the call"));
    };
    let status = match input.outcomes.first() {
        None => return call(notice, input).map(|request| PluginResponse::action(Action::Http(request))),
        Some(ActionResult::Http(reply)) => reply.status,
        Some(ActionResult::HttpFailure(unreached)) => return Err(CallError::temporary("unreachable", unreached.why.clone())),
        Some(ActionResult::Stored) => return Err(CallError::permanent("unasked", "unexpected result of a store action")),
    };
    match status {
        200..=299 => Ok(PluginResponse::Done(CallResult::Notified)),
        // 410 Gone: the endpoint is permanently removed.
        410 => Err(CallError::permanent("gone", "answered 410")),
        status => Err(CallError::temporary("refused", format!("answered {status}"))),
    }
}

fn call(notice: &Notification, input: &PluginRequest) -> Result<HttpRequest, CallError> {
    let secret = input.setting(SECRET);
    if secret.len() < SECRET_MIN {
        return Err(CallError::permanent("bad_secret", "the secret is shorter than 16 characters"));
    }
    let seconds = input.now.div_euclid(1_000_000);
    let body = json!({ "key": notice.key, "event": notice.event, "text": notice.text, "url": notice.url, "sentAt": seconds });
    let signature = signature(secret, seconds, &notice.event, &body.to_string());
    Ok(HttpRequest::post_json(input.setting(URL), &body)
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
