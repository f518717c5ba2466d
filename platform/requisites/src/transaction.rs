//! Identifiers of transactions, compared as their networks compare them.

use crate::kind::Kind;
use crate::ton;
use crate::typed::is_invisible;

/// The length of a transaction's hash in hexadecimal, on every network that has one.
const HEX_LENGTH: usize = 64;

/// The form in which two identifiers of transactions are equal if their network takes them for the same one. `kind` is the kind of address that is paid
/// to; anything that is no address stands for a bank or a network nobody knows, whose references are compared whatever their case.
///
/// The form is for comparing alone. It is never shown, and no explorer knows it.
///
/// ```
/// use agio_requisites::{Kind, transaction_key};
///
/// assert_eq!(transaction_key(Kind::Evm, " 0xAB12 "), transaction_key(Kind::Evm, "ab12"));
/// assert_ne!(transaction_key(Kind::Sol, "5Vt"), transaction_key(Kind::Sol, "5vT"));
/// ```
#[must_use]
pub fn transaction_key(kind: Kind, id: &str) -> String {
    let visible = id.chars().filter(|&c| !is_invisible(c));
    match kind {
        // Base58 and base64 mean another thing in another case.
        Kind::Sol => visible.filter(|c| !c.is_whitespace()).collect(),
        Kind::Ton => {
            let id: String = visible.filter(|c| !c.is_whitespace()).collect();
            ton_hash(&id).unwrap_or(id)
        }
        Kind::Btc
        | Kind::Ltc
        | Kind::Doge
        | Kind::Bch
        | Kind::Dash
        | Kind::Zec
        | Kind::Evm
        | Kind::Tron
        | Kind::Xmr
        | Kind::Xrp
        | Kind::Xlm
        | Kind::Ada => {
            let folded = visible.filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
            folded.trim_start_matches("0x").to_owned()
        }
        Kind::Iban
        | Kind::Card
        | Kind::Phone
        | Kind::AccountRu
        | Kind::Email
        | Kind::Holder
        | Kind::Memo
        | Kind::Tag
        | Kind::Text => visible.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
    }
}

/// A hash of TON as hexadecimal: it is written so, and as base64 in either alphabet.
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

    const HEX: [Kind; 12] = [
        Kind::Btc,
        Kind::Ltc,
        Kind::Doge,
        Kind::Bch,
        Kind::Dash,
        Kind::Zec,
        Kind::Evm,
        Kind::Tron,
        Kind::Xmr,
        Kind::Xrp,
        Kind::Xlm,
        Kind::Ada,
    ];

    fn are_one(kind: Kind, one: &str, other: &str) -> bool {
        transaction_key(kind, one) == transaction_key(kind, other)
    }

    #[test]
    fn case_counts_only_where_the_network_counts_it() {
        for kind in HEX {
            assert!(are_one(kind, "SAME-TX", "same-tx") && are_one(kind, "0xAbCd", "abcd") && are_one(kind, "0XABCD", "abcd"));
            assert!(are_one(kind, "ab\u{200b}cd\n", "ABCD"), "what copying leaves behind is no part of it");
        }
        assert!(!are_one(Kind::Sol, "5VtAbC", "5vtabc") && are_one(Kind::Sol, " 5VtAbC\u{feff}", "5VtAbC"));
        assert!(!are_one(Kind::Sol, "0x12", "12"), "there is no prefix in base58");
        assert!(are_one(Kind::Card, " Order  No. 5 ", "order no. 5") && are_one(Kind::Text, "СЧЁТ 7", "счёт 7"));
        assert!(!are_one(Kind::Card, "0x12", "12") && !are_one(Kind::Card, "1 2", "12"));
    }

    #[test]
    fn a_hash_of_ton_is_one_in_all_its_forms() {
        let hex = "97264395BD65A255A429B11326C84128B7D70FFED7949ABAE3036D506BA38621";
        let forms = [
            "lyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE=",
            "lyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE",
            "lyZDlb1lolWkKbETJshBKLfXD_7XlJq64wNtUGujhiE=",
            "0x97264395bd65a255a429b11326c84128b7d70ffed7949abae3036d506ba38621",
        ];
        for form in forms {
            assert!(are_one(Kind::Ton, hex, form), "{form}");
        }
        assert!(!are_one(Kind::Ton, hex, "LyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE="));
        assert!(!are_one(Kind::Ton, "some-reference", "SOME-reference"));
    }

    proptest! {
        #[test]
        fn the_form_is_its_own_form(kind in proptest::sample::select(&Kind::ALL[..]), id in "\\PC{0,80}") {
            let key = transaction_key(kind, &id);
            prop_assert_eq!(transaction_key(kind, &key), key.clone());
            prop_assert_eq!(transaction_key(kind, &format!(" {id}\u{200b} ")), key);
        }
    }
}
