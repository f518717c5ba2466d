//! What modules need of each other, as narrow traits named after the need.
//!
//! A module asks for one of these; the composition root says which module answers.

mod agreed_terms;
mod bonuses;
mod exchanges;
mod feeds;
mod opinions;
mod owners;
mod partner;
mod payments;
mod presence;
mod rate_files;
mod rates;
mod referrals;
mod terms;

use std::net::IpAddr;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::identity::{Customer, Staff, StaffSession};
use crate::money::Amount;
use crate::texts::{Bilingual, Locale};

pub use agreed_terms::{AgreedFee, AgreedFees, AgreedTerms, AgreedTier, AgreedTolerance};
pub use bonuses::{Bonus, BonusKind, BonusPart, Bonuses, Offered, Person, PromoSeen, PromoUse};
pub use exchanges::{Exchange, FollowsExchanges, address_digest, guest_digest, payout_digest};
pub use feeds::{Direction, DirectionSide, FloatingTerms, OfferStamp, Offers, Robots};
pub use opinions::{KnownRequisite, Opinion, Opinions};
pub use owners::{OwnerProof, ShownAgain};
pub use partner::{
    AmountQuote, FollowsPartnerClaims, OfferedCurrency, OfferedPair, PartnerAct, PartnerClaim, PartnerClaims, PartnerOffer,
    PartnerOffers, PartnerOrder, PartnerParty, PartnerPayment, PartnerRefund, PartnerTransaction, QuotedSide, Rehearsed,
    Standing, Turnover, WantedClaims,
};
pub use payments::{
    AutomaticPayments, Counted, MovesClaims, PayTo, PayableClaim, PaymentHandling, PaymentHandlings, PaymentStage, PaymentStep,
    RefundWay, SeenPayment,
};
pub use presence::Presence;
pub use rate_files::{FilePrice, RateFile, RateFiles};
pub use rates::{
    Adjustment, AgreedPrice, BookPair, BoundPart, ClaimTerms, JUMP_PERCENT, JudgedLeg, KeptTerms, LeftOut, MovePart, PairRuling,
    PositionInputs, PositionPart, RateBook, Replayed, Replays, ReservePart, Ruling, SchedulePart, SeenPrice, SidePrice, Stop,
};
pub use referrals::{CheckedRequisite, ConfirmedAddresses, CurrencyList, FollowsSignUps, PayoutRequisites, SignedUp};
pub use terms::TermsVersion;

/// A currency as other rooms need to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyFacts {
    /// Identifier.
    pub id: i64,
    /// The monitors' code: `BTC`, `USDTTRC20`, `SBERRUB`.
    pub code: String,
    /// The asset: `BTC`, `USDT`, `RUB`.
    pub ticker: String,
    /// Network or payment system.
    pub network: Bilingual,
    /// `crypto`, `bank`, `ewallet` or `cash`.
    pub kind: String,
    /// Name of the currency.
    pub name: Bilingual,
    /// The icon's name.
    pub icon: String,
    /// Decimals it is stored in.
    pub scale: u32,
    /// What a customer is asked for on either side.
    pub inputs: Vec<InputFacts>,
}

impl CurrencyFacts {
    /// What a payment in the currency is addressed by: the kind of its first requisite.
    #[must_use]
    pub fn address_kind(&self) -> Option<&str> {
        let main = self.inputs.iter().find(|input| input.receive).or_else(|| self.inputs.first())?;
        Some(&main.kind)
    }
}

/// One thing a customer is asked for about a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFacts {
    /// The key it is sent under.
    pub name: String,
    /// How it is checked: a name of a requisite kind.
    pub kind: String,
    /// What the field is called.
    pub label: Bilingual,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it is asked when the currency is sent.
    pub send: bool,
    /// Whether it is asked when the currency is received.
    pub receive: bool,
}

crate::named! {
    /// What a customer can be asked to have verified before they pay.
    Proof {
        /// That the card they pay with is theirs.
        Card = "card",
        /// Who they are.
        Identity = "identity",
    }
}

/// A claim whose customer is to have something verified before they pay.
#[derive(Clone, Debug)]
pub struct ProofWish {
    /// What.
    pub proof: Proof,
    /// Why: a code.
    pub cause: &'static str,
    /// The claim.
    pub claim: Uuid,
    /// Its number for talk.
    pub claim_number: i64,
    /// The account it was made in.
    pub customer: Option<Uuid>,
    /// The customer's e-mail address, in lower case.
    pub email: String,
    /// The language they use.
    pub locale: Locale,
    /// Digest of the secret of the browser that made it.
    pub guest_digest: String,
    /// The number of the card they pay with, where it is known.
    pub card: Option<String>,
    /// Until when the claim waits.
    pub until: Timestamp,
}

/// Having things verified.
pub trait Proofs: Send + Sync {
    /// Asks for a verification, in the caller's transaction, and gives its identifier; nothing when the customer had the same verified
    /// before.
    fn ask<'a>(&'a self, tx: &'a mut Tx, wish: &'a ProofWish) -> BoxFuture<'a, Result<Option<Uuid>>>;

    /// Whether the customer of an account has shown who they are.
    fn is_known<'a>(&'a self, tx: &'a mut Tx, customer: Uuid) -> BoxFuture<'a, Result<bool>>;

    /// The claim waits no longer: what was asked for it and is not decided is over.
    fn end<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;
}

/// What becomes of a verification a claim waits for.
#[derive(Clone, Debug)]
pub enum Proving {
    /// The customer has sent what was asked; now it is for the house to answer.
    Sent,
    /// A member of staff asks once more.
    AskedAgain(Staff),
    /// A member of staff takes it as given.
    Accepted(Staff),
    /// A member of staff refuses it, for this reason.
    Rejected(Staff, Bilingual),
}

/// Waiting for verifications.
pub trait AwaitsProof: Send + Sync {
    /// Hears what became of the verification its claim waits for, in the caller's transaction. Gives until when the claim waits for its
    /// customer now, if it does.
    ///
    /// # Errors
    /// 409 `claim_changed` when the claim does not wait; 409 `claim_locked` when a colleague has it in hand; what prevents the claim
    /// from going on.
    fn hear<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, what: &'a Proving) -> BoxFuture<'a, Result<Option<Timestamp>>>;
}

/// A customer's account as other rooms need to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerFacts {
    /// Identifier.
    pub id: Uuid,
    /// The e-mail address, in lower case.
    pub email: String,
    /// The language of their letters.
    pub locale: Locale,
    /// Whether the address was shown to be theirs.
    pub activated: bool,
}

/// Knowing customers' accounts.
pub trait CustomerBook: Send + Sync {
    /// The account with an e-mail address, whatever its case.
    fn by_email<'a>(&'a self, email: &'a str) -> BoxFuture<'a, Result<Option<CustomerFacts>>>;
}

/// An exchange somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The currency sent.
    pub from: i64,
    /// The currency received.
    pub to: i64,
    /// How much is sent.
    pub send: Decimal,
    /// How much the customer was shown to receive, if they said.
    pub receive: Option<Decimal>,
    /// The quote they were shown, if they hold one.
    pub quote: Option<String>,
    /// What they get on top of the rate.
    pub bonus: Bonus,
    /// The account of whoever asks: a quote with somebody's own bonus holds for them alone.
    pub customer: Option<Uuid>,
    /// Units of the received currency that are set aside for whoever asks already, and are free for these terms.
    pub set_aside: i64,
}

impl Asked {
    /// Somebody without an account or a quote asks what they get for an amount.
    #[must_use]
    pub fn plainly(from: i64, to: i64, send: Decimal) -> Self {
        Self { from, to, send, ..Self::default() }
    }
}

/// An exchange at terms both sides agree on.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// The currency sent.
    pub from: Arc<CurrencyFacts>,
    /// The currency received.
    pub to: Arc<CurrencyFacts>,
    /// What is sent, exactly.
    pub send: Amount,
    /// What is received for it, exactly.
    pub receive: Amount,
    /// What the sent amount is worth at the market, in the received currency, rounded down: the difference is income.
    pub worth: Amount,
    /// Units received for one unit sent at this amount's tier, costs and bonus inside; fixed fees apart.
    pub course: Decimal,
    /// Percent of bonus inside the course.
    pub bonus: Decimal,
    /// The promo code that adds to the bonus; nothing where the pair's bounds leave it nothing to add.
    pub promo: Option<String>,
    /// The fees, the terms and how the rate came about, as the JSON that is kept with the claim.
    pub terms: String,
    /// For how many minutes the rate is held, from the quote on.
    pub hold_minutes: i64,
    /// When the quote was made whose terms these are; nothing where they are those of this moment.
    pub quoted_at: Option<Timestamp>,
    /// Whether the rate is fixed only when the payment arrives.
    pub floating: bool,
}

/// What another amount brings at terms that were agreed on before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recalculated {
    /// What is received for it, exactly.
    pub receive: Amount,
    /// Units received for one unit sent at this amount's tier; fixed fees apart.
    pub course: Decimal,
}

/// Agreeing on the terms of an exchange.
pub trait Quotes: Send + Sync {
    /// The terms of what is asked: those of the quote where a live one is given, else those of this moment.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound; 409 `rate_changed` with the
    /// new numbers when the customer was shown others.
    fn agree(&self, asked: &Asked) -> Result<Agreed>;

    /// What is received at terms that were agreed on before when another amount is sent, within the limits of the pair now.
    ///
    /// # Errors
    /// 404 `pair_unavailable`; 422 `amount_below_min` or `amount_above_max` with the bound; `internal` when the numbers are no terms.
    fn recalculate(&self, terms: &AgreedTerms, asked: &Asked) -> Result<Recalculated>;

    /// A currency by its identifier, hidden ones included.
    fn currency(&self, id: i64) -> Option<Arc<CurrencyFacts>>;

    /// What a pair has verified before a customer pays. Where that is the card, customers give its number with the claim.
    fn proof(&self, from: i64, to: i64) -> Option<Proof>;

    /// For how many minutes a payment of a pair may be reported without anybody seeing it; nothing where the pair has no rule of its own.
    fn reported_minutes(&self, from: i64, to: i64) -> Option<i64>;
}

/// Knowing staff by the token of a request. The database is asked only where memory would refuse them.
pub trait StaffTokens: Send + Sync {
    /// Who holds this access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`; 403 `second_factor_setup_needed` for somebody who has to set one up before anything else.
    fn staff<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>>;

    /// The same, also for somebody who has to set a second factor up first: for the calls by which they do.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    fn newcomer<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>>;
}

/// Knowing customers by the token of a request. The database is asked only where memory would refuse them.
pub trait CustomerTokens: Send + Sync {
    /// Who holds this access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    fn customer<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Customer>>;
}

/// Somebody who may be anybody wishes for a letter to an address.
#[derive(Clone, Debug)]
pub struct LetterWish {
    /// The e-mail address, in lower case.
    pub email: String,
    /// The answer to a captcha.
    pub captcha: Option<String>,
    /// Where the call comes from.
    pub address: IpAddr,
}

/// Keeping strangers from having letters sent without measure.
pub trait LetterGate: Send + Sync {
    /// Counts the wish for a letter with links to one's claims, if it may be had now.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the wait, and `captcha_required` at `recaptcha` where an answer would let it through; 422
    /// `captcha_required`, `captcha_invalid`.
    fn admit_search(&self, wish: LetterWish) -> BoxFuture<'_, Result<()>>;
}

/// Knowing staff by their identifiers.
pub trait StaffNames: Send + Sync {
    /// The name colleagues see; nothing for an unknown one.
    fn name(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>>;
}

/// What an amount is worth in the house's base currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worth {
    /// How much.
    pub amount: Decimal,
    /// The ticker of the base currency.
    pub ticker: String,
}

/// Knowing what money is worth in the house's base currency.
pub trait Worths: Send + Sync {
    /// What an amount of a currency is worth at the market now; nothing when that cannot be told, as for a currency that no
    /// fresh rate joins to the base. Whoever compares it with a limit takes nothing for more than any limit.
    fn worth(&self, currency: i64, amount: Amount) -> Option<Worth>;
}

/// Knowing where staff get their mail.
pub trait StaffAddresses: Send + Sync {
    /// The members of staff who may sign in, each with the address and the language of their mail.
    fn addresses(&self) -> BoxFuture<'_, Result<Vec<StaffAddress>>>;
}

/// A member of staff and where their mail goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffAddress {
    /// Who.
    pub staff: Staff,
    /// The e-mail address.
    pub email: String,
    /// The language they read.
    pub locale: Locale,
}
