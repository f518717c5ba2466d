//! Rate files that an operator downloaded from a source.

use agio_core::clock::Timestamp;
use rust_decimal::Decimal;

/// Reads rate files in the formats of their sources.
pub trait RateFileReader: Send + Sync {
    /// Reads a whole file that was received at the given time.
    ///
    /// # Errors
    /// The format is unknown or damaged: the reason as text.
    fn read(&self, file: &[u8], received_at: Timestamp) -> Result<RateFile, String>;
}

/// The prices in a rate file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateFile {
    /// Name of the source: "ecb".
    pub source: String,
    /// In the order of the file; at least one.
    pub prices: Vec<FilePrice>,
    /// What was ignored: closed markets, unknown symbols.
    pub skipped: Vec<String>,
}

/// A price: units of `quote` for one unit of `base`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePrice {
    pub base: String,
    pub quote: String,
    /// What is paid for one `base`.
    pub bid: Decimal,
    /// What one `base` costs; never below `bid`.
    pub ask: Decimal,
    /// The time of the price: a day ("2024-03-28") or an instant (RFC 3339).
    pub observed_at: String,
}
