//! Shared code of plugins that read published rates.
//!
//! A page is read completely or rejected with an error that names the problem: a guessed price is worse than none. Numbers are parsed from
//! their digits, never through a binary float.

pub mod json;
pub mod number;
pub mod price_collector;
pub mod source;
pub mod xml;

use std::fmt::Display;

use rust_decimal::Decimal;
use thiserror::Error;

pub use price_collector::PriceCollector;
pub use source::{RateSource, Source, SourcePage, handle, manifest};

/// Maximum size of a page.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Maximum length of a source's own error message, in characters.
const MESSAGE_MAX: usize = 200;

/// Why a page is rejected.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// Longer than [`MAX_BYTES`].
    #[error("the file is longer than 16 MiB")]
    TooLong,
    /// Unsupported encoding.
    #[error("the file declares the encoding {0:?}; utf-8 and windows-1251 are read")]
    Encoding(String),
    /// The bytes do not match the declaration.
    #[error("byte {at} is not {declared}")]
    Bytes {
        /// The declared encoding.
        declared: &'static str,
        /// Position of the first invalid byte.
        at: usize,
    },
    /// The file was re-encoded, but not its declaration.
    #[error("the file declares windows-1251 but is UTF-8: something on the way re-encoded it")]
    Reencoded,
    /// Malformed or unexpected XML.
    #[error("the XML is broken near byte {at}: {what}")]
    Xml {
        /// Position of the error.
        at: u64,
        what: String,
    },
    /// Unexpected JSON.
    #[error("the JSON is not as expected: {0}")]
    Json(String),
    /// The source returned an error.
    #[error("the source answers with an error: {0}")]
    SourceError(String),
    /// A required value is missing.
    #[error("{of} has no {what}")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// Its parent.
        of: String,
    },
    /// Not a date in the source's format.
    #[error("{0:?} is not a date in the form of this source")]
    Date(String),
    /// Prices of a future time.
    #[error("the prices are of {0}, which is in the future")]
    Early(String),
    /// Not a currency code.
    #[error("{0:?} is not a currency code")]
    Code(String),
    /// Not a number of the form this source writes.
    #[error("{what} is {text:?}, not a number written with a decimal {separator}")]
    Number {
        /// Of what.
        what: String,
        /// As it stands in the file.
        text: String,
        /// "point" or "comma".
        separator: &'static str,
    },
    /// A price of zero, or of more digits than fit.
    #[error("{what} is {text:?}, which is no price")]
    Price {
        /// Of what.
        what: String,
        /// As it stands in the file.
        text: String,
    },
    /// The same currency or symbol twice.
    #[error("{0} is there twice")]
    Duplicate(String),
    /// The rate for one unit is not the rate divided by the nominal.
    #[error("{code}: {value} for {nominal} is not {unit_rate} for one")]
    UnitRate {
        /// The currency.
        code: String,
        /// Units the value is for.
        nominal: u64,
        /// The value for that many.
        value: Decimal,
        /// The value for one, as published.
        unit_rate: Decimal,
    },
    /// A bid above the ask.
    #[error("{symbol}: the bid {bid} is above the ask {ask}")]
    Crossed {
        symbol: String,
        /// What buyers pay.
        bid: Decimal,
        /// What sellers ask.
        ask: Decimal,
    },
    /// A file of the right form without a single price.
    #[error("the file holds no prices")]
    NoPrices,
}

impl ReadError {
    /// An error message from the source, shortened.
    pub fn from_source(message: impl Display) -> Self {
        Self::SourceError(message.to_string().chars().take(MESSAGE_MAX).collect())
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.to_string())
    }
}

/// Checks an ISO 4217 letter code.
pub fn letter_code(text: &str) -> Result<&str, ReadError> {
    if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(text)
    } else {
        Err(ReadError::Code(text.to_owned()))
    }
}
