//! Refusals in the contract's words.

use agio_core::texts::{Locale, Texts};
use agio_core::{Error, FieldError};

use super::api::bodies::TrusteeRefusal;
use super::api::num::Num;

/// Which call was refused: the contract has codes of its own for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrusteeCall {
    /// An estimate.
    Estimate,
    /// A new order.
    Order,
    /// Anything else: there are no codes, only words.
    Other,
}

impl TrusteeCall {
    /// The call of a method and a path, without a slash at its end.
    #[must_use]
    pub fn of(method: &str, path: &str) -> Self {
        match (method, path.rsplit('/').next()) {
            ("POST", Some("estimate")) => Self::Estimate,
            ("POST", Some("orders")) => Self::Order,
            _ => Self::Other,
        }
    }
}

/// A refusal as the contract wants it told.
#[must_use]
pub fn refusal(call: TrusteeCall, error: &Error, texts: &Texts, locale: Locale) -> TrusteeRefusal {
    let limit = |name: &str| error.params().get(name).and_then(|limit| limit.parse().ok()).map(Num);
    let (min_amount, max_amount) = match (call, error.code()) {
        (TrusteeCall::Estimate, "amount_below_min") => (limit("min"), None),
        (TrusteeCall::Estimate, "amount_above_max") => (None, limit("max")),
        _ => (None, None),
    };
    let error_code = match (call, error.code()) {
        (TrusteeCall::Other, _) => None,
        (TrusteeCall::Order, "rate_changed") => Some("EXPIRED_RATE"),
        (TrusteeCall::Estimate, _) if min_amount.is_some() || max_amount.is_some() => Some("EXCEEDING_LIMITS"),
        _ => Some("PROVIDER_ERROR"),
    };
    TrusteeRefusal { error_code: error_code.map(str::to_owned), message: message(error, texts, locale), min_amount, max_amount }
}

/// What happened; of refused input, what is wrong with each field.
fn message(error: &Error, texts: &Texts, locale: Locale) -> String {
    if error.code() != "validation_failed" || error.fields().is_empty() {
        return texts.get(locale, error.code(), error.params());
    }
    let of = |field: &FieldError| format!("{}: {}", field.field, texts.get(locale, field.code, &field.params));
    error.fields().iter().map(of).collect::<Vec<_>>().join(" ")
}

/// The same refusal with fields called as the contract calls them. `memo` is what the currency calls the contract's `toMemo`.
#[must_use]
pub fn in_contract_words(error: Error, memo: Option<&str>) -> Error {
    if error.code() != "validation_failed" {
        return error;
    }
    let renamed = error.fields().iter().map(|field| FieldError { field: named(&field.field, memo).to_owned(), ..field.clone() });
    Error::invalid(renamed.collect())
}

fn named<'f>(field: &'f str, memo: Option<&str>) -> &'f str {
    match field.split_once('.') {
        Some(("fromRequisites", _)) => "fromPaymentDetails",
        Some(("toRequisites", name)) if Some(name) == memo => "toMemo",
        Some(("toRequisites", _)) => "toPaymentDetails",
        _ => match field {
            "fromSumma" => "fromAmount",
            "toSumma" => "toAmount",
            "quoteId" => "rateId",
            other => other,
        },
    }
}
