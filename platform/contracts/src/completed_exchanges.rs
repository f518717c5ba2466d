//! Completed exchanges: what referrals, discounts, contests and partner commissions are computed from.

use std::net::IpAddr;

use agio_core::BoxFuture;
use agio_core::Vault;
use agio_core::clock::Timestamp;
use agio_core::db::Tx;
use agio_core::error::Result;
use agio_core::hex;
use agio_core::money::Amount;
use agio_core::networks::limit_key;
use agio_core::texts::Locale;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::ReferenceValue;

/// An exchange whose payment and payout are both final.
#[derive(Clone, Debug)]
pub struct CompletedExchange {
    pub claim: Uuid,
    /// The claim's public number.
    pub number: i64,
    /// The account the claim was created in.
    pub customer: Option<Uuid>,
    /// The partner the claim was created through.
    pub partner: Option<Uuid>,
    /// The customer's e-mail address, in lower case.
    pub email: String,
    pub locale: Locale,
    /// The referral code sent with the claim.
    pub referral: Option<String>,
    /// Digest of the secret of the browser that created the claim.
    pub guest_digest: String,
    /// Digest of the network address that created the claim.
    pub address_digest: String,
    /// Digest of the payout details; `None` if they identify nobody.
    pub payout_digest: Option<String>,
    /// The given amount.
    pub give: Amount,
    /// The received amount.
    pub receive: Amount,
    /// Spread and fees together, in the received currency; negative for a loss.
    pub earned: Amount,
    /// The value of the given amount in the base currency; `None` if it is unknown.
    pub reference_value: Option<ReferenceValue>,
    /// When the claim was created.
    pub created_at: Timestamp,
    /// When it was completed, or when the completion was reversed.
    pub at: Timestamp,
}

/// Acts on completed exchanges.
pub trait ExchangeListener: Send + Sync {
    /// Runs in the transaction that completes the claim. An error undoes the completion, so record what can be repaired
    /// later instead of failing.
    fn exchange_completed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>>;

    /// Reverts the effects of an exchange whose completion is taken back. Called at most once per completion.
    fn exchange_reversed<'a>(&'a self, tx: &'a mut Tx, exchange: &'a CompletedExchange) -> BoxFuture<'a, Result<()>>;
}

/// Digest of a browser's secret.
pub fn guest_digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret))
}

/// Digest of a network address; the same for a whole IPv6 /64 network.
pub fn address_digest(address: IpAddr) -> String {
    hex::encode(Sha256::digest(format!("address {}", limit_key(address))))
}

/// Digest of payout details: card, account, or address with its memo, without holders' names. It is keyed, so that the
/// details cannot be found by trying without the vault's key.
pub fn payout_digest<'v>(vault: &Vault, values: impl IntoIterator<Item = &'v str>) -> Option<String> {
    let values: Vec<_> = values.into_iter().collect();
    (!values.is_empty()).then(|| vault.digest("payout details", &values.join("\n")))
}
