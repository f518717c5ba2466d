//! A plugin with deliberate faults for tests. The setting `mode` selects the fault; by default it works correctly.
//!
//! It answers calls of every kind. Its identity is a line of text in the library: [`with_identity`] overwrites it, so that one build
//! serves as many plugins as a test needs.

#[expect(unsafe_code, reason = "the faults need what the compiler forbids")]
mod faults;
mod identity;

use std::time::Duration;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, AvailableBalance, Call, CallError, CallResult, Capabilities, HttpRequest, Invoice, LocalizedText, Manifest,
    Movements, PaymentInstructions, PayoutState, PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
    PriceObservation, Prices, RequisiteCheck, Risk, ScreeningResult, StartedChats,
};
use serde_json::{Value, json};

pub use identity::with_identity;

struct FaultyPlugin;

agio_plugin_sdk::export!(FaultyPlugin);

impl Plugin for FaultyPlugin {
    fn manifest(&self) -> Manifest {
        let title = LocalizedText::new("Неисправный плагин", "Faulty plugin");
        let (name, kind, mode) = identity::current();
        let mode =
            PluginSetting { name: "mode".to_owned(), kind: PluginSettingKind::Text, title: title.clone(), default: Some(mode) };
        Manifest {
            settings: vec![mode],
            limits: PluginLimits { round_ms: 30_000, ..PluginLimits::default() },
            ..Manifest::new(&name, "1.0.0", kind, title.clone(), title)
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        match request.setting("mode") {
            "panic" => panic!("this is too much for me"),
            "segfault" => faults::segfault(),
            "abort" => std::process::abort(),
            "exit" => std::process::exit(0),
            "overflow" => return text(&nested(0).to_string()),
            "loop" => faults::busy_loop(),
            "late" => std::thread::sleep(Duration::from_secs(5)),
            "hog" => faults::exhaust_memory(),
            "flood" => loop {
                println!("{}", "again and again ".repeat(1_000));
            },
            "huge" => return text(&"9".repeat(4 * 1024 * 1024)),
            "other answer" | "lies" => return PluginResponse::Done(wrong_result(&request.call)),
            "elsewhere" => {
                return PluginResponse::action(Action::Http(HttpRequest::get("http://169.254.169.254/latest/meta-data/")));
            }
            "endless" => return PluginResponse::action(Action::Store { name: "x".to_owned(), value: None }),
            "deep" => {
                return PluginResponse::Needs {
                    actions: vec![Action::Store { name: "x".to_owned(), value: None }],
                    memo: nested(100),
                };
            }
            "garbage" => faults::write_to_connection(b"\xff\xff\xff\xff garbage"),
            "no frame" => faults::write_to_connection(b"\x04\x00\x00\x00nope"),
            "unrequested" => {
                let frame = br#"{"id":999999,"answer":{"step":{"done":{"is":"told"}}}}"#;
                faults::write_to_connection(&[&(frame.len() as u32).to_le_bytes()[..], frame].concat());
            }
            "closes" => faults::close_everything(),
            "forks" => faults::fork_bomb(),
            "connects" => faults::connect(),
            "signals" => return text(&faults::signal_server().to_string()),
            "threads" => return text(&std::thread::Builder::new().spawn(|| ()).is_ok().to_string()),
            "reads" => return text(&std::fs::read("/etc/hostname").is_ok().to_string()),
            "descriptors" => return text(&format!("{:?}", faults::descriptors())),
            "environment" => return text(&format!("{:?}", std::env::vars().collect::<Vec<_>>())),
            "prints" => println!("a line"),
            "refuses" => return PluginResponse::Failed(CallError::temporary("not_now", "later")),
            _ => {}
        }
        PluginResponse::Done(valid_result(&request.call))
    }
}

/// A result with a text.
fn text(text: &str) -> PluginResponse {
    PluginResponse::Done(CallResult::Checked(RequisiteCheck::Valid { canonical: text.to_owned() }))
}

/// Nested arrays; without limit if `max` is 0.
fn nested(max: usize) -> Value {
    fn inner(depth: usize, max: usize) -> Value {
        if depth == max { Value::Null } else { json!([inner(depth + 1, max)]) }
    }
    inner(1, max)
}

fn valid_result(call: &Call) -> CallResult {
    match call {
        Call::Prices { .. } | Call::ReadFile(_) => CallResult::Prices(Prices {
            observations: vec![PriceObservation {
                base: "BTC".to_owned(),
                quote: "USDT".to_owned(),
                bid: 1.into(),
                ask: 2.into(),
                observed_at: "2024-03-28".to_owned(),
            }],
            skipped: Vec::new(),
        }),
        Call::CompetitorOffers { .. } => CallResult::CompetitorOffers(Vec::new()),
        Call::Addresses { .. } => CallResult::Addresses(Vec::new()),
        Call::CreateInvoice(request) => CallResult::Invoice(Invoice {
            key: request.key.clone(),
            address: "1".to_owned(),
            instructions: PaymentInstructions::Page { url: "https://pay.example".to_owned() },
        }),
        Call::Watch(_) => CallResult::Movements(Movements { movements: Vec::new(), cursor: "1".to_owned(), height: 1 }),
        Call::SendPayout(_) | Call::PayoutStatus(_) => CallResult::Payout(PayoutState::Unknown { why: "unknown".to_owned() }),
        Call::Capabilities { .. } => CallResult::Capabilities(Capabilities::default()),
        Call::Balance { .. } => CallResult::Balance(AvailableBalance { amount: 1.into() }),
        Call::Screen(_) => {
            CallResult::Screening(ScreeningResult { risk: Risk::Low, score: None, signals: Vec::new(), report: None })
        }
        Call::Notify(_) => CallResult::Notified,
        Call::ChatLink { code } => CallResult::ChatLink(format!("https://chat.example/?start={code}")),
        Call::StartedChats { .. } => CallResult::StartedChats(StartedChats::default()),
        Call::CheckRequisite(requisite) => CallResult::Checked(RequisiteCheck::Valid { canonical: requisite.value.clone() }),
    }
}

/// A result of another call.
fn wrong_result(call: &Call) -> CallResult {
    if matches!(call, Call::Notify(_)) { CallResult::CompetitorOffers(Vec::new()) } else { CallResult::Notified }
}
