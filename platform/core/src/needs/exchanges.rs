//! Hearing of exchanges that are done: what referrals, discounts and contests live on.

use std::net::IpAddr;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::Worth;
use crate::BoxFuture;
use crate::Vault;
use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::hex;
use crate::money::Amount;
use crate::networks::limit_key;
use crate::texts::Locale;

/// An exchange whose both sides have moved for good.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The claim it was asked for by.
    pub claim: Uuid,
    /// The claim's number for talk.
    pub number: i64,
    /// The account it was asked for in.
    pub customer: Option<Uuid>,
    /// The partner it was asked for through.
    pub partner: Option<Uuid>,
    /// The customer's e-mail address, in lower case.
    pub email: String,
    /// The language they use.
    pub locale: Locale,
    /// The referrer's code they came by, as they sent it.
    pub referral: Option<String>,
    /// Digest of the secret of the browser it was asked for from.
    pub guest_digest: String,
    /// Digest of the network address it was asked for from.
    pub address_digest: String,
    /// Digest of where it was paid out to; nothing where the details name nobody.
    pub payout_digest: Option<String>,
    /// The currency sent.
    pub from: i64,
    /// What was sent.
    pub sent: Amount,
    /// The currency received.
    pub to: i64,
    /// What was received.
    pub received: Amount,
    /// What the house earned by it, spread and fees together, in units of the received currency; below zero where it lost.
    pub earned_units: i64,
    /// What was sent is worth in the house's base currency; nothing where that cannot be told.
    pub worth: Option<Worth>,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// When it was done, or when it turned out not to be.
    pub at: Timestamp,
}

/// Somebody who acts when an exchange is done.
pub trait FollowsExchanges: Send + Sync {
    /// Hears in the transaction that completes the claim. A failure undoes the completion, so what can be mended later is written
    /// down and not failed for.
    fn done<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>>;

    /// Hears that an exchange it was told of is taken back: what followed from it is taken back too. Called at most once for each
    /// time the exchange was done.
    fn undone<'a>(&'a self, tx: &'a mut Tx, exchange: &'a Exchange) -> BoxFuture<'a, Result<()>>;
}

/// The digest a browser's secret is known by.
#[must_use]
pub fn guest_digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret))
}

/// The digest a network address is known by, which is one for a whole /64 network of IPv6.
#[must_use]
pub fn address_digest(address: IpAddr) -> String {
    hex::encode(Sha256::digest(format!("address {}", limit_key(address))))
}

/// The digest that where somebody is paid to is known by: of the card, account or address with its memo, without names of holders. It
/// is keyed, so nobody without the key of the vault finds the details by trying.
#[must_use]
pub fn payout_digest<'v>(vault: &Vault, values: impl IntoIterator<Item = &'v str>) -> Option<String> {
    let values: Vec<_> = values.into_iter().collect();
    (!values.is_empty()).then(|| vault.digest("payout details", &values.join("\n")))
}
