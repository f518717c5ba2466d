//! Bitcoin through Bitcoin Core's JSON-RPC.
//!
//! An address is asked for under a label, and a payout is sent with a comment; both are the house's key. So what was done for a key is found
//! again in the wallet itself: an address is never given twice, and before money is sent the wallet is asked whether it went already. Amounts are
//! read from the digits of the answer and sent as text, so none passes through a binary float.

mod addresses;
mod payouts;
mod rpc;
mod watching;

use agio_plugin::Plugin;
use agio_plugin::protocol::{Call, Field, FieldKind, Host, Kind, Limits, Manifest, Method, Question, Refusal, Step, Words};

/// The driver.
pub struct BitcoinCore;

/// The settings.
const URL: &str = "url";
const WALLET: &str = "wallet";
const USER: &str = "user";
const PASSWORD: &str = "password";

#[cfg(feature = "library")]
agio_plugin::export!(BitcoinCore);

impl Plugin for BitcoinCore {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, title, default: Option<&str>| Field {
            name: name.to_owned(),
            kind,
            title,
            default: default.map(str::to_owned),
        };
        Manifest {
            name: "bitcoin-core".to_owned(),
            version: "1.0".to_owned(),
            kind: Kind::Payments,
            title: Words::new("Bitcoin Core", "Bitcoin Core"),
            about: Words::new(
                "Принимает и отправляет биткоины через собственный узел Bitcoin Core.",
                "Takes and sends bitcoin through a Bitcoin Core node of one's own.",
            ),
            hosts: vec![Host::Setting { setting: URL.to_owned(), methods: vec![Method::Post] }],
            settings: vec![
                field(URL, FieldKind::Url, Words::new("Адрес узла", "Address of the node"), Some("http://127.0.0.1:8332")),
                field(WALLET, FieldKind::Text, Words::new("Кошелёк", "Wallet"), Some("")),
                field(USER, FieldKind::Text, Words::new("Пользователь RPC", "RPC user"), None),
                field(PASSWORD, FieldKind::Secret, Words::new("Пароль RPC", "RPC password"), None),
            ],
            limits: Limits { request_ms: 30_000, rounds: 24, ..Limits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        match &question.call {
            Call::Addresses { wishes } => addresses::find_or_make(question, wishes),
            Call::Watch(watch) => watching::watch(question, watch),
            Call::Send(payout) => payouts::send(question, payout),
            Call::Sent(payout) => payouts::sent(question, payout),
            _ => Step::Refused(Refusal::never("not_mine", "a payment driver is not asked this")),
        }
    }
}
