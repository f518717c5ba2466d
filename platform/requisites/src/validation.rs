//! Results of validation.

use serde::Serialize;

use crate::kind::RequisiteKind;

/// Every code a [`RequisiteRefusal`] can have.
pub const REFUSAL_CODES: [&str; 28] = [
    "empty",
    "too_long",
    "look_alike_letters",
    "foreign_digits",
    "bad_characters",
    "bad_length",
    "bad_checksum",
    "mixed_case",
    "unsupported_version",
    "testnet",
    "contract_address",
    "forbidden_payee",
    "ambiguous",
    "secret_key",
    "missing_prefix",
    "wrong_network",
    "wrong_kind",
    "card_checksum",
    "unknown_card",
    "iban_checksum",
    "unknown_country",
    "phone_country",
    "account_checksum",
    "unknown_bic",
    "bank_own_account",
    "bad_email",
    "not_a_number",
    "out_of_range",
];

/// Every code a [`RequisiteWarning`] can have.
pub const WARNING_CODES: [&str; 3] = ["check_twice", "also_valid_on", "tag_inside"];

pub(crate) type CheckResult = Result<ValidRequisite, RequisiteRefusal>;

/// A valid value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValidRequisite {
    /// Normal form, to be stored and paid to. Checking it again gives the same value.
    pub value: String,
    /// Warnings to show to the customer.
    pub warnings: Vec<RequisiteWarning>,
}

/// A warning about a valid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RequisiteWarning {
    /// Stable code, one of [`WARNING_CODES`] and a key of the texts.
    pub code: &'static str,
    /// Name of the other kind it refers to, if any.
    pub other: Option<&'static str>,
}

/// Why a value is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RequisiteRefusal {
    /// Stable code, one of [`REFUSAL_CODES`] and a key of the texts.
    pub code: &'static str,
    /// Name of the kind the value is valid for, if known.
    pub other: Option<&'static str>,
}

impl ValidRequisite {
    pub(crate) fn plain(value: impl Into<String>) -> CheckResult {
        Ok(ValidRequisite { value: value.into(), warnings: Vec::new() })
    }

    /// A valid value without a checksum: typos cannot be detected.
    pub(crate) fn unchecked(value: impl Into<String>) -> CheckResult {
        ValidRequisite::warned(value, RequisiteWarning { code: "check_twice", other: None })
    }

    pub(crate) fn warned(value: impl Into<String>, warning: RequisiteWarning) -> CheckResult {
        Ok(ValidRequisite { value: value.into(), warnings: vec![warning] })
    }
}

impl RequisiteWarning {
    pub(crate) const fn also_valid_on(kind: RequisiteKind) -> RequisiteWarning {
        RequisiteWarning { code: "also_valid_on", other: Some(kind.name()) }
    }

    pub(crate) const TAG_INSIDE: RequisiteWarning = RequisiteWarning { code: "tag_inside", other: None };
}

impl RequisiteRefusal {
    pub(crate) const fn new(code: &'static str) -> RequisiteRefusal {
        RequisiteRefusal { code, other: None }
    }

    pub(crate) const fn of(code: &'static str, other: RequisiteKind) -> RequisiteRefusal {
        RequisiteRefusal { code, other: Some(other.name()) }
    }
}
