//! Making sure that whoever is signed in is the owner of the account.

use std::sync::Arc;

use crate::BoxFuture;
use crate::error::Result;
use crate::identity::Customer;

/// What the owner of an account shows once more before something that a session alone must not do.
#[derive(Clone, Default)]
pub struct ShownAgain {
    /// The password.
    pub password: String,
    /// A code of the second factor, or a recovery code; needed where the account has a second factor.
    pub code: Option<String>,
}

impl std::fmt::Debug for ShownAgain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShownAgain(..)")
    }
}

/// Making sure that whoever is signed in is the owner of the account.
pub trait OwnerProof: Send + Sync {
    /// Checks what is shown, and counts the attempts. A code counts once.
    ///
    /// # Errors
    /// 422 `wrong_password` at `password`, `otp_required` or `otp_invalid` at `code`; 429 `too_many_attempts`.
    fn prove(self: Arc<Self>, who: Customer, shown: ShownAgain) -> BoxFuture<'static, Result<()>>;
}
