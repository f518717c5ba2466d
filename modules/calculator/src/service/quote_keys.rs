//! Quote signing keys: encrypted in the database, rotated automatically or by staff, each published until its last
//! quote expires.

use std::time::Duration;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Staff};
use agio_core::{Error, Platform, Result, Timestamp, Tx};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{SECRET_KEY_LENGTH, SigningKey, VerifyingKey};

use super::Calculator;
use crate::model::quote::{Quote, QuoteError};
use crate::settings::{QUOTE_KEY_DAYS, QUOTE_SECONDS_MAX};
use crate::store::{self, QuoteKeyRow};

/// Delay before a new key signs; by then every node has loaded it.
const PUBLISH_BEFORE_SIGNING: Duration = Duration::from_secs(30);

pub struct QuoteKey {
    pub id: String,
    pub signs_from: Timestamp,
    /// When the last quote signed with it expires. `None` while it has no successor.
    pub ends_at: Option<Timestamp>,
    signing: SigningKey,
}

impl QuoteKey {
    /// The public key in base64.
    pub fn public_key(&self) -> String {
        STANDARD.encode(self.verifying_key().to_bytes())
    }

    fn verifying_key(&self) -> VerifyingKey {
        self.signing.verifying_key()
    }

    fn open(platform: &Platform, row: &QuoteKeyRow) -> Result<Self> {
        let secret = platform.vault.open(&purpose(&row.id), &row.sealed)?;
        let secret = <[u8; SECRET_KEY_LENGTH]>::try_from(secret).map_err(|_| Error::internal("a quote key is not 32 bytes"))?;
        let signing = SigningKey::from_bytes(&secret);
        Ok(Self { id: row.id.clone(), signs_from: row.signs_from, ends_at: row.ends_at, signing })
    }
}

#[derive(Default)]
pub struct QuoteKeys(Vec<QuoteKey>);

impl QuoteKeys {
    /// Keys that sign, will sign, or have signed quotes that may still be valid.
    pub fn published(&self, now: Timestamp) -> impl Iterator<Item = &QuoteKey> {
        self.0.iter().filter(move |key| key.ends_at.is_none_or(|end| now < end))
    }

    /// The key that signs at `now`.
    ///
    /// # Panics
    /// The calculator is not loaded.
    pub fn signing(&self, now: Timestamp) -> &QuoteKey {
        let ready = self.0.iter().find(|key| key.signs_from <= now);
        ready.or(self.0.last()).expect("the calculator is loaded before it serves")
    }

    fn signs_at(&self, key: &QuoteKey, micros: i64) -> bool {
        self.signing(Timestamp(micros)).id == key.id
    }

    pub(super) fn sign(&self, quote: &Quote, now: Timestamp) -> crate::model::quote::SignedQuote {
        quote.sign(&self.signing(now).signing)
    }

    /// Decodes and verifies a quote with any published key.
    pub(super) fn verify(&self, token: &str, now: Timestamp) -> Result<Quote, QuoteError> {
        let mut refused = QuoteError::Signature;
        for key in self.published(now) {
            match Quote::verify(token, &key.verifying_key(), now.0) {
                Err(QuoteError::Signature) => {}
                // Reject quotes issued before the key was in use. The first key signs whatever the clock says: it may have
                // been set back since.
                Ok(quote) if quote.issued_at < key.signs_from.0 && !self.signs_at(key, quote.issued_at) => {}
                Ok(quote) => return Ok(quote),
                Err(other) => refused = other,
            }
        }
        Err(refused)
    }
}

impl Calculator {
    pub fn quote_keys(&self) -> std::sync::Arc<QuoteKeys> {
        self.keys.load_full()
    }

    /// Loads the keys and creates the first one if none can be read.
    pub(super) async fn load_keys(&self) -> Result<()> {
        if self.read_keys().await? {
            return Ok(());
        }
        let platform = self.platform.clone();
        let make = self.platform.db.write(move |tx| {
            let platform = platform.clone();
            Box::pin(async move {
                let (now, rows) = locked(tx, &platform).await?;
                if rows.iter().any(|row| QuoteKey::open(&platform, row).is_ok()) {
                    return Ok(());
                }
                add(tx, &platform, now, now).await.map(drop)
            })
        });
        make.await?;
        if self.read_keys().await? { Ok(()) } else { Err(Error::internal("the new quote key cannot be read")) }
    }

    /// Returns whether a key could be read.
    async fn read_keys(&self) -> Result<bool> {
        let rows = store::quote_keys(&mut self.platform.db.read().await?).await?;
        let mut keys = Vec::with_capacity(rows.len());
        for row in rows {
            match QuoteKey::open(&self.platform, &row) {
                Ok(key) => keys.push(key),
                Err(error) => tracing::warn!(key = row.id, %error, "a quote key cannot be read; its quotes are refused"),
            }
        }
        let found = !keys.is_empty();
        if found {
            self.keys.store(std::sync::Arc::new(QuoteKeys(keys)));
        }
        Ok(found)
    }

    /// Rotates the key if it is due.
    pub async fn rotate_quote_key_if_due(&self) -> Result<()> {
        let days = self.platform.settings.int(QUOTE_KEY_DAYS).unsigned_abs();
        self.replace_key(Some(Duration::from_secs(days * 24 * 60 * 60)), Actor::system("quote_key")).await.map(drop)
    }

    /// Rotates the key on request. Does nothing while a new key is about to sign.
    pub async fn rotate_quote_key(&self, by: &Staff) -> Result<()> {
        self.replace_key(None, Actor::from(by)).await.map(drop)
    }

    async fn replace_key(&self, life: Option<Duration>, by: Actor) -> Result<bool> {
        let platform = self.platform.clone();
        let replaced = self.platform.db.write(move |tx| {
            let (platform, by) = (platform.clone(), by.clone());
            Box::pin(async move {
                let (now, rows) = locked(tx, &platform).await?;
                let Some(newest) = rows.first() else { return Ok(false) };
                if newest.signs_from > now || life.is_some_and(|life| now < newest.created_at.plus(life)) {
                    return Ok(false);
                }
                let signs_from = now.plus(PUBLISH_BEFORE_SIGNING);
                store::end_quote_key(tx, &newest.id, signs_from.plus(Duration::from_secs(QUOTE_SECONDS_MAX))).await?;
                store::delete_expired_quote_keys(tx, now).await?;
                let id = add(tx, &platform, now, signs_from).await?;
                let entry =
                    NewAuditEntry { by: &by, action: "quote_key.rotated", about: "quote_key", id, before: None, after: None };
                audit::record(tx, entry, now).await?;
                Ok(true)
            })
        });
        let replaced = replaced.await?;
        if replaced {
            self.read_keys().await?;
            self.platform.events.publish(ChangeEvent::Market);
        }
        Ok(replaced)
    }
}

/// The current time and the keys, locked until the transaction ends.
async fn locked(tx: &mut Tx, platform: &Platform) -> Result<(Timestamp, Vec<QuoteKeyRow>)> {
    tx.lock("quote_key", "").await?;
    Ok((platform.clock.now(), store::quote_keys(tx).await?))
}

async fn add(tx: &mut Tx, platform: &Platform, now: Timestamp, signs_from: Timestamp) -> Result<String> {
    let mut secret = [0; SECRET_KEY_LENGTH];
    platform.random.fill(&mut secret);
    let id = platform.random.uuid().simple().to_string();
    let sealed = platform.vault.seal(&purpose(&id), &secret);
    store::insert_quote_key(tx, &QuoteKeyRow { id: id.clone(), sealed, created_at: now, signs_from, ends_at: None }).await?;
    Ok(id)
}

pub(crate) fn purpose(id: &str) -> String {
    format!("quote key {id}")
}

#[cfg(test)]
mod tests {
    use rust_decimal::Decimal;

    use super::*;
    use crate::model::engine::{Terms, TermsParts};
    use crate::model::quote::QuoteCurrency;

    #[test]
    fn quotes_outside_a_key_s_period_are_rejected() {
        let key = |signs_from, ends_at: Option<i64>, secret| QuoteKey {
            id: format!("key {secret}"),
            signs_from: Timestamp(signs_from),
            ends_at: ends_at.map(Timestamp),
            signing: SigningKey::from_bytes(&[secret; SECRET_KEY_LENGTH]),
        };
        let keys = QuoteKeys(vec![key(2_000, None, 2), key(1_000, Some(4_000), 1)]);
        let currency = |id| QuoteCurrency { id, code: format!("C{id}") };
        let terms = Terms::new(TermsParts {
            rate: Decimal::TWO,
            tiers: Vec::new(),
            give_fee: Decimal::ZERO,
            receive_fee: Decimal::ZERO,
            network_fee: None,
            give_digits: 2,
            receive_digits: 2,
            give_step: None,
            receive_step: None,
        });
        let quote = |issued_at| Quote {
            from: currency(1),
            to: currency(2),
            terms: terms.clone().unwrap(),
            bonus_percent: Decimal::ZERO,
            issued_at,
            expires_at: 9_000,
            rates_version: 1,
            explanation: None,
            bonus_for: None,
        };
        let read = |key: usize, issued_at, now| {
            let token = quote(issued_at).sign(&keys.0[key].signing).token();
            keys.verify(&token, Timestamp(now)).map(|quote| quote.issued_at)
        };
        assert_eq!(read(0, 2_000, 3_000), Ok(2_000));
        assert_eq!(read(0, 1_999, 3_000), Err(QuoteError::Signature), "before its time");
        assert_eq!(read(1, 1_999, 3_999), Ok(1_999));
        assert_eq!(read(1, 500, 600), Ok(500), "by the only key that signs while the clock is behind it");
        assert_eq!(read(0, 500, 600), Err(QuoteError::Signature));
        assert_eq!(read(1, 1_999, 4_000), Err(QuoteError::Signature), "after its last quote has ended");
    }
}
