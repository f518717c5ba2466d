//! Customers' accounts as other modules need to know them.

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::identity::Customer;
use agio_core::texts::Locale;
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerInfo {
    pub id: Uuid,
    /// In lower case.
    pub email: String,
    /// The language of their e-mails.
    pub locale: Locale,
    /// Whether the e-mail address is confirmed.
    pub activated: bool,
}

/// Finds customers' accounts.
pub trait CustomerLookup: Send + Sync {
    /// By e-mail address, ignoring case.
    fn by_email<'a>(&'a self, email: &'a str) -> BoxFuture<'a, Result<Option<CustomerInfo>>>;
}

/// Authenticates customers. The database is read only where memory alone would refuse them.
pub trait CustomerTokens: Send + Sync {
    /// The holder of an access token.
    ///
    /// # Errors
    /// 401 `token_not_valid`.
    fn customer<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Customer>>;
}

/// A new account whose e-mail address has just been confirmed.
#[derive(Clone, Debug)]
pub struct ConfirmedSignUp {
    pub account: Uuid,
    /// In lower case.
    pub email: String,
    /// The referral code sent with the sign-up.
    pub referral: Option<String>,
    pub at: Timestamp,
}

/// Acts on confirmed sign-ups.
pub trait SignUpListener: Send + Sync {
    /// Runs in the transaction that confirms the e-mail address. Unconfirmed sign-ups have no effect, because anyone
    /// can sign up with any address.
    fn sign_up_confirmed<'a>(&'a self, tx: &'a mut Tx, sign_up: &'a ConfirmedSignUp) -> BoxFuture<'a, Result<()>>;
}

/// Tells which e-mail addresses are confirmed.
pub trait ConfirmedEmails: Send + Sync {
    /// The account that has confirmed this address (in lower case).
    fn owner<'a>(&'a self, tx: &'a mut Tx, email: &'a str) -> BoxFuture<'a, Result<Option<Uuid>>>;

    /// Whether the account's own address is confirmed.
    fn is_confirmed<'a>(&'a self, tx: &'a mut Tx, account: Uuid) -> BoxFuture<'a, Result<bool>>;
}
