//! Who came by whose link, and how they can be paid.

use std::collections::BTreeMap;
use std::sync::Arc;

use uuid::Uuid;

use super::CurrencyFacts;
use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::texts::Bilingual;

/// Somebody who signed up, naming the referrer they came by, and has now shown that the address is theirs.
#[derive(Clone, Debug)]
pub struct SignedUp {
    /// The account.
    pub account: Uuid,
    /// The e-mail address, in lower case.
    pub email: String,
    /// The referrer's code, as they sent it.
    pub referral: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Somebody who hears of sign-ups.
pub trait FollowsSignUps: Send + Sync {
    /// Hears of a sign-up in the transaction that confirms its address. Until then anybody may have signed up with it, so nothing follows
    /// from it.
    fn signed_up<'a>(&'a self, tx: &'a mut Tx, who: &'a SignedUp) -> BoxFuture<'a, Result<()>>;
}

/// Knowing whose an e-mail address is beyond doubt.
pub trait ConfirmedAddresses: Send + Sync {
    /// The account whose owner has shown that this address, in lower case, is theirs.
    fn owner<'a>(&'a self, tx: &'a mut Tx, email: &'a str) -> BoxFuture<'a, Result<Option<Uuid>>>;

    /// Whether the owner of an account has shown that its address is theirs.
    fn is_confirmed<'a>(&'a self, tx: &'a mut Tx, account: Uuid) -> BoxFuture<'a, Result<bool>>;
}

/// Knowing the currencies of the house.
pub trait CurrencyList: Send + Sync {
    /// A currency by its identifier, hidden ones included.
    fn by_id(&self, id: i64) -> Option<Arc<CurrencyFacts>>;

    /// A currency by its code, whatever its case, hidden ones included.
    fn by_code(&self, code: &str) -> Option<Arc<CurrencyFacts>>;

    /// The currencies of an asset that customers may receive, in the order of the lists.
    fn receivable(&self, ticker: &str) -> Vec<Arc<CurrencyFacts>>;
}

/// A requisite that was checked.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckedRequisite {
    /// The field it was given in.
    pub name: String,
    /// What the field is called.
    pub label: Bilingual,
    /// The value in its normal form.
    pub value: String,
    /// The same with its middle hidden.
    pub masked: String,
    /// Whether it tells where the money goes, as a card does and its holder's name does not.
    pub identifies: bool,
}

/// Checking where a customer is to be paid.
pub trait PayoutRequisites: Send + Sync {
    /// Checks what was given for the fields a currency asks of whoever receives it. `path` is what the fields are under in the body.
    ///
    /// # Errors
    /// 422 with what is wrong with each field.
    fn check(&self, path: &str, currency: &CurrencyFacts, given: &BTreeMap<String, String>) -> Result<Vec<CheckedRequisite>>;
}
