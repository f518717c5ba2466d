//! The claim in API responses and webhooks.

use agio_contracts::{
    CashCity, ClaimState, CustomerAction, PartnerClaim, PartnerTransaction, PublicClaimStatus, RecalculationOffer,
    SandboxProgress, SandboxStatus,
};
use agio_core::texts::Locale;
use agio_core::{Amount, Timestamp};
use agio_http::{ApiEnum, DateTime, Dec, Nullable};
use agio_requisites::RequisiteKind;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::PartnerRateType;

/// One side of a claim.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerClaimSide {
    /// Code of the currency.
    pub(crate) code: String,
    /// Ticker of the asset.
    ticker: String,
    /// Network or payment system.
    network: String,
    pub(crate) amount: Dec,
}

/// Payment details for the customer.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerClaimPayment {
    /// Card, account or address.
    pub(crate) value: String,
    /// Kind of payment detail.
    kind: ApiEnum<RequisiteKind>,
    /// Account holder.
    holder: Nullable<String>,
    /// Memo or tag; without it the payment is lost.
    pub(crate) memo: Nullable<String>,
    /// Content of the QR code.
    uri: String,
}

/// A city in which cash changes hands.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerCity {
    /// Code of the city.
    code: String,
    /// Name.
    name: String,
    /// The office and its hours; null if they are agreed with the customer.
    place: Nullable<String>,
}

impl PartnerCity {
    pub(crate) fn of(city: &CashCity, locale: Locale) -> Self {
        let place = Some(city.place.get(locale).to_owned()).filter(|place| !place.is_empty());
        Self { code: city.code.clone(), name: city.name.get(locale).to_owned(), place: Nullable(place) }
    }
}

/// Why a claim is on hold or was rejected.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
struct PartnerClaimReason {
    /// Stable code, or `other`.
    code: String,
    /// Explanation for the customer.
    text: String,
}

/// New terms for the customer to accept.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct PartnerClaimOffer {
    /// Amount that is exchanged: what arrived, or with a surplus the agreed amount.
    from_summa: Dec,
    /// Amount received.
    to_summa: Dec,
    /// Rate: units received per unit given.
    course: Dec,
    /// When the offer expires.
    expires_at: DateTime,
}

impl PartnerClaimOffer {
    fn of(offer: &RecalculationOffer) -> Self {
        Self {
            from_summa: Dec(offer.give.value()),
            to_summa: Dec(offer.receive.value()),
            course: Dec(offer.rate),
            expires_at: DateTime(offer.expires_at),
        }
    }
}

/// What arrived beyond the agreed amount.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct PartnerClaimSurplus {
    /// Amount returned, or that would be returned.
    amount: Dec,
    /// Code of the currency.
    currency: String,
    /// Fee deducted from it.
    fee: Dec,
    /// Whether sending it would cost more than it is worth; then it cannot be returned.
    too_small: bool,
    /// Terms for the agreed amount; null once the customer has chosen.
    offer: Nullable<PartnerClaimOffer>,
}

/// A transaction.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
pub(crate) struct PartnerClaimTransaction {
    /// Transaction id or bank reference.
    pub(crate) id: String,
    /// Link to a block explorer.
    url: Nullable<String>,
}

/// A refund.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
struct PartnerClaimRefund {
    /// Amount refunded, or that would be refunded.
    amount: Dec,
    /// Code of the currency.
    currency: String,
    /// Fee deducted from the payment.
    fee: Dec,
    /// Masked destination; null until one is given.
    destination: Nullable<String>,
    /// The refund transaction.
    tx: Nullable<PartnerClaimTransaction>,
}

/// A claim.
#[derive(Clone, Debug, Serialize, Deserialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase", rename = "PartnerClaim")]
pub struct PartnerClaimView {
    id: Uuid,
    /// Short number for support.
    public_id: i64,
    /// Your reference.
    reference: Nullable<String>,
    /// Whether it is a sandbox claim that moves no money.
    sandbox: bool,
    /// Increases with every change; the greater revision is newer.
    revision: i64,
    /// Simplified status.
    pub(crate) status: ApiEnum<PublicClaimStatus>,
    /// Detailed state.
    pub(crate) state: ApiEnum<ClaimState>,
    /// Whether the state is final.
    is_final: bool,
    /// The given side.
    pub(crate) from: PartnerClaimSide,
    /// The received side.
    pub(crate) to: PartnerClaimSide,
    /// Rate: units received per unit given, without fixed fees.
    pub(crate) course: Dec,
    /// When the rate is fixed.
    pub(crate) rate_type: ApiEnum<PartnerRateType>,
    /// Amount paid so far; null before any payment.
    pub(crate) received: Nullable<Dec>,
    /// Amount of a partial payout; null otherwise.
    #[serde(default)]
    pub(crate) paid_out: Nullable<Dec>,
    /// Payment details; null if the customer should not pay now.
    pub(crate) payment: Nullable<PartnerClaimPayment>,
    /// Where cash changes hands; null without cash.
    #[serde(default)]
    city: Nullable<PartnerCity>,
    /// What the customer says to collect cash; show it to nobody else. Null while there is nothing to collect.
    #[serde(default)]
    meeting_code: Nullable<String>,
    /// Why it is on hold or was rejected.
    reason: Nullable<PartnerClaimReason>,
    /// When we will respond at the latest.
    answer_by: Nullable<DateTime>,
    /// Pending verification; the customer completes it on our site at `/verify/` followed by this id.
    verification: Nullable<Uuid>,
    /// New terms for the customer to accept.
    offer: Nullable<PartnerClaimOffer>,
    /// What arrived beyond the agreed amount, until it is returned; null if there is none.
    #[serde(default)]
    surplus: Nullable<PartnerClaimSurplus>,
    /// Actions possible now.
    actions: Vec<ApiEnum<CustomerAction>>,
    /// The customer's payment transaction.
    pub(crate) tx_in: Nullable<PartnerClaimTransaction>,
    /// The payout transaction.
    pub(crate) tx_out: Nullable<PartnerClaimTransaction>,
    /// The refund transaction.
    tx_refund: Nullable<PartnerClaimTransaction>,
    /// The refund, or what it would be; null if there is none.
    #[serde(default)]
    refund: Nullable<PartnerClaimRefund>,
    created_at: DateTime,
    /// Time of the last change.
    updated_at: DateTime,
    /// When the state expires.
    expires_at: Nullable<DateTime>,
}

impl PartnerClaimView {
    pub fn of(claim: &PartnerClaim, locale: Locale) -> Self {
        let side = |facts: &agio_contracts::CurrencyInfo, amount: Amount| PartnerClaimSide {
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            network: facts.network.get(locale).to_owned(),
            amount: Dec(amount.value()),
        };
        let transaction = |of: &Option<PartnerTransaction>| {
            Nullable(of.as_ref().map(|of| PartnerClaimTransaction { id: of.id.clone(), url: Nullable(of.url.clone()) }))
        };
        let payment = claim.payment.as_ref().map(|payment| PartnerClaimPayment {
            value: payment.value.clone(),
            kind: payment.kind.into(),
            holder: Nullable(payment.holder.clone()),
            memo: Nullable(payment.memo.clone()),
            uri: payment.uri.clone(),
        });
        let reason = claim
            .reason
            .as_ref()
            .map(|(code, text)| PartnerClaimReason { code: code.clone(), text: text.get(locale).to_owned() });
        let surplus = claim.surplus.as_ref().map(|surplus| PartnerClaimSurplus {
            amount: Dec(surplus.amount.value()),
            currency: claim.from.code.clone(),
            fee: Dec(surplus.fee.value()),
            too_small: surplus.is_too_small,
            offer: Nullable(surplus.offer.as_ref().map(PartnerClaimOffer::of)),
        });
        Self {
            id: claim.id,
            public_id: claim.number,
            reference: Nullable(claim.reference.clone()),
            sandbox: false,
            revision: claim.revision,
            status: ApiEnum(claim.public_status),
            state: ApiEnum(claim.state),
            is_final: claim.is_final,
            from: side(&claim.from, claim.give),
            to: side(&claim.to, claim.receive),
            course: Dec(claim.rate),
            rate_type: ApiEnum(PartnerRateType::of(claim.floating)),
            received: Nullable(claim.received.map(|received| Dec(received.value()))),
            paid_out: Nullable(claim.paid_out.map(|arrived| Dec(arrived.value()))),
            payment: Nullable(payment),
            city: Nullable(claim.city.as_ref().map(|city| PartnerCity::of(city, locale))),
            meeting_code: Nullable(claim.meeting_code.clone()),
            reason: Nullable(reason),
            answer_by: Nullable(claim.answer_by.map(DateTime)),
            verification: Nullable(claim.verification),
            offer: Nullable(claim.offer.as_ref().map(PartnerClaimOffer::of)),
            surplus: Nullable(surplus),
            actions: claim.actions.iter().copied().map(ApiEnum).collect(),
            tx_in: transaction(&claim.tx_in),
            tx_out: transaction(&claim.tx_out),
            tx_refund: transaction(&claim.tx_refund),
            refund: Nullable(claim.refund.as_ref().map(|refund| PartnerClaimRefund {
                amount: Dec(refund.amount.value()),
                currency: claim.from.code.clone(),
                fee: Dec(refund.fee.value()),
                destination: Nullable(refund.destination.clone()),
                tx: transaction(&refund.tx),
            })),
            created_at: DateTime(claim.created_at),
            updated_at: DateTime(claim.updated_at),
            expires_at: Nullable(claim.expires_at.map(DateTime)),
        }
    }

    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Marks the claim as a sandbox claim.
    #[must_use]
    pub fn into_sandbox(mut self) -> Self {
        self.sandbox = true;
        self
    }

    pub fn set_number(&mut self, number: i64) {
        self.public_id = number;
    }

    /// Sandbox claims have no deadlines: each transition is requested.
    pub fn apply_state(&mut self, at: &SandboxProgress, status: &SandboxStatus, revision: i64, now: Timestamp) {
        use ClaimState::{AmountMismatch, AwaitingPayment, PaymentClaimed, PaymentSeen};
        self.state = ApiEnum(at.state);
        self.status = ApiEnum(status.public_status);
        self.is_final = status.is_final;
        self.actions = status.actions.iter().copied().map(ApiEnum).collect();
        self.revision = revision;
        self.updated_at = DateTime(now);
        self.expires_at = Nullable(None);
        if !matches!(at.state, AwaitingPayment | PaymentClaimed | PaymentSeen | AmountMismatch) {
            self.payment = Nullable(None);
        }
    }
}
