//! Transaction identifiers in a form for comparison.

use std::ops::RangeInclusive;

use crate::input::is_invisible;
use crate::kind::RequisiteKind;
use crate::link::link_parts;
use crate::ton;

/// Length of a transaction hash in hexadecimal.
const HEX_LENGTH: usize = 64;

/// This sign and a claim's number tell the claims apart that one transaction pays.
const SHARED_MARK: char = '№';

/// A key that is equal for two spellings of the same transaction identifier. `kind` is the kind of the receiving address. Anything but an
/// address is a bank or an unknown network, whose references are compared case-insensitively. Of a text with exactly one
/// identifier, such as the address of an explorer's page or an output, the identifier alone counts.
///
/// The key is only for comparison. It is never shown, and explorers do not know it.
///
/// ```
/// use agio_requisites::{RequisiteKind, transaction_key};
///
/// assert_eq!(transaction_key(RequisiteKind::Evm, " 0xAB12 "), transaction_key(RequisiteKind::Evm, "ab12"));
/// assert_ne!(transaction_key(RequisiteKind::Sol, "5Vt"), transaction_key(RequisiteKind::Sol, "5vT"));
/// ```
pub fn transaction_key(kind: RequisiteKind, id: &str) -> String {
    let visible: String = id.chars().filter(|&c| !is_invisible(c)).collect();
    let spaceless: String = visible.split_whitespace().collect();
    let parts = link_parts(&spaceless).join(" ");
    let named = [&parts, &visible, &spaceless].into_iter().find_map(|form| only_hash(form).or_else(|| only_id(kind, form)));
    let unbroken = || spaceless.chars().filter(|&c| c.is_alphanumeric() || c == SHARED_MARK).collect::<String>();
    movement_key(kind, named.or_else(|| only_hash(&unbroken())).as_deref().unwrap_or(id))
}

/// The identifier that a link to it names, as an explorer's page; `None` for a text that is no such link.
///
/// ```
/// use agio_requisites::{RequisiteKind, linked_transaction};
///
/// let hash = format!("0x{}", "9F2c".repeat(16));
/// let link = format!("https://etherscan.io/tx/{hash}#eventlog");
/// assert_eq!(linked_transaction(RequisiteKind::Evm, &link), Some(hash.clone()));
/// assert_eq!(linked_transaction(RequisiteKind::Evm, &hash), None);
/// ```
#[must_use]
pub fn linked_transaction(kind: RequisiteKind, link: &str) -> Option<String> {
    let key = transaction_key(kind, link);
    link_parts(link).into_iter().find(|part| transaction_key(kind, part) == key)
}

/// Whether an identifier consists of characters that networks use. References of banks have any.
///
/// ```
/// use agio_requisites::{RequisiteKind, is_transaction_id};
///
/// assert!(!is_transaction_id(RequisiteKind::Btc, "4\u{430}5e") && is_transaction_id(RequisiteKind::Card, "счёт 7"));
/// ```
pub fn is_transaction_id(kind: RequisiteKind, id: &str) -> bool {
    !kind.is_address() || id.chars().all(|c| c.is_ascii() || c.is_whitespace() || is_invisible(c))
}

/// The same for the identifier a driver gives to one movement: what stands around a hash may tell movements of a
/// transaction apart.
pub fn movement_key(kind: RequisiteKind, id: &str) -> String {
    let visible = id.chars().filter(|&c| !is_invisible(c));
    match kind {
        // Base58, base64 and base32 are case-sensitive; Hedera's are numbers.
        RequisiteKind::Sol
        | RequisiteKind::Xtz
        | RequisiteKind::Algo
        | RequisiteKind::Waves
        | RequisiteKind::Near
        | RequisiteKind::Sui
        | RequisiteKind::Hbar
        | RequisiteKind::Fil => visible.filter(|c| !c.is_whitespace()).collect(),
        RequisiteKind::Ton => {
            let id: String = visible.filter(|c| !c.is_whitespace()).collect();
            ton_hash(&id).unwrap_or(id)
        }
        RequisiteKind::Btc
        | RequisiteKind::Ltc
        | RequisiteKind::Doge
        | RequisiteKind::Bch
        | RequisiteKind::Dash
        | RequisiteKind::Zec
        | RequisiteKind::Evm
        | RequisiteKind::Tron
        | RequisiteKind::Xmr
        | RequisiteKind::Xrp
        | RequisiteKind::Xlm
        | RequisiteKind::Ada
        | RequisiteKind::Qtum
        | RequisiteKind::Xvg
        | RequisiteKind::Bsv
        | RequisiteKind::Kmd
        | RequisiteKind::Btg
        | RequisiteKind::Rvn
        | RequisiteKind::Dgb
        | RequisiteKind::Dot
        | RequisiteKind::Atom
        | RequisiteKind::Eos
        | RequisiteKind::Xem
        | RequisiteKind::Neo
        | RequisiteKind::Ont
        | RequisiteKind::Icx
        | RequisiteKind::Apt
        | RequisiteKind::Kas => {
            let folded = visible.filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
            folded.trim_start_matches("0x").to_owned()
        }
        RequisiteKind::Iban
        | RequisiteKind::Card
        | RequisiteKind::Phone
        | RequisiteKind::AccountRu
        | RequisiteKind::Email
        | RequisiteKind::Holder
        | RequisiteKind::Memo
        | RequisiteKind::Tag
        | RequisiteKind::Text => visible.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
    }
}

/// The characters of a text that are as long as an identifier, if exactly one is. No two differ in case alone.
fn only_run(text: &str, is_part: impl Fn(char) -> bool, length: RangeInclusive<usize>) -> Option<&str> {
    if text.contains(SHARED_MARK) {
        return None;
    }
    let mut runs = text.split(|c: char| !is_part(c)).filter(|run| length.contains(&run.len()));
    let id = runs.next()?;
    runs.all(|other| other.eq_ignore_ascii_case(id)).then_some(id)
}

/// The identifier in a text that names exactly one, on a network where it is not hexadecimal. Addresses have other lengths.
fn only_id(kind: RequisiteKind, text: &str) -> Option<String> {
    let length = match kind {
        RequisiteKind::Sol => 80..=88,
        RequisiteKind::Xtz => 51..=51,
        RequisiteKind::Algo => 52..=52,
        RequisiteKind::Fil => 62..=62,
        RequisiteKind::Waves | RequisiteKind::Near | RequisiteKind::Sui => 43..=44,
        RequisiteKind::Ton => 43..=43,
        _ => return None,
    };
    let marks = if kind == RequisiteKind::Ton { "+/-_" } else { "" };
    only_run(text, |c| c.is_ascii_alphanumeric() || marks.contains(c), length).map(str::to_owned)
}

/// The hash in a text that names exactly one, with its prefix.
fn only_hash(text: &str) -> Option<String> {
    let hash = only_run(text, |c| c.is_ascii_hexdigit(), HEX_LENGTH..=HEX_LENGTH)?;
    let prefixed = ["0x", "0X"].map(|prefix| format!("{prefix}{hash}")).into_iter().find(|form| text.contains(form));
    Some(prefixed.unwrap_or_else(|| hash.to_owned()))
}

/// A TON hash in hexadecimal, from hexadecimal or either base64 alphabet.
fn ton_hash(id: &str) -> Option<String> {
    let plain = id.strip_prefix("0x").unwrap_or(id);
    if plain.len() == HEX_LENGTH && plain.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(plain.to_ascii_lowercase());
    }
    let digits = id.trim_end_matches('=');
    if digits.len() != 43 {
        return None;
    }
    // 43 digits are 32 bytes and two bits; one more makes whole bytes of them.
    let bytes = ton::decode(&format!("{digits}A")).ok()?;
    Some(bytes[..32].iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEX: [RequisiteKind; 28] = [
        RequisiteKind::Btc,
        RequisiteKind::Ltc,
        RequisiteKind::Doge,
        RequisiteKind::Bch,
        RequisiteKind::Dash,
        RequisiteKind::Zec,
        RequisiteKind::Evm,
        RequisiteKind::Tron,
        RequisiteKind::Xmr,
        RequisiteKind::Xrp,
        RequisiteKind::Xlm,
        RequisiteKind::Ada,
        RequisiteKind::Qtum,
        RequisiteKind::Xvg,
        RequisiteKind::Bsv,
        RequisiteKind::Kmd,
        RequisiteKind::Btg,
        RequisiteKind::Rvn,
        RequisiteKind::Dgb,
        RequisiteKind::Dot,
        RequisiteKind::Atom,
        RequisiteKind::Eos,
        RequisiteKind::Xem,
        RequisiteKind::Neo,
        RequisiteKind::Ont,
        RequisiteKind::Icx,
        RequisiteKind::Apt,
        RequisiteKind::Kas,
    ];

    fn are_equal(kind: RequisiteKind, one: &str, other: &str) -> bool {
        transaction_key(kind, one) == transaction_key(kind, other)
    }

    #[test]
    fn case_matters_only_on_case_sensitive_networks() {
        for kind in HEX {
            assert!(
                are_equal(kind, "SAME-TX", "same-tx") && are_equal(kind, "0xAbCd", "abcd") && are_equal(kind, "0XABCD", "abcd")
            );
            assert!(are_equal(kind, "ab\u{200b}cd\n", "ABCD"), "invisible characters are ignored");
        }
        assert!(!are_equal(RequisiteKind::Sol, "5VtAbC", "5vtabc") && are_equal(RequisiteKind::Sol, " 5VtAbC\u{feff}", "5VtAbC"));
        assert!(!are_equal(RequisiteKind::Sol, "0x12", "12"), "there is no prefix in base58");
        assert!(
            are_equal(RequisiteKind::Card, " Order  No. 5 ", "order no. 5") && are_equal(RequisiteKind::Text, "СЧЁТ 7", "счёт 7")
        );
        assert!(!are_equal(RequisiteKind::Card, "0x12", "12") && !are_equal(RequisiteKind::Card, "1 2", "12"));
    }

    #[test]
    fn all_forms_of_a_ton_hash_are_equal() {
        let hex = "97264395BD65A255A429B11326C84128B7D70FFED7949ABAE3036D506BA38621";
        let forms = [
            "lyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE=",
            "lyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE",
            "lyZDlb1lolWkKbETJshBKLfXD_7XlJq64wNtUGujhiE=",
            "0x97264395bd65a255a429b11326c84128b7d70ffed7949abae3036d506ba38621",
        ];
        for form in forms {
            assert!(are_equal(RequisiteKind::Ton, hex, form), "{form}");
        }
        assert!(!are_equal(RequisiteKind::Ton, hex, "LyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE="));
        assert!(!are_equal(RequisiteKind::Ton, "some-reference", "SOME-reference"));
    }

    #[test]
    fn what_stands_around_a_hash_does_not_count() {
        const HASH: &str = "97264395BD65A255A429B11326C84128B7D70FFED7949ABAE3036D506BA38621";
        let other = HASH.replace('9', "8");
        for kind in HEX.into_iter().chain([RequisiteKind::Ton, RequisiteKind::Text]) {
            assert_eq!(transaction_key(kind, HASH), HASH.to_lowercase(), "the key of a plain hash is as before");
            for form in [
                format!("https://mempool.space/tx/{HASH}"),
                format!("https://mempool.space/ru/tx/{}?mode=details", HASH.to_lowercase()),
                format!("{HASH}:0"),
                format!("{HASH}#1"),
                format!("tx {HASH} ({HASH})"),
            ] {
                assert!(are_equal(kind, &form, HASH), "{kind:?} {form}");
            }
            assert!(!are_equal(kind, &format!("{HASH} {other}"), HASH), "two hashes");
            assert!(!are_equal(kind, &format!("{HASH}00"), HASH), "a longer number");
            assert!(!are_equal(kind, &format!("{HASH} №7"), HASH), "another claim that the transaction pays");
            assert_ne!(movement_key(kind, &format!("{HASH}:0")), movement_key(kind, &format!("{HASH}:1")));
            assert_eq!(movement_key(kind, HASH), transaction_key(kind, HASH));
        }
        let prefixed = format!("0x{HASH}");
        assert!(are_equal(RequisiteKind::Evm, &format!("https://etherscan.io/tx/{prefixed}"), HASH));
        assert_eq!(transaction_key(RequisiteKind::Text, &prefixed), prefixed.to_lowercase(), "as stored before");
        assert!(are_equal(RequisiteKind::Text, &format!("https://explorer.example/{prefixed}#logs"), &prefixed));
    }

    #[test]
    fn what_stands_around_an_identifier_does_not_count() {
        let signature = format!("5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Co{}", "sKDYjCJj".repeat(7));
        let digest = "DZkbCxYY6ECcyxRVMVTsXqLbnSQeLiVYYcVSqaFMhpmH";
        for (kind, id) in [(RequisiteKind::Sol, signature.as_str()), (RequisiteKind::Sui, digest)] {
            assert_eq!(transaction_key(kind, id), id, "the key of a plain identifier is as before");
            for form in [
                format!("https://explorer.example/tx/{id}"),
                format!("explorer.example/tx/{id}?cluster=mainnet"),
                format!("https://explorer.example/tx%2F{id}"),
                format!("{id}:0"),
                format!("{id}#1"),
            ] {
                assert!(are_equal(kind, &form, id), "{kind:?} {form}");
            }
            assert!(!are_equal(kind, &format!("{id} №7"), id), "another claim that the transaction pays");
            assert!(!are_equal(kind, &id.to_lowercase(), id));
        }
        let ton = "lyZDlb1lolWkKbETJshBKLfXD_7XlJq64wNtUGujhiE";
        for form in [
            format!("https://tonscan.org/tx/{ton}="),
            format!("tonscan.org/tx/{ton}"),
            "https://tonviewer.com/transaction/lyZDlb1lolWkKbETJshBKLfXD%2F7XlJq64wNtUGujhiE%3D".to_owned(),
            format!("{ton}:0"),
        ] {
            assert!(are_equal(RequisiteKind::Ton, &form, ton), "{form}");
        }
        let hash = "97264395bd65a255a429b11326c84128b7d70ffed7949abae3036d506ba38621";
        for form in [format!("https://mempool.space/tx%2F{hash}"), format!("{}-{}", &hash[..32], &hash[32..])] {
            assert!(are_equal(RequisiteKind::Btc, &form, hash), "{form}");
        }
    }

    proptest! {
        #[test]
        fn the_key_is_stable(kind in proptest::sample::select(&RequisiteKind::ALL[..]), id in "\\PC{0,80}") {
            let key = transaction_key(kind, &id);
            prop_assert_eq!(transaction_key(kind, &key), key.clone());
            prop_assert_eq!(transaction_key(kind, &format!(" {id}\u{200b} ")), key);
        }
    }
}
