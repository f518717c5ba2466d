//! Checks of Trustee requests and values derived from them.

use agio_contracts::{CurrencyInfo, OfferedPair, QuotedSide};
use agio_core::{Error, FieldError, Result};
use rust_decimal::Decimal;

use super::api::bodies::TrusteeRateType;
use super::api::num::Num;
use super::errors::with_contract_fields;
use super::sides::is_orderable;
use crate::model::commission::{PartnerCommissionKind, share};
use crate::store::PartnerRow;

const TEXT_MAX: usize = 500;

/// The wallet's commission if it is a percentage of the amount, otherwise zero.
pub(super) fn share_of_payment(partner: &PartnerRow, give: Decimal, from: &CurrencyInfo) -> Result<Decimal> {
    if partner.commission_kind != PartnerCommissionKind::Amount {
        return Ok(Decimal::ZERO);
    }
    let percent = Decimal::from_str_exact(&partner.commission_percent).map_err(Error::internal)?;
    let units = from.exact(give)?.units();
    Ok(from.amount(share(units, percent)).value())
}

/// Reports amount errors on the side whose amount was requested, as Trustee expects.
pub(super) fn on_side(refused: Error, side: QuotedSide) -> Error {
    let is_of_give = |field: &FieldError| field.field == "fromSumma" && field.code.starts_with("amount_");
    match (side, refused.fields().iter().find(|field| is_of_give(field))) {
        (QuotedSide::Receive(_), Some(field)) => {
            Error::invalid(vec![FieldError { field: "toAmount".to_owned(), ..field.clone() }])
        }
        _ => with_contract_fields(refused, None),
    }
}

/// Requires a pair that Trustee orders can express, with the requested rate type.
pub(super) fn require_orderable(pair: &OfferedPair, wanted: Option<TrusteeRateType>) -> Result<()> {
    if !is_orderable(&pair.from, &pair.to, pair.verification, pair.customer_terms.is_some()) {
        return Err(Error::not_found("pair_unavailable"));
    }
    if wanted.is_some_and(|wanted| wanted != TrusteeRateType::of(pair.floating.is_some())) {
        return Err(Error::unprocessable("validation_failed").at("rateType", "rate_type_unavailable"));
    }
    Ok(())
}

/// The wallet's commission is agreed with staff; a request for an extra fee must not appear to succeed.
pub(super) fn require_no_extra_fee(fees: &[(&'static str, Option<Num>)]) -> Result<()> {
    match fees.iter().find(|(_, fee)| fee.is_some_and(|fee| !fee.0.is_zero())) {
        Some((field, _)) => Err(Error::unprocessable("validation_failed").at(*field, "fee_agreed_beforehand")),
        None => Ok(()),
    }
}

/// Limits the length of texts that are only stored.
pub(super) fn require_short_texts(texts: &[(&'static str, &Option<String>)]) -> Result<()> {
    let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > TEXT_MAX);
    match texts.iter().find(|(_, text)| is_long(text)) {
        Some((field, _)) => Err(Error::unprocessable("validation_failed").with("max", TEXT_MAX).at(*field, "text_too_long")),
        None => Ok(()),
    }
}

pub(super) fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}
