//! Sessions and repeated authentication.

use std::sync::Arc;

use agio_core::error::Result;
use agio_core::identity::Customer;
use agio_core::{BoxFuture, Timestamp, Tx};
use uuid::Uuid;

/// Tells whether sessions are still active, for responses that outlast their request.
pub trait SessionLookup: Send + Sync {
    /// Whether the session of an access token is active, of a customer or of staff. The token itself may have expired.
    fn is_active(&self, token: &str) -> bool;
}

/// Tells whether customers are still signed in, for what ends with a session.
pub trait CustomerSessions: Send + Sync {
    /// Whether the session was neither ended nor expired.
    fn is_open<'a>(&'a self, tx: &'a mut Tx, session: Uuid, now: Timestamp) -> BoxFuture<'a, Result<bool>>;
}

/// The credentials an account's owner repeats before an action that a session alone must not allow.
#[derive(Clone, Default)]
pub struct ReauthenticationRequest {
    pub password: String,
    /// A code of the second factor, or a recovery code; required if the account has a second factor.
    pub code: Option<String>,
}

impl std::fmt::Debug for ReauthenticationRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReauthenticationRequest(..)")
    }
}

/// Makes sure that a signed-in caller owns the account.
pub trait Reauthentication: Send + Sync {
    /// Checks the credentials and counts the attempts. A code works once.
    ///
    /// # Errors
    /// 422 `wrong_password` at `password`, `otp_required` or `otp_invalid` at `code`; 401 `token_not_valid` after
    /// too many wrong ones, which end the session.
    fn reauthenticate(
        self: Arc<Self>,
        customer: Customer,
        credentials: ReauthenticationRequest,
    ) -> BoxFuture<'static, Result<()>>;
}
