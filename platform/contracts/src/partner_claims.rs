//! Claims created through partners, and the sandbox claims they test with.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::idempotency::Key;
use agio_core::money::Amount;
use agio_core::texts::{Bilingual, Locale};
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{CashCity, ClaimState, CurrencyInfo, CustomerAction, PublicClaimStatus};

/// The partner who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallingPartner {
    pub id: Uuid,
    /// The name shown to staff.
    pub name: String,
    pub address: IpAddr,
}

/// A partner's request to create a claim for a customer.
#[derive(Clone)]
pub struct PartnerClaimRequest {
    pub partner: CallingPartner,
    /// The language of e-mails to the customer.
    pub locale: Locale,
    /// The customer's e-mail address.
    pub email: String,
    /// The given currency.
    pub from: i64,
    /// The received currency.
    pub to: i64,
    /// The given amount.
    pub give: Decimal,
    /// The received amount that the customer was shown.
    pub receive: Decimal,
    /// The quote they were shown.
    pub quote: Option<String>,
    /// The code of the city, for cash.
    pub city: Option<String>,
    /// Requisites of the given side, as typed.
    pub give_requisites: BTreeMap<String, String>,
    /// Payout requisites, as typed.
    pub receive_requisites: BTreeMap<String, String>,
    /// The partner's own identifier of the claim, unique among their claims.
    pub reference: Option<String>,
    /// Where webhooks of the claim are sent instead of the partner's usual address.
    pub callback: Option<String>,
    /// The version of the terms the customer accepted.
    pub terms_version: Option<String>,
    /// Whether the customer agreed to the check of the origin of funds.
    pub aml_consent: bool,
    /// The identifier of the direction's terms that the customer accepted.
    pub accepted_terms: Option<String>,
    pub key: Key,
}

/// Where the customer of a partner pays.
#[derive(Clone, Debug)]
pub struct PartnerPayment {
    /// The card, account or address.
    pub value: String,
    pub kind: RequisiteKind,
    /// The holder's name.
    pub holder: Option<String>,
    /// The memo or tag without which the payment is lost.
    pub memo: Option<String>,
    /// The text of the QR code.
    pub uri: String,
}

/// New terms that wait for the customer's decision.
#[derive(Clone, Debug)]
pub struct RecalculationOffer {
    /// The amount that is exchanged.
    pub give: Amount,
    pub receive: Amount,
    /// Units received for one unit given.
    pub rate: Decimal,
    pub expires_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct PartnerTransaction {
    /// The transaction hash, or the bank's reference.
    pub id: String,
    /// Its page in a block explorer.
    pub url: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PartnerClaim {
    pub id: Uuid,
    /// The public number.
    pub number: i64,
    pub partner: Uuid,
    /// The partner's own identifier of the claim.
    pub reference: Option<String>,
    /// Where webhooks of the claim are sent instead of the partner's usual address.
    pub callback: Option<String>,
    /// The customer's language.
    pub locale: Locale,
    /// Counts every change.
    pub revision: i64,
    pub state: ClaimState,
    pub public_status: PublicClaimStatus,
    pub is_final: bool,
    /// The given currency.
    pub from: Arc<CurrencyInfo>,
    /// The amount to be given.
    pub give: Amount,
    /// The amount that has arrived so far; `None` before anything arrived.
    pub received: Option<Amount>,
    /// The received currency.
    pub to: Arc<CurrencyInfo>,
    /// The amount to be received.
    pub receive: Amount,
    /// The part of the payout that has arrived; `None` unless only a part has.
    pub paid_out: Option<Amount>,
    /// Units received for one unit given.
    pub rate: Decimal,
    /// Whether the payment fixes the rate.
    pub floating: bool,
    /// Where the customer pays; `None` while they should not pay.
    pub payment: Option<PartnerPayment>,
    /// Where cash changes hands.
    pub city: Option<CashCity>,
    /// What the customer says to collect cash; `None` while there is nothing to collect.
    pub meeting_code: Option<String>,
    /// Why it was put on hold or rejected: a code or `other`, and a text.
    pub reason: Option<(String, Bilingual)>,
    /// By when there will be a decision.
    pub answer_by: Option<Timestamp>,
    /// The verification it waits for.
    pub verification: Option<Uuid>,
    /// New terms that wait for the customer's decision.
    pub offer: Option<RecalculationOffer>,
    /// What arrived beyond the agreed amount, until it is returned.
    pub surplus: Option<PartnerSurplus>,
    /// The actions possible now.
    pub actions: Vec<CustomerAction>,
    /// The payment.
    pub tx_in: Option<PartnerTransaction>,
    /// The payout.
    pub tx_out: Option<PartnerTransaction>,
    pub tx_refund: Option<PartnerTransaction>,
    /// The refund that is pending, done, or possible if the customer chooses it.
    pub refund: Option<PartnerRefund>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When the current state times out.
    pub expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct PartnerRefund {
    /// The amount the customer gets.
    pub amount: Amount,
    /// The fee deducted for the transfer.
    pub fee: Amount,
    /// The masked destination; `None` while it is unknown.
    pub destination: Option<String>,
    pub tx: Option<PartnerTransaction>,
}

/// What arrived beyond the agreed amount.
#[derive(Clone, Debug)]
pub struct PartnerSurplus {
    /// The amount the customer gets back.
    pub amount: Amount,
    /// The fee deducted for the transfer.
    pub fee: Amount,
    /// Whether a transfer would cost more than it is worth. Then it is not offered.
    pub is_too_small: bool,
    /// The terms for the agreed amount that wait for the customer's decision.
    pub offer: Option<RecalculationOffer>,
}

/// An action on a claim on behalf of the customer.
#[derive(Clone)]
pub enum PartnerAction {
    /// Reports the payment as sent.
    ReportPaid,
    /// Cancels the claim before it is paid.
    Cancel,
    /// Accepts the new terms, repeating their given and received amounts.
    AcceptOffer(Decimal, Decimal),
    /// Requests a refund to these requisites.
    RequestRefund(BTreeMap<String, String>),
    /// Exchanges the agreed amount, repeating the given and received amounts of its terms, and returns the rest to these
    /// requisites.
    ReturnSurplus(Decimal, Decimal, BTreeMap<String, String>),
}

/// Which claims of a partner to list, newest first.
#[derive(Clone, Debug, Default)]
pub struct PartnerClaimQuery {
    pub reference: Option<String>,
    /// Only claims that changed at this time or later.
    pub updated_since: Option<Timestamp>,
    /// How many to skip.
    pub from: i64,
    /// How many to return at most.
    pub size: i64,
}

/// What was exchanged through a partner in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectionTurnover {
    /// The code of the given currency.
    pub from: String,
    /// The code of the received currency.
    pub to: String,
    /// Number of claims.
    pub claims: i64,
    /// Number of completed claims.
    pub completed: i64,
    /// Number of claims that have not ended.
    pub open: i64,
    /// Given in completed claims.
    pub given: Amount,
    /// Received in completed claims.
    pub received: Amount,
    /// Earned by them, in the received currency.
    pub earned: Amount,
}

/// The progress of a sandbox claim: what the transition table needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxProgress {
    pub state: ClaimState,
    /// The state it was put on hold in.
    pub stopped_in: Option<ClaimState>,
    /// Whether the hold, the payment, the payout and the refund would be booked.
    pub books: [bool; 4],
}

/// The public status of a sandbox claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxStatus {
    pub public_status: PublicClaimStatus,
    pub is_final: bool,
    /// The actions possible now.
    pub actions: Vec<CustomerAction>,
}

/// Creates and follows claims for partners.
pub trait PartnerClaims: Send + Sync {
    /// Creates and confirms a claim in one transaction, so that the response says where to pay. The same key returns
    /// the same claim.
    ///
    /// # Errors
    /// What prevents a claim; 409 `reference_taken`, `too_many_open_claims`, `requisites_unavailable`.
    fn create(self: Arc<Self>, request: PartnerClaimRequest) -> BoxFuture<'static, Result<PartnerClaim>>;

    /// The claim that a request would create, fully validated but not stored, as if it awaited payment.
    ///
    /// # Errors
    /// What prevents a claim.
    fn create_sandbox(
        self: Arc<Self>,
        request: PartnerClaimRequest,
    ) -> BoxFuture<'static, Result<(PartnerClaim, SandboxProgress)>>;

    /// Moves a sandbox claim to another state, if the transition table allows anyone to.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`.
    fn advance_sandbox(&self, at: &SandboxProgress, to: ClaimState) -> Result<SandboxProgress>;

    fn sandbox_status(&self, at: &SandboxProgress) -> SandboxStatus;

    /// One claim of a partner.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn get(&self, partner: Uuid, id: Uuid) -> BoxFuture<'_, Result<PartnerClaim>>;

    /// A page of a partner's claims, and how many match in all.
    fn list<'a>(&'a self, partner: Uuid, query: &'a PartnerClaimQuery) -> BoxFuture<'a, Result<(Vec<PartnerClaim>, i64)>>;

    /// Performs an action on behalf of the customer. Repeating it has no further effect.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed`, `rate_changed`, `no_offer`; 422 with the fields.
    fn perform(
        self: Arc<Self>,
        partner: CallingPartner,
        id: Uuid,
        action: PartnerAction,
    ) -> BoxFuture<'static, Result<PartnerClaim>>;

    fn turnover(&self, partner: Uuid) -> BoxFuture<'_, Result<Vec<DirectionTurnover>>>;
}

/// Acts on changes of partners' claims.
pub trait PartnerClaimListener: Send + Sync {
    /// Runs on each change of state, in its transaction.
    fn claim_changed<'a>(&'a self, tx: &'a mut Tx, claim: &'a PartnerClaim, now: Timestamp) -> BoxFuture<'a, Result<()>>;
}
