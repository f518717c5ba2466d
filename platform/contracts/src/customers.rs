//! Customers' accounts as other modules need to know them.

use agio_core::BoxFuture;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::identity::Customer;
use agio_core::texts::Locale;
use serde_json::Value;
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

/// A customer's account, for the modules that keep data about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerAccount {
    pub id: Uuid,
    /// The confirmed address, in lower case. What was only entered with an unconfirmed one may be another person's.
    pub email: Option<String>,
}

/// A part of a customer's data export: its name and content.
pub type ExportedRecords = (&'static str, Value);

/// The reviews of claims, as data about their customers.
pub trait ClaimReviews: Send + Sync {
    /// What the customer has written about an exchange, if anything.
    fn export<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<Option<Value>>>;

    /// Erases the review of a claim unless the site shows it, as the customer's account is deleted.
    fn erase<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>>;
}

/// Records that name the email address of a claim's customer besides the claim.
pub trait ClaimEmails: Send + Sync {
    /// Replaces the address by its masked form, as the claim's own is replaced.
    fn mask<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, masked: &'a str) -> BoxFuture<'a, Result<()>>;
}

/// Keeps data about customers besides their accounts.
pub trait CustomerRecords: Send + Sync {
    /// What is kept about a customer.
    fn export<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount) -> BoxFuture<'a, Result<Vec<ExportedRecords>>>;

    /// Follows an account from its address to another one that its owner has confirmed.
    fn change_email<'a>(&'a self, tx: &'a mut Tx, account: Uuid, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Withdraws what was saved or asked for in a customer's name since `since` and is not under way yet, as the owner takes
    /// the account back from somebody else.
    fn take_back<'a>(&'a self, _tx: &'a mut Tx, _account: &'a CustomerAccount, _since: Timestamp) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Erases what is kept about a customer, as the account is deleted. The records of exchanges stay and name
    /// `placeholder` as the address.
    ///
    /// # Errors
    /// 409 if something is still open or owed.
    fn erase<'a>(&'a self, tx: &'a mut Tx, account: &'a CustomerAccount, placeholder: &'a str) -> BoxFuture<'a, Result<()>>;
}
