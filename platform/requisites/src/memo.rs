//! Memos, comments and destination tags: what each network carries beside an address.

use crate::{
    input,
    kind::RequisiteKind,
    text,
    validation::{CheckResult, RequisiteRefusal},
    xrp,
};

/// What a network carries as a memo.
#[derive(Clone, Copy)]
enum MemoRule {
    /// A destination tag.
    Tag,
    /// A text of at most so many bytes of UTF-8.
    Text { longest: usize },
    /// The same, but one of digits alone is sent as an id of 64 bits.
    TextOrId { longest: usize },
    /// A text for a network without a rule here.
    Any,
}

/// The networks whose memos have limits of their own.
const RULES: [(RequisiteKind, MemoRule); 8] = [
    (RequisiteKind::Xrp, MemoRule::Tag),
    (RequisiteKind::Xlm, MemoRule::TextOrId { longest: 28 }),
    // A cell holds 127 bytes, and the first four say that a comment follows.
    (RequisiteKind::Ton, MemoRule::Text { longest: 123 }),
    (RequisiteKind::Eos, MemoRule::Text { longest: 256 }),
    // `MaxMemoCharacters` of the Cosmos SDK counts bytes.
    (RequisiteKind::Atom, MemoRule::Text { longest: 256 }),
    (RequisiteKind::Hbar, MemoRule::Text { longest: 100 }),
    (RequisiteKind::Xem, MemoRule::Text { longest: 1024 }),
    (RequisiteKind::Algo, MemoRule::Text { longest: 1024 }),
];

fn rule_of(address: RequisiteKind) -> MemoRule {
    RULES.iter().find(|(kind, _)| *kind == address).map_or(MemoRule::Any, |(_, rule)| *rule)
}

/// The kind of requisite a memo of this network is.
pub(crate) fn kind_of(address: RequisiteKind) -> RequisiteKind {
    match rule_of(address) {
        MemoRule::Tag => RequisiteKind::Tag,
        _ => RequisiteKind::Memo,
    }
}

/// Checks a memo by the rule of the network of an address.
pub(crate) fn check(address: RequisiteKind, typed: &str) -> CheckResult {
    let value = input::clean(kind_of(address), typed)?;
    match rule_of(address) {
        MemoRule::Tag => xrp::check_tag(&value),
        MemoRule::TextOrId { .. } if value.bytes().all(|b| b.is_ascii_digit()) && value.parse::<u64>().is_err() => {
            Err(RequisiteRefusal::new("out_of_range"))
        }
        MemoRule::Text { longest } | MemoRule::TextOrId { longest } if value.len() > longest => {
            Err(RequisiteRefusal::new("bad_length"))
        }
        MemoRule::Text { longest } | MemoRule::TextOrId { longest } => text::check_printable(&value, longest),
        MemoRule::Any => text::check_memo(&value),
    }
}
