//! Readers of the files that rate sources publish.
//!
//! A reader takes the bytes of a file and returns observations; fetching, storing and judging how
//! old they are belongs elsewhere. A file is read whole or refused whole, with an error that names
//! what is wrong: a price that was guessed is worse than none.

pub mod binance;
pub mod cbr;
pub mod currency_api;
pub mod ecb;
mod number;
mod xml;

use rust_decimal::Decimal;
use thiserror::Error;

use crate::model::observation::Observation;

/// Files longer than this are refused unread.
pub const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// Sources from the most trusted on, for cross rates that could be made from several.
pub const SOURCE_PRIORITY: [&str; 4] = [ecb::SOURCE, cbr::SOURCE, binance::SOURCE, currency_api::SOURCE];

/// A format of rate files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The European Central Bank's daily reference rates, XML.
    Ecb,
    /// The Bank of Russia's daily rates, XML.
    Cbr,
    /// Binance's best bids and asks, JSON.
    Binance,
    /// currency-api's daily rates of one currency, JSON.
    CurrencyApi,
}

impl Format {
    /// The source's name in observations.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Ecb => ecb::SOURCE,
            Self::Cbr => cbr::SOURCE,
            Self::Binance => binance::SOURCE,
            Self::CurrencyApi => currency_api::SOURCE,
        }
    }
}

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The format it was read as.
    pub format: Format,
    /// Its prices, in the order of the file; at least one.
    pub observations: Vec<Observation>,
    /// What was left out knowingly: dead markets, symbols and codes nobody here knows.
    pub skipped: Vec<String>,
}

/// Why a file is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FeedError {
    /// Longer than [`MAX_FILE_BYTES`].
    #[error("the file is longer than 16 MiB")]
    TooLong,
    /// None of the known formats.
    #[error("the file is in none of the known formats")]
    UnknownFormat,
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

/// Tells the format by the first few kilobytes; none when it is not a known one.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<Format> {
    let bytes = without_mark(bytes);
    let head = &bytes[..bytes.len().min(4096)];
    let has = |text: &str| head.windows(text.len()).any(|window| window == text.as_bytes());
    match head.iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'<' if has("eurofxref") => Some(Format::Ecb),
        b'<' if has("<ValCurs") => Some(Format::Cbr),
        b'[' | b'{' if has("\"bidPrice\"") => Some(Format::Binance),
        b'{' if has("\"date\"") => Some(Format::CurrencyApi),
        _ => None,
    }
}

/// Reads a file of any known format.
///
/// `received_at`, in microseconds since 1970-01-01 UTC, is when the bytes arrived: it dates the
/// prices of sources that don't date their own.
pub fn parse(bytes: &[u8], received_at: i64) -> Result<Feed, FeedError> {
    match detect(bytes).ok_or(FeedError::UnknownFormat)? {
        Format::Ecb => ecb::parse(bytes),
        Format::Cbr => cbr::parse(bytes),
        Format::Binance => binance::parse(bytes, received_at, &binance::KNOWN_ASSETS),
        Format::CurrencyApi => currency_api::parse(bytes),
    }
}

/// Checks the length and takes the byte order mark off.
fn checked(bytes: &[u8]) -> Result<&[u8], FeedError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(FeedError::TooLong);
    }
    Ok(without_mark(bytes))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Checks an ISO 4217 letter code.
fn letter_code(text: &str) -> Result<&str, FeedError> {
    if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(text)
    } else {
        Err(FeedError::Code(text.to_owned()))
    }
}
