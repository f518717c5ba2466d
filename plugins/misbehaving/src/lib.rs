//! A plugin that misbehaves on purpose, in every way somebody thought of. The setting `mode` says how; without it the plugin is good.
//!
//! It answers the calls of every kind, so a test can have each of them misbehave. Who the plugin says it is stands in its library as a line
//! of text: [`disguised`] writes another one over it, so that one build is as many plugins as a test needs.

#[expect(unsafe_code, reason = "crashing, and reaching around the house, takes what the compiler forbids")]
mod crimes;
mod identity;

use std::time::Duration;

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Checked, Field, FieldKind, HttpRequest, Limits, Manifest, Movements, Observation, PayoutState, Prices,
    Question, Refusal, Risk, Step, Verdict, Words,
};
use serde_json::{Value, json};

pub use identity::disguised;

/// The plugin.
struct Misbehaving;

agio_plugin::export!(Misbehaving);

impl Plugin for Misbehaving {
    fn manifest(&self) -> Manifest {
        let title = Words::new("Озорник", "Troublemaker");
        let (name, kind, mode) = identity::own();
        let mode = Field { name: "mode".to_owned(), kind: FieldKind::Text, title: title.clone(), default: Some(mode) };
        Manifest {
            settings: vec![mode],
            limits: Limits { round_ms: 30_000, ..Limits::default() },
            ..Manifest::new(&name, "1.0.0", kind, title.clone(), title)
        }
    }

    fn handle(&self, question: &Question) -> Step {
        match question.setting("mode") {
            "panic" => panic!("this is too much for me"),
            "segfault" => crimes::segfault(),
            "abort" => std::process::abort(),
            "exit" => std::process::exit(0),
            "overflow" => return text(&deep(0).to_string()),
            "loop" => crimes::busy(),
            "late" => std::thread::sleep(Duration::from_secs(5)),
            "hog" => crimes::hog(),
            "flood" => loop {
                println!("{}", "again and again ".repeat(1_000));
            },
            "huge" => return text(&"9".repeat(4 * 1024 * 1024)),
            "other answer" | "lies" => return Step::Done(another(&question.call)),
            "elsewhere" => return Step::first(Action::Http(HttpRequest::get("http://169.254.169.254/latest/meta-data/"))),
            "endless" => return Step::first(Action::Keep { name: "x".to_owned(), value: None }),
            "deep" => return Step::Needs { actions: vec![Action::Keep { name: "x".to_owned(), value: None }], memo: deep(100) },
            "garbage" => crimes::say(b"\xff\xff\xff\xff garbage"),
            "no frame" => crimes::say(b"\x04\x00\x00\x00nope"),
            "not asked" => {
                let frame = br#"{"id":999999,"answer":{"step":{"done":{"is":"told"}}}}"#;
                crimes::say(&[&(frame.len() as u32).to_le_bytes()[..], frame].concat());
            }
            "closes" => crimes::close_everything(),
            "forks" => crimes::fork_bomb(),
            "connects" => crimes::connect(),
            "signals" => return text(&crimes::signal_the_house().to_string()),
            "threads" => return text(&std::thread::Builder::new().spawn(|| ()).is_ok().to_string()),
            "reads" => return text(&std::fs::read("/etc/hostname").is_ok().to_string()),
            "descriptors" => return text(&format!("{:?}", crimes::descriptors())),
            "environment" => return text(&format!("{:?}", std::env::vars().collect::<Vec<_>>())),
            "prints" => println!("a line"),
            "refuses" => return Step::Refused(Refusal::later("not_now", "later")),
            _ => {}
        }
        Step::Done(good(&question.call))
    }
}

/// A text as an answer.
fn text(text: &str) -> Step {
    Step::Done(Answer::Checked(Checked::Good { canonical: text.to_owned() }))
}

/// Arrays in each other; without a bound when it is 0.
fn deep(most: usize) -> Value {
    fn further(depth: usize, most: usize) -> Value {
        if depth == most { Value::Null } else { json!([further(depth + 1, most)]) }
    }
    further(1, most)
}

fn good(call: &Call) -> Answer {
    match call {
        Call::Prices { .. } | Call::Read(_) => Answer::Prices(Prices {
            observations: vec![Observation {
                base: "BTC".to_owned(),
                quote: "USDT".to_owned(),
                bid: 1.into(),
                ask: 2.into(),
                observed_at: "2024-03-28".to_owned(),
            }],
            skipped: Vec::new(),
        }),
        Call::Positions { .. } => Answer::Positions(Vec::new()),
        Call::Addresses { .. } => Answer::Addresses(Vec::new()),
        Call::Watch(_) => Answer::Movements(Movements { movements: Vec::new(), cursor: "1".to_owned(), height: 1 }),
        Call::Send(_) | Call::Sent(_) => Answer::Payout(PayoutState::Unknown { why: "nobody knows".to_owned() }),
        Call::Screen(_) => Answer::Verdict(Verdict { risk: Risk::Low, score: None, signals: Vec::new(), report: None }),
        Call::Notify(_) => Answer::Told,
        Call::Check(requisite) => Answer::Checked(Checked::Good { canonical: requisite.value.clone() }),
    }
}

/// An answer to something that was not asked.
fn another(call: &Call) -> Answer {
    if matches!(call, Call::Notify(_)) { Answer::Positions(Vec::new()) } else { Answer::Told }
}
