//! The driver: asks the network's service by JSON-RPC.

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Address, AddressWish, Answer, Body, Call, Field, FieldKind, Host, HttpRequest, Kind, Limits, Manifest, Method, Movement,
    Movements, Outcome, Payout, PayoutState, Question, Refusal, Step, Watch, Words,
};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Value, json};

/// The JSON-RPC error of a wallet that has not enough.
pub(crate) const NOT_ENOUGH: i64 = -6;

/// The setting that names the service.
const URL: &str = "url";

/// The driver of the made-up network.
pub struct SandboxChain;

impl Plugin for SandboxChain {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "sandbox-chain".to_owned(),
            version: "1.0".to_owned(),
            kind: Kind::Payments,
            title: Words::new("Учебная сеть", "Sandbox network"),
            about: Words::new(
                "Выдуманная сеть для демонстрации и тестов: блоки, подтверждения, реорганизации, выплаты.",
                "A made-up network for demonstrations and tests: blocks, confirmations, re-organisations, payouts.",
            ),
            hosts: vec![Host::Setting { setting: URL.to_owned(), methods: vec![Method::Post] }],
            settings: vec![Field {
                name: URL.to_owned(),
                kind: FieldKind::Url,
                title: Words::new("Адрес сервиса сети", "Address of the network's service"),
                default: None,
            }],
            limits: Limits { request_ms: 1_000, ..Limits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Some(asked) = request(&question.call) else {
            return Step::Refused(Refusal::never("not_mine", "a payment driver is not asked this"));
        };
        match question.outcomes.first() {
            None => Step::first(agio_plugin::protocol::Action::Http(HttpRequest::post_json(question.setting(URL), &asked))),
            Some(outcome) => answer(&question.call, reply(outcome)),
        }
    }
}

/// What the service said.
enum Reply {
    /// The result of the call.
    Result(Value),
    /// It refuses, and has not acted.
    Refuses(i64, String),
    /// Nothing that can be read.
    Nothing { why: String, may_have_acted: bool },
}

fn request(call: &Call) -> Option<Value> {
    let (method, params) = match call {
        Call::Addresses { wishes } => {
            let keys: Vec<_> = wishes.iter().map(|wish| &wish.key).collect();
            ("addresses", json!({ "currency": wishes.first()?.currency, "keys": keys }))
        }
        Call::Watch(Watch { currency, cursor, confirmations }) => {
            let after = cursor.as_ref().and_then(|cursor| cursor.parse::<u64>().ok());
            ("watch", json!({ "currency": currency, "after": after, "confirmations": confirmations }))
        }
        Call::Send(Payout { key, currency, address, amount, .. }) => {
            ("send", json!({ "currency": currency, "key": key, "address": address, "amount": amount.to_string() }))
        }
        Call::Sent(Payout { key, currency, .. }) => ("sent", json!({ "currency": currency, "key": key })),
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

fn reply(outcome: &Outcome) -> Reply {
    let response = match outcome {
        Outcome::Http(response) => response,
        Outcome::Unreached(fault) => return Reply::Nothing { why: fault.why.clone(), may_have_acted: fault.may_have_acted },
        Outcome::Kept => return Reply::Nothing { why: "nothing was asked".to_owned(), may_have_acted: false },
    };
    let unreadable = |why: String| Reply::Nothing { why, may_have_acted: true };
    if response.status != 200 {
        return unreadable(format!("the service answers {}", response.status));
    }
    let Body::Text(text) = &response.body else { return unreadable("the answer is no text".to_owned()) };
    let Ok(mut answer) = serde_json::from_str::<Value>(text) else { return unreadable("the answer is no JSON".to_owned()) };
    match answer["error"]["code"].as_i64() {
        Some(code) => Reply::Refuses(code, answer["error"]["message"].as_str().unwrap_or_default().to_owned()),
        None => Reply::Result(answer["result"].take()),
    }
}

fn answer(call: &Call, reply: Reply) -> Step {
    let result = match reply {
        Reply::Result(result) => result,
        Reply::Refuses(NOT_ENOUGH, why) if matches!(call, Call::Send(_)) => {
            return Step::Done(Answer::Payout(PayoutState::NeverSent { code: "not_enough_money".to_owned(), why }));
        }
        Reply::Refuses(code, why) => return Step::Refused(Refusal::never("refused", format!("{code}: {why}"))),
        // Whether money left is found out by asking, not by guessing.
        Reply::Nothing { why, may_have_acted: true } if matches!(call, Call::Send(_)) => {
            return Step::Done(Answer::Payout(PayoutState::Unknown { why }));
        }
        Reply::Nothing { why, .. } => return Step::Refused(Refusal::later("unreachable", why)),
    };
    let read = match call {
        Call::Addresses { wishes } => addresses(wishes, result),
        Call::Watch(_) => movements(result),
        _ => payout(result),
    };
    match read {
        Some(answer) => Step::Done(answer),
        None if matches!(call, Call::Send(_)) => {
            Step::Done(Answer::Payout(PayoutState::Unknown { why: "the answer cannot be read".to_owned() }))
        }
        None => Step::Refused(Refusal::later("unreadable", "the answer cannot be read")),
    }
}

fn addresses(wishes: &[AddressWish], result: Value) -> Option<Answer> {
    let given: Vec<String> = serde_json::from_value(result).ok()?;
    let address = |(wish, address): (&AddressWish, String)| Address { key: wish.key.clone(), address, memo: None };
    (given.len() == wishes.len()).then(|| Answer::Addresses(wishes.iter().zip(given).map(address).collect()))
}

#[derive(Deserialize)]
struct Watched {
    movements: Vec<Seen>,
    cursor: u64,
    height: u64,
}

#[derive(Deserialize)]
struct Seen {
    tx_id: String,
    output: u32,
    address: String,
    amount: String,
    confirmations: u32,
    gone: bool,
}

fn movements(result: Value) -> Option<Answer> {
    let watched: Watched = serde_json::from_value(result).ok()?;
    let movement = |seen: Seen| {
        let amount = Decimal::from_str_exact(&seen.amount).ok()?;
        let Seen { tx_id, output, address, confirmations, gone, .. } = seen;
        Some(Movement { tx_id, output, address, memo: None, amount, confirmations, gone })
    };
    let movements = watched.movements.into_iter().map(movement).collect::<Option<_>>()?;
    Some(Answer::Movements(Movements { movements, cursor: watched.cursor.to_string(), height: watched.height }))
}

fn payout(result: Value) -> Option<Answer> {
    let tx_id = || result["tx_id"].as_str().map(str::to_owned);
    let state = match result["state"].as_str()? {
        "sent" => PayoutState::Sent {
            tx_id: tx_id()?,
            confirmations: u32::try_from(result["confirmations"].as_u64()?).ok()?,
            fee: result["fee"].as_str().map(str::to_owned),
        },
        "returned" => PayoutState::Returned { tx_id: tx_id()? },
        "never" => PayoutState::NeverSent { code: "not_sent".to_owned(), why: "the network knows no such payout".to_owned() },
        _ => return None,
    };
    Some(Answer::Payout(state))
}
