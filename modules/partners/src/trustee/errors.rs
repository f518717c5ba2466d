//! Errors in Trustee's format.

use agio_core::texts::{Locale, Texts};
use agio_core::{Error, FieldError};
use agio_http::ApiEnum;

use super::api::bodies::{TrusteeError, TrusteeErrorCode};
use super::api::num::Num;

/// The kind of request; Trustee has different error codes for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrusteeCall {
    Estimate,
    Order,
    /// Only a message, no code.
    Other,
}

impl TrusteeCall {
    /// `path` without a trailing slash.
    pub fn of(method: &str, path: &str) -> Self {
        match (method, path.rsplit('/').next()) {
            ("POST", Some("estimate")) => Self::Estimate,
            ("POST", Some("orders")) => Self::Order,
            _ => Self::Other,
        }
    }
}

pub fn error_body(call: TrusteeCall, error: &Error, texts: &Texts, locale: Locale) -> TrusteeError {
    let limit = |name: &str| error.params().get(name).and_then(|limit| limit.parse().ok()).map(Num);
    let (min_amount, max_amount) = match (call, error.code()) {
        (TrusteeCall::Estimate, "amount_below_min") => (limit("min"), None),
        (TrusteeCall::Estimate, "amount_above_max") => (None, limit("max")),
        _ => (None, None),
    };
    let error_code = match (call, error.code()) {
        (TrusteeCall::Other, _) => None,
        (TrusteeCall::Order, "rate_changed") => Some(TrusteeErrorCode::ExpiredRate),
        (TrusteeCall::Estimate, _) if min_amount.is_some() || max_amount.is_some() => Some(TrusteeErrorCode::ExceedingLimits),
        _ => Some(TrusteeErrorCode::ProviderError),
    };
    TrusteeError { error_code: error_code.map(ApiEnum), message: message(error, texts, locale), min_amount, max_amount }
}

fn message(error: &Error, texts: &Texts, locale: Locale) -> String {
    let has_fields = !error.fields().is_empty() && ["validation_failed", "malformed_body"].contains(&error.code());
    if !has_fields {
        // Trustee's requests have no nonce: what is used up is their signature.
        let code = if error.code() == "nonce_reused" { "signature_reused" } else { error.code() };
        return texts.get(locale, code, error.params());
    }
    let of = |field: &FieldError| format!("{}: {}", field.field, texts.get(locale, field.code, &field.params));
    error.fields().iter().map(of).collect::<Vec<_>>().join(" ")
}

/// Renames fields to Trustee's. `memo` is the currency's own name of `toMemo`.
pub fn with_contract_fields(error: Error, memo: Option<&str>) -> Error {
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
