//! The driver: a JSON-RPC client of the network's service.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    ActionResult, AddressRequest, AllowedHost, Body, Call, CallError, CallResult, DepositAddress, HttpMethod, HttpRequest,
    LocalizedText, Manifest, Movement, Movements, PayoutRequest, PayoutState, PluginKind, PluginLimits, PluginRequest,
    PluginResponse, PluginSetting, PluginSettingKind, WatchRequest,
};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Value, json};

/// JSON-RPC error code for insufficient funds.
pub(crate) const INSUFFICIENT_FUNDS: i64 = -6;

/// Setting: URL of the service.
const URL: &str = "url";

/// The driver of the simulated network.
pub struct SandboxChain;

impl Plugin for SandboxChain {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "sandbox-chain".to_owned(),
            version: "1.0".to_owned(),
            kind: PluginKind::Payments,
            title: LocalizedText::new("Учебная сеть", "Sandbox network"),
            about: LocalizedText::new(
                "Выдуманная сеть для демонстрации и тестов: блоки, подтверждения, реорганизации, выплаты.",
                "A made-up network for demonstrations and tests: blocks, confirmations, re-organisations, payouts.",
            ),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Post] }],
            settings: vec![PluginSetting {
                name: URL.to_owned(),
                kind: PluginSettingKind::Url,
                title: LocalizedText::new("Адрес сервиса сети", "Address of the network's service"),
                default: None,
            }],
            limits: PluginLimits { request_ms: 1_000, ..PluginLimits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        let Some(request) = request(&input.call) else {
            return PluginResponse::Failed(CallError::permanent("not_mine", "a payment driver does not support this"));
        };
        match input.outcomes.first() {
            None => PluginResponse::action(agio_plugin_sdk::protocol::Action::Http(HttpRequest::post_json(
                input.setting(URL),
                &request,
            ))),
            Some(outcome) => answer(&input.call, reply(outcome)),
        }
    }
}

/// Response of the service.
enum RpcReply {
    Result(Value),
    /// An error; nothing was done.
    Error(i64, String),
    /// No readable response.
    NoResponse {
        why: String,
        may_have_acted: bool,
    },
}

fn request(call: &Call) -> Option<Value> {
    let (method, params) = match call {
        Call::Addresses { requests } => {
            let keys: Vec<_> = requests.iter().map(|request| &request.key).collect();
            ("addresses", json!({ "currency": requests.first()?.currency, "keys": keys }))
        }
        Call::Watch(WatchRequest { currency, cursor, confirmations }) => {
            let after = cursor.as_ref().and_then(|cursor| cursor.parse::<u64>().ok());
            ("watch", json!({ "currency": currency, "after": after, "confirmations": confirmations }))
        }
        Call::SendPayout(PayoutRequest { key, currency, address, amount, .. }) => {
            ("send", json!({ "currency": currency, "key": key, "address": address, "amount": amount.to_string() }))
        }
        Call::PayoutStatus(PayoutRequest { key, currency, .. }) => ("sent", json!({ "currency": currency, "key": key })),
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

fn reply(outcome: &ActionResult) -> RpcReply {
    let response = match outcome {
        ActionResult::Http(response) => response,
        ActionResult::HttpFailure(fault) => {
            return RpcReply::NoResponse { why: fault.why.clone(), may_have_acted: fault.may_have_acted };
        }
        ActionResult::Stored => return RpcReply::NoResponse { why: "nothing was requested".to_owned(), may_have_acted: false },
    };
    let unreadable = |why: String| RpcReply::NoResponse { why, may_have_acted: true };
    if response.status != 200 {
        return unreadable(format!("the service answers {}", response.status));
    }
    let Body::Text(text) = &response.body else { return unreadable("the answer is no text".to_owned()) };
    let Ok(mut answer) = serde_json::from_str::<Value>(text) else { return unreadable("the answer is no JSON".to_owned()) };
    match answer["error"]["code"].as_i64() {
        Some(code) => RpcReply::Error(code, answer["error"]["message"].as_str().unwrap_or_default().to_owned()),
        None => RpcReply::Result(answer["result"].take()),
    }
}

fn answer(call: &Call, reply: RpcReply) -> PluginResponse {
    let result = match reply {
        RpcReply::Result(result) => result,
        RpcReply::Error(INSUFFICIENT_FUNDS, why) if matches!(call, Call::SendPayout(_)) => {
            return PluginResponse::Done(CallResult::Payout(PayoutState::NeverSent { code: "not_enough_money".to_owned(), why }));
        }
        RpcReply::Error(code, why) => return PluginResponse::Failed(CallError::permanent("refused", format!("{code}: {why}"))),
        // The state of the payout is unknown and must be queried.
        RpcReply::NoResponse { why, may_have_acted: true } if matches!(call, Call::SendPayout(_)) => {
            return PluginResponse::Done(CallResult::Payout(PayoutState::Unknown { why }));
        }
        RpcReply::NoResponse { why, .. } => return PluginResponse::Failed(CallError::temporary("unreachable", why)),
    };
    let read = match call {
        Call::Addresses { requests } => addresses(requests, result),
        Call::Watch(_) => movements(result),
        _ => payout(result),
    };
    match read {
        Some(answer) => PluginResponse::Done(answer),
        None if matches!(call, Call::SendPayout(_)) => {
            PluginResponse::Done(CallResult::Payout(PayoutState::Unknown { why: "the answer cannot be read".to_owned() }))
        }
        None => PluginResponse::Failed(CallError::temporary("unreadable", "the answer cannot be read")),
    }
}

fn addresses(requests: &[AddressRequest], result: Value) -> Option<CallResult> {
    let given: Vec<String> = serde_json::from_value(result).ok()?;
    let address =
        |(request, address): (&AddressRequest, String)| DepositAddress { key: request.key.clone(), address, memo: None };
    (given.len() == requests.len()).then(|| CallResult::Addresses(requests.iter().zip(given).map(address).collect()))
}

#[derive(Deserialize)]
struct WatchReply {
    movements: Vec<MovementReply>,
    cursor: u64,
    height: u64,
}

#[derive(Deserialize)]
struct MovementReply {
    tx_id: String,
    output: u32,
    address: String,
    amount: String,
    confirmations: u32,
    gone: bool,
}

fn movements(result: Value) -> Option<CallResult> {
    let watched: WatchReply = serde_json::from_value(result).ok()?;
    let movement = |reply: MovementReply| {
        let amount = Decimal::from_str_exact(&reply.amount).ok()?;
        let MovementReply { tx_id, output, address, confirmations, gone, .. } = reply;
        Some(Movement { tx_id, output, address, memo: None, amount, confirmations, gone })
    };
    let movements = watched.movements.into_iter().map(movement).collect::<Option<_>>()?;
    Some(CallResult::Movements(Movements { movements, cursor: watched.cursor.to_string(), height: watched.height }))
}

fn payout(result: Value) -> Option<CallResult> {
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
    Some(CallResult::Payout(state))
}
