//! Claim requests.

use std::collections::BTreeMap;

use agio_contracts::ClaimState;
use agio_core::texts::Locale;
use agio_http::{ApiEnum, Dec, body};

/// A request to create a claim.
#[body(shared)]
#[derive(Clone)]
pub struct CreatePartnerClaimRequest {
    /// Code of the given currency.
    pub from: String,
    /// Code of the received currency.
    pub to: String,
    /// Amount given.
    pub from_summa: Dec,
    /// Received amount that the customer was shown.
    pub to_summa: Dec,
    /// Id of the quote; without one, current terms apply if they are equal.
    pub quote_id: Option<String>,
    /// Code of one of the pair's `cities`; required with cash.
    pub city: Option<String>,
    /// E-mail address of the customer; notifications are sent there.
    pub email: String,
    /// The customer's payment details, as in the given currency's `sendInputs`.
    pub from_requisites: Option<BTreeMap<String, String>>,
    /// Payout details, as in the received currency's `receiveInputs`.
    pub to_requisites: BTreeMap<String, String>,
    /// Your reference, up to 64 visible ASCII characters, unique among your claims.
    pub reference: Option<String>,
    /// Webhook URL for this claim, instead of the partner's.
    pub callback_url: Option<String>,
    /// Language of the customer's e-mails; that of the request (Accept-Language) by default.
    pub language: Option<ApiEnum<Locale>>,
    /// Version of the terms of service that the customer accepted.
    pub terms_version: Option<String>,
    /// Whether the customer consented to AML checks; kept with the claim, by default false.
    pub aml_consent: Option<bool>,
    /// Id of the pair's `customerTerms` that the customer accepted; required where the pair has them.
    pub accepted_terms: Option<String>,
}

/// The amounts of the accepted offer.
#[body(request)]
#[derive(Clone, Debug)]
pub struct AcceptPartnerOfferRequest {
    /// Amount that arrived.
    pub from_summa: Dec,
    /// Amount received.
    pub to_summa: Dec,
}

/// A refund request.
#[body(request)]
#[derive(Clone)]
pub struct PartnerRefundRequest {
    /// Refund destination, as in the given currency's `receiveInputs`.
    pub requisites: BTreeMap<String, String>,
}

/// The amounts of the offer for the agreed amount, and where the surplus goes.
#[body(request)]
#[derive(Clone)]
pub struct ReturnPartnerSurplusRequest {
    /// Agreed amount.
    pub from_summa: Dec,
    /// Amount received for it, as in `surplus.offer`.
    pub to_summa: Dec,
    /// Destination of the surplus, as in the given currency's `receiveInputs`.
    pub requisites: BTreeMap<String, String>,
}

/// A transition of a sandbox claim.
#[body(request)]
#[derive(Clone, Debug)]
pub struct AdvanceSandboxClaimRequest {
    /// Target `state`.
    pub to: ApiEnum<ClaimState>,
}
