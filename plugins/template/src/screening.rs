//! A screening service: queries the risk of incoming payments.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, LocalizedText, Manifest, PluginKind,
    PluginRequest, PluginResponse, PluginSetting, PluginSettingKind, Risk, ScreeningRequest, ScreeningResult,
};
use agio_plugin_sdk::serde_json::{Value, json};

/// Where the service is.
const ORIGIN: &str = "https://api.example.com";

pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        let title = LocalizedText::new("Ключ доступа", "Access key");
        Manifest {
            hosts: vec![AllowedHost::Origin { origin: ORIGIN.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![PluginSetting { name: "token".to_owned(), kind: PluginSettingKind::Secret, title, default: None }],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                PluginKind::Screening,
                LocalizedText::new("Пример", "Example"),
                LocalizedText::new("Проверка происхождения монет.", "Where coins come from."),
            )
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        let Call::Screen(screening) = &input.call else {
            return PluginResponse::Failed(CallError::permanent("not_mine", "this only screens money"));
        };
        match input.reply() {
            None => PluginResponse::action(Action::Http(request(input, screening))),
            Some(reply) => match reply.and_then(|reply| verdict(&reply.json()?)) {
                Ok(verdict) => PluginResponse::Done(CallResult::Screening(verdict)),
                Err(error) => PluginResponse::Failed(error),
            },
        }
    }
}

/// The key makes the second request for the same money the first one again.
fn request(input: &PluginRequest, screening: &ScreeningRequest) -> HttpRequest {
    let ScreeningRequest { key, currency, tx_id, address, amount } = screening;
    let body = json!({ "key": key, "asset": currency, "tx": tx_id, "address": address, "amount": amount.to_string() });
    HttpRequest::post_json(format!("{ORIGIN}/v1/checks"), &body)
        .header("authorization", format!("Bearer {}", input.setting("token")))
}

/// Reads `{"status": "done", "risk": "low", "score": "1.5", "signals": ["exchange 90 %"], "report": "https://..."}`.
fn verdict(reply: &Value) -> Result<ScreeningResult, CallError> {
    let text = |name: &str| reply[name].as_str().map(str::to_owned);
    let risk = match (reply["status"].as_str(), reply["risk"].as_str()) {
        (Some("pending"), _) => Risk::Pending,
        (Some("done"), Some("low")) => Risk::Low,
        // An unknown value must not let the payment pass.
        (Some("done"), Some(_)) => Risk::High,
        _ => return Err(CallError::permanent("unreadable", "the reply has no verdict")),
    };
    let signals = reply["signals"].as_array().into_iter().flatten().filter_map(|signal| signal.as_str().map(str::to_owned));
    Ok(ScreeningResult { risk, score: text("score"), signals: signals.collect(), report: text("report") })
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::Decimal;
    use agio_plugin_sdk::harness::Harness;

    use super::*;

    fn screened(status: u16, reply: &str) -> Result<Risk, CallError> {
        let text = |text: &str| text.to_owned();
        let screening = ScreeningRequest {
            key: text("1"),
            currency: text("BTC"),
            tx_id: text("t"),
            address: text("a"),
            amount: Decimal::ONE,
        };
        match Harness::new(Example).set("token", "secret").reply(status, reply).call(Call::Screen(screening))? {
            CallResult::Screening(verdict) => Ok(verdict.risk),
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
