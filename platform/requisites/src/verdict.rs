//! What a check answers.

use serde::Serialize;

use crate::kind::Kind;

/// Every code a [`Refusal`] can have.
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

/// Every code a [`Warning`] can have.
pub const WARNING_CODES: [&str; 3] = ["check_twice", "also_valid_on", "tag_inside"];

/// Answer of a check of one kind.
pub(crate) type Verdict = Result<Accepted, Refusal>;

/// A value money can be sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// Normal form, to be stored and paid to. Checking it again gives the same value.
    pub value: String,
    /// What the customer should be told although the value is accepted.
    pub warnings: Vec<Warning>,
}

/// Something worth a second look at an accepted value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Stable code, one of [`WARNING_CODES`] and a key of the texts.
    pub code: &'static str,
    /// Name of the other kind the warning is about, when it is about one.
    pub other: Option<&'static str>,
}

/// Why a value is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Stable code, one of [`REFUSAL_CODES`] and a key of the texts.
    pub code: &'static str,
    /// Name of the kind the value belongs to, when that is known.
    pub other: Option<&'static str>,
}

impl Accepted {
    pub(crate) fn plain(value: impl Into<String>) -> Verdict {
        Ok(Accepted { value: value.into(), warnings: Vec::new() })
    }

    /// Accepts a value that has no checksum of its own, so that a typing slip in it goes unseen.
    pub(crate) fn unchecked(value: impl Into<String>) -> Verdict {
        Accepted::warned(value, Warning { code: "check_twice", other: None })
    }

    pub(crate) fn warned(value: impl Into<String>, warning: Warning) -> Verdict {
        Ok(Accepted { value: value.into(), warnings: vec![warning] })
    }
}

impl Warning {
    pub(crate) const fn also_valid_on(kind: Kind) -> Warning {
        Warning { code: "also_valid_on", other: Some(kind.name()) }
    }

    pub(crate) const TAG_INSIDE: Warning = Warning { code: "tag_inside", other: None };
}

impl Refusal {
    pub(crate) const fn new(code: &'static str) -> Refusal {
        Refusal { code, other: None }
    }

    pub(crate) const fn of(code: &'static str, other: Kind) -> Refusal {
        Refusal { code, other: Some(other.name()) }
    }
}
