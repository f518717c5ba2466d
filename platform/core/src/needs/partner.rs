//! What the partners' calls ask of the rooms that know the market and the claims, and how they hear of a claim that moves.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{CurrencyFacts, FloatingTerms, Proof};
use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::idempotency::Key;
use crate::money::Amount;
use crate::texts::{Bilingual, Locale};

/// A currency that customers may see.
#[derive(Clone, Debug)]
pub struct OfferedCurrency {
    /// The currency.
    pub facts: Arc<CurrencyFacts>,
    /// Decimals amounts are taken and told in.
    pub digits: u32,
    /// Whether it may be sent.
    pub send: bool,
    /// Whether it may be received.
    pub receive: bool,
    /// What is free of it.
    pub reserve: Decimal,
}

/// A pair that can be exchanged now.
#[derive(Clone, Debug)]
pub struct OfferedPair {
    /// The currency sent.
    pub from: Arc<CurrencyFacts>,
    /// The currency received.
    pub to: Arc<CurrencyFacts>,
    /// Units received for one unit sent below the first tier.
    pub course: Decimal,
    /// The least and the most that may be sent.
    pub send: (Decimal, Decimal),
    /// The least and the most that may be received.
    pub receive: (Decimal, Decimal),
    /// What is free of the received currency.
    pub reserve: Decimal,
    /// The fixed fees: taken from what is sent, and from what is received. Percents are inside the course.
    pub fees: (Decimal, Decimal),
    /// How the rate is fixed by the payment; nothing where it is fixed with the claim.
    pub floating: Option<FloatingTerms>,
    /// For how many minutes the rate is held for a claim.
    pub hold_minutes: i64,
    /// What customers have verified before they pay.
    pub proof: Option<Proof>,
}

/// The amount a quote is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotedSide {
    /// So much is sent.
    Send(Decimal),
    /// At least so much is received.
    Receive(Decimal),
}

/// A signed promise of terms, worked out for an amount.
#[derive(Clone, Debug)]
pub struct AmountQuote {
    /// What a claim is made with to get these terms.
    pub token: String,
    /// What is sent.
    pub send: Decimal,
    /// What is received for it.
    pub receive: Decimal,
    /// The pair as it is offered at this moment.
    pub pair: OfferedPair,
    /// From then on the promise no longer holds.
    pub expires_at: Timestamp,
}

/// Knowing what is offered, and promising it.
pub trait PartnerOffers: Send + Sync {
    /// The currencies customers may see, in the order of lists.
    fn currencies(&self) -> Vec<OfferedCurrency>;

    /// The pairs that can be exchanged now, in the order of their currencies.
    fn pairs(&self) -> Vec<OfferedPair>;

    /// A currency by its code in any case.
    fn named(&self, code: &str) -> Option<Arc<CurrencyFacts>>;

    /// The terms for an amount on either side, promised for as long as the house's quotes hold and at least for so long.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound, `too_many_digits`.
    fn quote(&self, from: i64, to: i64, side: QuotedSide, at_least: Duration) -> Result<AmountQuote>;
}

/// A partner who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerParty {
    /// Identifier.
    pub id: Uuid,
    /// The name colleagues see.
    pub name: String,
    /// Where the call comes from.
    pub address: IpAddr,
}

/// A claim a partner asks for in a customer's name.
#[derive(Clone)]
pub struct PartnerOrder {
    /// Who asks.
    pub party: PartnerParty,
    /// The language of the customer's letters.
    pub locale: Locale,
    /// The customer's e-mail address.
    pub email: String,
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// How much is sent.
    pub send: Decimal,
    /// How much the customer was shown to receive.
    pub receive: Decimal,
    /// The quote they were shown.
    pub quote: Option<String>,
    /// Requisites of the sent side, as typed.
    pub from_requisites: BTreeMap<String, String>,
    /// Requisites to pay out to, as typed.
    pub to_requisites: BTreeMap<String, String>,
    /// The partner's own name for the claim; no other of theirs may have it.
    pub reference: Option<String>,
    /// Where news of it are sent, where that is not the partner's usual place.
    pub callback: Option<String>,
    /// The version of the rules the customer agreed to.
    pub terms_version: Option<String>,
    /// Whether the customer agreed to the check of the origin of money.
    pub aml_consent: bool,
    /// The key under which it is made once.
    pub key: Key,
}

/// Where a partner's customer pays.
#[derive(Clone, Debug)]
pub struct PartnerPayment {
    /// The card, account or address.
    pub value: String,
    /// What the value is: a kind of requisite.
    pub kind: String,
    /// Who holds it.
    pub holder: Option<String>,
    /// The memo or tag without which the payment is lost.
    pub memo: Option<String>,
    /// The text of the QR code.
    pub uri: String,
}

/// New terms that wait for the customer's word.
#[derive(Clone, Debug)]
pub struct PartnerOffer {
    /// What came.
    pub send: Amount,
    /// What is received for it.
    pub receive: Amount,
    /// Units received for one unit sent.
    pub course: Decimal,
    /// Until when the terms hold.
    pub expires_at: Timestamp,
}

/// A transaction of a partner's claim.
#[derive(Clone, Debug)]
pub struct PartnerTransaction {
    /// Its identifier on the network, or the bank's reference.
    pub id: String,
    /// Where it can be looked up.
    pub url: Option<String>,
}

/// A partner's claim as it stands.
#[derive(Clone, Debug)]
pub struct PartnerClaim {
    /// Identifier.
    pub id: Uuid,
    /// The short number for talk.
    pub number: i64,
    /// The partner it was made through.
    pub partner: Uuid,
    /// The partner's own name for it.
    pub reference: Option<String>,
    /// Where news of it are sent, where that is not the partner's usual place.
    pub callback: Option<String>,
    /// The language of the customer.
    pub locale: Locale,
    /// Counts every change.
    pub revision: i64,
    /// The house's own state.
    pub state: &'static str,
    /// The same in the words common to exchange services.
    pub public_status: &'static str,
    /// Whether it has ended.
    pub is_final: bool,
    /// The currency sent.
    pub from: Arc<CurrencyFacts>,
    /// What is to be sent.
    pub send: Amount,
    /// What has come so far; nothing before anything did.
    pub received: Option<Amount>,
    /// The currency received.
    pub to: Arc<CurrencyFacts>,
    /// What is to be received.
    pub receive: Amount,
    /// What of it has arrived, where a part alone has; nothing before that.
    pub paid_out: Option<Amount>,
    /// Units received for one unit sent.
    pub course: Decimal,
    /// Whether the rate is fixed only when the payment arrives.
    pub floating: bool,
    /// Where the customer pays; nothing where they should not pay now.
    pub payment: Option<PartnerPayment>,
    /// Why it was stopped or refused: a code, or `other`, and the words.
    pub reason: Option<(String, Bilingual)>,
    /// By when there will be an answer.
    pub answer_by: Option<Timestamp>,
    /// The verification it waits for.
    pub verification: Option<Uuid>,
    /// New terms that wait for the customer's word.
    pub offer: Option<PartnerOffer>,
    /// What may be done now in the customer's name.
    pub actions: Vec<&'static str>,
    /// The customer's payment.
    pub tx_in: Option<PartnerTransaction>,
    /// The payout.
    pub tx_out: Option<PartnerTransaction>,
    /// The returned payment.
    pub tx_refund: Option<PartnerTransaction>,
    /// What goes back, went back, or would if the customer chose so.
    pub refund: Option<PartnerRefund>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When the present state ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// Money that goes back.
#[derive(Clone, Debug)]
pub struct PartnerRefund {
    /// What the customer gets.
    pub amount: Amount,
    /// What is kept of the payment for sending it back.
    pub fee: Amount,
    /// Where it goes, masked; nothing while nobody said.
    pub destination: Option<String>,
    /// The transaction it left in.
    pub tx: Option<PartnerTransaction>,
}

/// What a partner does in a customer's name.
#[derive(Clone)]
pub enum PartnerAct {
    /// Says that the payment is made.
    Paid,
    /// Gives the claim up before paying.
    Cancel,
    /// Agrees to the new terms, repeating their amounts.
    Accept(Decimal, Decimal),
    /// Wants the payment back, to these requisites.
    Refund(BTreeMap<String, String>),
}

/// Which claims of a partner are listed, the newest first.
#[derive(Clone, Debug, Default)]
pub struct WantedClaims {
    /// Only the one of this name.
    pub reference: Option<String>,
    /// Only those that changed then or later.
    pub updated_since: Option<Timestamp>,
    /// From this place on.
    pub from: i64,
    /// So many at most.
    pub size: i64,
}

/// What was exchanged through a partner in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turnover {
    /// The code of the currency sent.
    pub from: String,
    /// The code of the currency received.
    pub to: String,
    /// How many claims were made.
    pub claims: i64,
    /// How many of them are completed.
    pub completed: i64,
    /// How many have neither been completed nor ended otherwise.
    pub open: i64,
    /// What was sent in the completed ones.
    pub sent: Amount,
    /// What was received in the completed ones.
    pub received: Amount,
    /// What the house earned by them, in the received currency.
    pub earned: Amount,
}

/// How far a rehearsed claim has come: what the table of transitions needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsed {
    /// The state.
    pub state: String,
    /// The state it was stopped in.
    pub stopped_in: Option<String>,
    /// Whether a part of the reserve, the customer's money, the payout, the refund would be in the books.
    pub books: [bool; 4],
}

/// The words for where a rehearsed claim stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The words common to exchange services.
    pub public_status: &'static str,
    /// Whether it has ended.
    pub is_final: bool,
    /// What may be done now in the customer's name.
    pub actions: Vec<&'static str>,
}

/// Making and following claims for partners.
pub trait PartnerClaims: Send + Sync {
    /// Makes a claim and confirms it in one transaction, so that the answer says where to pay. The same key gives the same claim.
    ///
    /// # Errors
    /// What prevents a claim; 409 `reference_taken`, `too_many_open_claims`, `requisites_unavailable`.
    fn make(self: Arc<Self>, order: PartnerOrder) -> BoxFuture<'static, Result<PartnerClaim>>;

    /// The claim an order would make, with everything checked and nothing kept, as if it waited for the payment.
    ///
    /// # Errors
    /// What prevents a claim.
    fn rehearse(self: Arc<Self>, order: PartnerOrder) -> BoxFuture<'static, Result<(PartnerClaim, Rehearsed)>>;

    /// Where a rehearsed claim comes to by a step the table allows to anybody.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`; 422 at `to` for an unknown state.
    fn advance(&self, at: &Rehearsed, to: &str) -> Result<Rehearsed>;

    /// Where a rehearsed claim stands.
    ///
    /// # Errors
    /// `internal` for a state there is not.
    fn standing(&self, at: &Rehearsed) -> Result<Standing>;

    /// A claim of a partner.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn one(&self, partner: Uuid, id: Uuid) -> BoxFuture<'_, Result<PartnerClaim>>;

    /// Claims of a partner, and how many there are in all.
    ///
    /// # Errors
    /// The database cannot be read.
    fn list<'a>(&'a self, partner: Uuid, wanted: &'a WantedClaims) -> BoxFuture<'a, Result<(Vec<PartnerClaim>, i64)>>;

    /// Does something in the customer's name. What was done is not done again.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed`, `rate_changed`, `no_offer`; 422 with the fields.
    fn act(self: Arc<Self>, party: PartnerParty, id: Uuid, act: PartnerAct) -> BoxFuture<'static, Result<PartnerClaim>>;

    /// What was exchanged through a partner, by direction.
    ///
    /// # Errors
    /// The database cannot be read.
    fn turnover(&self, partner: Uuid) -> BoxFuture<'_, Result<Vec<Turnover>>>;
}

/// Somebody who acts when a partner's claim moves.
pub trait FollowsPartnerClaims: Send + Sync {
    /// Hears of each change of state, in the transaction that makes it.
    fn moved<'a>(&'a self, tx: &'a mut Tx, claim: &'a PartnerClaim, now: Timestamp) -> BoxFuture<'a, Result<()>>;
}
