//! What plugins that read published rates share.
//!
//! A page of a source is read whole or refused whole, with an error that names what is wrong: a price that was guessed is worse than none.
//! Numbers are read from their digits and never go through a binary float.

pub mod book;
pub mod json;
pub mod number;
pub mod source;
pub mod xml;

use std::fmt::Display;

use rust_decimal::Decimal;
use thiserror::Error;

pub use book::Book;
pub use source::{Page, Source, handle, manifest};

/// Pages longer than this are refused unread.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// How much of what a source says of its trouble is told, in characters.
const SAID_MAX: usize = 200;

/// Why a page is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// Longer than [`MAX_BYTES`].
    #[error("the file is longer than 16 MiB")]
    TooLong,
    /// An encoding that no source here uses.
    #[error("the file declares the encoding {0:?}; utf-8 and windows-1251 are read")]
    Encoding(String),
    /// The bytes are not what the declaration says.
    #[error("byte {at} is not {declared}")]
    Bytes {
        /// The declared encoding.
        declared: &'static str,
        /// Where the first wrong byte is.
        at: usize,
    },
    /// The file was re-encoded on its way and its declaration was not.
    #[error("the file declares windows-1251 but is UTF-8: something on the way re-encoded it")]
    Reencoded,
    /// Not well-formed XML, or XML no source writes.
    #[error("the XML is broken near byte {at}: {what}")]
    Xml {
        /// Where reading stopped.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// Not the JSON this source writes.
    #[error("the JSON is not as expected: {0}")]
    Json(String),
    /// The source itself says that something is wrong.
    #[error("the source answers with an error: {0}")]
    Said(String),
    /// Something that must be there is not.
    #[error("{of} has no {what}")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// In what.
        of: String,
    },
    /// Not a date of the form this source writes.
    #[error("{0:?} is not a date in the form of this source")]
    Date(String),
    /// Prices of a time that is still to come.
    #[error("the prices are of {0}, which is still to come")]
    Early(String),
    /// Not the ticker of a currency.
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
    /// A price of zero, or of more digits than can be kept.
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
        /// The symbol.
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
    /// What the source says of its trouble, as far as people read.
    #[must_use]
    pub fn said(told: impl Display) -> Self {
        Self::Said(told.to_string().chars().take(SAID_MAX).collect())
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.to_string())
    }
}

/// Checks an ISO 4217 letter code.
///
/// # Errors
/// It is none.
pub fn letter_code(text: &str) -> Result<&str, ReadError> {
    if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(text)
    } else {
        Err(ReadError::Code(text.to_owned()))
    }
}
