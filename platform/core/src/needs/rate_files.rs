//! Files of rates that somebody fetched.

use rust_decimal::Decimal;

use crate::clock::Timestamp;

/// Who reads files that sources of rates publish.
pub trait RateFiles: Send + Sync {
    /// Reads a file that arrived then, whole.
    ///
    /// # Errors
    /// It is in no known format, or not as its source writes it: why, in words.
    fn read(&self, file: &[u8], received_at: Timestamp) -> Result<RateFile, String>;
}

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateFile {
    /// Whose it is: "ecb".
    pub source: String,
    /// Its prices, in its order; at least one.
    pub prices: Vec<FilePrice>,
    /// What was left out knowingly: dead markets, symbols nobody here knows.
    pub skipped: Vec<String>,
}

/// One price: units of `quote` for one unit of `base`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePrice {
    /// Ticker of the currency that is priced.
    pub base: String,
    /// Ticker of the currency it is priced in.
    pub quote: String,
    /// What is paid for one `base`.
    pub bid: Decimal,
    /// What one `base` costs; never below `bid`.
    pub ask: Decimal,
    /// When the source says it held: a day ("2024-03-28") or a moment (RFC 3339).
    pub observed_at: String,
}
