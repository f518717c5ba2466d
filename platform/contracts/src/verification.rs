//! Verifications that a claim waits for.

use std::sync::Arc;

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::identity::Staff;
use agio_core::texts::{Bilingual, Locale};
use uuid::Uuid;

agio_core::named! {
    /// What a customer may have to verify before they pay.
    VerificationSubject {
        /// That the card they pay with is theirs.
        Card = "card",
        /// Who they are.
        Identity = "identity",
    }
}

/// A request to verify something for a claim.
#[derive(Clone, Debug)]
pub struct ClaimVerificationRequest {
    pub verification: VerificationSubject,
    /// The reason: a code.
    pub cause: &'static str,
    pub claim: Uuid,
    /// The claim's public number.
    pub claim_number: i64,
    /// The account the claim was created in.
    pub customer: Option<Uuid>,
    /// The customer's e-mail address, in lower case.
    pub email: String,
    pub locale: Locale,
    /// The IANA name of the customer's time zone, if their browser gave it.
    pub time_zone: Option<String>,
    /// Digest of the secret of the browser that created the claim.
    pub guest_digest: String,
    /// The number of the card they pay with, if it is known.
    pub card: Option<String>,
    /// Until when the claim waits.
    pub until: Timestamp,
}

/// Verifications of claims' customers.
pub trait ClaimVerifications: Send + Sync {
    /// Requests a verification and returns its id; `None` if the customer has the same verified already.
    fn request<'a>(&'a self, tx: &'a mut Tx, request: &'a ClaimVerificationRequest) -> BoxFuture<'a, Result<Option<Uuid>>>;

    /// Whether the customer has what would be requested verified already.
    fn has_verified<'a>(&'a self, tx: &'a mut Tx, request: &'a ClaimVerificationRequest) -> BoxFuture<'a, Result<bool>>;

    /// Whether the identity of an account's owner is verified.
    fn is_identity_verified<'a>(&'a self, tx: &'a mut Tx, customer: Uuid) -> BoxFuture<'a, Result<bool>>;

    /// Cancels the undecided verifications of a claim that no longer waits.
    fn cancel<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;
}

/// A change of a verification that a claim waits for.
#[derive(Clone, Debug)]
pub enum VerificationEvent {
    /// The customer has submitted everything; staff have to decide.
    Submitted,
    RequestedAgain(Staff),
    Accepted(Staff),
    /// Rejected for this reason.
    Rejected(Staff, Bilingual),
}

/// Acts on changes of the verifications that claims wait for.
pub trait VerificationListener: Send + Sync {
    /// Runs in the transaction of the change. Returns until when the claim waits for its customer now, if it does.
    ///
    /// # Errors
    /// 409 `claim_changed` when the claim does not wait; 409 `claim_locked` when another staff member is working on it;
    /// what prevents the claim from going on.
    fn verification_changed<'a>(
        self: Arc<Self>,
        tx: &'a mut Tx,
        claim: Uuid,
        event: &'a VerificationEvent,
    ) -> BoxFuture<'a, Result<Option<Timestamp>>>;

    /// The IANA name of the time zone of a claim's customer, if their browser gave it.
    fn time_zone<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<Option<String>>>;
}
