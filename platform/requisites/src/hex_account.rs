//! Accounts that are a prefix and hexadecimal digits, with no checksum at all: ICON, Sui, Aptos.

use crate::validation::{CheckResult, RequisiteRefusal, ValidRequisite};

/// Accounts of one network.
pub(crate) struct HexAccount {
    prefix: &'static str,
    digits: usize,
    /// Fewest digits where leading zeros may be left out.
    fewest_digits: usize,
    /// Prefix of contracts.
    contract_prefix: Option<&'static str>,
}

pub(crate) const ICON: HexAccount = HexAccount { prefix: "hx", digits: 40, fewest_digits: 40, contract_prefix: Some("cx") };

pub(crate) const SUI: HexAccount = HexAccount { prefix: "0x", digits: 64, fewest_digits: 64, contract_prefix: None };

/// Wallets show every digit, AIP-40; explorers leave out leading zeros. With four of them missing it is rather a slip.
pub(crate) const APTOS: HexAccount = HexAccount { prefix: "0x", digits: 64, fewest_digits: 61, contract_prefix: None };

impl HexAccount {
    /// Checks an account; the normal form has every digit and is in lower case. A typing slip cannot be seen in it, so the customer is
    /// always asked to look twice.
    pub(crate) fn check(&self, value: &str) -> CheckResult {
        let lower = value.to_ascii_lowercase();
        let Some(digits) = lower.strip_prefix(self.prefix) else {
            return Err(RequisiteRefusal::new(self.refusal_without_prefix(&lower)));
        };
        if !is_hex(digits) {
            return Err(RequisiteRefusal::new("bad_characters"));
        }
        if !(self.fewest_digits..=self.digits).contains(&digits.len()) {
            return Err(RequisiteRefusal::new("bad_length"));
        }
        let account = format!("{digits:0>width$}", width = self.digits);
        // The first sixteen accounts belong to the network itself.
        if account[..self.digits - 1].bytes().all(|digit| digit == b'0') {
            return Err(RequisiteRefusal::new("forbidden_payee"));
        }
        ValidRequisite::unchecked(format!("{}{account}", self.prefix))
    }

    fn refusal_without_prefix(&self, lower: &str) -> &'static str {
        let is_account = |digits: &str| digits.len() == self.digits && is_hex(digits);
        if self.contract_prefix.and_then(|prefix| lower.strip_prefix(prefix)).is_some_and(is_account) {
            "contract_address"
        } else if self.prefix == "0x" && is_account(lower) {
            "missing_prefix"
        } else {
            "bad_characters"
        }
    }
}

pub(crate) fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit())
}
