//! Quotes: the terms a customer was shown, signed, so that they hold until they expire and anyone
//! can check them.
//!
//! The content of a quote is one JSON object with its keys in a fixed order, no spaces, and every
//! amount a shortest decimal string. Its token is `<content>.<signature>`, both in base64url
//! without padding; the Ed25519 signature covers [`SIGNED_PREFIX`] followed by the content as it
//! stands in the token.
//!
//! A quote that carries a bonus says last, under the key `for`, whom and what it was made for; one without does not have the key, so
//! that it reads as it always did. It holds only for that account and with that promo code. Before it, under `how`, are the steps the course
//! was made by, so that a claim keeps those of the rate it was promised, whatever the rate is by then.

use agio_core::needs::BonusPart;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

use super::decimal_text;
use super::engine::{Terms, TermsParts, Tier};
use super::explanation::Explanation;

/// What is signed begins with this, so that the signature can't be passed off as another one.
pub const SIGNED_PREFIX: &str = "agio-quote-v1.";

/// The format in a sentence, published next to the key.
pub const FORMAT: &str = "token = base64url(content) \".\" base64url(signature), without padding; \
     signature = Ed25519(\"agio-quote-v1.\" base64url(content)); content = JSON";

/// A longer token is refused unread: the longest honest one has about half of this.
pub const MAX_TOKEN_LENGTH: usize = 8192;

/// One side of a quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteCurrency {
    /// The currency's id.
    pub id: i64,
    /// Its code, "BTC".
    pub code: String,
}

/// Whom and what the bonus of a quote is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteBonus {
    /// The account, where a part of the bonus is an account's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<Uuid>,
    /// What it is given for. Together these may ask for more than was added.
    pub parts: Vec<BonusPart>,
}

impl QuoteBonus {
    /// The promo code it was made with.
    #[must_use]
    pub fn promo(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| part.code.as_deref())
    }
}

/// What a customer was promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The sent currency.
    pub from: QuoteCurrency,
    /// The received currency.
    pub to: QuoteCurrency,
    /// What the amounts are computed from.
    pub terms: Terms,
    /// Per cent for this customer that is inside the courses already.
    pub bonus_percent: Decimal,
    /// Microseconds since 1970-01-01 UTC.
    pub issued_at: i64,
    /// From this moment on it no longer holds, in the same unit.
    pub expires_at: i64,
    /// Which rates it was made from.
    pub rates_version: i64,
    /// How the courses came about, as far as everybody may know.
    pub explanation: Option<Explanation>,
    /// Whom and what the bonus is for; nothing where there is none.
    pub bonus_for: Option<QuoteBonus>,
}

/// Why a token is not a quote of ours that holds.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QuoteError {
    /// It is not a token in this format.
    #[error("not a quote")]
    Malformed,
    /// The signature is not ours, or the content was changed.
    #[error("the signature does not fit")]
    Signature,
    /// It was ours, but no longer holds.
    #[error("the quote has expired")]
    Expired,
}

/// A signed quote in its two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedQuote {
    /// The content in base64url.
    pub content: String,
    /// The signature in base64url.
    pub signature: String,
}

impl SignedQuote {
    /// Both parts as one text.
    #[must_use]
    pub fn token(&self) -> String {
        format!("{}.{}", self.content, self.signature)
    }
}

impl Quote {
    /// Whether it holds for whoever is signed in to this account, if to any, and comes with this promo code, if with any.
    #[must_use]
    pub fn holds_for(&self, customer: Option<Uuid>, promo: Option<&str>) -> bool {
        let bound = self.bonus_for.as_ref();
        let same_customer = bound.and_then(|bound| bound.customer).is_none_or(|whose| customer == Some(whose));
        same_customer && bound.and_then(QuoteBonus::promo) == promo
    }

    /// The canonical JSON text that is signed.
    #[must_use]
    pub fn canonical(&self) -> String {
        serde_json::to_string(&Content::from(self)).expect("a quote is plain values")
    }

    /// Signs the quote.
    #[must_use]
    pub fn sign(&self, key: &SigningKey) -> SignedQuote {
        let content = URL_SAFE_NO_PAD.encode(self.canonical());
        let signature = key.sign(signed_text(&content).as_bytes());
        SignedQuote { content, signature: URL_SAFE_NO_PAD.encode(signature.to_bytes()) }
    }

    /// Reads a token back, when it was signed by this key's owner and holds at `now`
    /// (microseconds since 1970-01-01 UTC).
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

    /// Reads the canonical text; any other text with the same meaning is refused.
    fn read(canonical: &[u8]) -> Result<Self, QuoteError> {
        let content: Content = serde_json::from_slice(canonical).map_err(|_| QuoteError::Malformed)?;
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

/// The quote as it is written: the order of the fields is the order of the keys.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Content {
    v: u32,
    from: QuoteCurrency,
    to: QuoteCurrency,
    #[serde(with = "decimal_text")]
    course: Decimal,
    tiers: Vec<ContentTier>,
    #[serde(with = "decimal_text")]
    fee_from: Decimal,
    #[serde(with = "decimal_text")]
    fee_to: Decimal,
    digits_from: u32,
    digits_to: u32,
    #[serde(with = "decimal_text")]
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
struct ContentTier {
    #[serde(with = "decimal_text")]
    min: Decimal,
    #[serde(with = "decimal_text")]
    course: Decimal,
}

impl From<&Quote> for Content {
    fn from(quote: &Quote) -> Self {
        let parts = quote.terms.parts();
        let tier = |tier: &Tier| ContentTier { min: tier.min_send, course: tier.course };
        Self {
            v: 1,
            from: quote.from.clone(),
            to: quote.to.clone(),
            course: parts.course,
            tiers: parts.tiers.iter().map(tier).collect(),
            fee_from: parts.fee_from,
            fee_to: parts.fee_to,
            digits_from: parts.digits_from,
            digits_to: parts.digits_to,
            bonus: quote.bonus_percent,
            issued_at: quote.issued_at,
            expires_at: quote.expires_at,
            rates_version: quote.rates_version,
            explanation: quote.explanation.clone(),
            bonus_for: quote.bonus_for.clone(),
        }
    }
}

impl Content {
    fn quote(self) -> Option<Quote> {
        if self.v != 1 {
            return None;
        }
        let tier = |tier: ContentTier| Tier { min_send: tier.min, course: tier.course };
        let terms = Terms::new(TermsParts {
            course: self.course,
            tiers: self.tiers.into_iter().map(tier).collect(),
            fee_from: self.fee_from,
            fee_to: self.fee_to,
            digits_from: self.digits_from,
            digits_to: self.digits_to,
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
