//! A payment driver: watches a network and pays on it, by way of a gateway that an operator runs.
//!
//! Money is what can go wrong here. A sending carries the house's key, and the gateway sends once for each key; whatever is not certain is answered
//! with what the gateway says about the key later, never with a second sending.

use agio_plugin::protocol::{
    Action, Address, Answer, Call, Field, FieldKind, Host, HttpRequest, HttpResponse, Kind, Manifest, Method, Movement,
    Movements, PayoutState, Question, Refusal, Step, Words,
};
use agio_plugin::serde_json::{Value, json};
use agio_plugin::{Decimal, Plugin};

/// The plugin.
pub struct Example;

impl Plugin for Example {
    fn manifest(&self) -> Manifest {
        let title = Words::new("Адрес шлюза", "Address of the gateway");
        let default = Some("http://127.0.0.1:8080".to_owned());
        Manifest {
            hosts: vec![Host::Setting { setting: "url".to_owned(), methods: vec![Method::Get, Method::Post] }],
            settings: vec![Field { name: "url".to_owned(), kind: FieldKind::Url, title, default }],
            ..Manifest::new(
                "example",
                env!("CARGO_PKG_VERSION"),
                Kind::Payments,
                Words::new("Пример", "Example"),
                Words::new("Платежи через собственный шлюз.", "Payments by a gateway of one's own."),
            )
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Some(request) = request(question) else {
            return Step::Refused(Refusal::never("not_mine", "this only moves money"));
        };
        let Some(reply) = question.reply() else {
            return Step::first(Action::Http(request));
        };
        match reply.and_then(|reply| answer(&question.call, reply)) {
            Ok(answer) => Step::Done(answer),
            Err(refusal) => Step::Refused(refusal),
        }
    }
}

/// What the gateway is asked.
fn request(question: &Question) -> Option<HttpRequest> {
    let url = |path: String| format!("{}{path}", question.setting("url").trim_end_matches('/'));
    Some(match &question.call {
        Call::Addresses { wishes } => HttpRequest::post_json(url("/addresses".to_owned()), &json!(wishes)),
        Call::Watch(watch) => {
            let since = watch.cursor.as_deref().unwrap_or("0");
            let (currency, confirmations) = (&watch.currency, watch.confirmations);
            HttpRequest::get(url(format!("/movements?currency={currency}&since={since}&confirmations={confirmations}")))
        }
        Call::Send(payout) => HttpRequest::post_json(url("/payouts".to_owned()), &json!(payout)),
        Call::Sent(payout) => HttpRequest::get(url(format!("/payouts/{}", payout.key))),
        _ => return None,
    })
}

/// What its reply means.
fn answer(call: &Call, reply: &HttpResponse) -> Result<Answer, Refusal> {
    let reply = reply.json()?;
    match call {
        Call::Addresses { .. } => list(&reply).iter().map(address).collect::<Option<_>>().map(Answer::Addresses),
        Call::Watch(_) => movements(&reply).map(Answer::Movements),
        _ => payout(&reply).map(Answer::Payout),
    }
    .ok_or_else(|| Refusal::never("unreadable", "the gateway's reply cannot be read"))
}

fn address(said: &Value) -> Option<Address> {
    Some(Address { key: text(said, "key")?, address: text(said, "address")?, memo: text(said, "memo") })
}

fn movements(said: &Value) -> Option<Movements> {
    let movements = list(&said["movements"]).iter().map(movement).collect::<Option<_>>()?;
    Some(Movements { movements, cursor: text(said, "cursor")?, height: said["height"].as_u64()? })
}

fn movement(said: &Value) -> Option<Movement> {
    Some(Movement {
        tx_id: text(said, "tx_id")?,
        output: u32::try_from(said["output"].as_u64()?).ok()?,
        address: text(said, "address")?,
        memo: text(said, "memo"),
        amount: Decimal::from_str_exact(said["amount"].as_str()?).ok()?,
        confirmations: u32::try_from(said["confirmations"].as_u64()?).ok()?,
        gone: said["gone"].as_bool().unwrap_or_default(),
    })
}

fn payout(said: &Value) -> Option<PayoutState> {
    Some(match said["state"].as_str()? {
        "never_sent" => PayoutState::NeverSent { code: text(said, "code")?, why: text(said, "why")? },
        "sent" => {
            let confirmations = u32::try_from(said["confirmations"].as_u64()?).ok()?;
            PayoutState::Sent { tx_id: text(said, "tx_id")?, confirmations, fee: text(said, "fee") }
        }
        "returned" => PayoutState::Returned { tx_id: text(said, "tx_id")? },
        other => PayoutState::Unknown { why: format!("the gateway says {other:?}") },
    })
}

fn text(said: &Value, name: &str) -> Option<String> {
    said[name].as_str().map(str::to_owned)
}

fn list(said: &Value) -> &[Value] {
    said.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use agio_plugin::harness::Harness;
    use agio_plugin::protocol::{AddressWish, Payout, Watch};

    use super::*;

    fn of(text: &str) -> String {
        text.to_owned()
    }

    fn a_payout() -> Payout {
        Payout { key: of("claim-1"), currency: of("BTC"), address: of("bc1q"), memo: None, amount: Decimal::ONE }
    }

    #[test]
    fn a_payout_is_sent_under_its_key_and_asked_for_under_it() {
        let mut harness = Harness::new(Example)
            .reply(200, r#"{"state": "sent", "tx_id": "t", "confirmations": 0}"#)
            .reply(200, r#"{"state": "who knows"}"#);
        let sent = PayoutState::Sent { tx_id: of("t"), confirmations: 0, fee: None };
        assert_eq!(harness.ask(Call::Send(a_payout())), Ok(Answer::Payout(sent)));
        let Ok(Answer::Payout(PayoutState::Unknown { .. })) = harness.ask(Call::Sent(a_payout())) else { panic!("certain") };
        assert_eq!(harness.requests()[1].url, "http://127.0.0.1:8080/payouts/claim-1");
    }

    #[test]
    fn a_gateway_that_does_not_answer_is_no_proof_of_anything() {
        assert!(Harness::new(Example).unreached(true).ask(Call::Send(a_payout())).unwrap_err().later);
        assert!(Harness::new(Example).reply(500, "").ask(Call::Sent(a_payout())).unwrap_err().later);
    }

    #[test]
    fn addresses_and_movements_are_read() {
        let mut harness = Harness::new(Example).reply(200, r#"[{"key": "a", "address": "bc1q"}]"#).reply(
            200,
            r#"{"cursor": "9", "height": 9, "movements": [
                {"tx_id": "t", "output": 0, "address": "bc1q", "amount": "0.10000000", "confirmations": 2}]}"#,
        );
        let wishes = vec![AddressWish { key: of("a"), currency: of("BTC") }];
        let Ok(Answer::Addresses(addresses)) = harness.ask(Call::Addresses { wishes }) else { panic!("no addresses") };
        assert_eq!(addresses[0].address, "bc1q");
        let watch = Watch { currency: of("BTC"), cursor: None, confirmations: 3 };
        let Ok(Answer::Movements(movements)) = harness.ask(Call::Watch(watch)) else { panic!("no movements") };
        assert_eq!((movements.movements[0].amount.to_string(), movements.height), (of("0.10000000"), 9));
    }
}
