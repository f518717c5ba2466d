//! Bodies of the Trustee API. Names and types are fixed by Trustee.

use agio_core::named;
use agio_http::{ApiEnum, Nullable, body};

use super::num::Num;
use crate::trustee::status::TrusteeOrderStatus;

named! {
    /// When the rate is fixed.
    TrusteeRateType {
        /// When the payment arrives.
        Floating = "FLOATING",
        /// When the order is created.
        Fixed = "FIXED",
    }
}

impl TrusteeRateType {
    pub fn of(floating: bool) -> Self {
        if floating { Self::Floating } else { Self::Fixed }
    }
}

/// An estimate request with one of the two amounts.
#[body(request)]
#[derive(Clone, Debug)]
pub struct TrusteeEstimateRequest {
    /// Code of the given currency, as in the rates file.
    pub from: String,
    /// Code of the received currency, as in the rates file.
    pub to: String,
    /// Network code, if the rates file has one.
    #[oai(default)]
    pub from_network: Nullable<String>,
    /// Network code, if the rates file has one.
    #[oai(default)]
    pub to_network: Nullable<String>,
    /// Amount given.
    #[oai(default)]
    pub from_amount: Nullable<Num>,
    /// Minimum amount to receive.
    #[oai(default)]
    pub to_amount: Nullable<Num>,
    /// Extra wallet fee; must be absent or 0.
    #[oai(default)]
    pub extra_from_fee: Nullable<Num>,
    /// Extra wallet fee; must be absent or 0.
    #[oai(default)]
    pub extra_to_fee: Nullable<Num>,
    /// Refuse the estimate unless the direction's rate is of this type.
    #[oai(default)]
    pub rate_type: Nullable<ApiEnum<TrusteeRateType>>,
}

/// An estimate.
#[body(response, skip_serializing_if_is_none)]
#[derive(Clone, Debug)]
pub struct TrusteeEstimate {
    /// Currencies and amounts.
    #[serde(flatten)]
    #[oai(flatten)]
    pub sums: TrusteeAmounts,
    /// For a fixed rate: send it with the order to get this rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_id: Option<String>,
    /// For a fixed rate: when `rateId` expires, Unix time in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_id_expiration_timestamp: Option<i64>,
}

/// Currencies, amounts, rates and fees.
#[body(response)]
#[derive(Clone, Debug)]
pub struct TrusteeAmounts {
    /// Code of the given currency.
    pub from: String,
    /// Code of the received currency.
    pub to: String,
    /// Network code; null if Trustee has none.
    pub from_network: Nullable<String>,
    /// Network code; null if Trustee has none.
    pub to_network: Nullable<String>,
    /// Amount given.
    pub from_amount: Num,
    /// Amount received; for a partial payout, the part that arrived.
    pub to_amount: Num,
    /// Given side of the rate; either it or `toRate` is 1.
    pub from_rate: Num,
    /// Received side of the rate.
    pub to_rate: Num,
    /// Fixed fee deducted from the given amount.
    pub from_fee: Num,
    /// Fixed fee deducted from the received amount.
    pub to_fee: Num,
    /// Always 0.
    pub extra_from_fee: Num,
    /// Always 0.
    pub extra_to_fee: Num,
    /// The wallet's commission in the given currency.
    pub from_revenue_share: Num,
    /// The wallet's commission in the received currency; known once the order is completed.
    pub to_revenue_share: Num,
    /// When the rate is fixed.
    pub rate_type: ApiEnum<TrusteeRateType>,
}

/// A request to create an order.
#[body(shared)]
#[derive(Clone)]
pub struct TrusteeOrderRequest {
    /// Code of the given currency, as in the rates file.
    pub from: String,
    /// Code of the received currency, as in the rates file.
    pub to: String,
    /// Network code, if the rates file has one.
    #[oai(default)]
    pub from_network: Nullable<String>,
    /// Network code, if the rates file has one.
    #[oai(default)]
    pub to_network: Nullable<String>,
    /// Amount given.
    pub from_amount: Num,
    /// Received amount shown to the customer. It is binding with a `rateId`; otherwise the response has the actual
    /// amount.
    pub to_amount: Num,
    /// The wallet's id of its customer.
    #[oai(default)]
    pub user_id: Nullable<String>,
    /// Return URL after payment at `payUrl`.
    #[oai(default)]
    pub redirect_url: Nullable<String>,
    /// Payout destination: the received currency's first field.
    pub to_payment_details: String,
    /// Source of the payment, if the given currency requires it.
    #[oai(default)]
    pub from_payment_details: Nullable<String>,
    /// Second payout field: a memo or tag, or the card holder.
    #[oai(default)]
    pub to_memo: Nullable<String>,
    /// Extra wallet fee; must be absent or 0.
    #[oai(default)]
    pub extra_from_fee: Nullable<Num>,
    /// Extra wallet fee; must be absent or 0.
    #[oai(default)]
    pub extra_to_fee: Nullable<Num>,
    /// Refuse the order unless the direction's rate is of this type.
    #[oai(default)]
    pub rate_type: Nullable<ApiEnum<TrusteeRateType>>,
    /// `rateId` of an estimate; required if `rateType` is `FIXED`.
    #[oai(default)]
    pub rate_id: Nullable<String>,
}

/// An order.
#[body(response, skip_serializing_if_is_none)]
#[derive(Clone, Debug)]
pub struct TrusteeOrder {
    pub id: String,
    /// Status of the order.
    pub status: ApiEnum<TrusteeOrderStatus>,
    /// Page where the customer pays or completes a verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_url: Option<String>,
    /// Payment address, while the order waits for payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_crypto_address: Option<String>,
    /// Memo or tag; without it the payment is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_crypto_memo: Option<String>,
    /// Currencies and amounts.
    #[serde(flatten)]
    #[oai(flatten)]
    pub sums: TrusteeAmounts,
    /// Amount paid so far.
    pub from_amount_received: Num,
    /// The wallet's id of its customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Return URL after payment.
    pub redirect_url: Nullable<String>,
    /// Payout destination.
    pub to_payment_details: String,
    /// Source of the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_payment_details: Option<String>,
    /// Second payout field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_memo: Option<String>,
    /// Payment transaction; null until known.
    pub from_tx_hash: Nullable<String>,
    /// Payout transaction; null until sent.
    pub to_tx_hash: Nullable<String>,
}

/// The order to cancel.
#[body(request)]
#[derive(Clone, Debug)]
pub struct CancelTrusteeOrderRequest {
    /// Id of the order.
    pub id: String,
}

named! {
    /// Outcome of a cancellation.
    TrusteeCancellationStatus {
        /// The order is cancelled.
        Success = "SUCCESS",
    }
}

/// Result of a cancellation.
#[body(response)]
#[derive(Clone, Debug)]
pub struct TrusteeCancellation {
    /// Outcome.
    pub status: ApiEnum<TrusteeCancellationStatus>,
}

named! {
    /// Error code.
    TrusteeErrorCode {
        /// The amount of an estimate is outside the limits.
        ExceedingLimits = "EXCEEDING_LIMITS",
        /// The rate of a new order has expired.
        ExpiredRate = "EXPIRED_RATE",
        /// Any other error of an estimate or a new order.
        ProviderError = "PROVIDER_ERROR",
    }
}

/// An error.
#[body(response, skip_serializing_if_is_none)]
#[derive(Clone, Debug)]
pub struct TrusteeError {
    /// Error code of an estimate or a new order; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<ApiEnum<TrusteeErrorCode>>,
    /// Explanation in the request's language.
    pub message: String,
    /// Minimum amount, if the amount is below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_amount: Option<Num>,
    /// Maximum amount, if the amount is above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_amount: Option<Num>,
}
