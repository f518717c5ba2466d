//! What the contract's calls take and answer. Names, types and what is left out are the contract's.

use agio_http::Null;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::num::Num;
use crate::service::RateType;

/// When a rate is fixed, in the contract's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "UPPERCASE")]
#[oai(rename_all = "UPPERCASE")]
pub enum TrusteeRateType {
    /// When the payment arrives.
    Floating,
    /// When the order is made.
    Fixed,
}

impl TrusteeRateType {
    pub fn of(floating: bool) -> Self {
        if floating { Self::Floating } else { Self::Fixed }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Floating => "FLOATING",
            Self::Fixed => "FIXED",
        }
    }
}

impl From<TrusteeRateType> for RateType {
    fn from(wanted: TrusteeRateType) -> Self {
        match wanted {
            TrusteeRateType::Floating => Self::Floating,
            TrusteeRateType::Fixed => Self::Fixed,
        }
    }
}

/// What is to be estimated: one of the two amounts.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrusteeEstimateWish {
    /// The code of the currency sent, as in the list of directions.
    pub from: String,
    /// The code of the currency received, as in the list of directions.
    pub to: String,
    /// The code of its network, where the list gives one.
    #[serde(default)]
    #[oai(default)]
    pub from_network: Null<String>,
    /// The code of its network, where the list gives one.
    #[serde(default)]
    #[oai(default)]
    pub to_network: Null<String>,
    /// How much is sent.
    #[serde(default)]
    #[oai(default)]
    pub from_amount: Null<Num>,
    /// How much is to be received at least.
    #[serde(default)]
    #[oai(default)]
    pub to_amount: Null<Num>,
    /// A fee of the wallet's own; none can be added by the call.
    #[serde(default)]
    #[oai(default)]
    pub extra_from_fee: Null<Num>,
    /// A fee of the wallet's own; none can be added by the call.
    #[serde(default)]
    #[oai(default)]
    pub extra_to_fee: Null<Num>,
    /// Refuse the estimate unless the direction's rate is of this type.
    #[serde(default)]
    #[oai(default)]
    pub rate_type: Null<TrusteeRateType>,
}

/// An estimate.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct TrusteeEstimate {
    /// The exchange and its numbers.
    #[serde(flatten)]
    #[oai(flatten)]
    pub sums: TrusteeSums,
    /// For a fixed rate: what an order is made with to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub rate_id: Option<String>,
    /// For a fixed rate: from then on the promise no longer holds, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub rate_id_expiration_timestamp: Option<i64>,
}

/// The currencies, the amounts and what they follow from.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct TrusteeSums {
    /// The code of the currency sent.
    pub from: String,
    /// The code of the currency received.
    pub to: String,
    /// The code of its network, or null where the contract has none.
    pub from_network: Null<String>,
    /// The code of its network, or null where the contract has none.
    pub to_network: Null<String>,
    /// What is sent.
    pub from_amount: Num,
    /// What is received; of an order of which a part alone has arrived, that part.
    pub to_amount: Num,
    /// So much of the sent currency ...
    pub from_rate: Num,
    /// ... for so much of the received one; one of the two is 1.
    pub to_rate: Num,
    /// The fixed fee, taken from what is sent.
    pub from_fee: Num,
    /// The fixed fee, taken from what is received.
    pub to_fee: Num,
    /// 0: the wallet adds no fee by calls.
    pub extra_from_fee: Num,
    /// 0: the wallet adds no fee by calls.
    pub extra_to_fee: Num,
    /// What the wallet earns of what is sent.
    pub from_revenue_share: Num,
    /// What the wallet has earned of what is received; known once the order is completed.
    pub to_revenue_share: Num,
    /// When the rate is fixed.
    pub rate_type: TrusteeRateType,
}

/// An order as a wallet asks for it.
#[derive(Clone, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrusteeOrderWish {
    /// The code of the currency sent, as in the list of directions.
    pub from: String,
    /// The code of the currency received, as in the list of directions.
    pub to: String,
    /// The code of its network, where the list gives one.
    #[serde(default)]
    #[oai(default)]
    pub from_network: Null<String>,
    /// The code of its network, where the list gives one.
    #[serde(default)]
    #[oai(default)]
    pub to_network: Null<String>,
    /// How much is sent.
    pub from_amount: Num,
    /// How much the customer was shown to receive. With a `rateId` it is what they get; without one the answer says what they get.
    pub to_amount: Num,
    /// The wallet's own word for its customer.
    #[serde(default)]
    #[oai(default)]
    pub user_id: Null<String>,
    /// Where the wallet would have its customer after paying at `payUrl`.
    #[serde(default)]
    #[oai(default)]
    pub redirect_url: Null<String>,
    /// Where the customer receives: the first requisite of the currency.
    pub to_payment_details: String,
    /// Where the customer sends from: asked for where the currency asks its sender for something.
    #[serde(default)]
    #[oai(default)]
    pub from_payment_details: Null<String>,
    /// What belongs to `toPaymentDetails`: a memo or tag, or the holder of a card.
    #[serde(default)]
    #[oai(default)]
    pub to_memo: Null<String>,
    /// A fee of the wallet's own; none can be added by the call.
    #[serde(default)]
    #[oai(default)]
    pub extra_from_fee: Null<Num>,
    /// A fee of the wallet's own; none can be added by the call.
    #[serde(default)]
    #[oai(default)]
    pub extra_to_fee: Null<Num>,
    /// Refuse the order unless the direction's rate is of this type.
    #[serde(default)]
    #[oai(default)]
    pub rate_type: Null<TrusteeRateType>,
    /// The promise of an estimate; needed where `rateType` is `FIXED`.
    #[serde(default)]
    #[oai(default)]
    pub rate_id: Null<String>,
}

/// An order as it stands.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct TrusteeOrder {
    /// Identifier.
    pub id: String,
    /// Where it stands: `WAITING`, `RECEIVED`, `EXCHANGING`, `SENDING`, `COMPLETED`, `NOT_ENTIRE_WITHDRAW`, `REFUNDED`, `EXPIRED`,
    /// `CANCELED`, `FAILED` or `HOLDED`.
    pub status: String,
    /// The page where the customer pays, or shows what is to be verified first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub pay_url: Option<String>,
    /// The address the customer pays to, while they should.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub pay_crypto_address: Option<String>,
    /// The memo or tag without which the payment is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub pay_crypto_memo: Option<String>,
    /// The exchange and its numbers.
    #[serde(flatten)]
    #[oai(flatten)]
    pub sums: TrusteeSums,
    /// How much of the sent currency has come so far.
    pub from_amount_received: Num,
    /// The wallet's own word for its customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub user_id: Option<String>,
    /// Where the wallet would have its customer after paying.
    pub redirect_url: Null<String>,
    /// Where the customer receives.
    pub to_payment_details: String,
    /// Where the customer sends from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub from_payment_details: Option<String>,
    /// What belongs to `toPaymentDetails`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub to_memo: Option<String>,
    /// The customer's payment; null before it is known.
    pub from_tx_hash: Null<String>,
    /// The payout; null before it is sent.
    pub to_tx_hash: Null<String>,
}

/// Which order is meant.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields)]
pub struct TrusteeOrderName {
    /// Its identifier.
    pub id: String,
}

/// That an order is given up.
#[derive(Clone, Debug, Serialize, Object)]
pub struct TrusteeCancellation {
    /// `SUCCESS`.
    pub status: String,
}

/// Why a call was refused.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct TrusteeRefusal {
    /// Of estimates `EXCEEDING_LIMITS` or `PROVIDER_ERROR`, of new orders `EXPIRED_RATE` or `PROVIDER_ERROR`; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub error_code: Option<String>,
    /// What happened, in the language of the call.
    pub message: String,
    /// The limit the amount is below.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub min_amount: Option<Num>,
    /// The limit the amount is above.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    pub max_amount: Option<Num>,
}
