//! Money rules: known figures, a million random exchanges, the vectors shared with the page, cross rates, prices and
//! quotes.

mod cross;
mod demo_day;
mod examples;
mod generators;
mod network_fees;
mod pricing;
mod properties;
mod quotes;
mod vectors;
