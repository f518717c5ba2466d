//! A payment driver: watches a network and sends payouts through the operator's gateway.
//!
//! A payout has our key, and the gateway sends once per key. When the state is uncertain, the driver queries the key again and never sends a
//! second time.

use agio_plugin_sdk::protocol::{
    Action, AllowedHost, Call, CallError, CallResult, DepositAddress, HttpMethod, HttpRequest, HttpResponse, LocalizedText,
    Manifest, Movement, Movements, PayoutState, PluginKind, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
};
use agio_plugin_sdk::serde_json::{Value, json};
use agio_plugin_sdk::{Decimal, Plugin};

pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        let title = LocalizedText::new("Адрес шлюза", "Address of the gateway");
        let default = Some("http://127.0.0.1:8080".to_owned());
        Manifest {
            hosts: vec![AllowedHost::Setting { setting: "url".to_owned(), methods: vec![HttpMethod::Get, HttpMethod::Post] }],
            settings: vec![PluginSetting { name: "url".to_owned(), kind: PluginSettingKind::Url, title, default }],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                PluginKind::Payments,
                LocalizedText::new("Пример", "Example"),
                LocalizedText::new("Платежи через собственный шлюз.", "Payments by a gateway of one's own."),
            )
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        let Some(request) = request(input) else {
            return PluginResponse::Failed(CallError::permanent("not_mine", "only payments are supported"));
        };
        let Some(reply) = input.reply() else {
            return PluginResponse::action(Action::Http(request));
        };
        match reply.and_then(|reply| answer(&input.call, reply)) {
            Ok(answer) => PluginResponse::Done(answer),
            Err(error) => PluginResponse::Failed(error),
        }
    }
}

/// The request to the gateway.
fn request(input: &PluginRequest) -> Option<HttpRequest> {
    let url = |path: String| format!("{}{path}", input.setting("url").trim_end_matches('/'));
    Some(match &input.call {
        Call::Addresses { requests } => HttpRequest::post_json(url("/addresses".to_owned()), &json!(requests)),
        Call::Watch(watch) => {
            let since = watch.cursor.as_deref().unwrap_or("0");
            let (currency, confirmations) = (&watch.currency, watch.confirmations);
            HttpRequest::get(url(format!("/movements?currency={currency}&since={since}&confirmations={confirmations}")))
        }
        Call::SendPayout(payout) => HttpRequest::post_json(url("/payouts".to_owned()), &json!(payout)),
        Call::PayoutStatus(payout) => HttpRequest::get(url(format!("/payouts/{}", payout.key))),
        _ => return None,
    })
}

/// What its reply means.
fn answer(call: &Call, reply: &HttpResponse) -> Result<CallResult, CallError> {
    let reply = reply.json()?;
    match call {
        Call::Addresses { .. } => list(&reply).iter().map(address).collect::<Option<_>>().map(CallResult::Addresses),
        Call::Watch(_) => movements(&reply).map(CallResult::Movements),
        _ => payout(&reply).map(CallResult::Payout),
    }
    .ok_or_else(|| CallError::permanent("unreadable", "the gateway's reply cannot be read"))
}

fn address(json: &Value) -> Option<DepositAddress> {
    Some(DepositAddress { key: text(json, "key")?, address: text(json, "address")?, memo: text(json, "memo") })
}

fn movements(json: &Value) -> Option<Movements> {
    let movements = list(&json["movements"]).iter().map(movement).collect::<Option<_>>()?;
    Some(Movements { movements, cursor: text(json, "cursor")?, height: json["height"].as_u64()? })
}

fn movement(json: &Value) -> Option<Movement> {
    Some(Movement {
        tx_id: text(json, "tx_id")?,
        output: u32::try_from(json["output"].as_u64()?).ok()?,
        address: text(json, "address")?,
        memo: text(json, "memo"),
        amount: Decimal::from_str_exact(json["amount"].as_str()?).ok()?,
        confirmations: u32::try_from(json["confirmations"].as_u64()?).ok()?,
        gone: json["gone"].as_bool().unwrap_or_default(),
    })
}

fn payout(json: &Value) -> Option<PayoutState> {
    Some(match json["state"].as_str()? {
        "never_sent" => PayoutState::NeverSent { code: text(json, "code")?, why: text(json, "why")? },
        "sent" => {
            let confirmations = u32::try_from(json["confirmations"].as_u64()?).ok()?;
            PayoutState::Sent { tx_id: text(json, "tx_id")?, confirmations, fee: text(json, "fee") }
        }
        "returned" => PayoutState::Returned { tx_id: text(json, "tx_id")? },
        other => PayoutState::Unknown { why: format!("the gateway returned {other:?}") },
    })
}

fn text(json: &Value, name: &str) -> Option<String> {
    json[name].as_str().map(str::to_owned)
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::harness::Harness;
    use agio_plugin_sdk::protocol::{AddressRequest, PayoutRequest, WatchRequest};

    use super::*;

    fn of(text: &str) -> String {
        text.to_owned()
    }

    fn a_payout() -> PayoutRequest {
        PayoutRequest { key: of("claim-1"), currency: of("BTC"), address: of("bc1q"), memo: None, amount: Decimal::ONE }
    }

    #[test]
    fn a_payout_is_sent_and_queried_with_its_key() {
        let mut harness = Harness::new(Example)
            .reply(200, r#"{"state": "sent", "tx_id": "t", "confirmations": 0}"#)
            .reply(200, r#"{"state": "strange"}"#);
        let sent = PayoutState::Sent { tx_id: of("t"), confirmations: 0, fee: None };
        assert_eq!(harness.call(Call::SendPayout(a_payout())), Ok(CallResult::Payout(sent)));
        let Ok(CallResult::Payout(PayoutState::Unknown { .. })) = harness.call(Call::PayoutStatus(a_payout())) else {
            panic!("certain")
        };
        assert_eq!(harness.requests()[1].url, "http://127.0.0.1:8080/payouts/claim-1");
    }

    #[test]
    fn a_gateway_that_does_not_answer_is_no_proof_of_anything() {
        assert!(Harness::new(Example).failure(true).call(Call::SendPayout(a_payout())).unwrap_err().later);
        assert!(Harness::new(Example).reply(500, "").call(Call::PayoutStatus(a_payout())).unwrap_err().later);
    }

    #[test]
    fn addresses_and_movements_are_read() {
        let mut harness = Harness::new(Example).reply(200, r#"[{"key": "a", "address": "bc1q"}]"#).reply(
            200,
            r#"{"cursor": "9", "height": 9, "movements": [
                {"tx_id": "t", "output": 0, "address": "bc1q", "amount": "0.10000000", "confirmations": 2}]}"#,
        );
        let requests = vec![AddressRequest { key: of("a"), currency: of("BTC") }];
        let Ok(CallResult::Addresses(addresses)) = harness.call(Call::Addresses { requests }) else { panic!("no addresses") };
        assert_eq!(addresses[0].address, "bc1q");
        let watch = WatchRequest { currency: of("BTC"), cursor: None, confirmations: 3 };
        let Ok(CallResult::Movements(movements)) = harness.call(Call::Watch(watch)) else { panic!("no movements") };
        assert_eq!((movements.movements[0].amount.to_string(), movements.height), (of("0.10000000"), 9));
    }
}
