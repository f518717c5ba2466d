//! What automatic payments and claims need of each other.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::identity::Staff;
use agio_core::money::Amount;
use uuid::Uuid;

/// The state of a claim, as far as its payments are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentStage {
    /// The customer does not know yet where to pay.
    Unconfirmed,
    /// The customer is to pay.
    Awaiting,
    /// A payment was detected and is not confirmed yet.
    Seen,
    /// A different amount arrived.
    Mismatch,
    /// Money arrived after the claim had ended.
    Late,
    /// On hold.
    Held,
    /// The payment has arrived.
    Paid,
    /// The payout is being made.
    Processing,
    /// The payout is on its way.
    PayoutSent,
    PayoutFailed,
    /// A part of the payout arrived.
    PayoutPartial,
    /// The payment is to be refunded.
    RefundPending,
    /// The refund is on its way.
    RefundSent,
    Completed,
    Refunded,
    /// Cancelled, rejected or expired. Money may still arrive for it.
    Ended,
}

/// The address of a transfer. Its `Debug` output is empty, so that it does not end up in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct PaymentDestination {
    pub address: String,
    /// The memo or tag.
    pub memo: Option<String>,
}

impl fmt::Debug for PaymentDestination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentDestination").finish_non_exhaustive()
    }
}

/// Where a claim is paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressAssignment {
    /// Payments in the currency are not watched: the claim gets requisites from the pool.
    NotWatched,
    /// An address of the driver.
    Given(PaymentDestination),
    /// The driver makes an invoice for each claim and is asked for one. [`ClaimTransitions::give_payment_details`] follows.
    Requested,
}

/// How a customer pays an invoice. Its `Debug` output is empty, so that it does not end up in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct InvoiceDetails {
    /// The card, account or address; with a page, the name of the invoice.
    pub value: String,
    pub holder: Option<String>,
    /// The memo or tag the payment must carry.
    pub memo: Option<String>,
    /// The page on which the customer pays instead of making a transfer: an HTTPS URL.
    pub page: Option<String>,
}

impl fmt::Debug for InvoiceDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvoiceDetails").finish_non_exhaustive()
    }
}

/// A claim as the payments module needs to know it.
#[derive(Clone, Debug)]
pub struct PayableClaim {
    pub id: Uuid,
    /// The public number.
    pub number: i64,
    pub stage: PaymentStage,
    /// Counts every change.
    pub revision: i64,
    /// The given currency.
    pub from: i64,
    /// The amount to be given.
    pub give: Amount,
    /// How much less or more is accepted by the direction's rule at the time of agreement; `None` if it had none.
    pub tolerance: Option<Amount>,
    /// A payment first detected at this time or later is late; `None` if no rate was guaranteed.
    pub terms_end: Option<Timestamp>,
    /// Until when the customer can pay; `None` is no limit.
    pub pay_until: Option<Timestamp>,
    /// The amount that has arrived and is booked.
    pub received: Amount,
    /// The received currency.
    pub to: i64,
    /// The amount to be paid out.
    pub receive: Amount,
    /// The payout destination; `None` if it is not an address.
    pub pay_to: Option<PaymentDestination>,
    /// The amount of a refund.
    pub refund: Amount,
    /// The refund destination; `None` if the customer gave no address.
    pub refund_to: Option<PaymentDestination>,
    /// Whether a staff member is working on it.
    pub is_locked: bool,
    /// Whether its payout, or its refund once that is due, needs two-person approval.
    pub needs_approval: bool,
    /// Whether the refund is the surplus beside an exchange, never sent before. It needs no decision of staff if a driver
    /// has seen it.
    pub is_first_surplus: bool,
}

/// A transition that the payments module makes a claim take. Each is a row of the transition table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentStep {
    /// A payment was detected: its transaction, and when it was first seen.
    Seen(String, Timestamp),
    /// The payment is confirmed and accepted; this is the total that arrived.
    Received(Amount),
    /// A different amount is confirmed; this is the total that arrived.
    Mismatch(Amount),
    /// It arrived after the terms or the claim had ended.
    Late {
        tx_id: String,
        /// When it was first seen.
        seen_at: Timestamp,
        /// The total that arrived.
        came: Amount,
        /// Whether the amount is accepted and nothing else is wrong: then the claim goes on by itself if the rate has
        /// hardly moved.
        as_agreed: bool,
    },
    /// Puts it on hold, for this reason.
    Hold(&'static str),
    /// Starts the payout.
    Take,
    /// The payout was sent in this transaction.
    PayoutSent(String),
    /// The payout failed or was returned. The text is for staff.
    PayoutFailed(String),
    /// Nothing was sent for certain, and it is tried again.
    Retry,
    /// The payout is confirmed.
    Complete,
    /// The refund was sent in this transaction, on the decision of this staff member; a surplus, without one.
    RefundSent(String, Option<Staff>),
    /// The refund is confirmed.
    RefundDone,
    /// The refund was returned. The text is for staff.
    RefundBounced(String),
}

/// Changes claims on behalf of the payments module.
pub trait ClaimTransitions: Send + Sync {
    /// A claim, locked until the transaction ends. Read it before anything else in the transaction.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn payable<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<PayableClaim>>;

    /// The same by the public number.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    fn payable_by_number<'a>(&'a self, tx: &'a mut Tx, number: i64) -> BoxFuture<'a, Result<PayableClaim>>;

    /// What the customer gave about the account they pay from, by the name of the field. The refund destination is not part
    /// of it.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `claim_unreadable`.
    fn payer<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<BTreeMap<String, String>>>;

    /// Makes a claim take a transition with all its effects: state, ledger, history, e-mail and audit entry.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`; 409 `claim_changed` after a concurrent change; the ledger's errors.
    fn step<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, step: PaymentStep) -> BoxFuture<'a, Result<PayableClaim>>;

    /// Tells a claim that awaits its payment how it is paid: what follows [`AddressAssignment::Requested`].
    ///
    /// # Errors
    /// 409 `claim_changed` after a concurrent change.
    fn give_payment_details<'a>(
        self: Arc<Self>,
        tx: &'a mut Tx,
        claim: Uuid,
        details: InvoiceDetails,
    ) -> BoxFuture<'a, Result<()>>;

    /// Starts a failed payout again, on the decision of a staff member.
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

    /// Whether a staff member may send the refund of a claim now. If a second person has to approve it, returns the
    /// approval request it has written; otherwise the claim's revision grows, so that decisions on an older view fail.
    ///
    /// # Errors
    /// 409 `transition_not_allowed`, `claim_locked`, `approval_waits`.
    fn ask_refund<'a>(self: Arc<Self>, tx: &'a mut Tx, claim: Uuid, staff: &'a Staff) -> BoxFuture<'a, Result<Option<Uuid>>>;

    /// Paid claims to be paid out in this currency that no staff member is working on, of `most` units at most, with
    /// numbers after `after`, in order.
    fn paid<'a>(&'a self, tx: &'a mut Tx, currency: i64, most: i64, after: i64) -> BoxFuture<'a, Result<Vec<(i64, Uuid)>>>;

    /// The same for exchanged claims with a surplus to return in this currency.
    fn surpluses<'a>(&'a self, tx: &'a mut Tx, currency: i64, most: i64, after: i64) -> BoxFuture<'a, Result<Vec<(i64, Uuid)>>>;
}

/// Confirmations of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmationCount {
    pub confirmations: u32,
    /// How many are needed.
    pub required: u32,
}

/// When money for a claim was first detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetectedPayment {
    /// The first payment.
    pub first: Timestamp,
    /// The payment that completed the amount; the last one if it is not complete.
    pub whole: Timestamp,
}

/// How payments in a currency are handled now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentHandling {
    /// Confirmations that make a payment final; `None` where staff confirm payments.
    pub confirmations: Option<u32>,
    /// The greatest automatic payout in units; `None` where staff send all payouts.
    pub automatic_payout: Option<i64>,
    /// The smallest payment that is not ignored, in units.
    pub dust: i64,
}

/// Tells how payments are handled, from memory.
pub trait PaymentHandlingProvider: Send + Sync {
    fn handling(&self, currency: i64) -> PaymentHandling;
}

/// The payment driver that sends a claim's refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRoute {
    pub driver: String,
    /// Whether the refund was requested already.
    pub is_under_way: bool,
}

/// Payments detected and payouts sent without staff.
pub trait AutomaticPayments: Send + Sync {
    /// Whether claims get addresses of a payment driver in a currency, and no requisites of the pool.
    fn gives_addresses(&self, currency: i64) -> bool;

    /// Whether a payment driver sends the payouts in a currency without staff.
    fn pays_out(&self, currency: i64) -> bool;

    /// The smallest amount of a currency that is worth a transfer, in units; zero where no driver sends it.
    fn dust(&self, currency: i64) -> i64;

    /// Assigns an address to a claim, or queues the request for its invoice.
    ///
    /// # Errors
    /// 409 `requisites_unavailable` when no address is ready.
    fn give_address<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<AddressAssignment>>;

    /// Prepares a claim for a change by staff: cancels a queued payout or refund that was not requested yet.
    ///
    /// # Errors
    /// 409 `payout_under_way` while one may be leaving.
    fn before_staff<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;

    /// The driver that refunds the payment of a claim in this currency; `None` if staff send refunds.
    fn refund_way<'a>(&'a self, tx: &'a mut Tx, currency: i64, claim: Uuid) -> BoxFuture<'a, Result<Option<RefundRoute>>>;

    /// Runs after each change of a claim, in its transaction.
    fn claim_changed<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;

    /// When a payment that is not booked yet was detected on a watched network; `None` if there is none. `due` is the
    /// amount still to come, in units.
    fn seen<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, due: i64) -> BoxFuture<'a, Result<Option<DetectedPayment>>>;

    /// The confirmations of a claim's payment; `None` where they are not counted.
    fn counted(&self, claim: Uuid) -> BoxFuture<'_, Result<Option<ConfirmationCount>>>;
}
