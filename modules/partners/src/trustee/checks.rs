//! What is asked of a call before anything is done, and what follows from its numbers.

use agio_core::needs::{CurrencyFacts, OfferedPair, QuotedSide};
use agio_core::{Amount, Error, FieldError, Result};
use rust_decimal::Decimal;

use super::api::bodies::TrusteeRateType;
use super::api::num::Num;
use super::sides::is_orderable;
use super::words::in_contract_words;
use crate::model::commission::{CommissionKind, share};
use crate::store::PartnerRow;

/// The longest text that is kept of an order without being looked at.
const KEPT_MAX: usize = 500;

/// What a wallet that gets a share of amounts earns of one.
///
/// # Errors
/// `internal` when the share that is stored cannot be read.
pub(super) fn share_of_sent(partner: &PartnerRow, sent: Decimal, from: &CurrencyFacts) -> Result<Decimal> {
    if partner.commission_kind != CommissionKind::Amount {
        return Ok(Decimal::ZERO);
    }
    let percent = Decimal::from_str_exact(&partner.commission_percent).map_err(Error::internal)?;
    let units = Amount::exact(sent, from.scale)?.units();
    Ok(Amount::of_units(share(units, percent), from.scale).value())
}

/// A refusal of an amount, on the side the contract tells limits of: that of the amount that was asked for.
pub(super) fn of_side(refused: Error, side: QuotedSide) -> Error {
    let is_of_sent = |field: &FieldError| field.field == "fromSumma" && field.code.starts_with("amount_");
    match (side, refused.fields().iter().find(|field| is_of_sent(field))) {
        (QuotedSide::Receive(_), Some(field)) => {
            Error::invalid(vec![FieldError { field: "toAmount".to_owned(), ..field.clone() }])
        }
        _ => in_contract_words(refused, None),
    }
}

/// Makes sure that a pair can be ordered by the contract, at a rate of the wanted type.
pub(super) fn fits(pair: &OfferedPair, wanted: Option<TrusteeRateType>) -> Result<()> {
    if !is_orderable(&pair.from, &pair.to, pair.proof) {
        return Err(Error::not_found("pair_unavailable"));
    }
    if wanted.is_some_and(|wanted| wanted != TrusteeRateType::of(pair.floating.is_some())) {
        return Err(Error::unprocessable("validation_failed").at("rateType", "rate_type_unavailable"));
    }
    Ok(())
}

/// What the wallet earns is agreed on with staff; a call that asks for more must not be taken for one that got it.
pub(super) fn adds_no_fee(fees: &[(&'static str, Option<Num>)]) -> Result<()> {
    match fees.iter().find(|(_, fee)| fee.is_some_and(|fee| !fee.0.is_zero())) {
        Some((field, _)) => Err(Error::unprocessable("validation_failed").at(*field, "fee_agreed_beforehand")),
        None => Ok(()),
    }
}

/// Makes sure that texts nobody looks at are not long.
pub(super) fn is_short(texts: &[(&'static str, &Option<String>)]) -> Result<()> {
    let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > KEPT_MAX);
    match texts.iter().find(|(_, text)| is_long(text)) {
        Some((field, _)) => Err(Error::unprocessable("validation_failed").with("max", KEPT_MAX).at(*field, "text_too_long")),
        None => Ok(()),
    }
}

/// A text that says something.
pub(super) fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}
