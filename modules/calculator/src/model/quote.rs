//! Signed quotes: terms that stay valid until they expire and that anyone can verify.
//!
//! The content of a quote is one JSON object with keys in a fixed order, no spaces, and amounts as shortest decimal
//! strings. The token is `<content>.<signature>`, both in base64url without padding. The Ed25519 signature covers
//! [`SIGNED_PREFIX`] followed by the encoded content.
//!
//! `stepFrom` and `stepTo` are left out where amounts have no step. A quote with a bonus ends with the key `for`: the
//! customer and the bonus parts. It is valid only for that account and promo code. The key `how` before it holds the
//! pricing steps, so that a claim keeps the explanation of its quoted rate.

use agio_contracts::{BonusPart, NetworkFee};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

use super::engine::{Terms, TermsParts, Tier};
use super::explanation::Explanation;

/// Domain separation: the signed text starts with this.
pub const SIGNED_PREFIX: &str = "agio-quote-v1.";

/// The format, published with the key.
pub const FORMAT: &str = "token = base64url(content) \".\" base64url(signature), without padding; \
     signature = Ed25519(\"agio-quote-v1.\" base64url(content)); content = JSON";

/// Longer tokens are rejected unread. Valid ones have at most about half of this.
pub const MAX_TOKEN_LENGTH: usize = 8192;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteCurrency {
    pub id: i64,
    pub code: String,
}

/// The customer and the parts of a quote's bonus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteBonus {
    /// Set if a part of the bonus belongs to an account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<Uuid>,
    /// Parts of the bonus. Their sum may exceed the bonus applied.
    pub parts: Vec<BonusPart>,
}

impl QuoteBonus {
    pub fn promo(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| part.code.as_deref())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    pub from: QuoteCurrency,
    pub to: QuoteCurrency,
    pub terms: Terms,
    /// Bonus included in the rates, in percent.
    pub bonus_percent: Decimal,
    /// Microseconds since 1970-01-01 UTC.
    pub issued_at: i64,
    /// Microseconds since 1970-01-01 UTC.
    pub expires_at: i64,
    pub rates_version: i64,
    /// The public explanation of the rates.
    pub explanation: Option<Explanation>,
    pub bonus_for: Option<QuoteBonus>,
}

/// Why a token is not a valid quote.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QuoteError {
    /// Not a token in this format.
    #[error("not a quote")]
    Malformed,
    /// Wrong signature or changed content.
    #[error("the signature does not fit")]
    Signature,
    #[error("the quote has expired")]
    Expired,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedQuote {
    pub content: String,
    pub signature: String,
}

impl SignedQuote {
    /// Both parts as one text.
    pub fn token(&self) -> String {
        format!("{}.{}", self.content, self.signature)
    }
}

impl Quote {
    /// Whether the quote is valid for this account and promo code.
    pub fn holds_for(&self, customer: Option<Uuid>, promo: Option<&str>) -> bool {
        let bound = self.bonus_for.as_ref();
        let same_customer = bound.and_then(|bound| bound.customer).is_none_or(|owner| customer == Some(owner));
        same_customer && bound.and_then(QuoteBonus::promo) == promo
    }

    /// The canonical JSON text that is signed.
    pub fn canonical(&self) -> String {
        serde_json::to_string(&QuoteContent::from(self)).expect("a quote is plain values")
    }

    pub fn sign(&self, key: &SigningKey) -> SignedQuote {
        let content = URL_SAFE_NO_PAD.encode(self.canonical());
        let signature = key.sign(signed_text(&content).as_bytes());
        SignedQuote { content, signature: URL_SAFE_NO_PAD.encode(signature.to_bytes()) }
    }

    /// Decodes and verifies a token at `now` (microseconds since 1970-01-01 UTC).
    pub fn verify(token: &str, key: &VerifyingKey, now: i64) -> Result<Self, QuoteError> {
        if token.len() > MAX_TOKEN_LENGTH {
            return Err(QuoteError::Malformed);
        }
        let (content, signature) = token.split_once('.').ok_or(QuoteError::Malformed)?;
        let signature = decode(signature)?;
        let signature = Signature::from_slice(&signature).map_err(|_| QuoteError::Malformed)?;
        key.verify_strict(signed_text(content).as_bytes(), &signature).map_err(|_| QuoteError::Signature)?;
        let quote = Self::read(&decode(content)?)?;
        if now >= quote.expires_at {
            return Err(QuoteError::Expired);
        }
        Ok(quote)
    }

    /// Decodes the canonical text; any other encoding of the same content is rejected.
    fn read(canonical: &[u8]) -> Result<Self, QuoteError> {
        let content: QuoteContent = serde_json::from_slice(canonical).map_err(|_| QuoteError::Malformed)?;
        let quote = content.quote().ok_or(QuoteError::Malformed)?;
        if quote.canonical().as_bytes() == canonical { Ok(quote) } else { Err(QuoteError::Malformed) }
    }
}

fn signed_text(content: &str) -> String {
    format!("{SIGNED_PREFIX}{content}")
}

fn decode(text: &str) -> Result<Vec<u8>, QuoteError> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| QuoteError::Malformed)
}

/// The JSON form: field order is key order.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct QuoteContent {
    v: u32,
    from: QuoteCurrency,
    to: QuoteCurrency,
    #[serde(rename = "course", with = "agio_core::decimal::text")]
    rate: Decimal,
    tiers: Vec<QuoteContentTier>,
    #[serde(rename = "feeFrom", with = "agio_core::decimal::text")]
    give_fee: Decimal,
    #[serde(rename = "feeTo", with = "agio_core::decimal::text")]
    receive_fee: Decimal,
    #[serde(default, rename = "feeNetwork", skip_serializing_if = "Option::is_none")]
    network_fee: Option<NetworkFee>,
    #[serde(rename = "digitsFrom")]
    give_digits: u32,
    #[serde(rename = "digitsTo")]
    receive_digits: u32,
    #[serde(default, rename = "stepFrom", with = "agio_core::decimal::optional_text", skip_serializing_if = "Option::is_none")]
    give_step: Option<Decimal>,
    #[serde(default, rename = "stepTo", with = "agio_core::decimal::optional_text", skip_serializing_if = "Option::is_none")]
    receive_step: Option<Decimal>,
    #[serde(with = "agio_core::decimal::text")]
    bonus: Decimal,
    issued_at: i64,
    expires_at: i64,
    rates_version: i64,
    #[serde(default, rename = "how", skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    bonus_for: Option<QuoteBonus>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuoteContentTier {
    #[serde(with = "agio_core::decimal::text")]
    min: Decimal,
    #[serde(rename = "course", with = "agio_core::decimal::text")]
    rate: Decimal,
}

impl From<&Quote> for QuoteContent {
    fn from(quote: &Quote) -> Self {
        let parts = quote.terms.parts();
        let tier = |tier: &Tier| QuoteContentTier { min: tier.min_give, rate: tier.rate };
        Self {
            v: 1,
            from: quote.from.clone(),
            to: quote.to.clone(),
            rate: parts.rate,
            tiers: parts.tiers.iter().map(tier).collect(),
            give_fee: parts.give_fee,
            receive_fee: parts.receive_fee,
            network_fee: parts.network_fee,
            give_digits: parts.give_digits,
            receive_digits: parts.receive_digits,
            give_step: parts.give_step,
            receive_step: parts.receive_step,
            bonus: quote.bonus_percent,
            issued_at: quote.issued_at,
            expires_at: quote.expires_at,
            rates_version: quote.rates_version,
            explanation: quote.explanation.clone(),
            bonus_for: quote.bonus_for.clone(),
        }
    }
}

impl QuoteContent {
    fn quote(self) -> Option<Quote> {
        if self.v != 1 {
            return None;
        }
        let tier = |tier: QuoteContentTier| Tier { min_give: tier.min, rate: tier.rate };
        let terms = Terms::new(TermsParts {
            rate: self.rate,
            tiers: self.tiers.into_iter().map(tier).collect(),
            give_fee: self.give_fee,
            receive_fee: self.receive_fee,
            network_fee: self.network_fee,
            give_digits: self.give_digits,
            receive_digits: self.receive_digits,
            give_step: self.give_step,
            receive_step: self.receive_step,
        });
        Some(Quote {
            from: self.from,
            to: self.to,
            terms: terms.ok()?,
            bonus_percent: self.bonus,
            issued_at: self.issued_at,
            expires_at: self.expires_at,
            rates_version: self.rates_version,
            explanation: self.explanation,
            bonus_for: self.bonus_for,
        })
    }
}
