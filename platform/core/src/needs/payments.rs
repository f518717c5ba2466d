//! What the automatic payments and the claims ask of each other.

use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::identity::Staff;
use crate::money::Amount;

/// Where a claim stands, as far as its payments are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentStage {
    /// The customer was not told yet where to pay.
    Unconfirmed,
    /// The customer is to pay.
    Awaiting,
    /// A payment was seen and is not certain yet.
    Seen,
    /// Another amount came.
    Mismatch,
    /// Money came after the claim had ended.
    Late,
    /// It is stopped.
    Held,
    /// The payment is here.
    Paid,
    /// It is being paid out.
    Processing,
    /// The payout is on its way.
    PayoutSent,
    /// The payout did not leave.
    PayoutFailed,
    /// A part of the payout arrived.
    PayoutPartial,
    /// The payment is to be returned.
    RefundPending,
    /// The returned payment is on its way.
    RefundSent,
    /// It is exchanged.
    Completed,
    /// The payment is returned.
    Refunded,
    /// It was cancelled or refused, or its time ran out. Money may still come for it.
    Ended,
}

/// Where money is to be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct PayTo {
    /// The address.
    pub address: String,
    /// The memo or tag.
    pub memo: Option<String>,
}

/// As logs may show it: not at all.
impl fmt::Debug for PayTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayTo").finish_non_exhaustive()
    }
}

/// A claim as the payments need to know it.
#[derive(Clone, Debug)]
pub struct PayableClaim {
    /// Identifier.
    pub id: Uuid,
    /// The number for talk.
    pub number: i64,
    /// Where it stands.
    pub stage: PaymentStage,
    /// Counts its changes.
    pub revision: i64,
    /// The currency sent.
    pub from: i64,
    /// What is to come.
    pub send: Amount,
    /// How much less or more than that passes for it, by the rule its direction had when the claim's terms were agreed on; nothing where it had
    /// none.
    pub tolerance: Option<Amount>,
    /// From when on a payment that is first seen is late; nothing where no rate was promised.
    pub terms_end: Option<Timestamp>,
    /// What has come and is in the books.
    pub received: Amount,
    /// The currency received.
    pub to: i64,
    /// What is to be paid out.
    pub receive: Amount,
    /// Where to; nothing where that is no address.
    pub pay_to: Option<PayTo>,
    /// What would be returned.
    pub refund: Amount,
    /// Where to; nothing where the customer gave no address.
    pub refund_to: Option<PayTo>,
    /// Whether a member of staff has it in hand.
    pub in_hand: bool,
    /// Whether two people have to agree to its payout.
    pub needs_consent: bool,
}

/// A step the payments make a claim take. Each is a row of the table of transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentStep {
    /// A payment was seen, in this transaction, and for the first time at this moment.
    Seen(String, Timestamp),
    /// The payment is certain and passes for the agreed one; this is what came in all.
    Received(Amount),
    /// It is certain, and this is what came in all.
    Mismatch(Amount),
    /// It came after the agreed terms or the claim had ended.
    Late {
        /// The transaction.
        tx_id: String,
        /// When it was first seen.
        seen_at: Timestamp,
        /// What came in all.
        came: Amount,
        /// Whether it is what was agreed on and nothing speaks against it: then the claim goes on by itself if the rate barely moved.
        as_agreed: bool,
    },
    /// Stops it for a reason.
    Hold(&'static str),
    /// It is paid out now.
    Take,
    /// The payout left, in this transaction.
    PayoutSent(String),
    /// The payout did not leave, or came back. The words are for staff.
    PayoutFailed(String),
    /// It is certain that nothing left, and it is tried again.
    Retry,
    /// The payout is certain.
    Complete,
    /// The refund left in this transaction, by the word of this member of staff.
    RefundSent(String, Staff),
    /// The refund is certain.
    RefundDone,
    /// The refund came back. The words are for staff.
    RefundBounced(String),
}

/// Moving claims by what happens to their payments.
pub trait MovesClaims: Send + Sync {
    /// A claim, in a transaction that decides on it: nobody else changes it until that ends, so it is asked for before anything else is read.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn payable<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<PayableClaim>>;

    /// The same by its number for talk.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn payable_by_number<'a>(&'a self, tx: &'a mut Tx, number: i64) -> BoxFuture<'a, Result<PayableClaim>>;

    /// Makes a claim take a step, in the caller's transaction: its state, the books, its history, the letter and the trail.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`; 409 `claim_changed` when somebody else was faster; what the books refuse.
    fn step<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, step: PaymentStep) -> BoxFuture<'a, Result<PayableClaim>>;

    /// Starts a payout that failed anew, by the word of staff.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`, `claim_locked`, `claim_changed`.
    fn retry_by<'a>(
        self: Arc<Self>,
        tx: &'a mut Tx,
        claim: Uuid,
        staff: &'a Staff,
        note: String,
    ) -> BoxFuture<'a, Result<PayableClaim>>;

    /// Whether a member of staff may let the refund of a claim go now; where a colleague has to agree first, the identifier of the proposal,
    /// which is written in the caller's transaction. Otherwise the claim counts as changed: nobody decides on what they saw before.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`, `claim_locked`, `approval_waits`.
    fn ask_refund<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, staff: &'a Staff) -> BoxFuture<'a, Result<Option<Uuid>>>;

    /// Claims whose payment is here, that nobody has in hand, to be paid out in this currency and not more than this: those with numbers after
    /// `after`, in their order.
    ///
    /// # Errors
    /// The database cannot be read.
    fn paid<'a>(&'a self, tx: &'a mut Tx, currency: i64, most: i64, after: i64) -> BoxFuture<'a, Result<Vec<(i64, Uuid)>>>;
}

/// Confirmations of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// How many there are.
    pub confirmations: u32,
    /// How many are needed.
    pub required: u32,
}

/// When money was first seen for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPayment {
    /// The first of it.
    pub first: Timestamp,
    /// Enough of it; where less than that came, the last.
    pub whole: Timestamp,
}

/// How payments in a currency are handled at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentHandling {
    /// Confirmations after which a payment is certain; nothing where staff confirm payments.
    pub confirmations: Option<u32>,
    /// The greatest payout that leaves without staff, in units; nothing where staff send all of them.
    pub automatic_payout: Option<i64>,
}

/// Knowing how payments are handled, from memory.
pub trait PaymentHandlings: Send + Sync {
    /// How payments in a currency are handled.
    fn handling(&self, currency: i64) -> PaymentHandling;
}

/// How money of a claim goes back without being sent by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundWay {
    /// The driver that sends it.
    pub driver: String,
    /// Whether it has been asked for already.
    pub is_under_way: bool,
}

/// Payments that are watched and made without staff.
pub trait AutomaticPayments: Send + Sync {
    /// An address for the customer of a claim, in the caller's transaction. Nothing where payments in the currency are not watched: then the
    /// pool of requisites is for them.
    ///
    /// # Errors
    /// 409 `requisites_unavailable` when none is ready.
    fn give_address<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<Option<PayTo>>>;

    /// Staff are about to move a claim: a payment of it that was not asked for yet is not made any more.
    ///
    /// # Errors
    /// 409 `payout_under_way` while a payment of it may be leaving.
    fn before_staff<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;

    /// How the payment of a claim in this currency goes back through a driver; nothing where staff send it by hand.
    ///
    /// # Errors
    /// The database cannot be read.
    fn refund_way<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<Option<RefundWay>>>;

    /// A claim has moved.
    ///
    /// # Errors
    /// The database cannot be written.
    fn moved<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;

    /// When money that is not booked yet was seen for a claim on a watched network; nothing where none was. `due` is what is still to come.
    ///
    /// # Errors
    /// The database cannot be read.
    fn seen<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, due: i64) -> BoxFuture<'a, Result<Option<SeenPayment>>>;

    /// The confirmations of a claim's payment; nothing where they are not counted.
    ///
    /// # Errors
    /// The database cannot be read.
    fn counted(&self, claim: Uuid) -> BoxFuture<'_, Result<Option<Counted>>>;
}
